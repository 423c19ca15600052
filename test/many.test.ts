import './whole-alone.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { contractOf } from '../src/contract/contract-of.ts';
import type { Expr } from '../src/expression/tree/expression.ts';
import { BOOLEAN, INTEGER, rowOf } from '../src/expression/tree/types.ts';
import type { Plan } from '../src/plan/step.ts';
import { Engine } from '../src/runtime/engine/engine.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import { inProportion, inProportionLater } from './growth.ts';
import { documentOf, FIND, PATH, type Parts, post, thing } from './places/document.ts';
import { times } from './share.ts';

/** So many of something, each on a line of its own, or what stands between them. */
const many = (count: number, one: (i: number) => string, between = '\n'): string =>
  Array.from({ length: count }, (_, i) => one(i)).join(between);

const FLAG = '\n| flagged | boolean | | any | steps | optional | |';
const EVERYONE = '- Visible: everyone';
const SHOWN = 'id, price, at, day, length, flagged';
const NO = '| no | 409 | a step says so | It is not so |';
const RULED = '| no | 409 | a rule says so | It is not so |';
const FLAGS = 'with flagged `true`';
/** The request that creates a row, with further steps. */
const steps = (more: string): string => post().replace('2. Answer', `2. Change \`made\` ${FLAGS}.\n${more}\n3. Answer`);
const KEYS = `### Key

- Scheme: API key
- Header: \`Authorization: Bearer {key}\`
- Credentials: issued and revoked by the operator, each for one Thing, kept as a hash
- Caller: Thing
- Scopes: none
- Browser origins: none`;
const EVENT = '| Event | When | Payload | Notified by |\n| --- | --- | --- | --- |\n';
const STREAM = `

Webhooks: none.

### Stream

- Format: server-sent events (WHATWG HTML)
- Data: the payload
- Resumption: none
- Retry: none
- Heartbeat: none
- Slow readers: cut off after 30 seconds
- At once: any number`;
const WEBHOOK = `

### Webhook

- Receivers: registered by the operator, each for chosen events
- Signature: Standard Webhooks
- Time-out: 10 seconds
- Attempts: 1
- Order: none
- Delivery: at least once
- Kept: forever`;
const FIELD = `| Field | Type | Format | Allowed values | Given by | Presence | Unique |
| --- | --- | --- | --- | --- | --- | --- |
| id | integer | | 1 to 99 | operator | | identity |`;
const FILTERS = `| Parameter | In | Type | Allowed values | Presence | Keeps rows where |
| --- | --- | --- | --- | --- | --- |
`;
const VERSIONS = `- Scheme: a date in header \`V\`
- Current version: 2026-01-01
- Without a version: current version
- Deprecation policy: a deprecated version answers for 12 months

| Version | State | Deprecated | Sunset | Differs from the next version in |
| --- | --- | --- | --- | --- |
`;
const ANOTHER = '| Transition | From | To | When | Otherwise |\n| --- | --- | --- | --- | --- |\n';

/** A document with very many of one thing, what is found of it, and how many there are of it. */
const KINDS: ReadonlyArray<
  readonly [name: string, length: number, of: (count: number) => Partial<Parts>, code: string]
