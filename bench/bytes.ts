import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { RAISED, until, Workspace } from '../test/harness.ts';
import { Receiver } from '../test/receiver.ts';

// The bytes that an order and its life take in SQLite, by table and index, and what each kind of request writes: bytes
// and pages of the write-ahead log, by table and index, at one connection and at 64, whose requests share commits. A
// receiver is subscribed to all events. It is paused while requests are measured, and its deliveries are measured after.

const { values: options } = parseArgs({
  options: { orders: { type: 'string', default: '4000' } },
});
const ORDERS = Number(options.orders);
if (!Number.isSafeInteger(ORDERS) || ORDERS < 100) {
  console.error('Usage: npm run bench:bytes -- [--orders 4000]   (100 or more)');
  process.exit(2);
}

/** The share of orders that are made at one connection, where each request has a commit of its own. */
const ALONE = 0.1;
const AT_ONCE = [1, 64] as const;

const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** The number of tables and indexes that are named for each kind of request. */
const MOST_NAMED = 12;

type Headers = Readonly<Record<string, string>>;

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

function ask(method: string, url: string, headers: Headers, body: unknown): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const json = body === null ? {} : { 'Content-Type': 'application/json' };
  const sent = request(url, { method, agent, headers: { ...headers, ...json } }, async (response) => {
    let text = '';
    for await (const part of response.setEncoding('utf8')) text += part;
    if ((response.statusCode ?? 0) < 300) resolve(JSON.parse(text));
    else reject(new Error(`${method} ${url} is answered ${response.statusCode}: ${text}`));
  });
  sent.on('error', reject);
  sent.end(body === null ? '' : JSON.stringify(body));
  return promise;
}

/** Does something for each number below `count`, so many at once. */
async function each(count: number, atOnce: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) await work(i);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

interface Frames {
  /** The page of each frame. */
  readonly pages: readonly number[];
  readonly commits: number;
  readonly bytes: number;
}

/** The frames of the log after its first `skipped` frames. */
function framesOf(log: Buffer, skipped: number): Frames {
  if (log.length < WAL_HEADER_BYTES) return { pages: [], commits: 0, bytes: 0 };
  const size = log.readUInt32BE(8) + FRAME_HEADER_BYTES;
  const pages: number[] = [];
  let commits = 0;
  for (let at = WAL_HEADER_BYTES + skipped * size; at + size <= log.length; at += size) {
    // Frames of an earlier round of the log have other salts.
    if (log.compare(log, 16, 24, at + 8, at + 16) !== 0) break;
    pages.push(log.readUInt32BE(at));
    if (log.readUInt32BE(at + 4) !== 0) commits++;
  }
  return { pages, commits, bytes: pages.length * size };
}

interface Measured extends Frames {
  /** The number of written pages by table and index. */
  readonly by: ReadonlyMap<string, number>;
  readonly what: string;
  readonly connections: number;
  readonly count: number;
}

await using receiver = await new Receiver().up();
await using space = new Workspace(RAISED);
const key = await space.key(await space.customer());
await space.receiver(receiver.url);
const [{ id: registered }] = space.select<{ id: string }>('SELECT id FROM ninefold_receiver') as [{ id: string }];
const paused = async (verb: string): Promise<void> => {
  const { code, err } = await space.cli('receivers', verb, registered);
  if (code !== 0) throw new Error(err);
};
await paused('pause');
const { url } = await space.serve();
const headers = { Authorization: `Bearer ${key}` };
const database = join(space.data, 'ninefold.sqlite');

const skuOf = (i: number): string =>
  `${String.fromCharCode(65 + (Math.floor(i / 260_000) % 26), 65 + (Math.floor(i / 10_000) % 26))}A-${String(i % 10_000).padStart(4, '0')}`;
const ids: string[] = [];
const moved = (verb: string) => (id: string) => ask('POST', `${url}/orders/${id}/${verb}`, headers, null);

