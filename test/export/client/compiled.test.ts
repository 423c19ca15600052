import '../../whole-alone.ts';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { compile } from '../../../src/compiler/compile.ts';
import { readCases } from '../../cases.ts';
import { documents } from '../../fixtures.ts';
import { corpus } from '../../frozen/corpus.ts';
import { share, WHOLE } from '../../share.ts';
import { clientsOf, programOf } from './made.ts';
import { pagedNotes } from './paged.ts';
import { documentWith, FORMS } from './signed.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** As strict as people set it, for each of the two kinds of platform that clients run on. */
const STRICT = {
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  noFallthroughCasesInSwitch: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  allowImportingTsExtensions: true,
  noEmit: true,
};
const PLATFORMS = {
  browsers: { lib: ['es2022', 'dom', 'dom.iterable'], types: [] },
  node: { lib: ['es2022'], types: ['node'], typeRoots: [join(ROOT, 'node_modules', '@types')] },
};

/** Cases whose clients have the longest types: answers with several statuses, and events with objects. */
const LONG = ['endpoints/cases/several-answers.md', 'events/cases/emitted.md'];

/**
 * Every client there is: of the whole documents, of hostile names, of every form of pages and of signatures, and in a
 * whole run of all documents of the cases.
 */
function clients(): Array<{ name: string; client: string }> {
  const hostile = { name: 'hostile.md', text: readFileSync(join(import.meta.dirname, 'hostile.md'), 'utf8') };
  const whole = share(documents(), 3).cases;
  const signed = Object.values(FORMS).map((form) => ({ name: 'orders.md', text: documentWith(form) }));
  const cases = LONG.flatMap((file) => readCases(join('src', 'compiler', file)));
  const long = cases.map(({ name, document }) => ({ name, text: document }));
  const usual = [...whole, hostile, ...pagedNotes(), ...signed];
  const all = WHOLE ? [...usual, ...corpus()] : [...usual, ...long];
  return all.flatMap(({ name, text }) => {
    const { plan, findings } = compile(name, text);
    return plan && findings.length === 0 ? clientsOf(name, text) : [];
  });
}

test('every client and the program at its head compile, as strictly as can be, and stand as a formatter leaves them', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-compiled-'));
  const program = (name: string, ...args: string[]) => {
    const { stdout, stderr, status } = spawnSync(join(ROOT, 'node_modules', '.bin', name), args, {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    return `${status === 0 ? '' : `ended with ${status}: `}${stdout}${status === 0 ? '' : stderr}`;
  };
  try {
    const all = clients();
    assert.ok(all.length > 3);
    for (const [i, { client }] of all.entries()) {
      writeFileSync(join(folder, `client${i}.ts`), client);
      const program = `${programOf(client).replace(/ from ['"].*['"];/, ` from './client${i}.ts';`)}\n`;
      writeFileSync(join(folder, `program${i}.ts`), program);
    }
    for (const [name, platform] of Object.entries(PLATFORMS)) {
      const options = { compilerOptions: { ...STRICT, ...platform }, include: ['*.ts'] };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));
      assert.equal(program('tsc', '-p', '.'), '', name);
    }
    copyFileSync(join(ROOT, 'biome.json'), join(folder, 'biome.json'));
    rmSync(join(folder, 'tsconfig.json'));
    assert.equal(program('biome', 'format', '.'), '');
    t.diagnostic(`${all.length} clients`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the same document gives the same client, wherever it stands', () => {
  for (const { name, text } of share(documents(), 3).cases)
    for (const [i, { client }] of clientsOf(name, text).entries())
      assert.equal(clientsOf(`/elsewhere/${name}`, text)[i]?.client, client);
});
