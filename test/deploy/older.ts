import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Ran, Service, type Workspace } from '../harness.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

/** Why an older Ninefold can’t be had here; false where it can. A clone may have no more than its last commits. */
export function withoutCommit(commit: string): string | false {
  const { status, error } = spawnSync('git', ['-C', ROOT, 'cat-file', '-e', `${commit}^{commit}`]);
  return error || status !== 0 ? `this clone has no commit ${commit}` : false;
}

/** Ninefold as it was at a commit, with the packages of that time. */
export class OlderNinefold {
  private readonly dir: string;

  private constructor(dir: string) {
    this.dir = dir;
  }

  /** Takes it from the history of this clone, and installs its packages. */
  static async at(commit: string): Promise<OlderNinefold> {
    const dir = mkdtempSync(join(tmpdir(), 'ninefold-older-'));
    const copy = 'git -C "$1" archive "$2" bin src package.json package-lock.json .npmrc | tar -x -C "$3"';
    await run('sh', ['-c', copy, 'sh', ROOT, commit, dir]);
    await run('npm', ['ci', '--omit=dev', '--ignore-scripts'], { cwd: dir });
    return new OlderNinefold(dir);
  }

  private words(command: string, space: Workspace, args: readonly string[]): string[] {
    return [join(this.dir, 'bin', 'ninefold.js'), command, space.file, ...args, ...space.place];
  }

  /** Runs one of its commands on the rows of a place. */
  async cli(space: Workspace, command: string, ...args: readonly string[]): Promise<Ran> {
    try {
      const { stdout, stderr } = await run(process.execPath, this.words(command, space, args));
      return { code: 0, out: stdout, err: stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, out: stdout, err: stderr };
    }
  }

  /** Runs one of its commands that has to go well; gives what it printed. */
  async done(space: Workspace, command: string, ...args: readonly string[]): Promise<string> {
    const { code, out, err } = await this.cli(space, command, ...args);
    if (code !== 0) throw new Error(err);
    return out.trim();
  }

  /** Serves the document of a place by it. */
  async serve(space: Workspace): Promise<Service> {
    const service = new Service(
      spawn(process.execPath, this.words('serve', space, ['--port', '0']), { stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    await service.ready;
    return service;
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}
