import './whole-alone.ts';
import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { compile } from '../src/compiler/compile.ts';
import type { Plan } from '../src/plan/step.ts';
import { Engine } from '../src/runtime/engine/engine.ts';
import type { Incoming } from '../src/runtime/http/message.ts';
import { Operator } from '../src/runtime/operator.ts';
import { Service } from '../src/runtime/service.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import type { Store } from '../src/store/store.ts';
import { edited } from './harness.ts';
import { PostgresServer } from './postgres.ts';

const FILES = readFileSync(new URL('../docs/documents/files.md', import.meta.url), 'utf8');
const PLAN = compile(
  'files.md',
  edited(
    FILES,
    ['| 600 requests per minute ', '| 900000 requests per minute '],
    ['| 6000 requests per minute ', '| 900000 requests per minute '],
  ),
).plan as Plan;

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(100)]);
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

const PLACES: Readonly<Record<string, () => Promise<Store>>> = {
  SQLite: async () => new SqliteStore(':memory:', PLAN),
  PostgreSQL: async () => PostgresStore.open(await server.database(), PLAN),
};

interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly content: { readonly type: string; readonly size: number; readonly sha256: string };
}

for (const [name, open] of Object.entries(PLACES))
  describe(`files on ${name}`, () => {
    let store: Store;
    let service: Service;
    let key: string;
    const logged: string[] = [];

    before(async () => {
      store = await open();
      const log = (...line: unknown[]): unknown => logged.push(JSON.stringify(line));
      service = new Service({ host: '127.0.0.1', port: 0, admin: null, url: null, secrets: () => '', log });
      await service.start(PLAN, store);
      const operator = new Operator(await Engine.start(PLAN, store));
      const id = randomUUID();
      await operator.add(
        'Member',
        new Map([
          ['id', id],
          ['name', 'Ada'],
        ]),
      );
      key = (await operator.issueKey('Member', id, [])).key;
    });
    after(() => service.stop());

    const send = (
      method: string,
      path: string,
      { body = null as Buffer | string | null, type = 'application/octet-stream', headers = {} as object } = {},
    ): Promise<Response> =>
      fetch(`http://127.0.0.1:${service.port}${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, ...(body === null ? {} : { 'Content-Type': type }), ...headers },
        ...(body !== null && { body: body as Uint8Array<ArrayBuffer> }),
      });
    const upload = async (body: Buffer, called = 'a.bin'): Promise<Attachment> => {
      const answer = await send('POST', `/attachments?name=${encodeURIComponent(called)}`, { body });
      assert.equal(answer.status, 201, await answer.clone().text());
      return (await answer.json()) as Attachment;
    };
    const chunks = async (): Promise<number> => {
      const engine = service.engine!;
      const count = store.prepare({ kind: 'system', name: 'count chunks' });
      await engine.files.remove();
      return store.read(function* () {
        return (yield [count, []])[0]![0] as number;
      });
    };

    test('an upload is shown by its type, size and digest, and downloads as it was', async () => {
      for (const size of [0, 1, 131_071, 131_072, 131_073, 262_144, 1_000_000]) {
        const bytes = randomBytes(size);
        const made = await upload(bytes, 'über "x".bin');
        assert.deepEqual(made.content, { type: 'application/octet-stream', size, sha256: sha256(bytes) });
        const shown = (await (await send('GET', `/attachments/${made.id}`)).json()) as Attachment;
        assert.deepEqual(shown.content, made.content);
        const answer = await send('GET', `/attachments/${made.id}/content`);
        assert.equal(answer.status, 200);
        assert.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes));
        const header = (one: string): string | null => answer.headers.get(one);
        assert.equal(header('Content-Type'), 'application/octet-stream');
        assert.equal(header('Content-Length'), String(size));
        assert.equal(header('X-Content-Type-Options'), 'nosniff');
        assert.equal(header('Content-Security-Policy'), "default-src 'none'; sandbox");
        assert.equal(header('Accept-Ranges'), 'bytes');
        assert.equal(header('Cache-Control'), 'private, max-age=60');
        assert.equal(
          header('Content-Disposition'),
          `attachment; filename="_ber _x_.bin"; filename*=UTF-8''%C3%BCber%20_x_.bin`,
        );
        const head = await send('HEAD', `/attachments/${made.id}/content`);
        assert.deepEqual([head.status, head.headers.get('Content-Length')], [200, String(size)]);
        assert.equal(head.headers.get('ETag'), header('ETag'));
      }
    });

    test('a removed row, and one whose bytes are replaced, let their bytes go', async () => {
      const before = await chunks();
      const made = await upload(randomBytes(300_000));
      assert.equal(await chunks(), before + 3);
      const put = await send('PUT', `/attachments/${made.id}/content`, { body: randomBytes(10), type: 'text/plain' });
      assert.equal(put.status, 200);
      assert.equal(((await put.json()) as Attachment).content.type, 'text/plain');
      assert.equal((await send('DELETE', `/attachments/${made.id}`)).status, 204);
      // A download may still be under way: the bytes are there until none can be.
      assert.equal(await chunks(), before + 4);
      await service.engine!.files.forget(Date.now() + 3_600_000);
      assert.equal(await chunks(), before);
    });

    const raw = (text: string | readonly (string | Buffer)[], patience = 2000): Promise<string> =>
      new Promise((resolve) => {
        const socket = connect(service.port, '127.0.0.1');
        let out = '';
        socket.on('data', (chunk) => {
          out += chunk.toString('latin1');
        });
        socket.on('close', () => resolve(out));
        socket.on('error', () => resolve(out));
        for (const part of typeof text === 'string' ? [text] : text) socket.write(part);
        setTimeout(() => socket.destroy(), patience).unref();
      });
    const head = (path: string, ...headers: string[]): string =>
      [`POST ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, ...headers, '', ''].join('\r\n');

    test('ranges: parts, several, malformed, huge, negative ones, and If-Range', async () => {
      const bytes = randomBytes(300_000);
      const { id } = await upload(bytes);
      const whole = await send('GET', `/attachments/${id}/content`);
      await whole.arrayBuffer();
      const etag = whole.headers.get('ETag')!;
      const part = async (range: string, more: object = {}): Promise<[number, string | null, Buffer]> => {
        const answer = await send('GET', `/attachments/${id}/content`, { headers: { Range: range, ...more } });
        return [answer.status, answer.headers.get('Content-Range'), Buffer.from(await answer.arrayBuffer())];
      };
      const cut: ReadonlyArray<readonly [string, number, number]> = [
        ['bytes=0-0', 0, 1],
        ['bytes=131071-131072', 131_071, 131_073],
        ['bytes=299999-', 299_999, 300_000],
        ['bytes=-1', 299_999, 300_000],
        ['bytes=-300001', 0, 300_000],
        ['bytes=100000-99999999999999999999', 100_000, 300_000],
        [`bytes=0-${'9'.repeat(400)}`, 0, 300_000],
        ['BYTES= 5-9 ', 5, 10],
      ];
      for (const [range, start, end] of cut) {
        const [status, stated, got] = await part(range);
        assert.deepEqual([status, stated], [206, `bytes ${start}-${end - 1}/300000`], range);
        assert.ok(got.equals(bytes.subarray(start, end)), range);
      }
      const ignored = [
        'bytes=0-1,5-6',
        `bytes=${'0-1,'.repeat(5000)}0-1`,
        'bytes=--1',
        'bytes=5-2',
        'bytes=a-',
        'items=0-1',
      ];
      for (const range of [...ignored, 'bytes=', 'bytes=1.5-2', 'bytes=0x0-1', 'bytes=0-1;q=1']) {
        const [status, stated, got] = await part(range.slice(0, 15_000));
        assert.deepEqual([status, stated, got.length], [200, null, bytes.length], range.slice(0, 40));
      }
      for (const range of ['bytes=300000-', 'bytes=-0', 'bytes=18446744073709551616-', `bytes=${'9'.repeat(400)}-`]) {
        const [status, stated, got] = await part(range);
        assert.deepEqual([status, stated], [416, 'bytes */300000'], range);
        assert.match(got.toString(), /"range_not_satisfiable"/);
      }
      assert.equal((await part('bytes=0-1', { 'If-Range': etag }))[0], 206);
      for (const other of ['"another"', `W/${etag}`, new Date().toUTCString(), ''])
        assert.equal((await part('bytes=0-1', { 'If-Range': other }))[0], 200, other);
      assert.equal((await part('bytes=0-1', { 'If-None-Match': etag }))[0], 304);
      const beside = await send('HEAD', `/attachments/${id}/content`, { headers: { Range: 'bytes=0-1' } });
      assert.deepEqual([beside.status, beside.headers.get('Content-Length')], [200, '300000']);
    });

    test('names of files neither leave the header nor a folder', async () => {
      const names: ReadonlyArray<readonly [string, string]> = [
        ['../../etc/passwd', 'attachment; filename=".._.._etc_passwd"'],
        ['a\r\nSet-Cookie: x=1', 'attachment; filename="aSet-Cookie_ x=1"'],
        ['a"; filename="b.exe', 'attachment; filename="a_; filename=_b.exe"'],
        ['C:\\windows\\x', 'attachment; filename="C__windows_x"'],
        ['..', 'attachment; filename="__"'],
        ['a%2e%2e%2fb', `attachment; filename="a_2e_2e_2fb"; filename*=UTF-8''a%252e%252e%252fb`],
        ['gnp.\u202eexe', 'attachment; filename="gnp.exe"'],
        [
          "naïve 'x' (1)*.txt",
          `attachment; filename="na_ve 'x' (1)_.txt"; filename*=UTF-8''na%C3%AFve%20%27x%27%20%281%29_.txt`,
        ],
        ['日本', `attachment; filename="__"; filename*=UTF-8''%E6%97%A5%E6%9C%AC`],
      ];
      for (const [called, header] of names) {
        const { id } = await upload(Buffer.from('x'), called);
        const answer = await send('GET', `/attachments/${id}/content`);
        assert.equal(answer.headers.get('Content-Disposition'), header);
        assert.equal(answer.headers.get('Set-Cookie'), null);
      }
      assert.equal((await send('POST', '/attachments?name=a%00b', { body: Buffer.from('x') })).status, 422);
    });

    test('refusals leave nothing: types, first bytes, sizes, encodings, parameters', async () => {
      const before = await chunks();
      const refused: ReadonlyArray<readonly [number, string, string, Buffer, object?]> = [
        [415, '/attachments?name=a', 'text/html', PNG],
        [415, '/attachments?name=a', 'multipart/form-data; boundary=x', PNG],
        [415, '/attachments?name=a', 'application/*', PNG],
        [415, '/attachments?name=a', 'text/plain, text/html', PNG],
        [415, '/attachments?name=a', 'application/octet-stream', PNG, { 'Content-Encoding': 'gzip' }],
        [422, '/attachments', 'application/octet-stream', randomBytes(5_000_000)],
        [422, `/attachments?name=${'x'.repeat(201)}`, 'application/octet-stream', PNG],
        [400, '/attachments?name=a&other=1', 'application/octet-stream', PNG],
        [404, `/attachments/${randomUUID()}/content`, 'application/octet-stream', randomBytes(600_000)],
        [413, '/attachments?name=a', 'application/octet-stream', Buffer.alloc(10 * 1024 * 1024 + 1)],
        [413, '/me/photo', 'image/png', Buffer.concat([PNG, Buffer.alloc(65_536)])],
        [415, '/me/photo', 'image/png', Buffer.from('<script>alert(1)</script>')],
        [415, '/me/photo', 'image/jpeg', PNG],
        [415, '/me/photo', 'image/png', Buffer.alloc(0)],
        [415, '/me/photo', 'image/svg+xml', PNG],
      ];
      for (const [status, path, type, body, headers] of refused) {
        const method = path.startsWith('/attachments?') || path === '/attachments' ? 'POST' : 'PUT';
        // The service may answer, and close, before it has read the whole body.
        const answer = await send(method, path, { body, type, ...(headers && { headers }) }).catch(() => null);
        if (answer) assert.equal(answer.status, status, `${path} ${type} ${await answer.text()}`);
      }
      assert.equal(await chunks(), before);
      const photo = await send('PUT', '/me/photo', { body: PNG, type: 'image/png' });
      assert.equal(photo.status, 204);
      const shown = await send('GET', '/me/photo', { headers: { Range: 'bytes=0-1' } });
      assert.deepEqual(
        [shown.status, shown.headers.get('Content-Disposition'), shown.headers.get('Accept-Ranges')],
        [200, 'inline', null],
      );
      assert.equal((await send('GET', '/me/photo', { headers: { Accept: 'image/jpeg' } })).status, 200);
      assert.equal((await send('GET', '/me/photo', { headers: { Accept: 'image/webp' } })).status, 406);
    });

    test('bodies that break off, lie about their length, or come in chunks', async () => {
      const before = await chunks();
      const type = 'Content-Type: application/octet-stream';
      const path = '/attachments?name=a';
      const some = randomBytes(700_000);
      assert.match(await raw(head(path, type)), /^HTTP\/1.1 411 /);
      // The client goes away in the middle of its body.
      assert.equal(await raw([head(path, type, 'Content-Length: 5000000'), some], 300), '');
      assert.equal(await raw([head(path, type, 'Transfer-Encoding: chunked'), 'aae60\r\n', some], 300), '');
      // A chunk that is none.
      const nonsense = await raw(
        [head(path, type, 'Transfer-Encoding: chunked'), 'aae60\r\n', some, '\r\nzz\r\n'],
        1500,
      );
      assert.match(nonsense, /^(?:HTTP\/1.1 400 |$)/);
      const two = await raw([head(path, type, 'Content-Length: 1', 'Content-Length: 2'), 'xy']);
      assert.match(two, /^HTTP\/1.1 400 /);
      assert.match(await raw(head(path, type, 'Content-Length: 10485761')), /^HTTP\/1.1 413 /);
      // More than is allowed, of a length that is not announced: refused while it arrives.
      const much = Array.from({ length: 110 }, () => ['19000\r\n', Buffer.alloc(0x19000), '\r\n']).flat();
      assert.match(
        await raw([head(path, type, 'Transfer-Encoding: chunked'), ...much, '0\r\n\r\n'], 8000),
        /^(?:HTTP\/1.1 413 |$)/,
      );
      // Uploads whose client is gone are over once their connection is.
      for (let i = 0; i < 50 && (await chunks()) > before; i++) await sleep(100);
      assert.equal(await chunks(), before);
      const chunked = ['3\r\nabc\r\n', '2\r\nde\r\n', '0\r\n\r\n'];
      const answer = await raw([head(path, type, 'Connection: close', 'Transfer-Encoding: chunked'), ...chunked]);
      assert.match(answer, /^HTTP\/1.1 201 /);
      assert.match(answer, new RegExp(sha256(Buffer.from('abcde'))));
      const expecting = await raw([
        head(path, type, 'Connection: close', 'Expect: 100-continue', 'Content-Length: 2'),
        'ok',
      ]);
      assert.match(expecting, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
    });

    test('a repeated key with other bytes is refused, and with the same ones answered as before', async () => {
      const once = (body: string, type = 'text/plain'): Promise<Response> =>
        send('POST', '/attachments?name=k', { body, type, headers: { 'Idempotency-Key': 'k1' } });
      const first = await once('one');
      const made = await first.json();
      const before = await chunks();
      const again = await once('one');
      assert.deepEqual([again.status, await again.json()], [201, made]);
      assert.equal((await once('two')).status, 422);
      assert.equal((await once('one', 'application/octet-stream')).status, 422);
      await sleep(50);
      assert.equal(await chunks(), before, 'bytes of repeated requests are not kept');
    });

    test('many uploads and downloads at once stay apart', async () => {
      const all = await Promise.all(
        Array.from({ length: 24 }, async (_, i) => {
          const bytes = randomBytes(100_000 + i * 37_777);
          const { id, content } = await upload(bytes, `f${i}`);
          assert.equal(content.sha256, sha256(bytes));
          const answer = await send('GET', `/attachments/${id}/content`);
          return Buffer.from(await answer.arrayBuffer()).equals(bytes);
        }),
      );
      assert.ok(all.every(Boolean));
      const found = await send('GET', `/attachments?sha256=${sha256(Buffer.from('one'))}`);
      assert.equal(((await found.json()) as { items: unknown[] }).items.length, 1);
    });

    test('a download that its row is removed under ends whole', async () => {
      const bytes = randomBytes(3_000_000);
      const { id } = await upload(bytes);
      const answer = await send('GET', `/attachments/${id}/content`);
      assert.equal((await send('DELETE', `/attachments/${id}`)).status, 204);
      await chunks();
      assert.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes));
      assert.equal((await send('GET', `/attachments/${id}/content`)).status, 404);
    });

    test('bytes that a migration has left without a row are let go', async () => {
      while (await service.engine!.files.forget(Date.now() + 3_600_000));
      const before = await chunks();
      const all = service.engine!.plan;
      const bare = { ...all, resources: all.resources.map(({ files: _, ...one }) => one) };
      const { Files } = await import('../src/runtime/files/files.ts');
      await new Files(all, store).reconcile(true);
      assert.equal(await chunks(), before, 'rows keep their bytes');
      await new Files(bare, store).reconcile(true);
      assert.equal(await chunks(), 0);
    });
  });

