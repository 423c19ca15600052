import './whole-alone.ts';
import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { parseCsv } from '../src/http/csv.ts';
import { edited, PATIENT, type Service, until, Workspace } from './harness.ts';
import { multiplied } from './multiplied.ts';
import { PostgresServer } from './postgres.ts';
import { IN_WHOLE } from './share.ts';

const COLUMNS = 'columns id, sku, quantity, note, header absent, formulas kept';
const DOCUMENT = edited(PATIENT, [
  '### `GET /summary`',
  `### \`GET /orders.csv\`

- Access: orders:read

1. List \`orders\`: Order where \`customer == caller\`, earliest \`created\` first, streamed.
2. Answer 200 with \`orders\` as CSV (RFC 4180), ${COLUMNS}.

### \`GET /brief.csv\`

- Access: orders:read

1. List \`orders\`: Order where \`customer == caller\`, earliest \`created\` first, streamed.
2. Answer 200 with \`orders\` as CSV (RFC 4180), ${COLUMNS}.

### \`GET /orders.ndjson\`

- Access: orders:read

1. List \`orders\`: Order where \`customer == caller\`, latest \`created\` first, streamed.
2. Answer 200 with \`orders\` as NDJSON.

### \`GET /summary\``,
]).replace(/\| Time-out .*\n/, (line) => `${line}| Time-out | 2 seconds | \`GET /brief.csv\` |\n`);

/** More than the buffers of two sockets hold. */
const ROWS = 40_000;

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

interface Served extends AsyncDisposable {
  readonly service: Service;
  readonly key: string;
  /** How many streams have been asked for. */
  started: number;
  /** The number of snapshots that are open. */
  open(): Promise<number>;
  /** Ends the transactions of all snapshots, as a database would that fails. */
  readonly fail: (() => Promise<void>) | null;
}

