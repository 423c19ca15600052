import { readFileSync, statSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import type { Plan } from '../../plan/step.ts';
import { SetupError } from './failures.ts';
import { moduleSetup, type Patience } from './module.ts';
import type { Setup } from './setup.ts';
import { staticSetup } from './static.ts';

/** The longest JSON file that is read, in bytes. */
const MOST_BYTES = 16 << 20;

const MODULES: readonly string[] = ['.js', '.mjs', '.ts', '.mts'];

/**
 * Loads the operator's part of a test: a JSON file with rows and callers that exist in the service, or a module that
 * creates them. `url`: the URL of the service, for modules. Rejects with SetupError, which names the file and the
 * member; calls of the returned members reject with it too.
 */
export async function loadSetup(file: string, url: string, plan: Plan, patience?: Patience): Promise<Setup> {
  const path = resolve(file);
  const name = basename(file);
  mustBeFile(path, file);
  const kind = extname(path).toLowerCase();
  if (MODULES.includes(kind)) return moduleSetup(path, name, { url, plan }, patience);
  if (kind === '.json') return staticSetup(readFileSync(path), name, plan);
  throw new SetupError(
    `“${file}” is neither a JSON file (.json) nor a module (${MODULES.join(', ')}). \`ninefold test --help\` shows an example of each.`,
  );
}

function mustBeFile(path: string, file: string): void {
  let size: number;
  try {
    const found = statSync(path);
    if (!found.isFile()) throw new SetupError(`“${file}” is not a file.`);
    size = found.size;
  } catch (error) {
    if (error instanceof SetupError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new SetupError(
      code === 'ENOENT'
        ? `There is no file “${file}”. Is --setup spelled right?`
        : `“${file}” can’t be read (${code}).`,
    );
  }
  if (size > MOST_BYTES) throw new SetupError(`“${file}” is longer than 16 MiB.`);
}
