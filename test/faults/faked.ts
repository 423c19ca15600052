import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where systems keep libfaketime; Debian has a folder for each architecture. */
function library(): string | null {
  const folders = ['/usr/lib', '/usr/local/lib', ...readdirSync('/usr/lib').map((name) => join('/usr/lib', name))];
  const files = folders.map((folder) => join(folder, 'faketime', 'libfaketimeMT.so.1'));
  return files.find((file) => existsSync(file)) ?? null;
}

/** What gates say that need it. */
export const lacksFaketime = (): string | null =>
  library() ? null : 'there is no libfaketime here (Debian: apt install libfaketime)';

/** The wall clock of a process, which can be set while it runs. What measures how long things take goes on as it was. */
export class FakedClock {
  readonly env: NodeJS.ProcessEnv;
  private readonly file: string;
  private offset = 0;

  /** Keeps the offset in a file in `dir`. */
  constructor(dir: string) {
    this.file = join(dir, 'clock');
    this.env = {
      LD_PRELOAD: library()!,
      FAKETIME_TIMESTAMP_FILE: this.file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    };
    this.jump(0);
  }

  /** What the process takes for the time, in milliseconds since the epoch. */
  get now(): number {
    return Date.now() + this.offset * 1000;
  }

  /** Moves it by so many seconds. */
  jump(seconds: number): void {
    this.offset += Math.round(seconds);
    // A file that is half written would be another time.
    writeFileSync(`${this.file}.next`, `${this.offset < 0 ? '' : '+'}${this.offset}\n`);
    renameSync(`${this.file}.next`, this.file);
  }
}
