import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { IN_WHOLE } from '../share.ts';
import { exportsForTools } from './exports.ts';
import { type Ended, runTool } from './tools/tool.ts';

const RULES = join(import.meta.dirname, 'rules');

/** Writes every export into a folder of its own, together with what is planted there, and hands over the files’ names. */
async function inFolder(judge: (folder: string, files: readonly string[]) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-linted-'));
  try {
    const files = (await exportsForTools()).map(({ name, document }) => {
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(document, null, 1));
      return `${name}.json`;
    });
    await judge(folder, files);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Prints a line for each problem, and nothing where there is none. */
const redocly = (folder: string, files: readonly string[]): Promise<Ended> =>
  runTool('redocly', ['lint', '--config', join(RULES, 'redocly.yaml'), '--format', 'github-actions', ...files], folder);

async function spectral(folder: string, files: readonly string[]): Promise<Ended> {
  const out = join(folder, 'spectral.out');
  const args = ['lint', '--quiet', '--ruleset', join(RULES, 'spectral.yaml'), '--fail-severity', 'hint'];
  const ended = await runTool('spectral', [...args, '--format', 'json', '--output', out, ...files], folder);
  return { ...ended, out: readFileSync(out, 'utf8') };
}

test('Redocly’s recommended rules find nothing in any export', IN_WHOLE, () =>
  inFolder(async (folder, files) => {
    const { out, err, code } = await redocly(folder, files);
    assert.deepEqual([out, code], ['', 0], err);
    // Whoever finds nothing might not have looked.
    spoil(folder, files[0]);
    assert.match((await redocly(folder, files.slice(0, 1))).out, /^::error .*title/);
  }),
);

test('Spectral’s rules of OpenAPI find nothing in any export', IN_WHOLE, () =>
  inFolder(async (folder, files) => {
    const { out, err, code } = await spectral(folder, files);
    assert.deepEqual([out.trim(), code], ['[]', 0], err);
    spoil(folder, files[0]);
    assert.match((await spectral(folder, files.slice(0, 1))).out, /title/);
  }),
);

/** Takes the title out of an export. */
function spoil(folder: string, file = ''): void {
  const document = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  delete document.info.title;
  writeFileSync(join(folder, file), JSON.stringify(document));
}
