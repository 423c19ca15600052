import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Row, Value } from '../src/expression/values/value.ts';
import { EventRemoval } from '../src/runtime/events/retention.ts';
import { call, type Program, type Statement, type StatementSpec, type Store, StoreError } from '../src/store/store.ts';

/** One thing that every store does, over the rows of Customer and Order as `examples/orders.md` has them. */
interface Clause {
  readonly says: string;
  readonly holds: (store: Store) => Promise<void>;
}

const NOW = Date.UTC(2026, 10, 20, 9, 30);
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** Statements that the clauses share, over one store. */
class Rows {
  private readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }

  on(spec: StatementSpec): Statement {
    return this.store.prepare(spec);
  }

  /** Stores a customer; gives its id. */
  async customer(email = `${randomUUID()}@example.com`): Promise<string> {
    const id = randomUUID();
    await this.store.write(() => call(this.on({ kind: 'insert', resource: 'Customer' }), [id, 'Ada', email, 1]));
    return id;
  }

  /** An order’s columns. */
  order(customer: string, sku: string, note: Value = null, due: number | null = null): Value[] {
    return [randomUUID(), customer, sku, 1, note, 'draft', NOW, 1, due, null];
  }

  add(row: Value[]): Promise<unknown> {
    return this.store.write(() => call(this.on({ kind: 'insert', resource: 'Order' }), row));
  }

  async count(): Promise<number> {
    const statement = this.on({ kind: 'count', resource: 'Order', where: null });
    return (await this.store.read(() => call(statement, [])))[0]![0] as number;
  }
}

const isConstraint = (error: unknown): boolean => error instanceof StoreError && error.kind === 'constraint';

async function undoes(store: Store): Promise<void> {
  const rows = new Rows(store);
  const insert = rows.on({ kind: 'insert', resource: 'Order' });
  const customer = await rows.customer();
  const refusal = new Error('A rule says no');
  const one = (sku: string, fails: boolean) => () =>
    (function* (): Program<string> {
      yield* call(insert, rows.order(customer, sku));
      if (fails) throw refusal;
      return sku;
    })();
  const settled = await Promise.allSettled([
    store.write(one('AAA-0001', false)),
    store.write(one('AAA-0002', true)),
    store.write(one('AAA-0003', false)),
  ]);
  assert.deepEqual(
    settled.map((each) => (each.status === 'fulfilled' ? each.value : each.reason)),
    ['AAA-0001', refusal, 'AAA-0003'],
  );
  assert.equal(await rows.count(), 2);
}

async function throwsConstraints(store: Store): Promise<void> {
  const rows = new Rows(store);
  const insert = rows.on({ kind: 'insert', resource: 'Order' });
  const pointing = rows.on({ kind: 'pointing', resource: 'Order', field: 'customer', many: false });
  const customer = await rows.customer();
  const told = await store.write(function* () {
    const out: boolean[] = [];
    yield* call(insert, rows.order(customer, 'AAA-0001'));
    for (const row of [rows.order(customer, 'AAA-0001'), rows.order(UNKNOWN, 'AAA-0002')])
      try {
        yield* call(insert, row);
        out.push(false);
      } catch (error) {
        out.push(isConstraint(error));
      }
    // What was there before the constraint was broken is still there, and the program goes on.
    yield* call(insert, rows.order(customer, 'AAA-0003'));
    return [...out, (yield* call(pointing, [customer])).length];
  });
  assert.deepEqual(told, [true, true, 2]);
  await assert.rejects(rows.add(rows.order(customer, 'AAA-0001')), isConstraint);
  assert.equal(await rows.count(), 2);
}

async function serializes(store: Store): Promise<void> {
  const rows = new Rows(store);
  const customer = await rows.customer();
  const row = rows.order(customer, 'AAA-0001');
  await rows.add(row);
  const select = rows.on({ kind: 'row', resource: 'Order' });
  const update = rows.on({ kind: 'update', resource: 'Order', columns: ['quantity'] });
  const add = function* (): Program<void> {
    const found = (yield* call(select, [row[0]!]))[0]!;
    yield* call(update, [(found[3] as number) + 1, found[0]!]);
  };
  await Promise.all(Array.from({ length: 60 }, () => store.write(add)));
  assert.equal((await store.read(() => call(select, [row[0]!])))[0]![3], 61);
  // What each sees alone would let both in (write skew).
  const counted = rows.on({ kind: 'count', resource: 'Order', where: null });
  const insert = rows.on({ kind: 'insert', resource: 'Order' });
  const atMostTwo = (n: number) =>
    function* (): Program<boolean> {
      if (((yield* call(counted, []))[0]![0] as number) >= 2) return false;
      yield* call(insert, rows.order(customer, `BBB-${String(n).padStart(4, '0')}`));
      return true;
    };
  const allowed = await Promise.all(Array.from({ length: 20 }, (_, n) => store.write(atMostTwo(n))));
  assert.deepEqual([allowed.filter(Boolean).length, await rows.count()], [1, 2]);
}

