import './whole-alone.ts';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { edited, ORDERS, until, Workspace } from './harness.ts';
import { IN_WHOLE } from './share.ts';
import { documentText } from './subject.ts';

/** Orders with a price that a pure handler works out, and a payment that an outside one makes. */
const WITH_HANDLERS = edited(
  ORDERS,
  [
    '| created  | timestamp |',
    '| price    | integer   |        | 0 to 1,000,000 | steps | optional | |\n| paid     | string    |        | at most 40 characters | steps | optional | |\n| created  | timestamp |',
  ],
  ['quantity, note, status, created\n', 'quantity, note, status, created, price, paid\n'],
  [
    '1. Create `order`: Order from `request`.\n',
    '1. Run quote with sku `request.sku`, quantity `request.quantity`, giving `quoted`.\n1. Create `order`: Order from `request` with price `quoted.price`.\n',
  ],
  [
    '1. Move `order` by place.\n2. Answer 200 with `order`.',
    '1. Move `order` by place.\n2. Run charge with order `order.id`, amount `order.quantity`.\n3. Answer 200 with `order`.',
  ],
  [
    '## Authentication\n',
    `### Handler quote

- Kind: pure
- File: \`quote.ts\`
- Fails with: unpriceable
- Within: 1 second

| Takes    | Type           | Allowed values | Presence |
| -------- | -------------- | -------------- | -------- |
| sku      | Order.sku      | any            | always   |
| quantity | integer        | 1 to 100       | always   |

| Gives | Type        | Allowed values | Presence |
| ----- | ----------- | -------------- | -------- |
| price | Order.price | any            | always   |

### Handler charge

- Kind: outside
- File: \`charge.ts\`
- Fails with: declined
- Within: 4 seconds
- Attempts: 3, after 1 second, 1 second

| Takes  | Type           | Allowed values | Presence |
| ------ | -------------- | -------------- | -------- |
| order  | Order.id       | any            | always   |
| amount | Order.quantity | any            | always   |

| Gives   | Type   | Allowed values        | Presence |
| ------- | ------ | --------------------- | -------- |
| receipt | string | at most 80 characters | always   |

#### When charge answers

1. Find \`order\`: Order where \`id == given.order\`, else order_not_found.
2. Change \`order\` with paid \`answer.receipt\`.

#### When charge fails

1. Find \`order\`: Order where \`id == given.order\`, else order_not_found.
2. If \`failure == "declined"\`:
   1. Change \`order\` with paid \`"declined"\`.
3. Otherwise:
   1. Change \`order\` with paid \`"unreachable"\`.

## Authentication
`,
  ],
  [
    '\n| order_not_open',
    '\n| unpriceable         | 422    | a step says so                 | This cannot be priced                         |\n| order_not_open',
  ],
);

/** A pure handler: computes a price, or misbehaves as the quantity says. */
const QUOTE = `
import type { Quote } from './orders.handlers.ts';

export const quote: Quote = ({ sku, quantity }) => {
  if (sku === 'NOT-0001') return { refused: 'unpriceable' };
  if (quantity === 13) for (;;);
  if (quantity === 14) throw new Error('no luck');
  if (quantity === 15) return { price: -1 };
  if (quantity === 16) return { refused: 'something else' as 'unpriceable' };
  const price: number = quantity * 250;
  return { price };
};
`;

/** An outside handler: keeps a list of what it was asked, and answers as a file beside it says. */
const CHARGE = `
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Charge } from './orders.handlers.ts';

const beside = (name: string): string => join(import.meta.dirname, name);

export const charge: Charge = async ({ order, amount }, { key, signal }) => {
  appendFileSync(beside('asked.txt'), key + ' ' + order + ' ' + amount + '\\n');
  const mood = readFileSync(beside('mood.txt'), 'utf8');
  if (mood === 'declines') return { refused: 'declined' };
  if (mood === 'hangs') await new Promise((resolve) => signal.addEventListener('abort', resolve));
  if (mood === 'exits') process.exit(1);
  if (mood === 'later') setTimeout(() => { throw new Error('later'); }, 20);
  if (mood === 'later') await new Promise((resolve) => setTimeout(resolve, 200));
  if (mood === 'long') return { receipt: 'r'.repeat(41) };
  if (mood === 'slow') await new Promise((resolve) => setTimeout(resolve, 2500));
  if (mood === 'slow' || mood === 'fails' || mood === 'hangs') throw new Error('unreachable');
  return { receipt: 'receipt ' + amount };
};
`;

