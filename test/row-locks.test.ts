// Changes on PostgreSQL that lock the rows that they read, instead of being serializable.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { compile } from '../src/compiler/compile.ts';
import type { Expr } from '../src/expression/tree/expression.ts';
import { BOOLEAN, STRING } from '../src/expression/tree/types.ts';
import type { Value } from '../src/expression/values/value.ts';
import type { Plan } from '../src/plan/step.ts';
import { RowLocks } from '../src/store/postgres/row-locks.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import type { Prepared } from '../src/store/postgres/transaction.ts';
import { call, type Program, type Statement, type StatementSpec } from '../src/store/store.ts';
import { ORDERS } from './harness.ts';
import { PostgresServer } from './postgres.ts';

const PLAN = compile('orders.md', ORDERS).plan as Plan;
const NOW = 1_800_000_000_000;
let server: PostgresServer;

before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

/** Two nodes on one database. */
class Nodes {
  readonly stores: readonly PostgresStore[];
  readonly url: string;

  private constructor(url: string, stores: readonly PostgresStore[]) {
    this.url = url;
    this.stores = stores;
  }

  static async open(plan = PLAN): Promise<Nodes> {
    const url = await server.database();
    return new Nodes(url, [await PostgresStore.open(url, plan), await PostgresStore.open(url, plan)]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const store of this.stores) await store.close();
  }

  /** The statement on each node. */
  on(spec: StatementSpec): readonly Statement[] {
    return this.stores.map((store) => store.prepare(spec));
  }

  system(name: Extract<StatementSpec, { kind: 'system' }>['name']): readonly Statement[] {
    return this.on({ kind: 'system', name });
  }

  /** Counts the rows of a query that any of them would break. */
  async rows(sql: string): Promise<unknown[][]> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    const { rows } = await client.query({ text: sql, rowMode: 'array' });
    await client.end();
    return rows;
  }

  get conflicts(): number {
    return this.stores.reduce((sum, { figures }) => sum + figures.conflicts, 0);
  }

  async customer(): Promise<string> {
    const id = randomUUID();
    const [insert] = this.on({ kind: 'insert', resource: 'Customer' });
    await this.stores[0]!.write(() => call(insert!, [id, 'Ada', `${id}@example.com`, 1]));
    return id;
  }

  async order(customer: string, sku: string): Promise<string> {
    const id = randomUUID();
    const [insert] = this.on({ kind: 'insert', resource: 'Order' });
    await this.stores[0]!.write(() => call(insert!, [id, customer, sku, 1, null, 'draft', NOW, 1, null, null]));
    return id;
  }
}

const rowName = { op: 'name', name: 'this', type: { kind: 'row', resource: 'Order', nullable: false } } as const;
/** The condition that a field of a row has a value. */
function isField(member: 'id' | 'sku', value: string): Expr {
  const type = member === 'id' ? { ...STRING, format: 'uuid' as const } : STRING;
  const args: Expr[] = [
    { op: 'get', of: rowName, member, type },
    { op: 'const', value, type },
  ];
  return { op: 'call', fn: '==', args, type: BOOLEAN };
}
const finding = (where: Expr): StatementSpec => ({
  kind: 'select',
  resource: 'Order',
  where,
  order: null,
  after: false,
  limit: false,
});

test('which statements lock rows, need nothing, or run alone', () => {
  const locks = RowLocks.of(PLAN)!;
  const needs = (spec: StatementSpec): string => {
    const need = locks.needOf(spec);
    return typeof need === 'string' ? need : need.lock.trim();
  };
  assert.equal(needs(finding(isField('id', 'x'))), 'FOR NO KEY UPDATE', 'one row by its identity');
  assert.equal(needs(finding(isField('sku', 'x'))), 'alone', 'any number of rows');
  assert.equal(needs({ kind: 'row', resource: 'Customer' }), 'nothing', 'only the operator changes customers');
  assert.equal(needs({ kind: 'update', resource: 'Customer', columns: ['name'] }), 'alone');
  assert.equal(needs({ kind: 'update', resource: 'Order', columns: ['note'] }), 'nothing');
  assert.equal(needs({ kind: 'count', resource: 'Order', where: null }), 'alone');
  assert.equal(needs({ kind: 'taken', resource: 'Order', fields: ['customer', 'sku'], while: null }), 'nothing');
  assert.equal(
    needs({ kind: 'taken', resource: 'Order', fields: ['customer'], while: null }),
    'alone',
    'no unique index',
  );
  assert.equal(needs({ kind: 'system', name: 'subscribe receiver' }), 'alone');
  assert.equal(needs({ kind: 'system', name: 'due deliveries' }), 'FOR NO KEY UPDATE OF d');
});

