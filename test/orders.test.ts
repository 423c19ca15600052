import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { descriptions } from '../src/export/served/descriptions.ts';
import { compareText } from '../src/expression/values/value.ts';
import { Service } from '../src/runtime/service.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import type { Store } from '../src/store/store.ts';
import { PostgresServer } from './postgres.ts';
import { fc } from './seeded.ts';
import { times } from './share.ts';
import { planOf } from './subject.ts';

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

interface Row {
  readonly id: number;
  readonly name: string;
  readonly nick: string | null;
  readonly rank: number | null;
  readonly price: string | null;
  readonly done: boolean | null;
  readonly at: string | null;
  readonly day: string | null;
  readonly span: string | null;
  readonly code: string | null;
  readonly weight: number;
  readonly maker: number | null;
}

/** The grades of the makers, by their identities. */
const GRADES: ReadonlyMap<number, number | null> = new Map([
  [1, 5],
  [2, null],
  [3, 5],
  [4, -2],
]);

type Key = string | number | boolean | null;

/** An expression that rows are ordered by: what it is for a row, and whether it can be null. */
interface Sorted {
  readonly by: string;
  readonly of: (row: Row) => Key;
  readonly canBeNull: boolean;
}

const field = (by: keyof Row, of: (row: Row) => Key = (row) => row[by], canBeNull = true): Sorted => ({
  by,
  of,
  canBeNull,
});

const SPANS = ['PT30S', 'PT1M', 'PT90M', 'P1D'];
const LOWEST = Number.NEGATIVE_INFINITY;

const SORTED: readonly Sorted[] = [
  field('id', ({ id }) => id, false),
  field('name', ({ name }) => name, false),
  field('weight', ({ weight }) => weight, false),
  field('nick'),
  field('rank'),
  field('price', ({ price }) => (price === null ? null : Number(price))),
  field('done'),
  field('at'),
  field('day'),
  field('span', ({ span }) => (span === null ? null : SPANS.indexOf(span))),
  field('code'),
  {
    by: 'maker == null ? null : maker.grade',
    of: ({ maker }) => (maker === null ? null : GRADES.get(maker)!),
    canBeNull: true,
  },
  { by: 'name + "-"', of: ({ name }) => `${name}-`, canBeNull: false },
  { by: 'rank == null', of: ({ rank }) => rank === null, canBeNull: false },
  // Without a result, where nothing else may be null, a row comes before all others.
  {
    by: 'weight * 9007199254740991',
    of: ({ weight }) => (weight > 1 ? LOWEST : weight * Number.MAX_SAFE_INTEGER),
    canBeNull: false,
  },
  // Without a result, where the key can be null, a row counts as null.
  { by: 'share', of: ({ weight }) => (weight === 0 ? null : Math.trunc(60 / weight)), canBeNull: true },
  { by: 'ratio', of: ({ rank }) => (rank === null || rank === 0 ? null : Math.trunc(60 / rank)), canBeNull: true },
];

interface Order {
  readonly keys: ReadonlyArray<{ readonly key: Sorted; readonly latest: boolean; readonly nulls: 'first' | 'last' }>;
}

const written = ({ keys }: Order): string =>
  keys
    .map(({ key, latest, nulls }) => {
      const end = key.canBeNull ? `nulls ${nulls}` : 'first';
      return `${latest ? 'latest' : 'earliest'} \`${key.by}\` ${end}`;
    })
    .join(', then ');

/** The order of two rows, as the reference has it. */
function compare({ keys }: Order, a: Row, b: Row): number {
  for (const { key, latest, nulls } of keys) {
    const [one, other] = [key.of(a), key.of(b)];
    if (one === other) continue;
    if (one === null || other === null) return (one === null) === (nulls === 'first') ? -1 : 1;
    const found = typeof one === 'string' ? compareText(one, String(other)) : one < other ? -1 : 1;
    return latest ? -found : found;
  }
  return (keys.at(-1)!.latest ? -1 : 1) * (a.id - b.id);
}

const FORMS = {
  cursor: 'by cursor, parameters `limit` and `place`; payload items `page.items`, next `page.next`',
  identity: 'by identity, parameters `limit` and `place`; payload items `page.items`, next `page.next`',
  offset: 'by offset, parameters `limit` and `place`; payload items `page.items`, next `page.next`',
  number: 'by number, parameters `limit` and `place`; payload items `page.items`, next `page.next`',
} as const;
const KINDS = Object.keys(FORMS) as ReadonlyArray<keyof typeof FORMS>;

