import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs the packages of a folder that has a lock file of its own, unless those of this very lock file are there.
 * `what` names them in the line that is printed. Throws where npm fails.
 */
export function installOnce(folder: string, what: string): void {
  const mark = join(folder, 'node_modules', '.ninefold-installed');
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return;
  console.log(`Installing ${what}`);
  const { status, error } = spawnSync('npm', ['ci', '--prefix', folder], { stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) throw new Error(`npm ci --prefix ${folder} ended with ${status}`);
  writeFileSync(mark, lock);
}
