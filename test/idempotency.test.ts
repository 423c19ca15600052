import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, test } from 'node:test';
import { edited, PATIENT, Workspace } from './harness.ts';
import { codeOf, Nodes, sku } from './nodes.ts';
import { PostgresServer } from './postgres.ts';

/** Orders whose key may be left out, and of which one product may be on several drafts. */
const OPTIONAL = edited(
  PATIENT,
  ['`Idempotency-Key`, required,', '`Idempotency-Key`, optional,'],
  ['- Unique: customer and sku while `status == "draft"`, else order_already_open\n', ''],
  ['| order_already_open  | 409    | a rule says so           | This product is already on an open draft |\n', ''],
);

let server: PostgresServer;

before(async () => {
  server = await PostgresServer.shared();
});
after(async () => {
  await server[Symbol.asyncDispose]();
});

/** A served document: one process on SQLite, or two on PostgreSQL, to which requests go in turn. */
class Served implements AsyncDisposable {
  readonly key: string;
  private readonly services: ReadonlyArray<{ readonly url: string }>;
  private readonly space: AsyncDisposable;
  private turn = 0;

  private constructor(space: AsyncDisposable, services: ReadonlyArray<{ readonly url: string }>, key: string) {
    this.space = space;
    this.services = services;
    this.key = key;
  }

  static async on(store: 'SQLite' | 'PostgreSQL', document: string): Promise<Served> {
    if (store === 'PostgreSQL') {
      const nodes = await Nodes.on(server, document);
      await nodes.serve();
      return new Served(nodes, nodes.nodes, nodes.key);
    }
    const space = new Workspace(document);
    const service = await space.serveHere();
    return new Served(space, [service], await space.key(await space.customer()));
  }

  /** Sends a request with exactly these headers, which may occur more than once. */
  async send(method: string, path: string, headers: readonly string[], body?: unknown) {
    const { url } = this.services[this.turn++ % this.services.length]!;
    const text = body === undefined ? '' : JSON.stringify(body);
    const sized = ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(text))];
    const all = ['host', new URL(url).host, 'authorization', `Bearer ${this.key}`, ...(text ? sized : []), ...headers];
    const sent = request(new URL(path, url), { method, headers: all });
    sent.end(text);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    let came = '';
    for await (const part of answer.setEncoding('utf8')) came += part;
    return { status: answer.statusCode, headers: answer.headers, text: came, body: came ? JSON.parse(came) : null };
  }

  open(headers: readonly string[], body: unknown = { sku: sku('ABC', 1), quantity: 1 }) {
    return this.send('POST', '/orders', headers, body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.space[Symbol.asyncDispose]();
  }
}

for (const store of ['SQLite', 'PostgreSQL'] as const)
  test(`${store}: an optional key holds where it is sent, and nothing does where it is not`, async () => {
    await using served = await Served.on(store, OPTIONAL);
    const bare = [await served.open([]), await served.open([]), await served.open([])];
    assert.deepEqual(
      [bare.map(({ status }) => status), new Set(bare.map(({ body }) => body.id)).size],
      [[201, 201, 201], 3],
    );
    const keyed = [];
    for (const key of ['k', '"k"', 'k', '"k"']) keyed.push(await served.open(['Idempotency-Key', key]));
    assert.deepEqual([keyed[0]?.status, new Set(keyed.map(({ text }) => text)).size], [201, 1]);
    const other = await served.open(['idempotency-key', 'k'], { sku: sku('ABC', 1), quantity: 2 });
    assert.deepEqual([other.status, codeOf(other)], [422, 'idempotency_key_reused']);
    const malformed = [
      ['Idempotency-Key', ''],
      ['Idempotency-Key', ' '],
      ['Idempotency-Key', '""'],
      ['Idempotency-Key', 'k', 'Idempotency-Key', 'k'],
      ['Idempotency-Key', '', 'Idempotency-Key', ''],
      ['Idempotency-Key', 'k, k'],
      ['Idempotency-Key', '"k";p=1'],
    ];
    for (const headers of malformed) {
      const answer = await served.open(headers);
      assert.deepEqual([headers, answer.status, codeOf(answer)], [headers, 400, 'idempotency_key_malformed']);
    }
    // Of many at once, one is done; those without a key are all done.
    const racing = await Promise.all(
      Array.from({ length: 12 }, (_, i) => served.open(i % 2 ? ['Idempotency-Key', 'r'] : [])),
    );
    const [made, free] = [racing.filter((_, i) => i % 2), racing.filter((_, i) => i % 2 === 0)];
    assert.deepEqual(new Set(free.map(({ status }) => status)), new Set([201]));
    assert.equal(new Set(free.map(({ body }) => body.id)).size, 6);
    const done = made.filter(({ status }) => status === 201);
    assert.equal(new Set(done.map(({ text }) => text)).size, 1);
    for (const one of made) assert.ok(one.status === 201 || codeOf(one) === 'idempotency_key_in_flight');
    // Keys have no meaning where none is stated, however they are written.
    const placed = await served.send('POST', `/orders/${keyed[0]?.body.id}/place`, ['Idempotency-Key', 'k, k']);
    assert.equal(placed.status, 200);
  });