test('a page of another origin may ask for a part of a file, and read which part and name it has', async () => {
  const shown = 'Accept-Ranges, Content-Disposition, Content-Range';
  const origins = `Browser origins: any, without credentials, preflight kept 1 day, showing headers ${shown}`;
  const plan = compile('files.md', edited(FILES, ['Browser origins: none', origins])).plan as Plan;
  const store = new SqliteStore(':memory:', plan);
  const service = new Service({ host: '127.0.0.1', port: 0, admin: null, url: null, secrets: () => '', log: () => {} });
  await service.start(plan, store);
  try {
    const preflight = async (path: string): Promise<string | null> => {
      const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, {
        method: 'OPTIONS',
        headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' },
      });
      assert.equal(answer.status, 204);
      return answer.headers.get('Access-Control-Allow-Headers');
    };
    const most = 'Authorization, Content-Type, If-Match, If-None-Match';
    assert.equal(
      await preflight(`/attachments/${randomUUID()}/content`),
      most.replace(', If-None-Match', ', If-None-Match, If-Range, Range'),
    );
    assert.equal(await preflight('/me/photo'), most);
    const answer = await fetch(`http://127.0.0.1:${service.port}/me/photo`);
    assert.equal(answer.headers.get('Access-Control-Expose-Headers'), shown);
  } finally {
    await service.stop();
  }
});

