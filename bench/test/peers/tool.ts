import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';

/** What a tool has found wrong: the test that fails, as the tool names it, and what it says of it. */
export type Complaints = ReadonlyMap<string, string>;

/** A tool of others, set up as its own documentation recommends. */
export interface Tool {
  readonly name: string;
  readonly version: string;
  /** Has the tool test a service; `folder` is empty, and the tool’s own. */
  test(url: string, folder: string): Promise<Complaints>;
}

/** How a program ended, or null where it was stopped for taking too long. */
export type Ended = number | null;

/** Where programs of the packages are that are installed here. */
export const programOf = (name: string): string => join(import.meta.dirname, 'node_modules', '.bin', name);

/** Runs a program to its end; what it prints is in `log` afterwards. */
export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  lastsMs: number,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const log = createWriteStream(join(cwd, 'log'), { flags: 'a' });
  const child = spawn(command, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Nothing of a test leaves the machine.
    env: { ...process.env, ...QUIET, ...env },
  });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const timer = setTimeout(() => child.kill('SIGKILL'), lastsMs);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
  } finally {
    clearTimeout(timer);
    await new Promise<void>((resolve) => log.end(resolve));
  }
}

export const QUIET = {
  NO_COLOR: '1',
  NODE_NO_WARNINGS: '1',
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
} as const;
