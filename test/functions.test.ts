import './whole-alone.ts';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { COMPUTED, LIBRARY } from '../src/expression/library/index.ts';
import type { Overload, Pattern } from '../src/expression/library/overload.ts';
import { slug } from '../src/expression/library/slug.ts';
import * as t from '../src/expression/tree/types.ts';
import { jsonOf, sortedMap, valueOfJson } from '../src/expression/values/json.ts';
import type { Value } from '../src/expression/values/value.ts';
import { readAddress } from '../src/store/postgres/address.ts';
import type { Link } from '../src/store/postgres/connections.ts';
import { provideFunctions } from '../src/store/postgres/create.ts';
import { functionName, hasFunction } from '../src/store/postgres/functions.ts';
import { connect } from '../src/store/postgres/open.ts';
import { postgresPattern } from '../src/store/postgres/patterns.ts';
import { bound } from '../src/store/postgres/values.ts';
import { PostgresServer } from './postgres.ts';
import { fc } from './seeded.ts';
import { times as often, share } from './share.ts';

/** What the dialect writes without a function. */
const NOT_CALLED = new Set(['whole_uuids', 'whole_booleans']);
const CALLED = COMPUTED.filter(({ id }) => !NOT_CALLED.has(id));

let server: PostgresServer;
let link: Link;

before(async () => {
  server = await PostgresServer.shared();
  link = await connect(readAddress(await server.database()));
  await provideFunctions(
    link,
    CALLED.map(({ id }) => id),
  );
});
after(async () => {
  await link.close();
  await server[Symbol.asyncDispose]();
});

test('PostgreSQL has every function of expressions', () => {
  assert.deepEqual(
    CALLED.filter(({ id }) => !hasFunction(id)).map(({ id }) => id),
    [],
  );
});

const character = fc.oneof(
  fc.constantFrom(
    'a',
    'B',
    'é',
    'ß',
    'Σ',
    'σ',
    'İ',
    'ı',
    '-',
    ' ',
    '\n',
    '.',
    "'",
    '\\',
    '%',
    '_',
    '0',
    '７',
    '😀',
    '́',
    '½',
    '\u00a0',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((one) => one !== '\0'),
);
const text = fc.array(character, { maxLength: 8 }).map((all) => all.join(''));
const number = fc.oneof(fc.integer({ min: -12, max: 12 }), fc.integer({ min: -1e6, max: 1e12 }), fc.maxSafeInteger());
const instant = fc.oneof(
  fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }),
  fc.integer({ min: 0, max: 2e12 }),
  // Half past two in central Europe, as its clocks leave it out and show it twice, a month and more around.
  fc.integer({ min: -40, max: 40 }).map((n) => Date.UTC(2026, 2, 29, 1, 30) + n * 86_400_000),
  fc.integer({ min: -40, max: 40 }).map((n) => Date.UTC(2026, 9, 25, 1, 30) + n * 86_400_000),
);
const day = fc
  .integer({ min: -719_162, max: 2_932_896 })
  .map((n) => new Date(n * 86_400_000).toISOString().slice(0, 10));
const lengths = fc.oneof(fc.integer({ min: -1e7, max: 1e7 }), fc.constantFrom(0, 90_000, -1500));
const times = fc.oneof(
  fc
    .tuple(
      day,
      fc.constantFrom('T09:30:00Z', 't23:59:59.5+05:30', 'T24:00:00Z', 'T00:00:00.000z', 'T10:00:00.1234Z', ''),
    )
    .map(([a, b]) => a + b),
  fc.constantFrom(
    '1h30m',
    '-1.5s',
    '2ms',
    '1.0001s',
    'x',
    '12',
    '-0',
    '9007199254740993',
    'true',
    'F',
    't',
    '2026-02-30',
    '0000-01-01',
  ),
);
const zone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'Asia/Kathmandu',
  '+05:30',
  '-03:00',
  '25:00',
  'America/Edmonton',
  'CET',
  'EST',
);
const format = fc.constantFrom(
  "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
  'EEEE, d MMMM y h:m a',
  "D DDD yy M '''x''' hh xxx EEE MMM s m H ss",
  'dd.MM.yyyy',
);
const pattern = fc.constantFrom(
  '^[aB]|é.*-$',
  '\\d+\\s*\\w?',
  '[^a-z\\d]$',
  '\\bа?B\\b',
  '(a|ß){1,2}.',
  '\\pL\\PN',
  '[[:punct:]]-',
  'a{0}$',
  '\\x{1F600}|\\.',
  '[\\w-]+\\\\',
  '^$',
);

