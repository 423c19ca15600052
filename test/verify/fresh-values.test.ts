import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import type { Difference } from '../../src/verify/judge/compare.ts';
import { Random } from '../../src/verify/requests/random.ts';
import { verify } from '../../src/verify/run/verify.ts';
import { statementsOf } from '../../src/verify/statements/statements.ts';
import { IN_WHOLE, SEED, share, times } from '../share.ts';
import { documentText, planOf, subjectOf, withChange } from '../subject.ts';
import { talk } from './talk.ts';

/** How long one run may take on a busy machine, in milliseconds: it ends by its number of requests. */
const PATIENCE_MS = 600_000;

const chunks = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));

/** Expressions over values that only the service knows, by the type of the field that holds them. */
const EXPRESSIONS: Readonly<
  Record<'string' | 'boolean' | 'integer' | 'list of string' | 'timestamp', readonly string[]>
> = {
  string: [
    'uuid().replace("-", "")',
    'uuid().upperAscii()',
    '"cus_" + uuid().replace("-", "").substring(14, 28)',
    'secret().substring(6)',
    '"<" + uuid() + "/" + uuid().substring(0, 3).upper() + ">"',
    'uuid().reverse()',
    '(uuid() + " " + secret()).slug()',
    'uuid().split("-").join("")',
    'uuid().split("-").map(p, p.upperAscii()).join("_")',
    'uuid().split("-").filter(p, p.startsWith("a")).join("+")',
    'uuid() < "1" ? "early" : uuid().substring(30).contains("a") ? uuid() : "late"',
    'uuid().substring(20, 21) == "a" ? "only a" : secret()',
    'secret().charAt(7) in ["A", "B", "C"] ? "first" : "other"',
    'string(uuid().indexOf("a")) + uuid().charAt(35)',
    'now().format("yyyy-MM-dd HH:mm", "Europe/Berlin") + " " + string(now())',
    'request.text.upper() + " " + uuid().substring(9, 13)',
    'request.text.size() > 20 ? secret().lower() : request.text + secret().trim()',
    '{"a": uuid(), "b": secret()}.map(k, k + uuid().substring(24)).join()',
  ],
  boolean: ['uuid().substring(20).contains("abc")', '!secret().endsWith("A=")', 'uuid().matches("a.*f$")'],
  integer: ['uuid().size()', 'secret().size() + uuid().lastIndexOf("-")', 'secret().indexOf("a")'],
  'list of string': ['uuid().split("-")', '[uuid().substring(4), secret().lowerAscii()].sort()'],
  timestamp: ['uuid().endsWith("a") ? now() : now() + duration("1h")'],
};

const ALLOWED = {
  string: '0 to 400 characters',
  boolean: 'any',
  integer: '-1000 to 1000',
  'list of string': '0 to 60 items, each 0 to 400 characters',
  timestamp: 'any',
};

type Field = readonly [type: keyof typeof EXPRESSIONS, expression: string];

/** A document of notes whose fields have the values of expressions, each with a field that is derived of it. */
function documentOf(fields: readonly Field[]): string {
  const names = fields.map((_, i) => `f${i}`);
  const fromRequest = fields.some(([, expression]) => expression.includes('request.'));
  const given = fields.map(([type, expression], i) =>
    expression.includes('request.')
      ? `| f${i} | ${type} | | ${ALLOWED[type]} | steps | | |`
      : `| f${i} | ${type} | | ${ALLOWED[type]} | on create \`${expression}\` | | |`,
  );
  const derived = fields.flatMap(([type], i) =>
    type === 'string' ? [`- Derived d${i}: string, \`"d" + f${i}.substring(1).upperAscii()\``] : [],
  );
  const shown = ['id, text, created', ...names, ...derived.map((one) => one.slice('- Derived '.length).split(':')[0])];
  const notes = documentText('docs/documents/notes.md');
  const whole = withChange(
    withChange(notes, '- Visible: everyone\n', `${['- Visible: everyone', ...derived].join('\n')}\n`),
    'Shown: id, text, created\n',
    `Shown: ${shown.join(', ')}\n`,
  );
  const table = withChange(
    whole,
    '| created | timestamp |        | any                 | on create `now()`  |          |          |\n',
    `| created | timestamp | | any | on create \`now()\` | | |\n${given.join('\n')}\n`,
  );
  if (!fromRequest) return table;
  const values = fields.flatMap(([, expression], i) =>
    expression.includes('request.') ? [`f${i} \`${expression}\``] : [],
  );
  return withChange(table, 'Note from `request`.', `Note from \`request\` with ${values.join(', ')}.`);
}

/** The parts of texts that are replaced: single characters, since too few samples have two given ones in a row. */
const REPLACED = ['-', 'a', '_', '+'];

