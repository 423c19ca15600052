import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { compile } from '../src/compiler/compile.ts';
import type { Plan } from '../src/plan/step.ts';
import { Engine } from '../src/runtime/engine/engine.ts';
import { Operator } from '../src/runtime/operator.ts';
import { Service } from '../src/runtime/service.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import type { Store } from '../src/store/store.ts';
import { edited } from './harness.ts';
import { PostgresServer } from './postgres.ts';

const PLAN = compile(
  'pictures.md',
  edited(
    readFileSync(new URL('../docs/documents/pictures.md', import.meta.url), 'utf8'),
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

interface Facts {
  readonly type: string;
  readonly size: number;
  readonly sha256: string;
}

interface Picture {
  readonly id: string;
  readonly title: string;
  readonly tags?: readonly string[];
  readonly taken?: string;
  readonly image: Facts;
  readonly thumbnail?: Facts;
}

type Part = readonly [name: string, value: string | Buffer, type?: string, filename?: string];

/** A form by fetch, with its parts in their order. */
function formOf(parts: readonly Part[]): FormData {
  const form = new FormData();
  for (const [name, value, type = 'image/png', filename = name] of parts)
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([value as Uint8Array<ArrayBuffer>], { type }), filename);
  return form;
}

for (const [name, open] of Object.entries(PLACES))
  describe(`forms of several parts on ${name}`, () => {
    let store: Store;
    let service: Service;
    let key: string;

    before(async () => {
      store = await open();
      service = new Service({ host: '127.0.0.1', port: 0, admin: null, url: null, secrets: () => '', log: () => {} });
      await service.start(PLAN, store);
      const operator = new Operator(await Engine.start(PLAN, store));
      const id = randomUUID();
      await operator.add('Member', new Map(Object.entries({ id, name: 'Ada' })));
      key = (await operator.issueKey('Member', id, [])).key;
    });
    after(() => service.stop());

    const send = (
      method: string,
      path: string,
      body: FormData | Buffer | null = null,
      headers: object = {},
    ): Promise<Response> =>
      fetch(`http://127.0.0.1:${service.port}${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, ...headers },
        ...(body !== null && { body: body as FormData }),
      });
    const post = (...parts: readonly Part[]): Promise<Response> => send('POST', '/pictures', formOf(parts));
    const made = async (...parts: readonly Part[]): Promise<Picture> => {
      const answer = await post(...parts);
      assert.equal(answer.status, 201, await answer.clone().text());
      return (await answer.json()) as Picture;
    };
    /** The number of stored chunks, once those are removed that are due in an hour. */
    const chunks = async (later = 0): Promise<number> => {
      await sleep(20);
      const { files } = service.engine!;
      while (await files.forget(Date.now() + later));
      const count = store.prepare({ kind: 'system', name: 'count chunks' });
      return store.read(function* () {
        return (yield [count, []])[0]![0] as number;
      });
    };
    /** The status of a PATCH with neither a body nor the headers of one. */
    const withoutLength = (path: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'multipart/form-data; boundary=b' };
        const sent = httpRequest({ port: service.port, path, method: 'PATCH', headers });
        sent.useChunkedEncodingByDefault = false;
        sent
          .on('response', (answer) => resolve(answer.resume().statusCode ?? 0))
          .on('error', reject)
          .end();
      });
    const rows = async (): Promise<number> => {
      let count = 0;
      for (let cursor = ''; ; ) {
        const answer = await send('GET', `/pictures?limit=100${cursor && `&cursor=${cursor}`}`);
        const page = (await answer.json()) as { items: unknown[]; next?: string };
        count += page.items.length;
        if (!page.next) return count;
        cursor = page.next;
      }
    };
    const image = async (id: string, of = 'image'): Promise<Buffer | number> => {
      const answer = await send('GET', `/pictures/${id}/${of}`);
      const bytes = Buffer.from(await answer.arrayBuffer());
      return answer.status === 200 ? bytes : answer.status;
    };

    const written = (...parts: readonly string[]): Buffer =>
      Buffer.concat([
        ...parts.map((one) => Buffer.from(`--b\r\n${one.replaceAll('PNG', PNG.toString('latin1'))}\r\n`, 'latin1')),
        Buffer.from('--b--\r\n'),
      ]);
    const value = (called: string, text: string, more = ''): string =>
      `Content-Disposition: form-data; name="${called}"${more}\r\n\r\n${text}`;
    const file = (called: string, bytes = 'PNG', type = 'image/png'): string =>
      value(called, bytes, `; filename="f"\r\nContent-Type: ${type}`);

    test('files and values are taken in any order of the parts, and stored as they are', async () => {
      const large = Buffer.concat([PNG, randomBytes(90_000)]);
      const parts: readonly Part[] = [
        ['title', '  naïve "title" '],
        ['tags', 'b'],
        ['image', large, 'image/png', '../../x.png'],
        ['tags', 'a'],
        ['thumbnail', PNG],
        ['taken', '2026-11-30'],
      ];
      for (let turn = 0; turn < parts.length; turn++) {
        const picture = await made(...parts.slice(turn), ...parts.slice(0, turn));
        assert.equal(picture.title, 'naïve "title"');
        assert.deepEqual([picture.tags, picture.taken], [['a', 'b'], '2026-11-30']);
        assert.deepEqual(picture.image, { type: 'image/png', size: large.length, sha256: sha256(large) });
        assert.deepEqual(picture.thumbnail, { type: 'image/png', size: PNG.length, sha256: sha256(PNG) });
        assert.deepEqual(await image(picture.id), large);
        assert.deepEqual(await image(picture.id, 'thumbnail'), PNG);
      }
      const least = await made(['image', PNG], ['title', 'least']);
      assert.deepEqual([least.tags, least.taken, least.thumbnail], [undefined, undefined, undefined]);
      // A page's input in which no file is chosen.
      const none = value('thumbnail', '', '; filename=""\r\nContent-Type: application/octet-stream');
      const form = written(none, value('title', 'x'), file('image'), value('taken', ''));
      const sent = await send('POST', '/pictures', form, { 'Content-Type': 'multipart/form-data; boundary=b' });
      const unchosen = (await sent.json()) as Picture;
      assert.equal(sent.status, 201);
      assert.deepEqual([unchosen.thumbnail, unchosen.taken], [undefined, undefined]);
      // Two inputs of one name, in either of which the file may be chosen.
      const empty = value('image', '', '; filename=""\r\nContent-Type: application/octet-stream');
      for (const inputs of [
        [empty, file('image')],
        [file('image'), empty],
      ]) {
        const both = written(value('title', 'x'), ...inputs);
        const type = { 'Content-Type': 'multipart/form-data; boundary=b' };
        assert.equal((await send('POST', '/pictures', both, type)).status, 201);
      }
    });

    test('a PUT has all values, a PATCH those that it sends, and a step removes bytes', async () => {
      const before = await chunks(3_600_000);
      const { id } = await made(['title', 'a'], ['image', PNG], ['thumbnail', PNG], ['tags', 'x']);
      assert.equal(await chunks(), before + 2);
      const patched = (await (await send('PATCH', `/pictures/${id}`, formOf([['title', 'b']]))).json()) as Picture;
      assert.deepEqual([patched.title, patched.image.size, patched.thumbnail?.size], ['b', PNG.length, PNG.length]);
      const other = Buffer.concat([PNG, Buffer.from('other')]);
      const both = await send('PATCH', `/pictures/${id}`, formOf([['thumbnail', other]]));
      assert.equal(((await both.json()) as Picture).thumbnail?.sha256, sha256(other));
      assert.deepEqual(await image(id), PNG);
      assert.deepEqual(await image(id, 'thumbnail'), other);
      const put = await send(
        'PUT',
        `/pictures/${id}`,
        formOf([
          ['title', 'c'],
          ['image', other],
        ]),
      );
      assert.deepEqual(((await put.json()) as Picture).thumbnail, undefined);
      assert.equal(await image(id, 'thumbnail'), 404);
      assert.deepEqual(await image(id), other);
      assert.equal(await chunks(3_600_000), before + 1, 'the bytes that were replaced are gone');
      await send('PATCH', `/pictures/${id}`, formOf([['thumbnail', other]]));
      const type = { 'Content-Type': 'multipart/form-data; boundary=b' };
      const kept = await send('PATCH', `/pictures/${id}`, written(), type);
      assert.deepEqual([kept.status, ((await kept.json()) as Picture).thumbnail?.size], [200, other.length]);
      assert.equal((await send('PATCH', `/pictures/${id}`, Buffer.alloc(0), type)).status, 400, 'an empty body');
      assert.equal(await withoutLength(`/pictures/${id}`), 411, 'no body');
      assert.equal((await send('DELETE', `/pictures/${id}/thumbnail`)).status, 204);
      assert.equal((await send('DELETE', `/pictures/${id}/thumbnail`)).status, 204);
      const shown = (await (await send('GET', `/pictures/${id}`)).json()) as Picture;
      assert.equal(shown.thumbnail, undefined);
      assert.equal(await chunks(3_600_000), before + 1, 'the bytes that a step removed are gone');
    });

    test('refusals leave nothing: parts, types, first bytes, sizes, encodings, heads', async () => {
      const before = [await chunks(3_600_000), await rows()];
      const long = 'x'.repeat(33_000);
      const refused: ReadonlyArray<readonly [number, string | null, Buffer, string?]> = [
        [422, '/image missing', written(value('title', 'a'))],
        [422, '/title missing', written(file('image'))],
        [422, '/title missing,/image missing', written()],
        [422, '/title too_long', written(value('title', 'x'.repeat(101)), file('image'))],
        [422, '/title repeated', written(value('title', 'a'), file('image'), value('title', 'a'))],
        [422, '/image repeated', written(value('title', 'a'), file('image'), file('image'))],
        [
          422,
          '/image repeated',
          written(value('title', 'a'), file('image'), value('image', 'x', '; filename=""\r\nContent-Type: image/png')),
        ],
        [422, '/taken not_date', written(file('image'), value('title', 'a'), value('taken', 'x'))],
        [422, '/other unknown_field', written(value('title', 'a'), file('image'), file('other'))],
        [422, '/__proto__ unknown_field', written(value('title', 'a'), file('image'), value('__proto__', 'x'))],
        [422, '/Image unknown_field', written(value('title', 'a'), file('image'), file('Image'))],
        [415, null, written(value('title', 'a'), file('image', 'PNG', 'image/gif'))],
        [415, null, written(value('title', 'a'), file('image', 'PNG', 'image/jpeg'))],
        [415, null, written(value('title', 'a'), file('image', '<script>'))],
        [415, null, written(value('title', 'a'), file('image', ''))],
        [415, null, written(value('title', 'a'), file('image', 'PNG', 'image/png; charset=latin1'))],
        [415, null, written(value('title', 'a'), value('image', 'PNG'))],
        [415, null, written(file('title', 'a'), file('image'))],
        [415, null, written(value('title', 'a'), file('image', '--c\r\n\r\n--c--', 'multipart/mixed; boundary=c'))],
        [
          415,
          null,
          written(value('title', 'a'), file('image', 'PNG', 'image/png\r\nContent-Transfer-Encoding: base64')),
        ],
        [413, null, written(value('title', 'a'), file('image', `PNG${'x'.repeat(96 * 1024)}`))],
        [413, null, written(value('title', 'a'), file('thumbnail', `PNG${'x'.repeat(16 * 1024)}`), file('image'))],
        [413, null, written(value('title', 'a'), file('image'), value('other', long))],
        [413, null, written(file('image'), ...Array.from({ length: 900 }, () => value('tags', 'x')))],
        [413, null, written(value('title', 'a'), file('image'), file('thumbnail'), value('x', 'x'.repeat(130_000)))],
        [400, null, written(value('title', 'a'), file('image')).subarray(0, -6)],
        [400, null, Buffer.from('')],
        [400, null, Buffer.from('{"title":"a"}')],
        [400, null, written(value('title', 'a'), file('image', 'PNG', `image/png\r\nX: ${'x'.repeat(9000)}`))],
        [400, null, written('Content-Disposition: form-data\r\n\r\nx', file('image'))],
        [400, null, written('\r\nx', file('image'))],
        [
          400,
          null,
          written(value('title', 'a'), value('image', 'PNG', `; filename*=UTF-8''x\r\nContent-Type: image/png`)),
        ],
        [400, null, written(value('title', '\u00ff'), file('image'))],
        [400, null, written(value('title', 'a'), file('image')), 'multipart/form-data; boundary=c'],
        [400, null, written(value('title', 'a'), file('image')), 'multipart/form-data'],
        [400, null, written(value('title', 'a'), file('image')), `multipart/form-data; boundary=${'b'.repeat(71)}`],
        [415, null, written(value('title', 'a'), file('image')), 'multipart/mixed; boundary=b'],
        [415, null, written(value('title', 'a'), file('image')), 'application/x-www-form-urlencoded'],
      ];
      for (const [status, faults, body, type = 'multipart/form-data; boundary=b'] of refused) {
        // The service may answer, and close, before it has read the whole body.
        const answer = await send('POST', '/pictures', body, { 'Content-Type': type }).catch(() => null);
        if (!answer) continue;
        const text = await answer.text();
        assert.equal(answer.status, status, `${body.subarray(0, 300).toString('latin1')}\n${text}`);
        const { errors = [] } = JSON.parse(text) as { errors?: ReadonlyArray<{ pointer: string; code: string }> };
        if (faults) assert.equal(errors.map((one) => `${one.pointer} ${one.code}`).join(), faults);
      }
      assert.deepEqual([await chunks(), await rows()], before);
    });

    test('a repeated key with the same parts is answered as before, whatever the boundary and the order', async () => {
      const once = (...parts: readonly Part[]): Promise<Response> =>
        send('POST', '/pictures', formOf(parts), { 'Idempotency-Key': 'k1' });
      const first = (await (await once(['title', 'a'], ['image', PNG])).json()) as Picture;
      const before = await chunks();
      const again = await once(['image', PNG, 'image/png', 'another name'], ['title', ' a']);
      assert.deepEqual([again.status, await again.json()], [201, first]);
      const others: ReadonlyArray<readonly Part[]> = [
        [
          ['title', 'b'],
          ['image', PNG],
        ],
        [
          ['title', 'a'],
          ['image', Buffer.concat([PNG, PNG])],
        ],
        [
          ['title', 'a'],
          ['image', PNG],
          ['thumbnail', PNG],
        ],
        [
          ['title', 'a'],
          ['image', Buffer.from('ffd8ff', 'hex'), 'image/jpeg'],
        ],
      ];
      for (const parts of others) assert.equal((await once(...parts)).status, 422);
      assert.equal(await chunks(), before, 'bytes of repeated requests are not kept');
    });

    /** Sends pieces over a socket, and returns what is answered until the socket closes or a time has passed. */
    const raw = (pieces: readonly (string | Buffer)[], patience = 1000): Promise<string> =>
      new Promise((resolve) => {
        const socket = connect(service.port, '127.0.0.1');
        let out = '';
        socket.on('data', (chunk) => {
          out += chunk.toString('latin1');
        });
        socket.on('close', () => resolve(out)).on('error', () => resolve(out));
        for (const one of pieces) socket.write(one);
        setTimeout(() => socket.destroy(), patience).unref();
      });
    const head = (...more: string[]): string =>
      [
        'POST /pictures HTTP/1.1',
        'Host: x',
        `Authorization: Bearer ${key}`,
        'Content-Type: multipart/form-data; boundary=b',
        ...more,
        '',
        '',
      ].join('\r\n');

    test('forms that break off leave nothing, and come in pieces of any length', async () => {
      const before = [await chunks(3_600_000), await rows()];
      const whole = written(value('title', 'a'), file('thumbnail'), file('image', `PNG${'x'.repeat(90_000)}`));
      await raw([head('Content-Length: 120000'), whole.subarray(0, 50_000)], 200);
      await raw([head('Content-Length: 120000'), whole.subarray(0, 400)], 200);
      assert.match(await raw([head('Content-Length: 200000')]), /^HTTP\/1.1 413 /);
      const chunked = ['a\r\n', whole.subarray(0, 10), '\r\nzz\r\n'];
      assert.match(await raw([head('Transfer-Encoding: chunked'), ...chunked]), /^(?:HTTP\/1.1 400 |$)/);
      assert.deepEqual([await chunks(), await rows()], before);
      const small = written(value('title', 'a'), file('image'), file('thumbnail'));
      const single = [...small].flatMap((byte) => ['1\r\n', Buffer.from([byte]), '\r\n']);
      const slow = await raw([head('Connection: close', 'Transfer-Encoding: chunked'), ...single, '0\r\n\r\n'], 5000);
      assert.match(slow, /^HTTP\/1.1 201 /);
      const expecting = await raw([
        head('Connection: close', 'Expect: 100-continue', `Content-Length: ${small.length}`),
        small,
      ]);
      assert.match(expecting, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
    });

    test('a connection goes on after a download', async () => {
      const { id } = await made(
        ['title', 'a'],
        ['image', Buffer.concat([PNG, randomBytes(90_000)])],
        ['thumbnail', PNG],
      );
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const sockets = new Set<Socket>();
      const get = (path: string, more: object = {}): Promise<Buffer> =>
        new Promise((resolve, reject) => {
          const headers = { Authorization: `Bearer ${key}`, ...more };
          httpRequest({ host: '127.0.0.1', port: service.port, path, agent, headers }, (answer: IncomingMessage) => {
            sockets.add(answer.socket);
            const pieces: Buffer[] = [];
            answer.on('data', (piece: Buffer) => pieces.push(piece)).on('end', () => resolve(Buffer.concat(pieces)));
          })
            .on('error', reject)
            .end();
        });
      for (let i = 0; i < 3; i++) {
        assert.equal((await get(`/pictures/${id}/image`)).length, PNG.length + 90_000);
        assert.equal((await get(`/pictures/${id}/image`, { Range: 'bytes=0-7' })).toString('hex'), '89504e470d0a1a0a');
        assert.deepEqual(await get(`/pictures/${id}/thumbnail`), PNG);
      }
      assert.equal(sockets.size, 1);
      agent.destroy();
      // Requests that come together are answered in their order.
      const line = `GET /pictures/${id}/thumbnail HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`;
      const answers = await raw([`${line}\r\n${line}\r\n${line}Connection: close\r\n\r\n`]);
      assert.equal(answers.split('HTTP/1.1 200 OK').length - 1, 3);
      assert.equal(answers.split(PNG.toString('latin1')).length - 1, 3);
    });
  });