async function orders(store: Store): Promise<void> {
  const rows = new Rows(store);
  const customer = await rows.customer();
  const notes = ['a', 'B', 'é', '\uFF21', '😀', '', 'aa', null, 'Z'];
  for (const [n, note] of notes.entries()) await rows.add(rows.order(customer, `AAA-000${n}`, note));
  const by = {
    op: 'get',
    of: { op: 'name', name: 'this', type: { kind: 'row', resource: 'Order', nullable: false } },
    member: 'note',
    type: { kind: 'string', nullable: true, oneOf: null, owner: null, format: null },
  } as const;
  const list = async (descending: boolean): Promise<Value[]> => {
    const order = { keys: [{ by, descending }], descending };
    const spec = { kind: 'select', resource: 'Order', where: null, order, after: false, limit: true } as const;
    const statement = rows.on(spec);
    return (await store.read(() => call(statement, [100]))).map((row) => row[4]!);
  };
  const expected = [null, '', 'B', 'Z', 'a', 'aa', 'é', '\uFF21', '😀'];
  assert.deepEqual(await list(false), expected);
  assert.deepEqual(await list(true), expected.toReversed());
  const row = rows.on({ kind: 'row', resource: 'Order' });
  assert.deepEqual(await store.read(() => call(row, ['no uuid'])), []);
}

async function counts(store: Store): Promise<void> {
  const rate = { count: 100, milliseconds: 60_000 };
  const take = (policy: number, key: string, of = rate) => store.take(policy, key, of, store.now());
  const taken = await Promise.all(Array.from({ length: 2000 }, () => take(0, 'one')));
  assert.equal(taken.filter(({ allowed }) => allowed).length, 100);
  assert.equal((await take(0, 'one')).allowed, false);
  assert.deepEqual(await take(0, 'another'), { allowed: true, remaining: 99, resetSeconds: 60 });
  assert.deepEqual(await take(1, 'one'), { allowed: true, remaining: 99, resetSeconds: 60 });
  // The count of a window stays when the number changes, and the number of each request decides.
  const numbered = (count: number) => take(3, 'one', { ...rate, count });
  const before = await Promise.all(Array.from({ length: 5 }, () => numbered(5)));
  assert.deepEqual(before.map(({ allowed }) => allowed).includes(false), false);
  assert.equal((await numbered(5)).allowed, false);
  assert.deepEqual(await numbered(7), { allowed: true, remaining: 1, resetSeconds: 60 });
  assert.deepEqual(await numbered(3), { allowed: false, remaining: 0, resetSeconds: 60 });
  assert.equal((await numbered(7)).allowed, true);
  assert.equal((await numbered(7)).allowed, false);
  const mixed = await Promise.all(Array.from({ length: 40 }, (_, n) => numbered(n % 2 ? 4 : 20)));
  assert.deepEqual(mixed.filter(({ allowed }) => allowed).length, 13);
  // Once a window is over, the next has room for as many.
  const short = { count: 2, milliseconds: 300 };
  while ((await take(2, 'one', short)).allowed);
  let again = await take(2, 'one', short);
  for (; !again.allowed; again = await take(2, 'one', short)) await sleep(10);
  assert.deepEqual(again, { allowed: true, remaining: 1, resetSeconds: 1 });
}

async function claims(store: Store): Promise<void> {
  const key = 'POST /orders\ncaller\nkey';
  const claimed = await Promise.all(Array.from({ length: 20 }, () => store.claim(key)));
  assert.equal(claimed.filter(Boolean).length, 1);
  assert.equal(await store.claim(`${key}s`), true);
  store.unclaim(key);
  assert.equal(await store.claim(key), true);
}

