import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { BEFORE, NINEFOLD, PEERS, ROOT, SYNC_LIBRARY } from './paths.ts';

const BENCH = import.meta.dirname;

/**
 * Installs the peers' packages if they are missing, and builds what is measured: the published form of everything.
 * @param before the commit that Ninefold is measured beside, or null.
 */
export function build(before: string | null, say: (line: string) => void): void {
  if (!existsSync(join(BENCH, 'node_modules'))) {
    say('Installing the peers');
    run('npm', ['ci', '--prefix', BENCH]);
  }
  say('Building');
  rmSync(join(BENCH, 'dist'), { recursive: true, force: true });
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  // Both sides run as plain JavaScript: reading TypeScript costs memory that no service in use pays.
  run(process.execPath, [tsc, '-p', join(ROOT, 'tsconfig.build.json'), '--outDir', join(NINEFOLD, 'dist')]);
  run(process.execPath, [tsc, '-p', join(BENCH, 'tsconfig.peers.json'), '--outDir', PEERS]);
  cpSync(join(ROOT, 'bin'), join(NINEFOLD, 'bin'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(NINEFOLD, 'package.json'));
  // Each side finds its own packages, and never the other's.
  symlinkSync(join(ROOT, 'node_modules'), join(NINEFOLD, 'node_modules'));
  if (before !== null) buildBefore(before, tsc);
}

/** Builds Ninefold from the sources of an earlier commit, with the packages of today's, or its own where it needs others. */
function buildBefore(commit: string, tsc: string): void {
  const sources = `${BEFORE}-sources`;
  mkdirSync(sources, { recursive: true });
  run('sh', ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', commit, sources]);
  const packages = join(sources, 'node_modules');
  if (needs(sources).every((name) => needs(ROOT).includes(name))) symlinkSync(join(ROOT, 'node_modules'), packages);
  else run('npm', ['ci', '--ignore-scripts', '--prefix', sources]);
  run(process.execPath, [tsc, '-p', join(sources, 'tsconfig.build.json'), '--outDir', join(BEFORE, 'dist')]);
  cpSync(join(sources, 'bin'), join(BEFORE, 'bin'), { recursive: true });
  cpSync(join(sources, 'package.json'), join(BEFORE, 'package.json'));
  symlinkSync(packages, join(BEFORE, 'node_modules'));
}

/** The names of the packages that a package needs when it runs. */
const needs = (directory: string): string[] =>
  Object.keys(
    (JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { dependencies: object }).dependencies,
  );

/** Builds the library that counts and delays syncs; false where there is no compiler, and they are not counted. */
export function buildSyncLibrary(): boolean {
  mkdirSync(join(BENCH, 'dist'), { recursive: true });
  const kind = process.platform === 'darwin' ? '-dynamiclib' : '-shared';
  const args = ['-O2', '-fPIC', kind, '-o', SYNC_LIBRARY, join(BENCH, 'sync.c'), '-ldl'];
  return process.platform === 'linux' && spawnSync('cc', args, { stdio: 'ignore' }).status === 0;
}

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 2, 2], cwd: ROOT });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ended with ${status}`);
}