> = [
  [
    'errors that nobody can receive',
    20_000,
    (count) => ({
      codes: Array.from({ length: count }, (_, i) => `| code_${i} | 409 | a step says so | Title ${i} |`),
    }),
    'errors/unreachable',
  ],
  [
    'errors that steps raise',
    4000,
    (count) => ({
      codes: Array.from({ length: count }, (_, i) => `| code_${i} | 409 | a step says so | Title ${i} |`),
      endpoints: steps(many(count, (i) => `2. Require \`made.number > ${i}\`, else code_${i}.`)),
    }),
    '',
  ],
  [
    'endpoints',
    8000,
    (count) => ({
      finds: true,
      endpoints: `${steps('')}\n\n${many(count, (i) => `### \`GET /e${i}/{id}\`\n\n${PATH}\n\n${FIND}\n2. Answer 200 with \`thing\`.`, '\n\n')}`,
    }),
    '',
  ],
  [
    'endpoints that write rows of one resource',
    3000,
    (count) => ({
      finds: true,
      endpoints: `${steps('')}\n\n${many(count, (i) => `### \`POST /e${i}/{id}\`\n\n${PATH}\n\n${FIND}\n2. Change \`thing\` ${FLAGS}.\n3. Answer 200 with \`thing\`.`, '\n\n')}`,
    }),
    '',
  ],
  [
    'fields that say nothing',
    20_000,
    (count) => ({
      resources: thing(
        'Thing',
        EVERYONE,
        `${FLAG}\n${many(count, (i) => `| f${i} | integer | | 1 to 9 | | | |`)}`,
        SHOWN,
      ),
    }),
    'resources/blank-cell',
  ],
  [
    'scopes and codes that wait for an open question',
    8000,
    (count) => ({
      codes: Array.from({ length: count }, (_, i) => `| code_${i} | 409 | a step says so | Title ${i} |`),
      endpoints: steps('2. Require `made.number > 1`.'),
    }),
    'endpoints/require-code',
  ],
  ['steps', 15_000, (count) => ({ endpoints: steps(many(count, () => `2. Change \`made\` ${FLAGS}.`)) }), ''],
  [
    'rows that steps find',
    6000,
    (count) => ({
      finds: true,
      endpoints: steps(
        many(
          count,
          (i) => `2. Find \`t${i}\`: Thing where \`id == ${i % 99}\`, else not_found.\n2. Change \`t${i}\` ${FLAGS}.`,
        ),
      ),
    }),
    '',
  ],
  [
    'states, transitions and moves',
    8000,
    (count) => ({
      resources: thing(
        'Thing',
        EVERYONE,
        `${FLAG}\n| state | string | | one of ${many(count, (i) => `s${i}`, ', ')} | transitions | | |`,
        SHOWN,
      ),
      codes: [NO],
      states: `### Thing.state\n\n- Initial: s0\n- Final: none\n\n${ANOTHER}${many(count, (i) => `| t${i} | s${i} | s${(i + 1) % count} | always | no |`)}`,
      endpoints: steps(many(count, (i) => `2. Move \`made\` by t${i}.`)),
    }),
    '',
  ],
  [
    'values of a field',
    200_000,
    (count) => ({
      resources: thing(
        'Thing',
        EVERYONE,
        `${FLAG}\n| state | string | | one of ${many(count, (i) => `s${i}`, ', ')} | steps | optional | |`,
        SHOWN,
      ),
      endpoints: steps('2. Change `made` with state `"s0"`.'),
    }),
    '',
  ],
  [
    'fields',
    20_000,
    (count) => ({
      resources: thing(
        'Thing',
        EVERYONE,
        `${FLAG}\n${many(count, (i) => `| f${i} | integer | | 1 to 9 | request | | |`)}`,
        SHOWN,
      ),
      endpoints: steps('').replace('with id', `with ${many(count, (i) => `f${i}`, ', ')}, id`),
    }),
    'store/columns',
  ],
  [
    'derived fields',
    8000,
    (count) => ({
      resources: thing(
        'Thing',
        `${EVERYONE}\n${many(count, (i) => `- Derived d${i}: boolean, \`number > ${i}\``)}`,
        FLAG,
        `${SHOWN}, ${many(count, (i) => `d${i}`, ', ')}`,
      ),
    }),
    'store/members',
  ],
  [
    'events of a stream',
    16_000,
    (count) => ({
      events: `${EVENT}${many(count, (i) => `| e${i} | a Thing is changed in flagged | Thing | stream |`)}${STREAM}`,
      endpoints: `${steps('')}\n\n### \`GET /events\`\n\n1. Answer 200 with the stream.`,
    }),
    '',
  ],
  [
    'events of webhooks',
    8000,
    (count) => ({
      events: `${EVENT}${many(count, (i) => `| e${i} | a Thing is changed in flagged | Thing | webhook |`)}${WEBHOOK}`,
    }),
    '',
  ],
  [
    'expressions',
    16_000,
    (count) => ({
      codes: [NO],
      endpoints: steps(
        many(count / 16, (i) => `2. Require \`${many(16, (k) => `made.number != ${i * 16 + k}`, ' && ')}\`, else no.`),
      ),
    }),
    '',
  ],
  [
    'rules that always hold',
    8000,
    (count) => ({
      codes: [RULED],
      resources: thing(
        'Thing',
        `${EVERYONE}\n${many(count, (i) => `- Holds: \`number != ${i}\`, else no`)}`,
        FLAG,
        SHOWN,
      ),
    }),
    '',
  ],
  [
    'unique rules',
    4000,
    (count) => ({
      codes: [RULED],
      resources: thing(
        'Thing',
        `${EVERYONE}\n${many(count, (i) => `- Unique: number while \`text == "x${i}"\`, else no`)}`,
        FLAG,
        SHOWN,
      ),
    }),
    'store/uniques',
  ],
  [
    'filters of a list',
    1000,
    (count) => ({
      lists: true,
      endpoints: `${steps('')}\n\n### \`GET /list\`\n\n${FILTERS}${many(count, (i) => `| p${i} | query | Thing.number | any | optional | \`number != query.p${i}\` |`)}\n\n1. List \`all\`: Thing, as the parameters say, latest \`id\` first, all.\n2. Answer 200 with \`all\`.`,
    }),
    '',
  ],
  [
    'resources',
    // With more tables, SQLite looks through all of them for each that is made.
    1600,
    (count) => ({
      lists: true,
      resources: `${thing('Thing', EVERYONE, FLAG, SHOWN)}\n\n${many(count, (i) => `### R${i}\n\n${FIELD}\n\n${EVERYONE}\n- Shown: id`, '\n\n')}`,
      endpoints: `${steps('')}\n\n${many(count, (i) => `### \`GET /r${i}\`\n\n1. List \`all\`: R${i}, latest \`id\` first, all.\n2. Answer 200 with \`all\`.`, '\n\n')}`,
    }),
    '',
  ],
];