async function lines(store: Store): Promise<void> {
  const rows = new Rows(store);
  const system = (name: Extract<StatementSpec, { kind: 'system' }>['name']) => rows.on({ kind: 'system', name });
  const due = system('due deliveries');
  await store.write(function* () {
    yield* call(system('insert receiver'), ['r', 'http://127.0.0.1/', 'whsec_x', '', true, NOW]);
    for (const id of ['e1', 'e2']) {
      const seq = (yield* call(system('insert event'), [id, 'order.opened', 'Order', 'x', NOW, '{}']))[0]![0]!;
      yield* call(system('insert delivery'), [seq, 'r', 'Order x', NOW, null]);
    }
  });
  const heads = async (now: number): Promise<Value[][]> => store.read(() => call(due, [now, '[]', 10]));
  const [head, ...others] = await heads(NOW);
  assert.deepEqual([head?.[1], others.length], ['e1', 0], 'the second of a line waits for the first');
  const id = head![0]!;
  await store.write(() => call(system('lease delivery'), [NOW + 1000, id]));
  assert.deepEqual(await heads(NOW), [], 'what is leased is not due');
  await store.write(function* () {
    // Whoever leased it before has nothing to say any more.
    assert.equal((yield* call(system('delivery succeeded'), [NOW, 'status 204', '[]', id, NOW + 999])).length, 0);
    assert.equal((yield* call(system('delivery failed'), [NOW, 'status 500', '[]', NOW, id, NOW])).length, 0);
    assert.equal((yield* call(system('delivery given up'), [NOW, 'status 500', '[]', id, NOW])).length, 0);
    assert.equal((yield* call(system('delivery succeeded'), [NOW, 'status 204', '[]', id, NOW + 1000])).length, 1);
    yield* call(system('release next'), [NOW, id]);
  });
  assert.deepEqual(
    (await heads(NOW)).map((row) => row[1]),
    ['e2'],
  );
}

async function stepsOver(store: Store): Promise<void> {
  const rows = new Rows(store);
  const system = (name: Extract<StatementSpec, { kind: 'system' }>['name']) => rows.on({ kind: 'system', name });
  await store.write(function* () {
    for (const receiver of ['a', 'b', 'c'])
      yield* call(system('insert receiver'), [receiver, 'http://127.0.0.1/', 'whsec_x', '', true, NOW]);
    for (const n of [1, 2, 3, 4, 5, 6, 7]) {
      const id = `e${n}`;
      const seq = (yield* call(system('insert event'), [id, 'order.opened', 'Order', id, NOW, '{}']))[0]![0]!;
      yield* call(system('insert delivery'), [seq, n % 2 ? 'a' : n % 4 ? 'b' : 'c', id, NOW - n, null]);
    }
  });
  const due = system('due deliveries');
  const others = system('due deliveries of others');
  for (const skipped of [[], ['a'], ['a', 'c'], ['a', 'b', 'c']])
    for (const most of [1, 2, 10])
      for (const now of [NOW - 5, NOW]) {
        const skip = JSON.stringify(skipped);
        const expected = await store.read(() => call(due, [now, skip, most]));
        assert.deepEqual(await store.read(() => call(others, [skip, most, now, most, most])), expected);
      }
}

async function forgets(store: Store): Promise<void> {
  const rows = new Rows(store);
  const keep = rows.on({ kind: 'system', name: 'keep answer' });
  const forget = rows.on({ kind: 'system', name: 'forget answers' });
  for (const [n, expires] of [NOW - 2, NOW - 1, NOW, NOW + 1].entries())
    await store.write(() =>
      call(keep, [`${n}`, 'POST /orders', 'ada', `key ${n}`, Buffer.alloc(32), 201, '[]', '{}', null, expires]),
    );
  const gone = async (most: number): Promise<number> => (await store.write(() => call(forget, [NOW, most]))).length;
  assert.deepEqual([await gone(2), await gone(2), await gone(2)], [2, 1, 0]);
}

