import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fs, {
  existsSync,
  fstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { IN_WHOLE } from '../../../test/share.ts';
import { compile } from '../../compiler/compile.ts';
import type { Plan } from '../../plan/step.ts';
import { call } from '../store.ts';
import { LOG_PAGES, MOST_PAGES } from './log-copy.ts';
import { SqliteStore } from './store.ts';

const ORDERS = readFileSync(join(import.meta.dirname, '../../../examples/orders.md'), 'utf8');
const PAGE = 4096;

const PLAN = compile('orders.md', ORDERS).plan as Plan;

function directory(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'ninefold-'));
  t.after(() => rmSync(dir, { recursive: true }));
  return dir;
}

/** Has a store write orders of more than a page each, until `enough` returns true. Returns their number. */
async function fill(store: SqliteStore, enough: (written: number) => boolean): Promise<number> {
  const customer = randomUUID();
  const addCustomer = store.prepare({ kind: 'insert', resource: 'Customer' });
  await store.write(() => call(addCustomer, [customer, 'Ada', `${customer}@example.com`, 1]));
  const insert = store.prepare({ kind: 'insert', resource: 'Order' });
  const note = 'x'.repeat(PAGE - 300);
  let written = 0;
  while (!enough(written)) {
    const batch = Array.from({ length: 400 }, (_, n) =>
      store.write(() =>
        call(insert, [randomUUID(), customer, `AAA-${written + n}`, 1, note, 'draft', Date.now(), 1, null, null]),
      ),
    );
    written += (await Promise.all(batch)).length;
  }
  return written;
}

/**
 * Number of times that a log has been started again, from its header (https://sqlite.org/fileformat2.html#walformat).
 */
const begun = (file: string): number => readFileSync(`${file}-wal`).readUInt32BE(12);

test('the log begins anew while writes go on, and all that they wrote is there', IN_WHOLE, async (t) => {
  const file = join(directory(t), 'orders.sqlite');
  const store = new SqliteStore(file, PLAN);
  const first = begun(file);
  const written = await fill(store, () => begun(file) >= first + 2);
  assert.ok(statSync(`${file}-wal`).size / PAGE > LOG_PAGES);
  await store.close();
  assert.ok(!existsSync(`${file}-wal`), 'nothing is left in the log');
  const again = new SqliteStore(file, PLAN);
  const count = again.prepare({ kind: 'count', resource: 'Order', where: null });
  assert.deepEqual(await again.read(() => call(count, [])), [[written]]);
  await again.close();
});

test('a log does not grow without a bound while the database is synced', IN_WHOLE, async (t) => {
  const file = join(directory(t), 'orders.sqlite');
  const { fdatasync } = fs;
  let begins = 0;
  t.mock.method(fs, 'fdatasync', (one: number, done: fs.NoParamCallback): void => {
    // Syncs of the database never end; syncs of the log do.
    if (fstatSync(one).ino === statSync(file).ino) begins++;
    else fdatasync(one, done);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const store = new SqliteStore(file, PLAN);
  const first = begun(file);
  const pages = (): number => statSync(`${file}-wal`).size / (PAGE + 24);
  await fill(store, () => begun(file) >= first + 2 || pages() > 2 * MOST_PAGES);
  assert.ok(begins >= 2, 'another thread was to sync the database');
  assert.ok(pages() >= MOST_PAGES, 'it was waited for at first');
  // The writes of one turn may go beyond the limit.
  assert.ok(pages() < MOST_PAGES + LOG_PAGES, `${pages()} pages`);
  await store.close();
});

const LOCKS = '/proc/locks';
const OPEN = '/proc/self/fd';

/** The target of a link; null if the link is gone. */
function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

test('a store that is closed takes no locks away from the one that follows it', {
  skip: !existsSync(LOCKS) && 'the system does not tell its locks',
}, async (t) => {
  const file = join(directory(t), 'orders.sqlite');
  const before = new SqliteStore(file, PLAN);
  const written = await fill(before, (orders) => orders > LOG_PAGES + 2000);
  const open = readdirSync(OPEN).filter((one) => linkOf(join(OPEN, one)) === file);
  assert.ok(open.length >= 3, 'it has a connection, one that reads, and the file itself');
  const after = new SqliteStore(file, PLAN, 'successor');
  after.follow(before);
  await before.close();
  const held = new RegExp(` ${process.pid} .*:${statSync(file).ino} `);
  assert.match(readFileSync(LOCKS, 'utf8'), held);
  const more = await fill(after, (orders) => orders > LOG_PAGES + 2000);
  assert.match(readFileSync(LOCKS, 'utf8'), held);
  const count = after.prepare({ kind: 'count', resource: 'Order', where: null });
  assert.deepEqual(await after.read(() => call(count, [])), [[written + more]]);
  await after.close();
  assert.doesNotMatch(readFileSync(LOCKS, 'utf8'), held);
});
