import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { compile } from '../src/compiler/compile.ts';
import type { Plan } from '../src/plan/step.ts';
import { Engine } from '../src/runtime/engine/engine.ts';
import { Handler } from '../src/runtime/request/handle.ts';
import { CountingStore } from './counting.ts';
import { Workspace } from './harness.ts';
import { SKELETONS, unpacker } from './packed.ts';
import { PostgresServer } from './postgres.ts';
import { times } from './share.ts';

/** Items that loops change and move: of every kind of value, with a timer, events and rules. */
const ITEMS = `# Items

Items of every kind, which are changed and moved together.

## What the service does

- Purpose: change many rows
- Domain: tests
- Address: given by the operator

## Resources and their fields

- Text: as sent
- Timestamps: RFC 3339, UTC, milliseconds
- Dates: RFC 3339
- Durations: ISO 8601, milliseconds
- Decimals: strings, more digits refused
- Missing values in answers: null
- Null in requests: clears
- Empty text in requests: kept
- Unknown fields: refused
- Blank cells: Format none, Allowed values any, Presence always, Unique no

### Item

| Field | Type      | Format | Allowed values              | Given by                             | Presence | Unique   |
| ----- | --------- | ------ | --------------------------- | ------------------------------------ | -------- | -------- |
| id    | integer   |        | 1 to 10000                  | request                              |          | identity |
| name  | string    |        | 1 to 40 characters          | request                              |          |          |
| rank  | integer   |        | 0 to 2000                   | request; steps                       |          |          |
| note  | string    |        | 0 to 60 characters          | steps                                | optional |          |
| price | decimal   |        | 0.00 to 9999999.99          | request; steps                       |          |          |
| paid  | boolean   |        |                             | request; steps                       |          |          |
| day   | date      |        |                             | request; steps                       | optional |          |
| took  | duration  |        | PT0S to PT100H              | request; steps                       |          |          |
| ref   | string    | uuid   |                             | on create \`uuid()\`; on change \`uuid()\` |     |          |
| at    | timestamp |        |                             | on create \`now()\`; on change \`now()\` |      |          |
| state | string    |        | one of todo, doing, done    | transitions                          |          |          |

- Visible: \`rank < 1500\`
- Holds: \`rank < 1490\`, else too_high
- Shown: id, name, rank, note, price, paid, day, took, state

## States and transitions

### Item.state

- Initial: todo
- Final: done

| Transition | From  | To    | When               | Otherwise |
| ---------- | ----- | ----- | ------------------ | --------- |
| start      | todo  | doing | \`rank < 1000\`    | not_ready |
| lapse      | doing | done  | 30 days after \`at\` | none    |

## Endpoints

- Payloads: JSON (RFC 8259)
- Request: none
- Unread bodies: refused
- Unknown parameters: refused
- Conditional requests: none
- Idempotency: none

### \`POST /items\`

- Request: Item with id, name, rank, price, paid, day, took

1. Create \`item\`: Item from \`request\`.
2. Answer 201 with \`item\`.

### \`GET /items\`

- HEAD: not served

1. List \`items\`: Item, earliest \`id\` first, all.
2. Answer 200 with \`items\`.

### \`POST /raised\`

1. Find \`first\`: Item where \`id == 1\`, else not_ready.
2. For each \`item\`: Item where \`rank >= 0\`, latest \`id\` first:
   1. Change \`item\` with rank \`item.rank + 5\`, note \`item.name + "\\u2028\\"'" + first.name\`, price \`item.price + 0.01\`, paid \`!item.paid\`, day \`item.day == null ? date("2026-02-28") : null\`, took \`item.took + duration("1s")\`.
3. Answer 200 with first: \`first\`, refs: \`Item.map(i, i.ref).distinct().size()\`.

### \`POST /started\`

1. For each \`item\`: Item where \`state == "todo"\`, earliest \`id\` first:
   1. Move \`item\` by start with note \`"go"\`.
2. Answer 204.

## Authentication

- Scheme: none
- Browser origins: none

## Events

| Event        | When                      | Payload | Notified by |
| ------------ | ------------------------- | ------- | ----------- |
| item.raised  | an Item is changed in rank | Item    | webhook     |
| item.started | an Item moves by start    | Item    | webhook     |

### Webhook

- Receivers: registered by the operator, each for chosen events
- Signature: Standard Webhooks
- Time-out: 10 seconds
- Attempts: 1
- Order: none
- Delivery: at least once
- Kept: forever

## Errors

- Payload: RFC 9457
- Conditions: Ninefold common 1

| Code      | Status | When           | Title                |
| --------- | ------ | -------------- | -------------------- |
| not_ready | 409    | a step says so | An item is not ready |
| too_high  | 409    | a rule says so | An item is too high  |

## Limits

Rate limits, time-outs and pagination bounds and defaults: none.

| Limit        | Value                         | Applies to        |
| ------------ | ----------------------------- | ----------------- |
| Request size | 4 KiB                         | every endpoint    |
| Whole list   | 2,000 at most, more is refused | every list of all |

## Versioning

- Scheme: none
`;

/** So many rows that their writes are sent together, and in a whole run, by several statements. */
const MANY = times(60, 600);

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

interface Item {
  readonly id: number;
  readonly rank: number;
  readonly state: string;
}

