import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

/** A disk of its own needs rights over mounts: the system's, or those over a name space of one's own. */
const WAYS = [
  { unshare: ['unshare', '-m'], enter: ['nsenter', '-m'] },
  { unshare: ['unshare', '-rm'], enter: ['nsenter', '-m', '-U', '--preserve-credentials'] },
] as const;

/** How a disk can be mounted here; null where it can't. */
export function wayToMount(): (typeof WAYS)[number] | null {
  const works = ({ unshare: [program, ...words] }: (typeof WAYS)[number]): boolean =>
    spawnSync(program, [...words, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
  return WAYS.find(works) ?? null;
}

export const lacksMount = (): string | null =>
  wayToMount() ? null : 'no right to mount a disk: run it as root, or allow user name spaces';

/** A small disk on a directory, which those alone see who are started by its `prefix`: services come and go on it. */
export class SmallDisk {
  readonly prefix: readonly string[];
  /** Where the disk is for everybody else. */
  readonly path: string;
  private readonly keeper: ChildProcess;

  private constructor(keeper: ChildProcess, prefix: readonly string[], path: string) {
    this.keeper = keeper;
    this.prefix = prefix;
    this.path = path;
  }

  /** Mounts one of a size such as `12m` on a directory. */
  static async on(directory: string, size: string): Promise<SmallDisk> {
    const { unshare, enter } = wayToMount()!;
    const mount = `mount -t tmpfs -o size=${size} none "$1" && echo mounted && exec sleep 3600`;
    const [program, ...words] = [...unshare, 'sh', '-c', mount, 'sh', directory];
    const keeper = spawn(program!, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(keeper.stdout!, 'data');
    const pid = String(keeper.pid);
    return new SmallDisk(keeper, [...enter, '-t', pid], join('/proc', pid, 'root', directory));
  }

  /** Leaves so many bytes of room; gives the file that takes all else. */
  fill(room: number): string {
    const ballast = join(this.path, 'ballast');
    fillDisk(ballast, room);
    return ballast;
  }

  [Symbol.dispose](): void {
    this.keeper.kill('SIGKILL');
  }
}

/** Writes a file until its disk is full, and then gives back so many bytes. */
export function fillDisk(ballast: string, room: number): void {
  let size = 0;
  for (const piece of [1 << 20, 1 << 16, 1 << 12])
    for (;;)
      try {
        appendFileSync(ballast, Buffer.alloc(piece));
        size += piece;
      } catch {
        truncateSync(ballast, size);
        break;
      }
  truncateSync(ballast, Math.max(0, size - room));
}