const document = (lists: string): string => `# Tasks

Tasks in many orders.

## What the service does

- Purpose: list tasks in every order
- Domain: team work
- Address: given by the operator

## Resources and their fields

- Timestamps: RFC 3339, UTC, seconds
- Dates: RFC 3339
- Durations: ISO 8601, whole seconds
- Decimals: strings, more digits refused
- Text: as sent
- Missing values in answers: null
- Null in requests: clears
- Empty text in requests: kept
- Unknown fields: refused
- Blank cells: Format none, Allowed values any, Presence optional, Unique no

### Maker

| Field | Type    | Allowed values | Given by | Presence | Unique   |
| ----- | ------- | -------------- | -------- | -------- | -------- |
| id    | integer | 1 to 100       | request  | always   | identity |
| grade | integer | -10 to 10      | request  |          |          |

- Visible: everyone
- Shown: id, grade

### Task

| Field  | Type      | Format | Allowed values     | Given by | Presence | Unique   |
| ------ | --------- | ------ | ------------------ | -------- | -------- | -------- |
| id     | integer   |        | 1 to 100000        | request  | always   | identity |
| name   | string    |        | 1 to 40 characters | request  | always   |          |
| nick   | string    |        | at most 40 characters | request  |          |          |
| rank   | integer   |        | -100 to 100        | request  |          |          |
| price  | decimal   |        | -10.00 to 10.00    | request  |          |          |
| done   | boolean   |        |                    | request  |          |          |
| at     | timestamp |        |                    | request  |          |          |
| day    | date      |        |                    | request  |          |          |
| span   | duration  |        | PT0S to P9D        | request  |          |          |
| code   | string    | uuid   |                    | request  |          |          |
| weight | integer   |        | 0 to 100           | request  | always   |          |
| maker  | Maker     |        |                    | request  |          |          |

- Derived share: integer, \`60 / weight\`
- Derived ratio: integer, \`rank == null ? null : 60 / rank\`
- Visible: everyone
- Keeps: maker
- Shown: id, share, ratio

## States and transitions

- States: none

## Endpoints

- Payloads: JSON (RFC 8259)
- Unread bodies: refused
- Unknown parameters: refused
- HEAD: not served
- Conditional requests: none
- Idempotency: none

### \`POST /makers\`

- Request: Maker with id, grade

1. Create \`maker\`: Maker from \`request\`.
2. Answer 201 with \`maker\`.

### \`POST /tasks\`

- Request: Task with id, name, nick, rank, price, done, at, day, span, code, weight, maker

1. Create \`task\`: Task from \`request\`.
2. Answer 201 with \`task\`.

${lists}
## Authentication

- Scheme: none
- Browser origins: none

## Events

- Events: none

## Errors

- Payload: RFC 9457
- Conditions: Ninefold common 1

## Limits

Rate limits and time-outs: none.

| Limit        | Value                                      | Applies to           |
| ------------ | ------------------------------------------ | -------------------- |
| Request size | 64 KiB                                     | every endpoint       |
| Page size    | 20 by default, 1000 at most, more is refused | every list in pages  |
| Whole list   | 1000 at most, more is refused              | every list of all    |

## Versioning

- Scheme: none
`;

/** A list in an order, in pages of one kind, all at once, and the first row of it. */
interface Listed {
  readonly order: Order;
  readonly kind: keyof typeof FORMS;
}

const endpoints = (lists: readonly Listed[]): string =>
  lists
    .map(
      ({ order, kind }, i) => `### \`GET /pages/${i}\`

- Request: none
- Pages: ${FORMS[kind]}

1. List \`tasks\`: Task, ${written(order)}, in pages.
2. Answer 200 with \`tasks\`.

### \`GET /all/${i}\`

- Request: none

1. List \`tasks\`: Task, ${written(order)}, all.
2. Find \`top\`: Task, ${written(order)}, or none.
3. For each \`one\`: Task, ${written(order)}:
   1. Find \`again\`: Task where \`id == one.id\`, or none.
4. Answer 200 with tasks: \`tasks\`, top: \`top\`, each: \`again\`.
`,
    )
    .join('\n');

/** Orders in which each key can decide: none after the identity, none twice. */
const order: fc.Arbitrary<Order> = fc
  .uniqueArray(
    fc.record({
      key: fc.constantFrom(...SORTED),
      latest: fc.boolean(),
      nulls: fc.constantFrom('first' as const, 'last' as const),
    }),
    { minLength: 1, maxLength: 4, selector: ({ key }) => key.by },
  )
  .map((keys) => {
    const identity = keys.findIndex(({ key }) => key.by === 'id');
    return { keys: identity < 0 ? keys : keys.slice(0, identity + 1) };
  });

const few = <T extends Key>(...values: readonly T[]): fc.Arbitrary<T | null> => fc.constantFrom(...values, null);

/** Text whose order by code point differs from that of UTF-16, of bytes of other encodings, and of languages. */
const TEXTS = ['a', 'B', 'é', 'ﬀ', '𝒳', '', 'a b', "'", '"', '\\', '%', 'null'];