/** What comes of some loops over so many items: answers, rows and events, without what differs each time. */
async function loops(count: number, url: string | null) {
  await using space = new Workspace(ITEMS, 'items.md');
  if (url !== null) space.place = ['--store', url];
  const service = await space.serveHere();
  const out: Record<string, unknown> = {};
  const items = async (): Promise<readonly Item[]> => {
    const { body, status } = await service.request('GET', '/items');
    assert.equal(status, 200);
    return body as readonly Item[];
  };
  const make = async (id: number, rank: number): Promise<void> => {
    const day = id % 2 ? '2024-02-29' : null;
    const body = { id, name: `Ä ${id} "\\`, rank, price: '1.10', paid: id % 3 === 0, day, took: 'PT2S' };
    const { status, text } = await service.request('POST', '/items', { body });
    assert.equal(status, 201, text);
  };
  for (let id = 1; id <= count; id++) await make(id, id % 7);
  const post = async (path: string): Promise<unknown> => {
    const { status, body } = await service.request('POST', path);
    return { status, body };
  };
  out.raised = await post('/raised');
  out.rows = await items();
  out.started = await post('/started');
  out.moved = await items();
  const select = async (sql: string): Promise<ReadonlyArray<Record<string, unknown>>> =>
    url === null ? space.select(sql) : server.query(url, sql);
  const kept = await select(
    'SELECT ninefold_revision AS revision, at, ninefold_due_lapse AS due FROM item ORDER BY id',
  );
  out.kept = kept.map(({ revision, at, due }) => [Number(revision), Number(due) - Number(at)]);
  const events = await select('SELECT type, packed FROM ninefold_event ORDER BY seq');
  const unpacked = unpacker((await select(SKELETONS)) as ReadonlyArray<{ id: number; text: string }>);
  out.events = events.map(({ type, packed }) => {
    const payload: unknown = JSON.parse(unpacked(packed as string));
    return [type, (payload as { data?: unknown }).data ?? payload];
  });
  // An item whose guard does not hold, behind many that could be moved, leaves all of them as they are.
  for (let id = count + 1; id <= 2 * count; id++) await make(id, 1);
  await make(2 * count + 1, 1200);
  const was = await items();
  out.refused = await post('/started');
  assert.deepEqual(await items(), was);
  // A rule of all rows is checked once all of them are written.
  await make(1499, 1486);
  const before = await items();
  out.broken = await post('/raised');
  assert.deepEqual(await items(), before);
  return out;
}

/** The items up to an identity. */
const upTo = (items: unknown, most: number): unknown => (items as readonly Item[]).filter(({ id }) => id <= most);

test('loops over many rows do what loops over few do, on both stores', async () => {
  const few = await loops(8, null);
  const many = await loops(MANY, null);
  const there = await loops(MANY, await server.database());
  assert.deepEqual(there, many);
  assert.deepEqual(upTo(many.rows, 8), few.rows);
  assert.deepEqual(upTo(many.moved, 8), few.moved);
  assert.deepEqual((few.started as { status: number }).status, 204);
  assert.deepEqual((few.refused as { status: number }).status, 409);
  assert.deepEqual((few.broken as { status: number }).status, 409);
  assert.deepEqual([many.started, many.refused, many.broken], [few.started, few.refused, few.broken]);
  const { raised } = many as { raised: { body: { first: Item; refs: number } } };
  assert.equal(raised.body.refs, MANY, 'each row gets a value of its own');
  assert.equal(raised.body.first.rank, 6, 'a row that a step has named is the changed one');
  assert.deepEqual((many.kept as unknown[]).slice(0, 8), few.kept);
  const events = (all: unknown) => all as ReadonlyArray<readonly [string, Item]>;
  assert.equal(events(many.events).length, 2 * MANY);
  const own = (all: unknown) => events(all).filter(([, { id }]) => id <= 8);
  assert.deepEqual(own(many.events), own(few.events));
});

test('a loop over many rows writes them by one statement', async () => {
  const { plan } = compile('items.md', ITEMS);
  const store = new CountingStore(':memory:', plan as Plan);
  const engine = await Engine.start(plan as Plan, store, 'https://api.example.com');
  const handler = new Handler(engine, { failed: (_name, error) => assert.fail(String(error)), recorded: () => {} });
  const began = Date.now();
  let sent = 0;
  const post = async (path: string, body: object | null): Promise<number> => {
    await setImmediate();
    const bytes = Buffer.from(body ? JSON.stringify(body) : '');
    const type = body ? ['Content-Type', 'application/json', 'Content-Length', `${bytes.length}`] : [];
    const { answer } = await handler.handle({
      method: 'POST',
      path,
      query: null,
      rawHeaders: ['Host', 'localhost', ...type],
      address: '127.0.0.1',
      arrived: began + ++sent,
      now: began + sent,
      body: () => bytes,
    });
    return answer.status;
  };
  const counted = async (path: string): Promise<number> => {
    const before = store.called;
    assert.ok((await post(path, null)) < 300);
    return store.called - before;
  };
  for (let id = 1; id <= 40; id++) {
    const body = { id, name: 'a', rank: 1, price: '1.00', paid: true, day: null, took: 'PT0S' };
    assert.equal(await post('/items', body), 201);
  }
  // The rule is checked for each row; a write of each row would be as many statements again.
  const raised = await counted('/raised');
  const started = await counted('/started');
  assert.ok(raised < 40 + 15, `${raised} statements`);
  assert.ok(started < 40 + 15, `${started} statements`);
  await store.close();
});
