import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const HERE = import.meta.dirname;

/** The lock file that the last installation went by. */
const MARK = join(HERE, 'node_modules', '.ninefold-installed');

/** Installs the tools, unless those of this very lock file are there. */
export function installPeers(): void {
  const lock = readFileSync(join(HERE, 'package-lock.json'), 'utf8');
  if (existsSync(MARK) && readFileSync(MARK, 'utf8') === lock) return;
  console.error('Installing Dredd, Prism, Redocly and Specmatic');
  const { status, error } = spawnSync('npm', ['ci', '--prefix', HERE], { stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) throw new Error(`npm ci --prefix ${HERE} ended with ${status}`);
  writeFileSync(MARK, lock);
}
