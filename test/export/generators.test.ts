import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { IN_WHOLE } from '../share.ts';
import { exportsForTools } from './exports.ts';
import { runTool } from './tools/tool.ts';

const OPTIONS = {
  strict: true,
  noUncheckedIndexedAccess: true,
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
  noEmit: true,
};

/** Writes every export as its generator reads it, has it generate, and compiles what it has made with `strict`. */
async function compiled(generate: (folder: string, file: string) => Promise<string>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-generated-'));
  try {
    symlinkSync(join(import.meta.dirname, 'tools', 'node_modules'), join(folder, 'node_modules'));
    const made: string[] = [];
    for (const { name, document } of await exportsForTools()) {
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(document));
      made.push(await generate(folder, name));
    }
    const config = { compilerOptions: OPTIONS, include: made };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const { code, out } = await runTool('tsc', ['-p', '.'], folder);
    assert.deepEqual([out, code], ['', 0]);
    // Whoever finds nothing might have looked at nothing.
    writeFileSync(join(folder, 'wrong.ts'), 'export const wrong: number = "text";');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, include: ['wrong.ts'] }));
    assert.match((await runTool('tsc', ['-p', '.'], folder)).out, /wrong\.ts/);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('openapi-typescript reads every export, and what it makes compiles with strict', IN_WHOLE, () =>
  compiled(async (folder, name) => {
    const { code, err } = await runTool('openapi-typescript', [`${name}.json`, '-o', `${name}.ts`], folder);
    assert.equal(code, 0, err);
    return `${name}.ts`;
  }),
);

test('@hey-api/openapi-ts reads every export, and the client that it makes compiles with strict', IN_WHOLE, () =>
  compiled(async (folder, name) => {
    const { code, err, out } = await runTool('openapi-ts', ['-i', `${name}.json`, '-o', name, '--silent'], folder);
    assert.equal(code, 0, err + out);
    return `${name}/**/*.ts`;
  }),
);

test('orval reads every export, and the client that it makes compiles with strict', IN_WHOLE, () =>
  compiled(async (folder, name) => {
    const args = ['--input', `${name}.json`, '--output', `${name}.ts`, '--client', 'fetch'];
    const { code, err, out } = await runTool('orval', args, folder);
    assert.equal(code, 0, err + out);
    return `${name}.ts`;
  }),
);