test('a document whose rules read other rows keeps serializable transactions', () => {
  const counting = ORDERS.replace(
    '1. Create `order`: Order from `request`.',
    '1. Require `Order.filter(o, o.customer == caller).size() < 3`, else order_not_open.\n2. Create `order`: Order from `request`.',
  ).replace('2. Answer 201 with', '3. Answer 201 with');
  const { plan, findings } = compile('orders.md', counting);
  assert.deepEqual(findings, []);
  assert.equal(RowLocks.of(plan as Plan), null);
});

test('changes of one row on two nodes wait for each other, and none conflicts', async () => {
  await using nodes = await Nodes.open();
  const order = await nodes.order(await nodes.customer(), 'AAA-0001');
  const find = nodes.on(finding(isField('id', order)));
  const update = nodes.on({ kind: 'update', resource: 'Order', columns: ['quantity'] });
  const add = (node: number) =>
    nodes.stores[node]!.write(function* (): Program<void> {
      const [row] = yield* call(find[node]!, [order]);
      yield* call(update[node]!, [(row![3] as number) + 1, order]);
    });
  await Promise.all(Array.from({ length: 80 }, (_, i) => add(i % 2)));
  const [[quantity] = []] = await nodes.rows('SELECT quantity FROM "order"');
  assert.equal(Number(quantity), 81);
  assert.equal(nodes.conflicts, 0);
});

test('a change that missed a row and goes on runs alone: two do not both see what the other adds as absent', async () => {
  await using nodes = await Nodes.open();
  const customer = await nodes.customer();
  const insert = nodes.on({ kind: 'insert', resource: 'Order' });
  for (let round = 0; round < 10; round++) {
    const [a, b] = [randomUUID(), randomUUID()];
    const added = (node: number, other: string, own: string) => {
      const find = nodes.stores[node]!.prepare(finding(isField('id', other)));
      return nodes.stores[node]!.write(function* (): Program<boolean> {
        if ((yield* call(find, [other])).length > 0) return false;
        yield* call(insert[node]!, [
          own,
          customer,
          `R${'AB'[node]}A-${String(round).padStart(4, '0')}`,
          1,
          null,
          'draft',
          NOW,
          1,
          null,
          null,
        ]);
        return true;
      });
    };
    const done = await Promise.all([added(0, a, b), added(1, b, a)]);
    assert.equal(done.filter(Boolean).length, 1);
  }
});

test('no line of deliveries is left waiting, and none has two that are due, however changes and dispatchers meet', async () => {
  await using nodes = await Nodes.open();
  const customer = await nodes.customer();
  const orders = await Promise.all(['AAA-0001', 'AAA-0002'].map((sku) => nodes.order(customer, sku)));
  const [receiver] = nodes.system('insert receiver');
  await nodes.stores[0]!.write(() => call(receiver!, ['r', 'http://127.0.0.1/', 'whsec_x', '', true, NOW]));
  const update = nodes.on({ kind: 'update', resource: 'Order', columns: ['quantity'] });
  const next = nodes.system('next event');
  const insertEvent = nodes.system('insert event at');
  const insertDelivery = nodes.system('insert delivery');
  const due = nodes.system('due deliveries');
  const lease = nodes.system('lease delivery');
  const succeeded = nodes.system('delivery succeeded');
  const release = nodes.system('release next');
  const leased: Value[] = [];
  const change = (node: number, order: string, n: number) => {
    const find = nodes.stores[node]!.prepare(finding(isField('id', order)));
    return nodes.stores[node]!.write(function* (): Program<void> {
      yield* call(find, [order]);
      yield* call(update[node]!, [n, order]);
      const [[seq] = []] = yield* call(next[node]!, []);
      yield* call(insertEvent[node]!, [seq!, `evt_${randomUUID()}`, 'order.opened', 'Order', order, NOW, '{}']);
      yield* call(insertDelivery[node]!, [seq!, 'r', `Order ${order}`, NOW, null]);
    });
  };
  const deliver = async (node: number): Promise<void> => {
    const until = NOW + 1 + leased.length;
    const ids = await nodes.stores[node]!.write(function* (): Program<Value[]> {
      const out: Value[] = [];
      for (const [id] of yield* call(due[node]!, [NOW, '[]', 10])) {
        yield* call(lease[node]!, [until, id!]);
        out.push(id!);
      }
      return out;
    });
    leased.push(...ids);
    for (const id of ids)
      await nodes.stores[node]!.write(function* (): Program<void> {
        const settled = yield* call(succeeded[node]!, [NOW, 'status 204', '[]', id, until]);
        assert.equal(settled.length, 1, 'nobody else has leased it');
        yield* call(release[node]!, [NOW, id]);
      });
  };
  let changing = true;
  const dispatchers = [0, 1].map(async (node) => {
    while (changing) await deliver(node);
  });
  await Promise.all(
    [0, 1, 0, 1].map(async (node, i) => {
      for (let n = 1; n <= 40; n++) await change(node, orders[i >> 1]!, n);
    }),
  );
  changing = false;
  await Promise.all(dispatchers);
  for (let i = 0; i < 200 && leased.length < 160; i++) await deliver(i % 2);
  assert.equal(leased.length, 160);
  assert.equal(new Set(leased).size, 160, 'each is leased once');
  assert.deepEqual(await nodes.rows("SELECT 1 FROM ninefold_delivery WHERE state = 'pending'"), []);
});

