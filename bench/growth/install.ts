import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.ts';
import { emptyFolder } from './bulk.ts';

/** What is published, and what it installs. */
export interface Installed {
  readonly tarballBytes: number;
  readonly unpackedBytes: number;
  readonly publishedFiles: number;
  readonly installedBytes: number;
  readonly installedFiles: number;
  readonly packages: number;
  /** The largest packages, with their bytes. */
  readonly largest: ReadonlyArray<readonly [string, number]>;
}

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
}

/** Packs the package as it would be published, and installs that into an empty folder, without what develops it. */
export function measureInstall(data: string): Installed {
  const folder = emptyFolder(join(data, 'install'));
  const npm = (cwd: string, ...args: string[]): string =>
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 2] });
  try {
    const told = npm(ROOT, 'pack', '--json', '--silent', '--pack-destination', folder);
    const { filename, size, unpackedSize, entryCount } = packedOf(told);
    npm(
      folder,
      'install',
      '--omit=dev',
      '--no-audit',
      '--no-fund',
      '--silent',
      '--prefix',
      folder,
      join(folder, filename),
    );
    const modules = join(folder, 'node_modules');
    const packages = packagesIn(modules).map((path) => [path, sizeOf(join(modules, path))] as const);
    const all = sizeOf(modules);
    return {
      tarballBytes: size,
      unpackedBytes: unpackedSize,
      publishedFiles: entryCount,
      installedBytes: all.bytes,
      installedFiles: all.files,
      packages: packages.length,
      largest: packages
        .map(([name, { bytes }]) => [name, bytes] as const)
        .sort((a, b) => b[1] - a[1])
        .slice(0, 5),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What `npm pack --json` tells: a list of packages, or, since npm 11, an object of them by name. */
function packedOf(told: string): Packed {
  const at = told.search(/^[[{]/m);
  return Object.values(JSON.parse(told.slice(at)) as Record<string, Packed>)[0]!;
}

/** The packages in a folder, those of scopes among them. */
function packagesIn(modules: string): string[] {
  return readdirSync(modules).flatMap((name) => {
    if (name.startsWith('.')) return [];
    return name.startsWith('@') ? readdirSync(join(modules, name)).map((one) => join(name, one)) : [name];
  });
}

function sizeOf(folder: string): { bytes: number; files: number } {
  let bytes = 0;
  let files = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    files++;
    bytes += lstatSync(join(entry.parentPath, entry.name)).size;
  }
  return { bytes, files };
}
