import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import pg from 'pg';
import { edited, RAISED } from '../test/harness.ts';
import { PostgresServer } from '../test/postgres.ts';
import { Receiver } from '../test/receiver.ts';
import type { Started } from './retention-service.ts';

// A week of orders in minutes: the clock of a service is moved while orders are made, cancelled and removed, and a
// receiver is told of them. It prints what the service stores each day, and how long creates take, once with events that
// are kept for a day, and once with events that are kept forever. It judges nothing.

const { values: options } = parseArgs({
  options: { minutes: { type: 'string', default: '5' }, store: { type: 'string', default: 'sqlite' } },
});
const MINUTES = Number(options.minutes);
if (!(MINUTES > 0) || !['sqlite', 'postgres'].includes(options.store)) {
  console.error('Usage: npm run bench:retention -- [--minutes 5] [--store sqlite|postgres]');
  process.exit(2);
}

const DAYS = 7;
const DAY_MS = 86_400_000;
/** How often the clock is moved, in milliseconds of the machine’s own time. */
const STEP_MS = 500;
const CLIENTS = 8;
const TABLES = ['ninefold_event', 'ninefold_delivery', 'ninefold_answer', '"order"'] as const;

interface Asked {
  readonly status: number;
  readonly body: string;
  readonly milliseconds: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });

function ask(method: string, url: string, headers: Readonly<Record<string, string>>, body = ''): Promise<Asked> {
  const begun = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<Asked>();
  const sent = request(url, {
    method,
    agent,
    headers: body ? { ...headers, 'Content-Type': 'application/json' } : headers,
  });
  sent.on('error', reject);
  sent.on('response', (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    response.on('end', () =>
      resolve({ status: response.statusCode ?? 0, body: text, milliseconds: performance.now() - begun }),
    );
  });
  sent.end(body);
  return promise;
}

/** What a service stores: its rows by table, and bytes on the disk. */
interface Stored {
  readonly rows: readonly number[];
  readonly bytes: number;
}

async function storedIn(directory: string, url: string | null): Promise<Stored> {
  const count = TABLES.map((table) => `(SELECT count(*) FROM ${table})`).join(', ');
  if (url === null) {
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((one) =>
      one.includes('.sqlite'),
    );
    const db = new Database(join(directory, files.find((one) => one.endsWith('.sqlite')) ?? ''), { readonly: true });
    const rows = db.prepare(`SELECT ${count}`).raw().get() as number[];
    db.close();
    return { rows, bytes: files.reduce((sum, one) => sum + statSync(join(directory, one)).size, 0) };
  }
  const outside = new pg.Client({ connectionString: url });
  await outside.connect();
  const { rows: names } = await outside.query("SELECT datname FROM pg_database WHERE datname LIKE 'ninefold_test_%'");
  await outside.end();
  const own = new URL(url);
  own.pathname = `/${names[0]?.datname}`;
  const client = new pg.Client({ connectionString: own.href });
  await client.connect();
  const { rows } = await client.query({
    text: `SELECT ${count}, pg_database_size(current_database())`,
    rowMode: 'array',
  });
  await client.end();
  const numbers = (rows[0] ?? []).map(Number);
  return { rows: numbers.slice(0, TABLES.length), bytes: numbers[TABLES.length] ?? 0 };
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** Makes, cancels and removes orders until it is told to stop; each create is noted. */
async function client(
  name: number,
  { url, key }: Started,
  stopped: () => boolean,
  open: () => Promise<void>,
  creates: number[],
): Promise<void> {
  const headers = { Authorization: `Bearer ${key}` };
  for (let i = 0; !stopped(); i++) {
    await open();
    const sku = `${String.fromCharCode(65 + name)}AA-${String(i % 10_000).padStart(4, '0')}`;
    const body = JSON.stringify({ sku, quantity: 1 });
    const made = await ask('POST', `${url}/orders`, { ...headers, 'Idempotency-Key': `${name}-${i}` }, body);
    if (made.status !== 201) throw new Error(`A create is answered ${made.status}: ${made.body}`);
    creates.push(made.milliseconds);
    const { id } = JSON.parse(made.body) as { id: string };
    for (const [method, path] of [
      ['POST', '/cancel'],
      ['DELETE', ''],
    ] as const) {
      const { status, body: said } = await ask(method, `${url}/orders/${id}${path}`, headers);
      if (status >= 300) throw new Error(`${method} ${path} is answered ${status}: ${said}`);
    }
  }
}

const passed = async (service: ChildProcess, milliseconds: number): Promise<number> => {
  service.send({ pass: milliseconds });
  const [{ memory }] = (await once(service, 'message')) as [{ memory: number }];
  return memory;
};

/** A week with events that are kept for so long; prints a line each day. */
async function week(kept: string, url: string | null): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'ninefold-retention-'));
  await using receiver = await new Receiver().up();
  const document = edited(RAISED, ['30 days after delivery', kept]);
  const service = fork(join(import.meta.dirname, 'retention-service.ts'), [], {
    env: { ...process.env, TMPDIR: directory },
  });
  try {
    service.send({ document, store: url ?? 'sqlite', receiver: receiver.url });
    const [started] = (await once(service, 'message')) as [Started];
    console.log(`\nKept: ${kept}`);
    console.log('  day   creates   p50 ms   p99 ms   events  deliveries  answers  orders     MiB  memory MiB');
    let stop = false;
    // Nothing is asked for while time passes: the service then does all that is due, and more would become due for ever.
    let gate = Promise.resolve();
    const creates: number[] = [];
    const clients = Array.from({ length: CLIENTS }, (_, i) =>
      client(
        i,
        started,
        () => stop,
        () => gate,
        creates,
      ),
    );
    const ended = Promise.all(clients);
    const steps = Math.round((MINUTES * 60_000) / STEP_MS / DAYS);
    for (let day = 1; day <= DAYS; day++) {
      let memory = 0;
      for (let step = 0; step < steps; step++) {
        const opened = Promise.withResolvers<void>();
        gate = opened.promise;
        memory = await passed(service, Math.round(DAY_MS / steps));
        opened.resolve();
        await Promise.race([sleep(STEP_MS), ended]);
      }
      const took = creates.splice(0).sort((a, b) => a - b);
      const { rows, bytes } = await storedIn(directory, url);
      const cells = [day, took.length, quantile(took, 0.5).toFixed(1), quantile(took, 0.99).toFixed(1), ...rows];
      const widths = [5, 10, 9, 9, 9, 12, 9, 8];
      const sizes = [bytes, memory].map((one) => (one / 2 ** 20).toFixed(1));
      console.log(
        `${cells.map((cell, i) => String(cell).padStart(widths[i] ?? 0)).join('')}${sizes[0]!.padStart(8)}${sizes[1]!.padStart(12)}`,
      );
    }
    stop = true;
    await ended;
    service.send('stop');
    await once(service, 'exit');
  } finally {
    service.kill();
    rmSync(directory, { recursive: true, force: true });
  }
}

const server = options.store === 'postgres' ? await PostgresServer.start() : null;
const address = server ? await server.database() : null;
for (const kept of ['1 day after delivery', 'forever']) await week(kept, address);
agent.destroy();
await server?.[Symbol.asyncDispose]();