test('a delivery that waits for another is released by whoever settles that one, though it is not committed yet', async () => {
  await using nodes = await Nodes.open();
  const [store] = nodes.stores;
  const [receiver] = nodes.system('insert receiver');
  const [insertEvent] = nodes.system('insert event');
  const [insertDelivery] = nodes.system('insert delivery');
  const [succeeded] = nodes.system('delivery succeeded');
  const [release] = nodes.system('release next');
  await store!.write(() => call(receiver!, ['r', 'http://127.0.0.1/', 'whsec_x', '', true, NOW]));
  const [first, second] = await store!.write(function* (): Program<Value[]> {
    const seqs: Value[] = [];
    for (const id of ['evt_1', 'evt_2'])
      seqs.push((yield* call(insertEvent!, [id, 'order.opened', 'Order', 'x', NOW, '{}']))[0]![0]!);
    return seqs;
  });
  await store!.write(() => call(insertDelivery!, [first!, 'r', 'Order x', NOW, null]));
  // Another node is about to commit the second delivery of the line, which waits for the first.
  const client = new pg.Client({ connectionString: nodes.url });
  await client.connect();
  await client.query('BEGIN');
  await client.query((insertDelivery as Prepared).text, [second, 'r', 'Order x', NOW, null]);
  const settled = store!.write(function* (): Program<number> {
    const [[id] = []] = yield* call(succeeded!, [NOW, 'status 204', '[]', 1, NOW]);
    yield* call(release!, [NOW, id!]);
    return 1;
  });
  await sleep(200);
  await client.query('COMMIT');
  await client.end();
  await settled;
  const states = await nodes.rows('SELECT state, due IS NOT NULL FROM ninefold_delivery ORDER BY id');
  assert.deepEqual(states, [
    ['delivered', false],
    ['pending', true],
  ]);
});

test('an act of the operator waits for the changes under way, and they wait for it', async () => {
  await using nodes = await Nodes.open();
  const customer = await nodes.customer();
  const order = await nodes.order(customer, 'AAA-0001');
  const client = new pg.Client({ connectionString: nodes.url });
  await client.connect();
  // A change of another node that is under way.
  await client.query('BEGIN');
  await client.query('LOCK TABLE ninefold_gate IN SHARE MODE');
  const rename = nodes.on({ kind: 'update', resource: 'Customer', columns: ['name'] });
  const find = nodes.on(finding(isField('id', order)));
  let renamed = false;
  const act = nodes.stores[0]!.write(() => call(rename[0]!, ['Bob', customer])).then(() => {
    renamed = true;
  });
  await sleep(200);
  assert.equal(renamed, false);
  await client.query('COMMIT');
  await act;
  assert.equal(renamed, true);
  // Beside each other, changes of rows do not wait.
  await client.query('BEGIN');
  await client.query('LOCK TABLE ninefold_gate IN SHARE MODE');
  await nodes.stores[1]!.write(() => call(find[1]!, [order]));
  await client.query('COMMIT');
  await client.end();
});