const documentOfMany = (of: Partial<Parts>): string =>
  documentOf({ resources: thing('Thing', EVERYONE, FLAG, SHOWN), endpoints: steps(''), ...of });

/** The same of versions, which are stated at the end of a document. */
const versionsOf = (count: number): string => {
  const day = (i: number): string => new Date(Date.UTC(2020, 0, 1) - i * 86_400_000).toISOString().slice(0, 10);
  const rows = many(count, (i) => `| ${day(i)} | deprecated | 2026-01-01 | 2027-01-01 | Thing.number is \`n${i}\` |`);
  return documentOfMany({}).replace(/- Scheme: none\n$/, () => `${VERSIONS}${rows}\n`);
};

/** What stands in a document of so many things, and what is found of it. */
const DOCUMENTS = [
  ...KINDS.map(([name, most, of, code]) => ({ name, most, code, of: (count: number) => documentOfMany(of(count)) })),
  { name: 'versions', most: 4000, code: '', of: versionsOf },
];

for (const { name, most, of, code } of DOCUMENTS) {
  // A call takes only so many arguments: this many values have to be tried by every run.
  const length = most === 200_000 ? most : times(most / 8, most);
  test(`a document of ${length} ${name} is checked in proportion to them`, () => {
    inProportion((count) => {
      const { findings } = compile('many.md', of(count));
      if (count === length) assert.equal(findings[0]?.code ?? '', code);
    }, length);
  });
}

// Values of a field cost a start nothing.
for (const { name, most, of } of DOCUMENTS.filter((one) => one.code === '' && one.most < 200_000)) {
  const length = Math.floor(times(most / 16, most));
  test(`a service of ${length} ${name} starts in proportion to them`, async () => {
    const plans = new Map<number, Plan>();
    await inProportionLater(async (count) => {
      const plan = plans.get(count) ?? compile('many.md', of(count)).plan!;
      plans.set(count, plan);
      contractOf(plan);
      const store = new SqliteStore(':memory:', plan);
      await Engine.start(plan, store);
      await store.close();
    }, length);
  });
}

test('a condition of any length is no deeper than SQLite allows', async () => {
  const { plan } = compile('many.md', documentOfMany({}));
  const store = new SqliteStore(':memory:', plan!);
  const number: Expr = {
    op: 'get',
    of: { op: 'name', name: 'this', type: rowOf('Thing') },
    member: 'number',
    type: INTEGER,
  };
  const conditions = Array.from({ length: 3000 }, (_, i): Expr => {
    return { op: 'call', fn: '!=', args: [number, { op: 'const', value: i, type: INTEGER }], type: BOOLEAN };
  });
  for (const fn of ['and', 'or'] as const) {
    const where = conditions.reduce((all, one): Expr => ({ op: 'call', fn, args: [all, one], type: BOOLEAN }));
    const spec = { kind: 'select', resource: 'Thing', where, order: null, after: false, limit: false } as const;
    assert.equal(store.prepare(spec).parameters.length, conditions.length);
  }
  await store.close();
});

test('a service of as many resources as SQLite takes conditions starts', async () => {
  const [resources] = DOCUMENTS.filter(({ name }) => name === 'resources');
  const callers = resources!
    .of(1100)
    .replace(/- Scheme: none\n- Browser origins: none/, KEYS)
    .replace('- Idempotency: none\n', '- Idempotency: none\n- Access: any Thing\n');
  const { plan, findings } = compile('many.md', callers);
  assert.deepEqual(
    findings.map(({ message }) => message),
    [],
  );
  const store = new SqliteStore(':memory:', plan!);
  await store.close();
});
