import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compile } from '../../../src/compiler/compile.ts';
import type { Contract, VersionContract } from '../../../src/contract/contract.ts';
import { contractOf } from '../../../src/contract/contract-of.ts';
import { clientOf } from '../../../src/export/client/client.ts';

const TSC = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.bin', 'tsc');

/** The options with which programs that use a client are compiled. */
const OPTIONS = {
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  strict: true,
  exactOptionalPropertyTypes: true,
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
  allowImportingTsExtensions: true,
  noEmit: true,
};

/** The errors of the compiler in the programs of a folder, as it prints them. */
export function typeErrors(folder: string): string {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, include: ['*.ts'] }));
  return spawnSync(TSC, ['-p', '.'], { cwd: folder, encoding: 'utf8' }).stdout;
}

/** The versions of a document that are answered, each with its client. */
export function clientsOf(name: string, text: string): Array<{ name: string; version: string | null; client: string }> {
  const contract = settled(name, text);
  return contract.versions
    .filter((one) => one.status !== 'retired')
    .map((version) => ({ name, version: version.name, client: clientOf(contract, version) }));
}

/** The client of a document’s current version. */
export function clientText(name: string, text: string): string {
  const contract = settled(name, text);
  const [current] = contract.versions;
  return clientOf(contract, current as VersionContract);
}

function settled(name: string, text: string): Contract {
  const { plan, findings } = compile(name, text);
  if (!plan) throw new Error(findings.map((one) => one.message).join('\n'));
  return contractOf(plan);
}

/** Writes a client where Node.js runs it as it is, and gives what it exports. */
// biome-ignore lint/suspicious/noExplicitAny: each document has its own client
export async function imported(text: string): Promise<any> {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-client-'));
  try {
    const file = join(folder, 'client.ts');
    writeFileSync(file, text);
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The program in the comment at the head of a client. */
export function programOf(client: string): string {
  const [, found] = /\n \* ```ts\n(.*?)\n \* ```\n/s.exec(client) ?? [];
  assert.ok(found !== undefined, 'the head of a client has a program');
  return found.replaceAll(/^ \* ?/gm, '');
}