test('a download keeps its bytes while an upload that began long before replaces them', async () => {
  let passed = 0;
  const store = new SqliteStore(':memory:', PLAN, 'successor', { now: () => Date.now() + passed, random: randomBytes });
  const service = new Service({ host: '127.0.0.1', port: 0, admin: null, url: null, secrets: () => '', log: () => {} });
  await service.start(PLAN, store);
  try {
    const operator = new Operator(await Engine.start(PLAN, store));
    const id = randomUUID();
    await operator.add('Member', new Map(Object.entries({ id, name: 'Ada' })));
    const { key } = await operator.issueKey('Member', id, []);
    const upload = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/octet-stream' };
    const made = await fetch(`http://127.0.0.1:${service.port}/attachments?name=a`, {
      method: 'POST',
      headers: upload,
      body: randomBytes(300_000) as Uint8Array<ArrayBuffer>,
    });
    const { id: attachment } = (await made.json()) as Attachment;
    const socket = connect(service.port, '127.0.0.1');
    const head = Object.entries({ ...upload, Host: 'x', 'Content-Length': 2, Connection: 'close' });
    socket.write(`PUT /attachments/${attachment}/content HTTP/1.1\r\n`);
    socket.write(`${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\na`);
    await sleep(200);
    passed = 12 * 60_000;
    socket.write('b');
    const answer = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
    assert.match(answer.toString('latin1'), /^HTTP\/1.1 200 /);
    const { files } = service.engine!;
    const chunks = store.prepare({ kind: 'system', name: 'count chunks' });
    const count = (): Promise<number> | number =>
      store.read(function* () {
        return (yield [chunks, []])[0]![0] as number;
      });
    await files.remove();
    assert.equal(await count(), 4);
    passed += 11 * 60_000 + 1000;
    await files.remove();
    assert.equal(await count(), 1);
  } finally {
    await service.stop();
  }
});

