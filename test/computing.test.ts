import './whole-alone.ts';
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { edited, RAISED, type Service, until, Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { IN_WHOLE } from './share.ts';

/** Orders whose prices a pure handler works out: of a new one, of one that is placed, expires, or has been paid. */
const PRICED = edited(
  RAISED,
  [
    '| created  | timestamp |',
    '| price    | integer   |        | 0 to 1,000,000 | steps | optional | |\n| created  | timestamp |',
  ],
  ['quantity, note, status, created\n', 'quantity, note, status, created, price\n'],
  ['24 hours after `created`', '3 seconds after `created`'],
  [
    '\n## Endpoints\n',
    `
#### After expire

1. Run quote with id \`moved.id\`, quantity \`moved.quantity\`, giving \`quoted\`.
2. Change \`moved\` with price \`quoted.price\`.

## Endpoints
`,
  ],
  [
    '1. Create `order`: Order from `request`.\n2.',
    '1. Create `order`: Order from `request`.\n2. Run quote with id `order.id`, quantity `order.quantity`, giving `quoted`.\n3. Change `order` with price `quoted.price`.\n4. Require `quoted.price < 900000`, else order_not_open.\n5.',
  ],
  [
    '1. Move `order` by place.\n2.',
    '1. Run quote with id `order.id`, quantity `order.quantity`, giving `quoted`.\n2. Change `order` with price `quoted.price`.\n3. Move `order` by place.\n4.',
  ],
  ['1. Move `order` by ship.\n2.', '1. Move `order` by ship.\n2. Run charge with order `order.id`.\n3.'],
  ['| Time-out     | 5 seconds ', '| Time-out     | 4 minutes '],
  [
    '## Authentication\n',
    `### Handler quote

- Kind: pure
- File: \`quote.ts\`
- Fails with: none
- Within: 2 minutes

| Takes    | Type           | Allowed values | Presence |
| -------- | -------------- | -------------- | -------- |
| id       | Order.id       | any            | always   |
| quantity | Order.quantity | any            | always   |

| Gives | Type        | Allowed values | Presence |
| ----- | ----------- | -------------- | -------- |
| price | Order.price | any            | always   |

### Handler charge

- Kind: outside
- File: \`charge.ts\`
- Fails with: none
- Within: 1 second
- Attempts: 1

| Takes | Type     | Allowed values | Presence |
| ----- | -------- | -------------- | -------- |
| order | Order.id | any            | always   |

| Gives | Type    | Allowed values | Presence |
| ----- | ------- | -------------- | -------- |
| paid  | boolean | any            | always   |

#### When charge answers

1. Find \`order\`: Order where \`id == given.order\`, else order_not_found.
2. Run quote with id \`order.id\`, quantity \`order.quantity + 1\`, giving \`quoted\`.
3. Change \`order\` with price \`quoted.price\`.

#### When charge fails

1. Find \`order\`: Order where \`id == given.order\`, else order_not_found.

## Authentication
`,
  ],
);

/** What has been asked is written down; from 500 on its thread is kept until a file says that it may end. */
const QUOTE = `
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const waited = new Int32Array(new SharedArrayBuffer(4));
const beside = (name) => join(import.meta.dirname, name);

export const quote = ({ id, quantity }) => {
  appendFileSync(beside('asked.txt'), id + ' ' + quantity + '\\n');
  if (quantity >= 500) while (readFileSync(beside('go.txt'), 'utf8') !== 'go') Atomics.wait(waited, 0, 0, 5);
  return { price: quantity * 250 };
};
`;

class Priced extends Workspace {
  constructor(document = PRICED) {
    super(document);
    writeFileSync(join(this.dir, 'quote.ts'), QUOTE);
    writeFileSync(join(this.dir, 'charge.ts'), 'export const charge = async () => ({ paid: true });');
    writeFileSync(join(this.dir, 'asked.txt'), '');
    this.hold();
  }

  hold(): void {
    writeFileSync(join(this.dir, 'go.txt'), '');
  }

  release(): void {
    writeFileSync(join(this.dir, 'go.txt'), 'go');
  }

  asked(quantity: number): number {
    return readFileSync(join(this.dir, 'asked.txt'), 'utf8').split(` ${quantity}\n`).length - 1;
  }

  asking(quantity: number): Promise<boolean> {
    return until(() => this.asked(quantity) > 0, `${quantity} is asked for`);
  }
}

interface Order {
  readonly id: string;
  readonly price: number;
  readonly status: string;
}

/** The orders by SKU, as the service lists them. */
async function listed(service: Service, key: string): Promise<ReadonlyMap<string, Order>> {
  const { status, body, text } = await service.request('GET', '/orders?limit=100', { key });
  assert.equal(status, 200, text);
  const { items } = body as { items: Array<Order & { sku: string }> };
  return new Map(items.map((one) => [one.sku, one]));
}

const STAYING = PRICED.replace('3 seconds after `created`', '24 hours after `created`');
let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

const STORES: Readonly<Record<string, (work: Workspace) => Promise<void>>> = {
  SQLite: async () => {},
  PostgreSQL: async (work) => {
    work.place = ['--store', await server.database()];
  },
};

/** What differs little between the stores is done on the second in a whole run alone. */
const secondly = (store: string): object => (store === 'SQLite' ? {} : IN_WHOLE);

for (const [store, use] of Object.entries(STORES)) {
  test(`while a pure handler computes, all else is answered (${store})`, secondly(store), async () => {
    await using work = new Priced(STAYING);
    await use(work);
    const service = await work.serve();
    const key = await work.key(await work.customer());
    const answered: string[] = [];
    const long = service.open(key, { sku: 'SLO-0001', quantity: 500 }, 'long').then((answer) => {
      answered.push('long');
      return answer;
    });
    await work.asking(500);
    const id = await service.opened(key, 'ABC-0001');
    assert.equal((await service.request('POST', `/orders/${id}/place`, { key })).status, 200);
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        assert.deepEqual([...(await listed(service, key)).keys()], ['ABC-0001'], 'nothing of it is there yet');
        answered.push('read');
      }),
    );
    assert.equal((await service.open(key, { sku: 'SLO-0001', quantity: 500 }, 'long')).status, 409);
    assert.deepEqual(new Set(answered), new Set(['read']));
    work.release();
    const { status, body, text } = await long;
    assert.deepEqual([status, (body as Order).price], [201, 125_000], text);
    assert.equal(work.asked(500), 1, 'it is computed once, of the identity that the row has');
    assert.match(readFileSync(join(work.dir, 'asked.txt'), 'utf8'), new RegExp(`^${(body as Order).id} 500\n`));
  });

  test(
    `what a handler is to compute of may change meanwhile: then it is computed anew (${store})`,
    IN_WHOLE,
    async () => {
      await using work = new Priced(STAYING);
      await use(work);
      const service = await work.serve();
      const key = await work.key(await work.customer());
      work.release();
      const id = await service.opened(key, 'ABC-0001', { quantity: 600, note: 'many' });
      work.hold();
      const placed = service.request('POST', `/orders/${id}/place`, { key });
      await until(() => work.asked(600) > 1, 'it is asked for');
      const { headers } = await service.request('GET', `/orders/${id}`, { key });
      const body = { quantity: 700 };
      const change = { key, body, headers: { 'if-match': headers.get('etag')! } };
      assert.equal((await service.request('PATCH', `/orders/${id}`, change)).status, 200);
      work.release();
      const answer = await placed;
      assert.deepEqual([answer.status, (answer.body as Order).price], [200, 175_000], answer.text);
      assert.deepEqual([work.asked(600), work.asked(700)], [2, 1]);
    },
  );

  test(`many long runs keep no other from its turn, and each has its own in the end (${store})`, IN_WHOLE, async () => {
    await using work = new Priced(STAYING);
    await use(work);
    const service = await work.serve();
    const key = await work.key(await work.customer());
    const many = Array.from({ length: 10 }, (_, n) =>
      service.open(key, { sku: `SLO-${1000 + n}`, quantity: 500 + n, note: 'many' }),
    );
    await until(() => many.some((_, n) => work.asked(500 + n) > 0), 'one of them is asked for');
    // A turn may be over, on a busy machine, before the handler has begun: then it waits for the long ones, and others come.
    const others: Array<Promise<string>> = [];
    const begun = Date.now();
    let taken = 0;
    await until(() => {
      if (others.length < 5 + (Date.now() - begun) / 1000) {
        const other = service.opened(key, `ABC-${1000 + others.length}`);
        others.push(other);
        void other.then(() => taken++);
      }
      return taken >= 5;
    }, 'others are taken while the long ones go on');
    work.release();
    await Promise.all(others);
    assert.deepEqual(
      (await Promise.all(many)).map(({ status, body }) => [status, (body as Order).price]),
      many.map((_, n) => [201, (500 + n) * 250]),
    );
  });

  test(
    `what follows an outside handler may run a pure one, and nothing waits for that (${store})`,
    IN_WHOLE,
    async () => {
      await using work = new Priced(STAYING);
      await use(work);
      const service = await work.serve();
      const key = await work.key(await work.customer());
      const id = await service.opened(key, 'ABC-0001', { quantity: 499, note: 'many' });
      for (const move of ['place', 'ship'])
        assert.equal((await service.request('POST', `/orders/${id}/${move}`, { key })).status, 200);
      await work.asking(500);
      const price = async (): Promise<number> => (await listed(service, key)).get('ABC-0001')!.price;
      assert.equal(await price(), 499 * 250);
      assert.equal((await service.request('POST', `/orders/${id}/deliver`, { key })).status, 200);
      work.release();
      await until(async () => (await price()) === 125_000, 'what follows is done');
      assert.equal(work.asked(500), 1);
    },
  );

  test(
    `a timed move whose handler computes is made once it is known, and not given up by a stop (${store})`,
    IN_WHOLE,
    async () => {
      await using work = new Priced();
      await use(work);
      const key = await work.key(await work.customer());
      const first = await work.serve();
      work.release();
      await first.opened(key, 'ABC-0001', { quantity: 2 });
      await first.opened(key, 'ABC-0002', { quantity: 500, note: 'many' });
      work.hold();
      await until(() => work.asked(500) > 1, 'the move has begun');
      const outline = (orders: ReadonlyMap<string, Order>) =>
        [...orders].map(([sku, { status, price }]) => `${sku} ${status} ${price}`).toSorted();
      assert.equal(await first.stop(), 0);
      const again = await work.serve();
      const shown = Array.from({ length: 5 }, () => listed(again, key).then(outline));
      work.release();
      const moved = ['ABC-0001 cancelled 500', 'ABC-0002 cancelled 125000'];
      assert.deepEqual(
        await Promise.all(shown),
        shown.map(() => moved),
      );
      assert.doesNotMatch(first.err + again.err, /move\.refused/);
      assert.equal(await again.stop(), 0);
    },
  );
}