async function workspace(): Promise<Workspace> {
  const work = new Workspace(WITH_HANDLERS);
  const types = await work.cli('types');
  assert.equal(types.code, 0, types.err);
  writeFileSync(join(work.dir, 'orders.handlers.ts'), types.out);
  writeFileSync(join(work.dir, 'quote.ts'), QUOTE);
  writeFileSync(join(work.dir, 'charge.ts'), CHARGE);
  writeFileSync(join(work.dir, 'mood.txt'), 'answers');
  writeFileSync(join(work.dir, 'asked.txt'), '');
  return work;
}

test('a pure handler computes inside the transaction, and what it may not give fails the request', async () => {
  await using work = await workspace();
  const service = await work.serve();
  const key = await work.key(await work.customer());
  const opened = await service.open(key, { sku: 'ABC-0001', quantity: 4 });
  assert.equal(opened.status, 201, opened.text);
  assert.equal((opened.body as { price: number }).price, 1000);
  const refused = await service.open(key, { sku: 'NOT-0001', quantity: 4 });
  assert.deepEqual([refused.status, (refused.body as { code: string }).code], [422, 'unpriceable']);
  // The last is more than it may take.
  for (const quantity of [13, 14, 15, 16, 101]) {
    const failed = await service.open(key, { sku: `BAD-${String(quantity).padStart(4, '0')}`, quantity });
    assert.deepEqual([quantity, failed.status], [quantity, 500]);
  }
  assert.equal(
    (await service.open(key, { sku: 'ABC-0002', quantity: 2 })).status,
    201,
    'it runs on after a run that never ends',
  );
  assert.equal(work.select('SELECT 1 FROM "order"').length, 2);
});

test(
  'an outside handler runs once it is committed, is tried again under the same key, and its result enters by steps',
  IN_WHOLE,
  async () => {
    await using work = await workspace();
    const service = await work.serve();
    const key = await work.key(await work.customer());
    const asked = (): string[] => readFileSync(join(work.dir, 'asked.txt'), 'utf8').split('\n').filter(Boolean);
    const paid = async (id: string): Promise<unknown> => {
      // Attempts take seconds, and whoever asks all the time is refused.
      await sleep(50);
      return ((await service.request('GET', `/orders/${id}`, { key })).body as { paid?: string }).paid;
    };
    const placed = async (mood: string, sku: string): Promise<string> => {
      writeFileSync(join(work.dir, 'mood.txt'), mood);
      const id = await service.opened(key, sku);
      assert.equal((await service.request('POST', `/orders/${id}/place`, { key })).status, 200);
      return id;
    };
    const first = await placed('answers', 'ABC-0001');
    assert.equal(await until(() => paid(first), 'the first order is paid'), 'receipt 1');
    const second = await placed('declines', 'ABC-0002');
    assert.equal(await until(() => paid(second), 'the second is declined'), 'declined');
    const third = await placed('fails', 'ABC-0003');
    assert.equal(await until(() => paid(third), 'the third is given up'), 'unreachable');
    const of = (id: string): string[] => asked().filter((line) => line.includes(id));
    assert.equal(of(third).length, 3);
    assert.equal(new Set(of(third)).size, 1, 'each attempt has the same key');
    const fourth = await placed('hangs', 'ABC-0004');
    assert.equal(await until(() => paid(fourth), 'the fourth is given up'), 'unreachable');
    assert.deepEqual([of(first).length, of(second).length], [1, 1]);
    const fifth = await placed('long', 'ABC-0005');
    assert.equal(await until(() => paid(fifth), 'the fifth is given up'), 'unreachable', 'its steps fail each time');
    assert.equal(of(fifth).length, 3);
  },
);

test('a handler that ends its thread, or throws later in it, ends nothing else, and runs again', IN_WHOLE, async () => {
  await using work = await workspace();
  const service = await work.serve();
  const key = await work.key(await work.customer());
  const paid = (sku: string, how: string) => (): boolean =>
    work.select('SELECT 1 FROM "order" WHERE sku = ? AND paid = ?', sku, how).length > 0;
  for (const [i, mood] of ['exits', 'answers', 'later', 'answers'].entries()) {
    writeFileSync(join(work.dir, 'mood.txt'), mood);
    const sku = `ABC-000${i}`;
    const id = await service.opened(key, sku);
    assert.equal((await service.request('POST', `/orders/${id}/place`, { key })).status, 200);
    await until(paid(sku, mood === 'answers' ? 'receipt 1' : 'unreachable'), `what ${mood} is settled`);
  }
  assert.match(service.err, /its thread has ended: Error: later/);
});

