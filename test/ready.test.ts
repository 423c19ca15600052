import './whole-alone.ts';
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { compile } from '../src/compiler/compile.ts';
import type { Plan } from '../src/plan/step.ts';
import { Engine } from '../src/runtime/engine/engine.ts';
import { Operator } from '../src/runtime/operator.ts';
import { Handler } from '../src/runtime/request/handle.ts';
import { CountingStore } from './counting.ts';

const ORDERS = readFileSync(join(import.meta.dirname, '..', 'examples', 'orders.md'), 'utf8');
const ADA = '00000000-0000-4000-8000-000000000001';
const SHOWN = '- Shown: id, customer as id, sku, quantity, note, status, created';

/** An edit of a document that has to change it. */
function edited(text: string, ...edits: Array<[string, string]>): string {
  return edits.reduce((before, [from, to]) => {
    assert.ok(before.includes(from), from);
    return before.replace(from, to);
  }, text);
}

/** One database, served by one document after the other. */
class Shop {
  private readonly path: string;
  /** Requests come one millisecond after another, and soon enough to be answered in time. */
  private readonly began = Date.now();
  private key = '';
  private sent = 0;
  private store: CountingStore | null = null;

  constructor(t: TestContext) {
    const directory = mkdtempSync(join(tmpdir(), 'ninefold-ready-'));
    t.after(() => rmSync(directory, { recursive: true }));
    this.path = join(directory, 'shop.db');
  }

  /** Serves a document while `work` asks it. */
  async serve(text: string, work: (ask: Asking, operator: Operator) => Promise<void>): Promise<void> {
    const { plan, findings } = compile('shop.md', text);
    assert.ok(plan, JSON.stringify(findings));
    const store = new CountingStore(this.path, plan as Plan);
    this.store = store;
    const failures: unknown[] = [];
    const engine = await Engine.start(plan as Plan, store, 'https://api.example.com');
    const handler = new Handler(engine, { failed: (_name, error) => failures.push(error), recorded: () => {} });
    const operator = new Operator(engine);
    if (!this.key) {
      await operator.add('Customer', new Map([['id', ADA], ['name', 'Ada'], ['email', 'ada@example.com']])); // biome-ignore format: one row
      this.key = (await operator.issueKey('Customer', ADA, ['orders:read', 'orders:write'])).key;
    }
    const ask: Asking = async (method, target, body, headers = []) => {
      // The reads of one turn share a snapshot, and what another program writes meanwhile is not in it.
      await setImmediate();
      const [path = '', query = null] = target.split('?');
      const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
      const key = ['Idempotency-Key', `"k${this.sent++}"`, 'Content-Type', 'application/json', 'Content-Length'];
      const { answer } = await handler.handle({
        method,
        path,
        query,
        rawHeaders: [
          ...['Host', 'localhost', 'Authorization', `Bearer ${this.key}`, ...headers],
          ...(body === undefined ? [] : [...key, String(bytes.length)]),
        ],
        address: '127.0.0.1',
        arrived: this.began + this.sent,
        now: this.began + this.sent,
        body: () => bytes,
      });
      assert.deepEqual(failures, []);
      return String(answer.body ?? '');
    };
    try {
      await work(ask, operator);
    } finally {
      await store.close();
    }
  }

  /** What is done to the file by another program. */
  by<T>(work: (db: Database.Database) => T): T {
    const db = new Database(this.path);
    try {
      return work(db);
    } finally {
      db.close();
    }
  }

  /** How many statements it takes to ask for something. */
  async statements(asking: () => Promise<unknown>): Promise<number> {
    const before = this.store!.called;
    await asking();
    return this.store!.called - before;
  }

  texts(): Array<string | null> {
    return this.by((db) => db.prepare('SELECT ninefold_shown FROM "order" ORDER BY sku').pluck().all()) as string[];
  }
}

type Asking = (method: string, target: string, body?: unknown, headers?: string[]) => Promise<string>;

const opened = async (ask: Asking, sku: string, note?: string): Promise<string> => {
  const text = await ask('POST', '/orders', { sku, quantity: 2, ...(note === undefined ? {} : { note }) });
  return (JSON.parse(text) as { id: string }).id;
};

/** The items of the first page, and each of them asked for alone, which has to be the same. */
async function shownBy(ask: Asking, headers: string[] = []): Promise<string[]> {
  const { items } = JSON.parse(await ask('GET', '/orders', undefined, headers)) as { items: Array<{ id?: string }> };
  const texts = items.map((item) => JSON.stringify(item));
  const all = await ask('GET', '/orders', undefined, headers);
  assert.ok(all.startsWith(`{"items":[${texts.join(',')}]`), all);
  for (const [i, item] of items.entries())
    if (item.id) assert.equal(await ask('GET', `/orders/${item.id}`, undefined, headers), texts[i]);
  return texts;
}