/** Orders of which a repeated answer is marked, and a removal whose answer has no body. */
const MARKED = edited(
  PATIENT,
  ['kept 24 hours, answers below 500', 'kept 24 hours, answers below 500, replays marked `Idempotent-Replayed: true`'],
  [
    '- Idempotency: none\n',
    '- Idempotency: none\n- Idempotency of DELETE: header `Idempotency-Key`, optional, for each caller, kept 24 hours, answers below 600, replays marked `X-Again: yes, again`\n',
  ],
);

for (const store of ['SQLite', 'PostgreSQL'] as const)
  test(`${store}: of many answers to one key, all but one are marked as replays`, async () => {
    await using served = await Served.on(store, MARKED);
    const mark = ({ headers }: { headers: NodeJS.Dict<string | string[]> }) => headers['idempotent-replayed'];
    const racing = await Promise.all(Array.from({ length: 30 }, () => served.open(['Idempotency-Key', 'r'])));
    const again = [];
    for (let i = 0; i < 4; i++) again.push(await served.open(['Idempotency-Key', 'r']));
    const done = [...racing, ...again].filter(({ status }) => status === 201);
    assert.equal(done.filter((one) => mark(one) === undefined).length, 1);
    assert.ok(again.every((one) => one.status === 201 && mark(one) === 'true'));
    for (const one of racing.filter(({ status }) => status !== 201))
      assert.deepEqual([codeOf(one), mark(one)], ['idempotency_key_in_flight', undefined]);
    // Refusals that are kept, and those that are not.
    const open = { sku: sku('ABC', 1), quantity: 1 };
    const refused = [
      await served.open(['Idempotency-Key', 's'], open),
      await served.open(['Idempotency-Key', 's'], open),
    ];
    assert.deepEqual(
      refused.map((one) => [one.status, codeOf(one), mark(one)]),
      [
        [409, 'order_already_open', undefined],
        [409, 'order_already_open', 'true'],
      ],
    );
    const reused = await served.open(['Idempotency-Key', 's'], { ...open, quantity: 2 });
    assert.deepEqual([reused.status, mark(reused)], [422, undefined]);
    // An answer without a body.
    const id = done[0]?.body.id;
    await served.send('POST', `/orders/${id}/cancel`, []);
    const removals = [];
    for (const key of ['d', 'd', 'e', 'e'])
      removals.push(await served.send('DELETE', `/orders/${id}`, ['Idempotency-Key', key]));
    removals.push(await served.send('DELETE', `/orders/${id}`, []));
    assert.deepEqual(
      removals.map(({ status, headers, text }) => [status, headers['x-again'], text === '']),
      [
        [204, undefined, true],
        [204, 'yes, again', true],
        [404, undefined, false],
        [404, 'yes, again', false],
        [404, undefined, false],
      ],
    );
  });