/** Answers are found by their key, also where another has the same hash and where the event with their body goes. */
async function findsAnswers(store: Store): Promise<void> {
  const rows = new Rows(store);
  const system = (name: Extract<StatementSpec, { kind: 'system' }>['name']) => rows.on({ kind: 'system', name });
  const print = Buffer.alloc(32);
  const find = async (key: string): Promise<Row[]> =>
    (await store.read(() => call(system('find answer'), ['-7', 'POST /orders', 'ada', key]))).map((row) =>
      row.slice(1, 5),
    );
  const id = `evt_${randomUUID()}`;
  const data = '{"id":"ä","n":-0,"n":1e400}';
  const seq = await store.write(function* () {
    const [[event]] = (yield* call(system('insert event'), [id, 'order.opened', 'Order', 'x', NOW, data])) as [
      [number],
    ];
    const kept = ['-7', 'POST /orders', 'ada', 'one', print, 201, '[]', null, event, NOW + 1];
    yield* call(system('keep answer'), kept);
    return event;
  });
  assert.deepEqual(await find('one'), [[201, '[]', data, NOW + 1]]);
  assert.deepEqual(await find('two'), []);
  await store.write(() => new EventRemoval(store).forget(seq));
  assert.deepEqual(await find('one'), [[201, '[]', data, NOW + 1]], 'the answer has the body of its own');
  assert.deepEqual(await store.read(() => call(system('oldest events'), [seq - 1, 1])), []);
}

async function settlesOnce(store: Store): Promise<void> {
  const rows = new Rows(store);
  const system = (name: Extract<StatementSpec, { kind: 'system' }>['name']) => rows.on({ kind: 'system', name });
  await store.write(() => call(system('queue call'), ['call_1', 'charge', '{}', NOW, NOW]));
  const end = (until: number): Promise<Row[]> => store.write(() => call(system('end call'), ['call_1', until]));
  await store.write(() => call(system('lease call'), [NOW + 1000, 'call_1']));
  const late = await store.write(() => call(system('call failed'), [NOW, 'late', NOW, 'call_1', NOW]));
  const ended = [await end(NOW), await end(NOW + 1000), await end(NOW + 1000)];
  assert.deepEqual([late.length, ...ended.map(({ length }) => length)], [0, 0, 1, 0]);
  assert.deepEqual(await store.read(() => call(system('due calls'), [NOW, 1])), []);
}

async function rehearses(store: Store): Promise<void> {
  const rows = new Rows(store);
  const insert = rows.on({ kind: 'insert', resource: 'Order' });
  const count = rows.on({ kind: 'count', resource: 'Order', where: null });
  const customer = await rows.customer();
  await rows.add(rows.order(customer, 'AAA-0001'));
  const refusal = new Error('A rule says no');
  const one = (sku: string, fails: boolean) => () =>
    (function* (): Program<number> {
      yield* call(insert, rows.order(customer, sku));
      const [[seen] = []] = yield* call(count, []);
      if (fails) throw refusal;
      return seen as number;
    })();
  assert.equal(await store.rehearse(one('AAA-0002', false)), 2);
  await assert.rejects(store.rehearse(one('AAA-0003', true)), refusal);
  const settled = await Promise.allSettled([
    store.rehearse(one('AAA-0004', true)),
    store.write(one('AAA-0005', false)),
    rows.count(),
  ]);
  assert.equal(settled[0].status === 'rejected' && settled[0].reason, refusal);
  assert.equal(settled[1].status === 'fulfilled' && settled[1].value, 2, 'nobody else sees what is rehearsed');
  assert.equal(await rows.count(), 2);
}

/** What holds of every store. */
export const CONTRACT: readonly Clause[] = [
  { says: 'what a program throws undoes its own changes, and rejects', holds: undoes },
  { says: 'a broken constraint is thrown into the program that broke it', holds: throwsConstraints },
  { says: 'what is rehearsed is seen by nobody else, and undone', holds: rehearses },
  { says: 'programs that run at once do so as if one after the other', holds: serializes },
  { says: 'text is in the order of its code points, absence first; what is no UUID is no row’s', holds: orders },
  { says: 'of a rate’s window exactly as many are let through as it has room for', holds: counts },
  { says: 'a key is claimed once', holds: claims },
  {
    says: 'only the head of a line of deliveries is due, and nothing that is leased, which its lease alone settles',
    holds: lines,
  },
  { says: 'what is due to others is what is due, without those who are skipped', holds: stepsOver },
  { says: 'answers whose time is over are forgotten, some at a time', holds: forgets },
  { says: 'an answer is found by its key, and keeps the body of an event that is forgotten', holds: findsAnswers },
  { says: 'a call of a handler is settled once, by who has it leased', holds: settlesOnce },
];
