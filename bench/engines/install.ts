import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../paths.ts';
import { type Engine, folderOf } from './engine.ts';

/** Installs an engine's packages, unless those of this very lock file are there, and builds what it says has to be built. */
export function install(engine: Engine, say: (line: string) => void): void {
  const folder = folderOf(engine);
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const mark = join(folder, 'node_modules', '.ninefold-installed');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return;
  say(`Installing ${engine.title}`);
  npm(folder, 'ci', '--ignore-scripts');
  npm(folder, 'run', '--if-present', 'make');
  writeFileSync(mark, lock);
}

function npm(folder: string, ...args: string[]): void {
  const headers = headersOfNode();
  const env = headers === null ? process.env : { ...process.env, npm_config_nodedir: headers };
  // What npm says fills screens, and is of use only where it fails.
  const { status, error, stderr, stdout } = spawnSync('npm', args, { cwd: folder, env, encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(`npm ${args.join(' ')} ended with ${status}: ${`${stdout}${stderr}`.slice(-2000)}`);
}

/** Where the headers are that native packages are compiled with: those of the Node that runs, and no download. */
function headersOfNode(): string | null {
  const own = dirname(dirname(process.execPath));
  const packaged = join(ROOT, 'node_modules/node/node_modules', `node-${process.platform}-${process.arch}`);
  return [own, packaged].find((one) => existsSync(join(one, 'include/node/node_api.h'))) ?? null;
}