const KINDS: ReadonlyArray<readonly [what: string, work: (id: string, i: number) => Promise<unknown>]> = [
  [
    'create',
    async (_id, i) => {
      const own = { ...headers, 'Idempotency-Key': randomUUID() };
      const made = await ask('POST', `${url}/orders`, own, { sku: skuOf(i), quantity: 1 + (i % 90) });
      ids[i] = (made as { id: string }).id;
    },
  ],
  [
    'PATCH',
    async (id, i) => {
      const found = `${url}/orders/${id}`;
      const etag = await new Promise<string>((resolve, reject) =>
        request(found, { agent, headers }, (response) => {
          response.resume().on('end', () => resolve(response.headers.etag ?? ''));
        })
          .on('error', reject)
          .end(),
      );
      await ask('PATCH', found, { ...headers, 'If-Match': etag }, { quantity: 2 + (i % 90) });
    },
  ],
  ['place', moved('place')],
  ['ship', moved('ship')],
  ['deliver', moved('deliver')],
];

const measured: Measured[] = [];
// A log with a reader is not begun again from its start, so that all frames remain in the file.
const reader = new Database(database, { readonly: true });
reader.exec('BEGIN');
reader.prepare('SELECT count(*) FROM ninefold_meta').get();
const log = `${database}-wal`;

async function measure(what: string, connections: number, count: number, work: () => Promise<void>): Promise<void> {
  const before = framesOf(readFileSync(log), 0).pages.length;
  await work();
  const frames = framesOf(readFileSync(log), before);
  const pages = space.select<{ pageno: number; name: string }>('SELECT pageno, name FROM dbstat');
  const owner = new Map(pages.map((one) => [one.pageno, one.name]));
  const by = new Map<string, number>();
  for (const page of frames.pages) {
    const name = owner.get(page) ?? 'free';
    by.set(name, (by.get(name) ?? 0) + 1);
  }
  measured.push({ what, connections, count, ...frames, by });
}

let made = 0;
for (const connections of AT_ONCE) {
  const count = connections === 1 ? Math.round(ORDERS * ALONE) : ORDERS - made;
  const first = made;
  for (const [what, work] of KINDS)
    await measure(what, connections, count, () =>
      each(count, connections, (i) => work(ids[first + i] ?? '', first + i)),
    );
  made += count;
}
const pending = (): number =>
  space.select<{ n: number }>("SELECT count(*) AS n FROM ninefold_delivery WHERE state <> 'delivered'")[0]!.n;
const deliveries = pending();
await measure('delivery', 64, deliveries, async () => {
  await paused('resume');
  await until(() => pending() === 0, 'all is delivered');
});
reader.close();

interface Stored {
  readonly name: string;
  readonly pages: number;
  readonly bytes: number;
  readonly filled: number;
}
const stored = space.select<Stored>(
  `SELECT name, count(*) AS pages, sum(pgsize) AS bytes, 1.0 * sum(payload) / sum(pgsize) AS filled
   FROM dbstat GROUP BY name HAVING sum(pgsize) > 4096 * 4 ORDER BY sum(pgsize) DESC`,
);
const total = stored.reduce((sum, { bytes }) => sum + bytes, 0);

console.log(`${ORDERS} orders, each created, changed, placed, shipped and delivered, with ${deliveries} deliveries`);
console.log(`\nBytes on disk for an order and its life: ${(total / ORDERS).toFixed(0)}`);
for (const { name, bytes, filled } of stored)
  console.log(
    `${(bytes / ORDERS).toFixed(0).padStart(8)} ${((100 * bytes) / total).toFixed(0).padStart(3)}%  ${name}, pages ${(100 * filled).toFixed(0)}% filled`,
  );
console.log('\nWritten to the log for each request: bytes; pages; requests in a commit; pages by table and index');
for (const { what, connections, count, pages, commits, bytes, by } of measured) {
  const most = [...by].sort((a, b) => b[1] - a[1]).slice(0, MOST_NAMED);
  const cells = [(bytes / count).toFixed(0), (pages.length / count).toFixed(2), (count / commits).toFixed(1)];
  console.log(
    `  ${what.padEnd(8)} at ${String(connections).padStart(2)}:${cells.map((cell) => cell.padStart(8)).join('')}  ${most
      .map(([name, number]) => `${name} ${(number / count).toFixed(2)}`)
      .join(', ')}`,
  );
}
agent.destroy();