/** A text made at random of texts that the service draws. */
function textOf(random: Random, depth: number): string {
  if (depth === 0) return random.among(['uuid()', 'secret()', 'request.text', 'string(now())', '"a-b"']) ?? '';
  const of = (): string => textOf(random, depth - 1);
  const at = (): number => random.int(0, 12);
  const forms = [
    () => `${of()}.upperAscii()`,
    () => `${of()}.lower()`,
    () => `${of()}.trim()`,
    () => `${of()}.slug()`,
    () => `${of()}.reverse()`,
    () => `${of()}.substring(${at()})`,
    () => `${of()}.substring(${at()}, ${20 + at()})`,
    () => `${of()}.charAt(${at()})`,
    () => `${of()}.replace("${random.among(REPLACED)}", "${random.among(['', '-', 'é'])}")`,
    () => `${of()}.split("${random.among(['-', 'a'])}").join("${random.among(['', '+'])}")`,
    () => `(${of()} + ${of()})`,
    () => `string(${of()}.size())`,
    () => `(${of()}.contains("${random.among(['a', '0', '-'])}") ? ${of()} : ${of()})`,
    () => `(${of()} < ${of()} ? ${of()} : "other")`,
    () => `[${of()}, ${of()}].sort().join(" ")`,
    () => `${of()}.split("-").filter(p, p.size() > ${at()}).join("|")`,
  ];
  return (random.among(forms) ?? of)();
}

/** Expressions made at random that a document may have. */
function madeUp(random: Random, count: number): Field[] {
  const found: Field[] = [];
  while (found.length < count) {
    const field: Field = ['string', `(${textOf(random, 3)}).substring(0, 400)`];
    const { plan, findings } = compile('fresh.md', documentOf([field]));
    if (plan && findings.length === 0) found.push(field);
  }
  return found;
}

const ALL = Object.entries(EXPRESSIONS).flatMap(([type, all]) => all.map((one) => [type, one] as Field));

/** The differences of the answers to some of the requests that the test makes, from what a document says. */
async function differences(t: TestContext, stated: string, served: string, every: number): Promise<Difference[]> {
  const found: Difference[] = [];
  for await (const turn of talk(await subjectOf(t, stated, served), SEED, every)) found.push(...turn.differences);
  return found;
}

for (const [i, fields] of share([...chunks(ALL, 9).entries()], 1, 3).cases)
  test(`a value that is computed of what the service draws is no break (${i + 1})`, async (t) => {
    const text = documentOf(fields);
    assert.deepEqual(await differences(t, text, text, times(15, 3)), []);
  });

test('a value of functions that are made up is no break', async (t) => {
  for (let round = 0; round < times(1, 4); round++) {
    const text = documentOf(madeUp(Random.of(SEED, round), 6));
    assert.deepEqual(await differences(t, text, text, times(15, 3)), [], text);
  }
});

test('the statements of a value that is computed of what the service draws are kept', IN_WHOLE, async (t) => {
  for (const fields of chunks(ALL, 9)) {
    const text = documentOf(fields);
    const plan = planOf(text);
    const contract = contractOf(plan);
    const { breaks, results } = await verify({
      subject: await subjectOf(t, text),
      url: 'http://127.0.0.1',
      statements: statementsOf(plan, contract, text),
      only: null,
      seed: SEED,
      budget: PATIENCE_MS,
      mostRequests: 150,
      mostBreaks: 5,
      version: '0',
    });
    assert.deepEqual(breaks, []);
    const open = results.filter(({ statement, outcome }) => outcome !== 'kept' && /^field Note/.test(statement.key));
    assert.deepEqual(
      open.map(({ statement, unmet }) => [statement.key, unmet]),
      [],
    );
  }
});

/** An expression of a document, and the expression that a service computes in its place. */
const FAULTS: ReadonlyArray<readonly [stated: string, kept: string]> = [
  ['uuid().replace("-", "")', 'uuid()'],
  ['uuid().replace("-", "")', 'uuid().replace("-", "", 1)'],
  ['uuid().upperAscii()', 'uuid()'],
  ['secret().substring(6)', 'secret()'],
  ['"cus_" + uuid().replace("-", "").substring(14, 28)', '"cus_" + uuid().replace("-", "").substring(14, 27)'],
  ['"cus_" + uuid().replace("-", "").substring(14, 28)', '"cut_" + uuid().replace("-", "").substring(14, 28)'],
  ['uuid().split("-").join("")', 'uuid().split("-").join("_")'],
  ['string(uuid().size())', 'string(uuid().size() + 1)'],
  ['uuid() < "4" ? "early" : "late"', 'uuid() < "4" ? "soon" : "late"'],
  ['(uuid() + " " + secret()).slug()', 'uuid() + " " + secret()'],
  ['secret().lower() + secret().substring(0, 6)', 'secret() + secret().substring(0, 6)'],
];

test('a service that computes another value of what it draws is found', async (t) => {
  const of = (side: 0 | 1): string => documentOf(FAULTS.map((fault): Field => ['string', fault[side]]));
  const found = await differences(t, of(0), of(1), 9);
  for (const [i, [stated]] of FAULTS.entries())
    assert.ok(
      found.some(({ at }) => at === `body /f${i}`),
      stated,
    );
});