test('a row is written with its text, and shown by it', async (t) => {
  const shop = new Shop(t);
  await shop.serve(ORDERS, async (ask) => {
    const text = await ask('POST', '/orders', { sku: 'ABC-0001', quantity: 2, note: 'a "quoted" né\n' });
    const ready = await shop.statements(() => ask('GET', '/orders'));
    assert.match(shop.texts()[0]!, /^[0-9a-f]{8}1\{"id":/);
    assert.deepEqual(shop.texts(), [shop.texts()[0]!.slice(0, 9) + text]);
    assert.deepEqual(await shownBy(ask), [text]);
    shop.by((db) => db.exec(`UPDATE "order" SET ninefold_shown = substr(ninefold_shown, 1, 9) || '{"told":1}'`));
    assert.equal(await ask('GET', `/orders/${JSON.parse(text).id}`), '{"told":1}');
    assert.deepEqual(await shownBy(ask), ['{"told":1}']);
    shop.by((db) => db.exec(`UPDATE "order" SET ninefold_shown = NULL`));
    assert.equal(await shop.statements(() => ask('GET', '/orders')), ready + 1);
    assert.deepEqual(await shownBy(ask), [text]);
  });
});

test('a text follows every change, whoever makes it', async (t) => {
  const shop = new Shop(t);
  await shop.serve(ORDERS, async (ask, operator) => {
    const id = await opened(ask, 'ABC-0001');
    await ask('POST', `/orders/${id}/place`);
    assert.match(shop.texts()[0]!, /^.{8}2\{.*"status":"placed"/);
    await operator.edit('Customer', ADA, new Map([['name', 'Ada L.']]));
    assert.match((await shownBy(ask))[0]!, /"quantity":2,"status":"placed"/);
    shop.by((db) => db.exec(`UPDATE "order" SET quantity = 7`));
    assert.deepEqual(shop.texts(), [null]);
    assert.match((await shownBy(ask))[0]!, /"quantity":7,"status":"placed"/);
    await ask('POST', `/orders/${id}/cancel`);
    assert.match(shop.texts()[0]!, /^.{8}3\{.*"quantity":7,"status":"cancelled"/);
  });
});

test('a row that the operator changes is shown as it is then', async (t) => {
  const shop = new Shop(t);
  const text = edited(
    ORDERS,
    ['| status   |', '| shelf | string | | at most 9 characters | operator | optional | |\n| status   |'],
    [SHOWN, `${SHOWN}, shelf`],
  );
  await shop.serve(text, async (ask, operator) => {
    const id = await opened(ask, 'ABC-0001');
    await operator.edit('Order', id, new Map([['shelf', 'B7']]));
    assert.match((await shownBy(ask))[0]!, /"shelf":"B7"\}$/);
    assert.match(shop.texts()[0]!, /"shelf":"B7"\}$/);
  });
});

const OTHERS: ReadonlyArray<readonly [what: string, edit: [string, string], shown: RegExp]> = [
  ['other members', [SHOWN, '- Shown: id, sku, status'], /^\{"id":"[^"]+","sku":"ABC-0001","status":"draft"\}$/],
  ['another order', [SHOWN, '- Shown: sku, id, customer as id, quantity, note, status, created'], /^\{"sku":/],
  ['missing values as null', ['answers: left out', 'answers: null'], /"quantity":2,"note":null,/],
  ['whole seconds', ['UTC, milliseconds', 'UTC, seconds'], /"created":"[-0-9]{10}T[:0-9]{8}Z"/],
  ['a reference shown otherwise', ['customer as id, sku', 'customer as email, sku'], /"customer":"ada@example.com"/],
];

for (const [what, edit, shown] of OTHERS)
  test(`what another document has written is shown in this one’s words: ${what}`, async (t) => {
    const shop = new Shop(t);
    const other = edited(ORDERS, edit);
    let first: string[] = [];
    await shop.serve(ORDERS, async (ask) => {
      await opened(ask, 'ABC-0001');
      first = await shownBy(ask);
    });
    const [text] = shop.texts();
    await shop.serve(other, async (ask) => {
      assert.match((await shownBy(ask))[0]!, shown);
      await opened(ask, 'XYZ-0001');
      assert.match((await shownBy(ask))[1]!, shown);
      const [, own] = shop.texts();
      assert.ok(own === null || own!.slice(0, 8) !== text!.slice(0, 8));
    });
    await shop.serve(ORDERS, async (ask) => assert.equal((await shownBy(ask))[1], first[0]));
  });

test('a version shows rows as it calls them, whatever was current when they were written', async (t) => {
  const shop = new Shop(t);
  const old = ['Orders-Version', '2025-06-01'];
  await shop.serve(ORDERS, async (ask) => {
    await opened(ask, 'ABC-0001', 'hello');
    assert.match((await shownBy(ask))[0]!, /"sku":"ABC-0001","quantity":2,"note":"hello"/);
    assert.match((await shownBy(ask, old))[0]!, /"product":"ABC-0001","quantity":2,"status"/);
  });
  const [text] = shop.texts();
  const next = edited(
    ORDERS,
    ['Current version: 2026-11-01', 'Current version: 2026-11-20'],
    ['| 2025-06-01 |', '| 2026-11-01 | deprecated | 2026-11-20 | 2027-12-01 | none                                      |\n| 2025-06-01 |'], // biome-ignore format: one edit
  );
  await shop.serve(next, async (ask) => {
    assert.match((await shownBy(ask))[0]!, /"sku":"ABC-0001","quantity":2,"note":"hello"/);
    assert.match((await shownBy(ask, ['Orders-Version', '2026-11-01']))[0]!, /"sku":"ABC-0001"/);
    assert.match((await shownBy(ask, old))[0]!, /"product":"ABC-0001","quantity":2,"status"/);
    await opened(ask, 'XYZ-0001');
    assert.notEqual(shop.texts()[1]!.slice(0, 8), text!.slice(0, 8));
  });
});

test('a list shows rows with and without a text of this document in their order', async (t) => {
  const shop = new Shop(t);
  const long = edited(ORDERS, ['at most 500 characters', 'at most 5000 characters']);
  await shop.serve(long, async (ask) => {
    for (let i = 0; i < 12; i++) await opened(ask, `ABC-000${i % 10}`.replace('0', String(Math.floor(i / 10))), 'hi');
    await opened(ask, 'ABC-9999', 'é'.repeat(4800));
    const whole = await shownBy(ask);
    assert.equal(whole.length, 13);
    assert.equal(shop.texts().at(-1), null);
    const pages = async (): Promise<string> => {
      let out = '';
      let next: string | undefined;
      do {
        const page = await ask('GET', `/orders?limit=5${next === undefined ? '' : `&cursor=${next}`}`);
        out += page;
        next = (JSON.parse(page) as { next?: string }).next;
      } while (next !== undefined);
      return out;
    };
    const statements = () => shop.statements(() => ask('GET', '/orders'));
    const before = await pages();
    const few = await statements();
    shop.by((db) => {
      db.exec(`UPDATE "order" SET ninefold_shown = NULL WHERE sku IN ('ABC-0003', 'ABC-0007')`);
      db.exec(`UPDATE "order" SET ninefold_shown = '00000000' || substr(ninefold_shown, 9) WHERE sku = 'ABC-0005'`);
    });
    assert.deepEqual(await shownBy(ask), whole);
    assert.equal(await pages(), before);
    assert.equal(await statements(), few);
    shop.by((db) => db.exec(`UPDATE "order" SET ninefold_shown = NULL`));
    assert.equal(await statements(), few);
    assert.deepEqual(await shownBy(ask), whole);
    assert.equal(await pages(), before);
  });
});

test('a database from before rows had a text is served, and has one for what is written from then on', async (t) => {
  const shop = new Shop(t);
  await shop.serve(ORDERS, async (ask) => void (await opened(ask, 'ABC-0001')));
  shop.by((db) => {
    db.exec('DROP TRIGGER ninefold_stale_order');
    db.exec('ALTER TABLE "order" DROP COLUMN ninefold_shown');
  });
  await shop.serve(ORDERS, async (ask) => {
    await opened(ask, 'XYZ-0001');
    const [newer, older] = await shownBy(ask);
    assert.match(newer!, /"sku":"XYZ-0001"/);
    assert.match(older!, /"sku":"ABC-0001"/);
    assert.equal(shop.texts()[0], null);
    assert.equal(shop.texts()[1]!.slice(9), newer);
  });
});

test('an event tells of the row in the same words', async (t) => {
  const shop = new Shop(t);
  await shop.serve(ORDERS, async (ask) => {
    const id = await opened(ask, 'ABC-0001');
    await ask('POST', `/orders/${id}/place`);
    const told = shop.by((db) =>
      db.prepare('SELECT packed FROM ninefold_event ORDER BY seq').pluck().all(),
    ) as string[];
    assert.match(told[0]!, /"status":"draft"/);
    assert.deepEqual([told[1]], await shownBy(ask));
  });
});

for (const [title, shown] of [
  ['whose texts tell their identities', SHOWN],
  ['whose texts do not', '- Shown: sku, note, status'],
] as const)
  test(`pages of rows ${title} follow one another, with and without a text`, async (t) => {
    const shop = new Shop(t);
    await shop.serve(edited(ORDERS, [SHOWN, shown]), async (ask) => {
      const skus = ['ABC-0001', 'ABC-0002', 'ABC-0003', 'ABC-0004', 'ABC-0005'];
      for (const sku of skus) await ask('POST', '/orders', { sku, quantity: 2 });
      for (const without of ['', `WHERE sku = 'ABC-0002'`, `WHERE sku <> 'ABC-0005'`]) {
        if (without) shop.by((db) => db.exec(`UPDATE "order" SET ninefold_shown = NULL ${without}`));
        const found: string[] = [];
        let cursor = '';
        do {
          const page = JSON.parse(await ask('GET', `/orders?limit=1${cursor}`));
          found.push(...page.items.map((item: { sku: string }) => item.sku));
          cursor = page.next && `&cursor=${page.next}`;
        } while (cursor);
        assert.deepEqual(found, skus.toReversed());
      }
    });
  });
