import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { edited, RAISED, type Service, Workspace } from '../test/harness.ts';
import { multiplied } from '../test/multiplied.ts';
import { PostgresServer } from '../test/postgres.ts';

// What it costs to send many rows as CSV and as NDJSON: the memory of the service above that before, the time to the
// first byte and to the last, and how long small requests take meanwhile. A slow client reads with pauses. It judges
// nothing.

const { values: options } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' }, store: { type: 'string', default: 'sqlite' } },
});
const ROWS = Number(options.rows);
if (!(ROWS > 0) || !['sqlite', 'postgres'].includes(options.store)) {
  console.error('Usage: npm run bench:streamed -- [--rows 1000000] [--store sqlite|postgres]');
  process.exit(2);
}

const DOCUMENT = edited(
  RAISED,
  [
    '### `GET /summary`',
    `### \`GET /orders.csv\`

- Access: orders:read

1. List \`orders\`: Order where \`customer == caller\`, earliest \`created\` first, streamed.
2. Answer 200 with \`orders\` as CSV (RFC 4180), columns id, customer, sku, quantity, note, status, created, header present, formulas escaped.

### \`GET /orders.ndjson\`

- Access: orders:read

1. List \`orders\`: Order where \`customer == caller\`, earliest \`created\` first, streamed.
2. Answer 200 with \`orders\` as NDJSON.

### \`GET /summary\``,
  ],
  [
    '| Time-out     | 5 seconds                                   | every endpoint                      |',
    '| Time-out     | 5 seconds                                   | every endpoint                      |\n| Time-out     | 10 minutes                                  | `GET /orders.csv`, `GET /orders.ndjson` |',
  ],
);

const opened = (url: string, key: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(url, { headers: { Authorization: `Bearer ${key}` }, agent: false }, resolve).on('error', reject);
  });

const memoryOf = (service: Service): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))?.[1]) / 1024;

/** Sends small requests one after the other until it is told to stop; gives how long each took, in milliseconds. */
async function meanwhile(url: string, key: string, stopped: () => boolean): Promise<number[]> {
  const took: number[] = [];
  while (!stopped()) {
    const begun = performance.now();
    for await (const _piece of await opened(url, key));
    took.push(performance.now() - begun);
    await sleep(10);
  }
  return took.sort((a, b) => a - b);
}

const at = (sorted: readonly number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1);

async function measure(service: Service, path: string, key: string, one: string, pause: number): Promise<void> {
  const { url } = service;
  await sleep(3000);
  const idle = memoryOf(service);
  let most = idle;
  let stop = false;
  const memory = setInterval(() => {
    most = Math.max(most, memoryOf(service));
  }, 50);
  const small = meanwhile(url + one, key, () => stop);
  const begun = performance.now();
  const response = await opened(url + path, key);
  let first = Number.NaN;
  let bytes = 0;
  let lines = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    if (bytes === 0) first = performance.now() - begun;
    bytes += piece.length;
    for (const byte of piece) if (byte === 10) lines++;
    if (pause > 0) await sleep(pause);
  }
  const whole = (performance.now() - begun) / 1000;
  stop = true;
  clearInterval(memory);
  const took = await small;
  console.log(
    `${path}${pause > 0 ? ', read slowly' : ''}: ${lines} lines, ${(bytes / 2 ** 20).toFixed(0)} MiB; first byte after ${first.toFixed(1)} ms, last after ${whole.toFixed(1)} s; memory ${idle.toFixed(0)} MiB idle, ${(most - idle).toFixed(1)} MiB more at most; small requests p50 ${at(took, 0.5)} ms, p99 ${at(took, 0.99)} ms, longest ${at(took, 1)} ms of ${took.length}`,
  );
}

const server = options.store === 'postgres' ? await PostgresServer.start() : null;
const address = server ? await server.database() : null;
await using space = new Workspace(DOCUMENT);
if (address) space.place = ['--store', address];
const key = await space.key(await space.customer());
const before = await space.serve();
const one = await before.opened(key, 'ABC-0001');
await before.request('POST', `/orders/${one}/cancel`, { key });
await before.stop();
await multiplied(address ?? space.data, ROWS - 1, { created: 'created + i', note: "'Ring twice, ' || i" });
const service = await space.serve();
console.log(`${options.store}, ${ROWS} rows`);
const until = performance.now() + 8000;
const small = await meanwhile(`${service.url}/orders/${one}`, key, () => performance.now() > until);
console.log(`small requests alone: p50 ${at(small, 0.5)} ms, p99 ${at(small, 0.99)} ms, longest ${at(small, 1)} ms`);
await measure(service, '/orders.csv', key, `/orders/${one}`, 0);
await measure(service, '/orders.ndjson', key, `/orders/${one}`, 0);
await measure(service, '/orders.csv', key, `/orders/${one}`, 20);
await service.stop();
await server?.[Symbol.asyncDispose]();