/** Values that an argument may be. */
function valuesOf(one: Pattern, overload: Overload, place: number): fc.Arbitrary<Value> {
  if (overload.id.endsWith('_format') && place === 1) return format;
  if (overload.id === 'matches' && place === 1) return pattern;
  if (overload.id.includes('_add_') && place === 1)
    return fc.oneof(fc.integer({ min: -40, max: 40 }), fc.integer({ min: -130_000, max: 130_000 }), number);
  if (one.says.includes('time zone')) return zone;
  if (one.says.includes('digits are to stand')) return fc.integer({ min: 0, max: 6 });
  const list = (of: fc.Arbitrary<Value>): fc.Arbitrary<Value> => fc.array(of, { maxLength: 5 });
  const kinds: Array<[t.Type, fc.Arbitrary<Value>]> = [
    [t.STRING, one.allows ? times : fc.oneof(text, text, times)],
    [t.INTEGER, number],
    [t.TIMESTAMP, instant],
    [t.DATE, day],
    [t.DURATION, lengths],
    [t.BOOLEAN, fc.boolean()],
    [{ kind: 'list', of: { kind: 'list', of: t.STRING, nullable: false }, nullable: false }, list(list(text))],
    [{ kind: 'list', of: t.STRING, nullable: false }, list(text)],
    [{ kind: 'list', of: t.INTEGER, nullable: false }, list(number)],
    [{ kind: 'list', of: t.BOOLEAN, nullable: false }, list(fc.boolean())],
    [
      { kind: 'map', of: t.STRING, nullable: false },
      fc.array(fc.tuple(text, text), { maxLength: 3 }).map((entries) => sortedMap([...new Map(entries)])),
    ],
  ];
  const fitting = kinds.filter(([type]) => one.fits(type));
  // Numbers of the digits of a decimal are numbers like any other.
  return fitting.length > 1 && one.says.includes('list of lists')
    ? fitting[0]![1]
    : fc.oneof(...(fitting.length ? fitting : kinds.slice(1, 2)).map(([, values]) => values));
}

/** What PostgreSQL’s type of a value is. */
const sqlType = (value: Value): string => {
  if (typeof value === 'number') return 'bigint';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'string' ? 'text' : 'jsonb';
};

/** The names of functions that are several by what they take are one in SQL, for lists of any items. */
async function inSql(id: string, args: readonly Value[]): Promise<unknown> {
  const given = id === 'matches' ? [args[0]!, postgresPattern(String(args[1]))] : args;
  const list = given.map((value, i) => `$${i + 1}::${sqlType(value)}`).join(', ');
  try {
    const { rows } = await link.send({ text: `SELECT ${functionName(id)}(${list})`, values: bound(given, []) });
    return rows[0]![0];
  } catch (error) {
    return (error as { code?: string }).code === '22003' ? 'beyond' : error;
  }
}

function inJavaScript(does: Overload['does'], args: readonly Value[]): unknown {
  try {
    const value = (does as (...all: Value[]) => Value)(...args);
    return typeof value === 'object' && value !== null ? valueOfJson(jsonOf(value)) : value;
  } catch {
    return 'beyond';
  }
}

test('each gives in PostgreSQL what it gives in JavaScript', async (context) => {
  let compared = 0;
  for (const overload of [...LIBRARY.values()].flat()) {
    const { id, does, takes, optional = 0 } = overload;
    const scales = overload.also
      ? fc.tuple(...Array(id === 'math_divide' ? 2 : 1).fill(fc.integer({ min: 0, max: 6 })))
      : fc.constant([]);
    const all = fc
      .tuple(
        fc.tuple(...takes.map((one, i) => valuesOf(one, overload, i))),
        fc.integer({ min: 0, max: optional }),
        scales,
      )
      .map(([args, left, scale]) => [...args.slice(0, args.length - left), ...(scale as number[])]);
    await fc.assert(
      fc.asyncProperty(all, async (args) => {
        compared++;
        assert.deepEqual(
          await inSql(id, args),
          inJavaScript(does, args),
          `${id}(${args.map((one) => jsonOf(one)).join(', ')})`,
        );
      }),
      { numRuns: often(25, 100) },
    );
  }
  context.diagnostic(`${compared} calls`);
});

test('every letter has the same cases and the same slug', async (context) => {
  const all: string[] = [];
  for (let code = 1; code < 0x11_0000; code++) if (code < 0xd800 || code > 0xdfff) all.push(String.fromCodePoint(code));
  const { cases: letters, which } = share(all, 5000);
  context.diagnostic(`${letters.length} letters (${which})`);
  // A bar is no letter, and stands between them; to slugs it is what most letters are.
  const joined = letters.filter((one) => one !== '|').join('|');
  const wide = letters.filter((one, n) => slug(one) !== '' || n % 1000 === 0);
  for (const [fn, does, list] of [
    ['lower', (one: string) => one.toLowerCase(), [joined]],
    ['upper', (one: string) => one.toUpperCase(), [joined]],
    ['slug', slug, [joined, ...wide]],
  ] as const) {
    const sql = `SELECT jsonb_agg(ninefold_${fn}(l) ORDER BY n) FROM jsonb_array_elements_text($1::jsonb) WITH ORDINALITY AS a(l, n)`;
    const { rows } = await link.send({ text: sql, values: [JSON.stringify(list)] });
    const wrong = list.filter((one, i) => does(one) !== (rows[0]![0] as string[])[i]);
    assert.deepEqual(
      wrong.map((one) => one.slice(0, 20)),
      [],
      fn,
    );
  }
});

test('a pattern that PostgreSQL would read otherwise is refused by name', () => {
  for (const [source, what] of [
    ['(?i)a', 'a flag'],
    ['a{300}', 'a count above 255'],
    ['\\Qa\\E', '\\\\Q'],
    ['[[:^alpha:]]', 'this named class'],
  ] as const)
    assert.throws(() => postgresPattern(source), new RegExp(`${what} has another meaning there`));
});