test('an attempt whose failure can’t be written, since another process writes, ends nothing', IN_WHOLE, async () => {
  await using work = await workspace();
  writeFileSync(join(work.dir, 'mood.txt'), 'slow');
  const service = await work.serve();
  const key = await work.key(await work.customer());
  const id = await service.opened(key, 'ABC-0001');
  assert.equal((await service.request('POST', `/orders/${id}/place`, { key })).status, 200);
  await until(() => readFileSync(join(work.dir, 'asked.txt'), 'utf8') !== '', 'it has been asked');
  const other = new Database(join(work.data, 'ninefold.sqlite'));
  other.exec('BEGIN IMMEDIATE');
  await until(() => service.err.includes('handler.not_settled'), 'its failure could not be written');
  other.exec('ROLLBACK');
  other.close();
  assert.equal((await service.request('GET', `/orders/${id}`, { key })).status, 200);
  const [call] = work.select('SELECT state, attempts FROM ninefold_call');
  assert.deepEqual({ ...call }, { state: 'pending', attempts: 0 }, 'its lease ends by itself');
});

test('what is queued outlives the process', IN_WHOLE, async () => {
  await using work = await workspace();
  writeFileSync(join(work.dir, 'mood.txt'), 'hangs');
  const before = await work.serve();
  const key = await work.key(await work.customer());
  const id = await before.opened(key, 'ABC-0001');
  assert.equal((await before.request('POST', `/orders/${id}/place`, { key })).status, 200);
  await before.kill();
  writeFileSync(join(work.dir, 'mood.txt'), 'answers');
  const after = await work.serve();
  await after.ready;
  // Asked of the table, since asking the service so often would be refused.
  await until(() => work.select(`SELECT 1 FROM "order" WHERE paid = 'receipt 1'`).length > 0, 'the order is paid');
});

test('a handler that is not there, or not what it should be, is told when the service starts', async () => {
  await using work = await workspace();
  writeFileSync(join(work.dir, 'quote.ts'), 'export const other = 1;');
  const other = await work.serveRefused('--port', '0');
  assert.match(other.err, /The handler “quote” cannot be run: it exports no function “quote”/);
  rmSync(join(work.dir, 'quote.ts'));
  const none = await work.serveRefused('--port', '0');
  assert.deepEqual([none.code, none.out], [2, '']);
  assert.match(none.err, /^error: The handler “quote” is not there/);
});

test('the types fit the handlers', IN_WHOLE, async () => {
  await using work = await workspace();
  const config = {
    compilerOptions: {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      allowImportingTsExtensions: true,
      erasableSyntaxOnly: true,
      types: ['node'],
      typeRoots: [join(import.meta.dirname, '..', 'node_modules', '@types')],
    },
    include: ['*.ts'],
  };
  writeFileSync(join(work.dir, 'package.json'), '{"type": "module"}');
  writeFileSync(join(work.dir, 'tsconfig.json'), JSON.stringify(config));
  // A mistake that is expected and not there is one itself.
  const much = '// @ts-expect-error: a price that is text does not fit\n  const price: number = "much";';
  writeFileSync(join(work.dir, 'wrong.ts'), edited(QUOTE, ['const price: number = quantity * 250;', much]));
  const tsc = join(import.meta.dirname, '..', 'node_modules', '.bin', 'tsc');
  const ran = spawnSync(tsc, ['-p', work.dir], { encoding: 'utf8' });
  assert.equal(ran.status, 0, ran.stdout);
});

test('an error of a handler shows no credential that it was given, in the log and in the queue', async (t) => {
  const { privateKey } = generateKeyPairSync('ed25519');
  process.env.NINEFOLD_KEY_SESSION = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  t.after(() => delete process.env.NINEFOLD_KEY_SESSION);
  await using work = new Workspace(documentText('docs/recipes/sign-up.md'));
  const mail = `import { writeFileSync } from 'node:fs';
export const mail = async (given: { key: string }) => {
  writeFileSync(new URL('key.txt', import.meta.url), given.key);
  throw new Error('cannot send https://accounts.example/#' + given.key + ' or ' + given.key);
};
`;
  writeFileSync(join(work.dir, 'mail.ts'), mail);
  const service = await work.serve();
  const body = { email: 'ada@example.com', password: 'correct horse battery' };
  assert.equal((await service.request('POST', '/users', { body })).status, 201);
  await until(() => service.err.includes('handler.failed'), 'the attempt');
  const key = readFileSync(join(work.dir, 'key.txt'), 'utf8');
  assert.ok(key.length > 10 && !service.err.includes(key), service.err);
  assert.match(service.err, /cannot send https:\/\/accounts\.example\/#\*\*\* or \*\*\*/);
  await until(() => work.select('SELECT 1 FROM ninefold_call WHERE last_result IS NOT NULL').length > 0, 'its result');
  const [{ last_result = '' } = {}] = work.select<{ last_result: string }>('SELECT last_result FROM ninefold_call');
  assert.ok(last_result.includes('***') && !last_result.includes(key), last_result);
});
