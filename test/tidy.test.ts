import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');

/** Every TypeScript file below a folder, by its path from the root. */
function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const bench = ['load', 'check', 'report', 'peers', 'growth']
  .flatMap((folder) => sources(join('bench', folder)))
  .concat(readdirSync(join(ROOT, 'bench')).flatMap((name) => (name.endsWith('.ts') ? [join('bench', name)] : [])));
const all = [...sources('src'), ...sources('test'), ...sources('examples'), ...sources('samples'), ...bench];
const source = sources('src').filter((file) => !file.endsWith('.test.ts'));

/** The functions of a file with their lengths: from the line that opens one to the line that closes it. */
function functions(text: string): Array<{ name: string; lines: number }> {
  const lines = text.split('\n');
  return lines.flatMap((line, i) => {
    const opens =
      /^( *)(?:export )?(?:async )?(?:function\*? (\w+)|(?:private |static |readonly )*(?:async )?\*?(\w+)\(.*\).*\{$)/.exec(
        line,
      );
    if (!opens || /^ *(?:if|for|while|switch|return|describe|test|it)\b/.test(line)) return [];
    const end = lines.findIndex((other, j) => j > i && other.startsWith(`${opens[1]}}`));
    return end < 0 ? [] : [{ name: opens[2] ?? opens[3]!, lines: end - i + 1 }];
  });
}

test('files fit on a few screens', (t) => {
  const lengths = source.map((file) => ({ file, lines: read(file).split('\n').length }));
  const sorted = lengths.map((one) => one.lines).sort((a, b) => a - b);
  t.diagnostic(`${source.length} files, median ${sorted[sorted.length >> 1]} lines, longest ${sorted.at(-1)}`);
  assert.deepEqual(
    [...lengths, ...bench.map((file) => ({ file, lines: read(file).split('\n').length }))].filter(
      (one) => one.lines > 400,
    ),
    [],
  );
  assert.ok(sorted[sorted.length >> 1]! < 110, 'the median file is under 110 lines');
});

test('functions fit on a screen', () => {
  const long = all.flatMap((file) =>
    functions(read(file))
      .filter((one) => one.lines > 70)
      .map((one) => ({ file, ...one })),
  );
  assert.deepEqual(long, []);
});

test('each layer imports only what stands below it', () => {
  const rules: Array<[RegExp, RegExp]> = [
    // Reading and checking know nothing of what runs.
    [/^src\/(?:source|model|expression)\//, /\/(?:plan|serve|store|cli)\//],
    [
      /^src\/parts\/\w+\/(?:(?:model|read|check|fields|parameters|steps|givings|effective|reach|diagnostics)|check\/\w+)\.ts$/,
      /\/(?:plan|serve|store|cli)\//,
    ],
    // The text layer doesn't know the language.
    [/^src\/source\/(?!render)/, /\/(?:parts|model)\//],
    // The plan is data: nothing that runs it is known to it.
    [/^src\/plan\/(?:step|insidestep|inside|order|explain)\.ts$/, /\/(?:serve|store|cli)\//],
    [/^src\/store\//, /\/(?:serve|cli|parts)\//],
    [/^src\/serve\//, /\/cli\//],
  ];
  const broken = source.flatMap((file) =>
    [...read(file).matchAll(/^(?:import|export) .*from '(\.[^']+)';/gm)].flatMap((match) =>
      rules.some(([from, to]) => from.test(file) && to.test(match[1]!)) ? [`${file} imports ${match[1]}`] : [],
    ),
  );
  assert.deepEqual(broken, []);
});

test('only the servers know sockets, and nothing is called utils', () => {
  const sockets = source.filter((file) => /from 'node:(?:https?|net)'/.test(read(file)));
  const allowed = [
    'src/serve/http.ts',
    'src/serve/sending.ts',
    'src/serve/turns.ts',
    'src/serve/admin.ts',
    'src/parts/events/post.ts',
    'src/parts/events/guard.ts',
  ];
  assert.deepEqual(
    sockets.filter((file) => !allowed.includes(file)),
    [],
  );
  // An issuer's keys are asked for at the address that the document states, and nothing else is.
  const asking = source.filter((file) => /\bfetch\(/.test(read(file).replace(/(?:this\.|async )fetch\(/g, '')));
  assert.deepEqual(asking, ['src/parts/authentication/jwks.ts']);
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
  assert.deepEqual(looked, ['src/serve/wire/json.ts']);
});

test('modules hold no state', () => {
  const state = source.filter((file) => /^(?:export )?let /m.test(read(file)));
  assert.deepEqual(state, []);
});

test('the lock files record no addresses', () => {
  for (const file of ['package-lock.json', 'bench/package-lock.json'])
    assert.doesNotMatch(read(file), /"resolved"|https?:\/\/[^"]*registry/, file);
});