async function served(url: string | null): Promise<Served> {
  const space = new Workspace(DOCUMENT);
  if (url) space.place = ['--store', url];
  const key = await space.key(await space.customer());
  const first = await space.serve();
  const one = await first.opened(key, 'ABC-0001');
  await first.request('POST', `/orders/${one}/cancel`, { key });
  await first.stop();
  const note = url ? "repeat('x', 480) || i" : "printf('%.480c', 'x') || i";
  await multiplied(url ?? space.data, ROWS - 1, { created: `created - ${ROWS} + i`, quantity: '1 + i % 1000', note });
  const service = await space.serve();
  const database = url ? new URL(url).pathname.slice(1) : '';
  const reading = "state LIKE 'idle in transaction%' AND query LIKE 'FETCH%'";
  const made: Served = {
    service,
    key,
    started: 0,
    async open() {
      const ended = service.out.concat(service.err).split('stream.ended').length - 1;
      if (!url) return this.started - ended;
      const counted = `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND ${reading}`;
      return Number((await server.query(database, counted))[0]?.n);
    },
    fail: url
      ? async () => {
          await server.query(
            database,
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'FETCH%' AND datname = current_database()`,
          );
        }
      : null,
    [Symbol.asyncDispose]: () => space[Symbol.asyncDispose](),
  };
  return made;
}

function asked(of: Served, path: string): Promise<IncomingMessage> {
  const { service, key } = of;
  of.started += 1;
  return new Promise((resolve, reject) => {
    get(service.url + path, { headers: { Authorization: `Bearer ${key}` }, agent: false }, resolve).on('error', reject);
  });
}

async function whole(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of response as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** Sends a request by hand and reads nothing but its head for a while; tells whether the whole answer has come. */
function stalled(
  of: Served,
  path: string,
  version = '1.1',
): { readonly begun: Promise<void>; readonly end: Promise<string> } {
  const { service, key } = of;
  of.started += 1;
  const begun = Promise.withResolvers<void>();
  const { port } = new URL(service.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`GET ${path} HTTP/${version}\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  socket.once('data', () => {
    socket.pause();
    begun.resolve();
  });
  // Once the connection is reset, reading shows it.
  setTimeout(() => socket.resume(), 4000).unref();
  let bytes = 0;
  socket.on('data', (piece: Buffer) => {
    bytes += piece.length;
  });
  const end = new Promise<string>((resolve) => {
    socket.on('error', () => resolve('cut off'));
    socket.on('end', () => resolve(bytes > ROWS * 480 ? 'whole' : 'cut off'));
  });
  return { begun: begun.promise, end };
}

const STORES = {
  SQLite: async () => null,
  PostgreSQL: () => server.database(),
} as const;

for (const [store, place] of Object.entries(STORES))
  describe(`streamed rows, in ${store}`, () => {
    let of: Served;
    before(async () => {
      of = await served(await place());
    });
    after(() => of[Symbol.asyncDispose]());

    test('rows are as at one moment, each once and in order, while others change', async () => {
      const { service, key } = of;
      const response = await asked(of, '/orders.csv');
      response.pause();
      const begun = await service.opened(key, 'ZZZ-0001');
      const changed = { key, body: { quantity: 7 }, headers: { 'if-match': '*' } };
      assert.equal((await service.request('PATCH', `/orders/${begun}`, changed)).status, 200);
      const records = parseCsv(await whole(response));
      assert.ok(Array.isArray(records));
      assert.equal(records.length, ROWS);
      assert.equal(new Set(records.map(([id]) => id)).size, ROWS);
      assert.ok(!records.some(([id]) => id === begun), 'a later row is not in it');
      assert.deepEqual(
        records.slice(0, -1).map(([, , , note]) => note?.slice(480)),
        Array.from({ length: ROWS - 1 }, (_, i) => String(i + 1)),
      );
      const lines = (await whole(await asked(of, '/orders.ndjson'))).split('\n');
      assert.equal(lines.length, ROWS + 2, 'the later row is in the next one');
      assert.equal((JSON.parse(lines[0] ?? '') as { id: string }).id, begun);
      assert.equal(lines.at(-1), '');
      await service.request('POST', `/orders/${begun}/cancel`, { key });
      await service.request('DELETE', `/orders/${begun}`, { key });
      await until(async () => (await of.open()) === 0, 'the snapshots have ended');
    });

    test('a client that stops reading is cut off at the time-out, in HTTP/1.0 too, and the snapshot ends', async () => {
      const ends = [stalled(of, '/brief.csv'), stalled(of, '/brief.csv', '1.0')];
      await Promise.all(ends.map(({ begun }) => begun));
      await until(async () => (await of.open()) === 0, 'both snapshots have ended');
      assert.deepEqual(await Promise.all(ends.map(({ end }) => end)), ['cut off', 'cut off']);
      await until(() => of.service.out.concat(of.service.err).split('was broken off').length === 3, 'the log says so');
      assert.equal((await of.service.request('GET', '/summary', { key: of.key })).status, 200);
    });

    test('a client that goes away ends its snapshot', async () => {
      const response = await asked(of, '/orders.csv');
      response.destroy();
      await until(async () => (await of.open()) === 0, 'the snapshot has ended');
    });

    test(
      'more than may be sent at once wait, to the time-out at most, and other requests do not',
      IN_WHOLE,
      async () => {
        const ends = Array.from({ length: 8 }, () => stalled(of, '/orders.csv'));
        await Promise.all(ends.map(({ begun }) => begun));
        const waiting = of.service.request('GET', '/brief.csv', { key: of.key }).catch((error) => error);
        assert.equal((await of.service.request('GET', '/summary', { key: of.key })).status, 200);
        assert.match(String((await waiting).status), /^50[34]$/);
        assert.deepEqual(new Set(await Promise.all(ends.map(({ end }) => end))), new Set(['whole']), 'they go on');
      },
    );

    test('a failure in the middle breaks the answer off', async (t) => {
      if (!of.fail) return t.skip('a file that cannot be read is no part of this test');
      const response = await asked(of, '/orders.csv');
      await until(async () => (await of.open()) === 1, 'the snapshot waits for its client');
      await of.fail();
      await assert.rejects(whole(response), { code: 'ECONNRESET' });
      await until(() => /request\.failed|request\.unavailable/.test(of.service.err + of.service.out), 'it is logged');
    });

    test('a service that stops lets the rows be sent', async () => {
      const response = await asked(of, '/orders.csv');
      const stopped = of.service.stop();
      const records = parseCsv(await whole(response));
      assert.equal(records.length, ROWS);
      assert.equal(await stopped, 0);
    });
  });
