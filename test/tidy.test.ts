import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { idiomsOf } from './tidy/idioms.ts';
import {
  arrowsOf,
  cyclesOf,
  filesBelow,
  functionsOf,
  readSource,
  sourceOf,
  unimported,
  unusedBy,
} from './tidy/structure.ts';

const ROOT = join(import.meta.dirname, '..');

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const bench = ['load', 'check', 'report', 'peers', 'growth', 'console', 'helpdesk']
  .flatMap((folder) => filesBelow(join('bench', folder)))
  .concat(readdirSync(join(ROOT, 'bench')).flatMap((name) => (name.endsWith('.ts') ? [join('bench', name)] : [])));
const all = [
  ...filesBelow('src'),
  ...filesBelow('test'),
  ...filesBelow('examples'),
  ...filesBelow('samples'),
  ...bench,
];
const source = filesBelow('src').filter((file) => !file.endsWith('.test.ts'));

test('comments have none of the wording that has to be read twice', () => {
  const found = source.flatMap((file) => idiomsOf(read(file)).map(({ idiom, line }) => `${file}:${line}: ${idiom}`));
  assert.deepEqual(found, []);
});

test('functions fit on a screen', () => {
  // A client is written by the exporter, and read as a table of its methods.
  const written = all.filter((file) => !file.includes('/goldens/'));
  const long = written.flatMap((file) =>
    functionsOf(read(file))
      .filter((one) => one.lines > 70)
      .map((one) => ({ file, ...one })),
  );
  assert.deepEqual(long, []);
});

/** From the bottom up: a folder imports what stands in its own line or in one before it. */
const LAYERS: ReadonlyArray<readonly string[]> = [
  ['text'],
  ['syntax'],
  ['expression/values'],
  ['expression/tree'],
  ['expression/library'],
  ['expression', 'expression/sql'],
  ['plan'],
  ['language'],
  ['explain', 'validation', 'http'],
  ['contract'],
  ['store', 'store/migration', 'store/sql'],
  ['store/sqlite'],
  ['store/postgres'],
  ['compiler/statements'],
  ['compiler/expression'],
  ['compiler/document'],
  ['runtime', 'compiler'],
  ['diff', 'export', 'import'],
  ['exchanges'],
  ['verify'],
  ['console', 'lsp'],
  ['cli'],
];

/** Those of one line that know nothing of each other. */
const APART: ReadonlyArray<readonly [string, string]> = [
  ['runtime', 'compiler'],
  ['compiler', 'runtime'],
  // What holds a service to a document imports nothing of what serves one: one mistake would be in both.
  ['verify', 'runtime'],
  ['verify', 'compiler'],
  ['verify', 'store'],
  ['verify', 'exchanges'],
];

const folderOf = (file: string): string => file.split('/').slice(1, -1).join('/');
const isIn = (folder: string, above: string): boolean => folder === above || folder.startsWith(`${above}/`);

/** The place of a folder among the layers: that of the longest name that it lies in. */
function layerOf(folder: string): number {
  const names = LAYERS.flat().filter((one) => isIn(folder, one));
  const name = names.sort((a, b) => b.length - a.length)[0];
  return LAYERS.findIndex((layer) => name !== undefined && layer.includes(name));
}

const files = source.map(readSource);
const imports = files.flatMap((one) => one.imports);

test('each folder imports only what stands below it', () => {
  const unplaced = new Set(source.map(folderOf).filter((folder) => layerOf(folder) < 0));
  assert.deepEqual([...unplaced], [], 'a new folder needs its place in LAYERS');
  const upward = imports.flatMap(({ from, to }) => {
    const [a, b] = [folderOf(from), folderOf(to)];
    const apart = APART.some(([one, other]) => isIn(a, one) && isIn(b, other));
    return apart || layerOf(b) > layerOf(a) ? [`${from} imports ${to}`] : [];
  });
  assert.deepEqual(upward, []);
});

test('no folders and no files go round in circles', () => {
  assert.deepEqual(cyclesOf(arrowsOf(imports, folderOf)), []);
  assert.deepEqual(cyclesOf(arrowsOf(imports.filter((one) => !one.typesOnly))), []);
});

test('whatever is exported is imported somewhere', () => {
  const readers = [...new Set([...all, ...filesBelow('bench')])].map(readSource);
  // The command line is begun by `bin/ninefold.js`, which an old Node can read.
  assert.deepEqual(unimported(files, readers), ['src/cli/main.ts: main']);
});

test('the product holds nothing that only tests use', () => {
  const allowed = [
    'src/cli/main.ts: main',
    // Editors complete values.
    'src/language/legal.ts: legalAfter',
    // The reasons stand beside the tables that a backup has.
    'src/store/migration/backup-tables.ts: NOT_IN_BACKUP',
  ];
  assert.deepEqual(unusedBy(files), allowed);
});

test('an export is told from one of the same name in another file', () => {
  const exported = ['a.ts', 'b.ts', 'c.ts'].map((file) =>
    sourceOf(file, 'export const keyOf = 1;\nexport const other = 2;\n'),
  );
  const reader = sourceOf('reader.ts', "import { keyOf } from './a.ts';\nconst { other } = await import('./b.ts');\n");
  assert.deepEqual(unimported(exported, [reader]), ['a.ts: other', 'b.ts: keyOf', 'c.ts: keyOf', 'c.ts: other']);
});

test('only the servers know sockets, and nothing is called utils', () => {
  const sockets = source.filter((file) => /from 'node:(?:https?|net)'/.test(read(file)));
  const allowed = [
    'src/runtime/http/server.ts',
    'src/runtime/http/listening.ts',
    'src/runtime/http/client-address.ts',
    'src/runtime/http/sending.ts',
    'src/runtime/http/request-scheduler.ts',
    'src/runtime/admin/admin.ts',
    'src/runtime/events/post.ts',
    'src/runtime/events/guard.ts',
    'src/console/sender.ts',
    'src/verify/probes/receiver.ts',
    'src/verify/target/connection.ts',
    'src/verify/target/loopback.ts',
  ];
  assert.deepEqual(
    sockets.filter((file) => !allowed.includes(file)),
    [],
  );
  // An issuer's keys are asked for at the address that the document states; the console's page asks the console; and the
  // command that links to the console asks whether it is there.
  const asking = source.filter((file) => /\bfetch\(/.test(read(file).replace(/(?:this\.|async )fetch\(/g, '')));
  assert.deepEqual(asking, [
    'src/cli/console-links.ts',
    'src/console/page/app/api.ts',
    'src/runtime/authentication/jwks.ts',
  ]);
  assert.deepEqual(
    all.filter((file) => /util|helper|misc|common\.ts/i.test(file)),
    [],
  );
});

test('no plain object is looked up by a name from outside', () => {
  // Such a name may be one that every object has (`constructor`); `ownMember` tells what is the object's own.
  const looked = source.flatMap((file) =>
    [...read(file).matchAll(/(?:as (?:Readonly<)?Record<string, .+>\)|JSON\.parse\(.*\))\[[^\]]/g)].map(() => file),
  );
  // It goes through the members that an object has.
  assert.deepEqual(looked, ['src/http/json.ts']);
});

test('modules hold no state', () => {
  const state = source.filter((file) => /^(?:export )?let /m.test(read(file)));
  assert.deepEqual(state, []);
});

test('the lock files record no addresses', () => {
  const folders = ['', 'bench/', 'bench/test/peers/', 'test/export/tools/'];
  for (const file of folders.map((folder) => `${folder}package-lock.json`))
    assert.doesNotMatch(read(file), /"resolved"|https?:\/\/[^"]*registry/, file);
});