test('bytes whose last piece is stored after the time-out are let go at once', async () => {
  const store = new SqliteStore(':memory:', PLAN);
  const { files } = await Engine.start(PLAN, store);
  const incoming = { body: () => randomBytes(300_000) } as unknown as Incoming;
  const sending = { most: 1_000_000, deadline: Date.now() - 1, type: 'text/plain', checked: false };
  assert.equal(await files.receive(incoming, sending), 'too slow');
  await files.remove();
  const chunks = store.prepare({ kind: 'system', name: 'count chunks' });
  const count = await store.read(function* () {
    return (yield [chunks, []])[0]![0] as number;
  });
  assert.equal(count, 0);
  await store.close();
});

test('slow uploads end at the time-out and leave nothing, and slow downloads are reset', async () => {
  const slow = compile('files.md', edited(FILES, ['| Time-out     | 10 minutes ', '| Time-out     | 1 second ']))
    .plan as Plan;
  const store = new SqliteStore(':memory:', slow);
  const service = new Service({ host: '127.0.0.1', port: 0, admin: null, url: null, secrets: () => '', log: () => {} });
  await service.start(slow, store);
  try {
    const operator = new Operator(await Engine.start(slow, store));
    const id = randomUUID();
    await operator.add('Member', new Map(Object.entries({ id, name: 'Ada' })));
    const { key } = await operator.issueKey('Member', id, []);
    const head = (method: string, path: string, ...headers: string[]): string =>
      [`${method} ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, ...headers, '', ''].join('\r\n');
    const socket = connect(service.port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    const type = 'Content-Type: application/octet-stream';
    socket.write(head('POST', '/attachments?name=a', type, 'Content-Length: 5000000'));
    socket.write(randomBytes(600_000));
    const drip = setInterval(() => socket.write('x'), 50);
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(drip);
    assert.match(answer, /^HTTP\/1.1 503 /);
    assert.match(answer, /"time_out"/);
    const engine = service.engine!;
    for (let i = 0; i < 40; i++) {
      await engine.files.remove();
      await sleep(10);
    }
    const chunks = store.prepare({ kind: 'system', name: 'count chunks' });
    const count = (): Promise<number> | number =>
      store.read(function* () {
        return (yield [chunks, []])[0]![0] as number;
      });
    assert.equal(await count(), 0);
    const made = await fetch(`http://127.0.0.1:${service.port}/attachments?name=a`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/octet-stream' },
      body: randomBytes(10_000_000) as Uint8Array<ArrayBuffer>,
    });
    assert.equal(made.status, 201);
    const { id: big } = (await made.json()) as Attachment;
    const reader = connect(service.port, '127.0.0.1');
    reader.write(head('GET', `/attachments/${big}/content`));
    let got = 0;
    const ended = new Promise<string>((resolve) => {
      reader.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
      reader.once('close', () => resolve('closed'));
    });
    reader.once('data', (chunk) => {
      got += chunk.length;
      reader.pause();
      setTimeout(() => reader.on('data', (more) => (got += more.length)).resume(), 2000);
    });
    await ended;
    assert.ok(got < 10_000_000, 'the rest of the file is not sent');
  } finally {
    await service.stop();
  }
});
