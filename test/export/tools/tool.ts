import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Finds packages that are installed here. */
const here = createRequire(join(import.meta.dirname, 'package.json'));

/** The module of a package that is installed here, by its name: types aren’t known, since a usual run has it not. */
export const toolModule = (name: string): unknown => here(name);

/** What a program of a package printed, and how it ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a program of a package that is installed here: `npm ci --prefix test/export/tools` installs them. */
export async function runTool(program: string, args: readonly string[], cwd: string): Promise<Ended> {
  const file = join(import.meta.dirname, 'node_modules', '.bin', program);
  const child = spawn(process.execPath, [file, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Nothing of a test leaves the machine.
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
  });
  const ended = { out: '', err: '' };
  child.stdout.on('data', (part) => {
    ended.out += part;
  });
  child.stderr.on('data', (part) => {
    ended.err += part;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...ended }));
  });
}