const row: fc.Arbitrary<Omit<Row, 'id'>> = fc.record({
  name: fc.constantFrom('a', 'B', '𝒳', 'ﬀ'),
  nick: few(...TEXTS),
  rank: few(-3, 0, 7),
  price: few('-0.50', '0.00', '2.10', '10.00'),
  done: few(true, false),
  at: few('2026-01-01T00:00:00Z', '1969-12-31T23:59:59Z', '2026-01-01T00:00:01Z'),
  day: few('2026-01-01', '0099-12-31', '9999-12-31'),
  span: few(...SPANS),
  code: few('00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
  weight: fc.constantFrom(0, 1, 7),
  maker: few(1, 2, 3, 4),
});

async function send(url: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  const headers = { Accept: 'application/json', ...(body !== undefined && { 'Content-Type': 'application/json' }) };
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(url + path, init);
  const sent = await response.text();
  return { status: response.status, body: sent === '' ? null : JSON.parse(sent) };
}

const idsOf = (rows: unknown): number[] => (rows as ReadonlyArray<{ id: number }>).map(({ id }) => id);

/** Reads all pages of a list. */
async function walk(url: string, path: string, limit: number): Promise<number[]> {
  const found: number[] = [];
  let lengths = new Set<number>();
  for (let place: unknown = null; ; ) {
    const at = place === null ? '' : `&place=${encodeURIComponent(String(place))}`;
    const { status, body } = await send(url, `${path}?limit=${limit}${at}`);
    assert.equal(status, 200, `${path} ${JSON.stringify(body)}`);
    const page = body as { items: unknown; next: unknown };
    found.push(...idsOf(page.items));
    assert.ok(found.length < 1000, 'the pages end');
    if (page.next === null) break;
    if (typeof page.next === 'string') lengths.add(page.next.length);
    place = page.next;
  }
  assert.ok(lengths.size < 2, 'all cursors of a list have the same length');
  lengths = new Set();
  return found;
}

/** Serves a document on a store, and gives the address to `use`. */
async function served(text: string, open: () => Promise<Store>, use: (url: string) => Promise<void>): Promise<void> {
  const place = { host: '127.0.0.1', port: 0, admin: null, url: null };
  const service = new Service({ ...place, secrets: () => '', describe: descriptions(), log: () => {} });
  await service.start(planOf(text), await open());
  try {
    await use(`http://127.0.0.1:${service.port}`);
  } finally {
    await service.stop();
  }
}

const LISTS = times(8, 30);
const ROWS = times(30, 60);

for (const name of ['SQLite', 'PostgreSQL'] as const)
  test(`${name} lists rows in the stated order, whatever it is, and pages miss none and repeat none`, async () => {
    const [chosen = []] = fc.sample(fc.array(order, { minLength: LISTS, maxLength: LISTS }), 1);
    const lists = chosen.map((one, i) => ({ order: one, kind: KINDS[i % KINDS.length]! }));
    const [made = []] = fc.sample(fc.array(row, { minLength: ROWS, maxLength: ROWS }), 1);
    const ids = fc.sample(
      fc.shuffledSubarray(
        made.map((_, i) => i + 1),
        { minLength: ROWS },
      ),
      1,
    )[0]!;
    const rows: Row[] = made.map((one, i) => ({ ...one, id: ids[i]! }));
    const text = document(endpoints(lists));
    const { findings } = compile('tasks.md', text);
    assert.deepEqual(
      findings.filter(({ severity }) => severity !== 'notice').map(({ message }) => message),
      [],
    );
    const open = async (): Promise<Store> =>
      name === 'SQLite'
        ? new SqliteStore(':memory:', planOf(text))
        : PostgresStore.open(await server.database(), planOf(text));
    await served(text, open, async (url) => {
      for (const [id, grade] of GRADES) assert.equal((await send(url, '/makers', { id, grade })).status, 201);
      for (const one of rows) {
        const { status, body } = await send(url, '/tasks', one);
        assert.equal(status, 201, JSON.stringify(body));
      }
      for (const [i, { order: by, kind }] of lists.entries()) {
        const wanted = rows.toSorted((a, b) => compare(by, a, b)).map(({ id }) => id);
        const { body } = await send(url, `/all/${i}`);
        const all = body as { tasks: unknown; top: { id: number }; each: unknown };
        assert.deepEqual(idsOf(all.tasks), wanted, written(by));
        assert.equal(all.top.id, wanted[0], written(by));
        assert.deepEqual(idsOf(all.each), wanted, written(by));
        for (const limit of [1, 3, 7])
          assert.deepEqual(await walk(url, `/pages/${i}`, limit), wanted, `${kind}, ${limit}: ${written(by)}`);
      }
    });
  });
