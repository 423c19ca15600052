import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { AMBIGUOUS } from './ambiguous.ts';
import { RAISED, type Service, Workspace } from './harness.ts';
import { headerOf, Line, type Reply } from './line.ts';
import { IN_WHOLE } from './share.ts';

let workspace: Workspace;
let service: Service;
let key = '';

before(async () => {
  workspace = new Workspace(RAISED);
  key = await workspace.key(await workspace.customer());
  service = await workspace.serve();
});

after(() => workspace[Symbol.asyncDispose]());

let skus = 0;
/** A draft that no test has made yet. */
const draft = (): string => JSON.stringify({ sku: `AAA-${String(++skus).padStart(4, '0')}`, quantity: 1 });

/** The head of a request, with what each one needs; `lines` come after it. */
const head = (start: string, ...lines: string[]): string =>
  [`${start} HTTP/1.1`, 'Host: orders.example', `Authorization: Bearer ${key}`, ...lines, '', ''].join('\r\n');

const creates = (...lines: string[]): string =>
  head('POST /orders', 'Content-Type: application/json', `Idempotency-Key: k${skus}`, ...lines);

/** A whole request that opens a draft. */
const create = (body = draft()): string => creates(`Content-Length: ${body.length}`) + body;

/** Opens a connection of its own for one talk. */
async function talk<T>(work: (line: Line) => Promise<T>): Promise<T> {
  const line = new Line(service.url);
  try {
    return await work(line);
  } finally {
    line.close();
  }
}

/** The number of orders that there are. */
async function orders(): Promise<number> {
  let count = 0;
  let cursor = '';
  for (;;) {
    const { body } = await service.request('GET', `/orders?limit=100${cursor}`, { key });
    const page = body as { items: unknown[]; next?: string };
    count += page.items.length;
    if (!page.next) return count;
    cursor = `&cursor=${page.next}`;
  }
}

/** HTTP’s own answer: a bare status, without a body or anything that the document would have to say; then the end. */
function assertBare(reply: Reply, status: number): void {
  assert.equal(reply.status, status);
  assert.equal(reply.body, '');
  assert.deepEqual(reply.headers.map(([name]) => name.toLowerCase()).sort(), ['connection', 'content-length', 'date']);
  assert.equal(headerOf(reply, 'connection'), 'close');
}

const code = (reply: Reply): string => (JSON.parse(reply.body) as { code: string }).code;

const SMUGGLED = head('DELETE /orders/0195c2a0-0000-7000-8000-000000000001');

for (const [name, bytes] of AMBIGUOUS)
  test(`${name}: a bare 400, the end, and nothing done`, async () => {
    const before = await orders();
    await talk(async (line) => {
      assertBare(await line.exchange(bytes({ head, creates, create, smuggled: SMUGGLED }), 'POST'), 400);
      assert.equal(await line.untilEnd(), '');
    });
    assert.equal(await orders(), before);
  });

test('the same in pieces: what a request is shows in the bytes that came before its last', async () => {
  const before = await orders();
  for (const [name, bytes] of AMBIGUOUS)
    await talk(async (line) => {
      const text = bytes({ head, creates, create, smuggled: SMUGGLED });
      for (let at = 0; at < text.length && !line.ended; at += 17) {
        line.write(text.slice(at, at + 17));
        await new Promise(setImmediate);
      }
      assert.equal((await line.reply('POST')).status, 400, name);
    });
  assert.equal(await orders(), before);
});

const OVERSIZED: ReadonlyArray<readonly [string, () => string]> = [
  ['a header too long', () => head('GET /orders', `X-A: ${'a'.repeat(20_000)}`)],
  ['too many headers', () => head('GET /orders', ...Array.from({ length: 4000 }, (_, i) => `X-${i}: 1`))],
  ['an address too long', () => head(`GET /orders?${'a'.repeat(20_000)}`)],
];

for (const [name, bytes] of OVERSIZED)
  test(`${name}: a bare 431`, () =>
    talk(async (line) => {
      assertBare(await line.exchange(bytes(), 'GET'), 431);
      assert.equal(await line.untilEnd(), '');
    }));

test('no header is dropped, however many there are', () =>
  talk(async (line) => {
    const many = Array.from({ length: 3000 }, () => 'a:');
    const plain = head('GET /summary', ...many);
    assert.equal(
      (await line.exchange(plain.replace(/(Authorization.*\r\n)([\s\S]*)\r\n\r\n$/, '$2\r\n$1\r\n'), 'GET')).status,
      200,
    );
  }));

test('a chunk with an extension too long: refused, and nothing done', async () => {
  const before = await orders();
  await talk(async (line) => {
    const reply = await line.exchange(
      `${creates('Transfer-Encoding: chunked')}2;a=${'b'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
      'POST',
    );
    assert.equal(code(reply), 'malformed_request');
    assert.equal(await line.untilEnd(), '');
  });
  assert.equal(await orders(), before);
});

for (const [name, chunks] of [
  ['a size that is none', 'zz\r\n{}\r\n0\r\n\r\n'],
  ['a size past the chunk', '3\r\n{}\r\n0\r\n\r\n'],
  ['a size short of the chunk', '1\r\n{}\r\n0\r\n\r\n'],
  ['a negative size', '-1\r\n{}\r\n0\r\n\r\n'],
  ['a size past every number', 'fffffffffffffffff\r\n{}\r\n0\r\n\r\n'],
  ['bare line feeds', '2\n{}\n0\n\n'],
] as const)
  test(`chunks with ${name}: the document’s malformed_request, and nothing done`, async () => {
    const before = await orders();
    await talk(async (line) => {
      const reply = await line.exchange(creates('Transfer-Encoding: chunked') + chunks, 'POST');
      assert.equal(code(reply), 'malformed_request');
      assert.equal(await line.untilEnd(), '');
    });
    assert.equal(await orders(), before);
  });

test('chunks in capitals are chunks; a coding that nobody takes off is an encoding', () =>
  talk(async (line) => {
    const body = draft();
    const chunks = `${body.length.toString(16)};ext=1\r\n${body}\r\n0\r\n\r\n`;
    assert.equal((await line.exchange(creates('Transfer-Encoding: CHUNKED') + chunks, 'POST')).status, 201);
    assert.equal(
      code(await line.exchange(creates('Transfer-Encoding: gzip, chunked') + chunks, 'POST')),
      'unsupported_encoding',
    );
  }));

test('targets in absolute form lead where their paths do', () =>
  talk(async (line) => {
    for (const target of [
      'http://orders.example/orders',
      'HTTP://other.example:99/orders?limit=1',
      'https://[::1]/orders',
    ]) {
      assert.equal((await line.exchange(head(`GET ${target}`), 'GET')).status, 200);
    }
    for (const target of [
      'http://orders.example',
      'http://orders.example?limit=1',
      'ftp://orders.example/orders',
      'http:///orders',
    ])
      assert.equal((await line.exchange(head(`GET ${target}`), 'GET')).status, 404, target);
  }));

test('`*` is no endpoint', () =>
  talk(async (line) => {
    assert.equal(code(await line.exchange(head('OPTIONS *'), 'OPTIONS')), 'no_such_endpoint');
  }));

test('CONNECT is no endpoint, and opens no tunnel', () =>
  talk(async (line) => {
    const reply = await line.exchange(head('CONNECT orders.example:443'), 'CONNECT');
    assert.equal(code(reply), 'no_such_endpoint');
    assert.equal(reply.last, true);
    assert.equal(await line.untilEnd(), '');
  }));

test('CONNECT behind other requests waits for their answers, and takes nobody else’s away', async () => {
  const tunnel = head('CONNECT orders.example:443');
  await talk(async (line) => {
    line.write(head('GET /summary') + create() + tunnel);
    assert.equal((await line.reply()).status, 200);
    assert.equal((await line.reply()).status, 201);
    assert.equal(code(await line.reply('CONNECT')), 'no_such_endpoint');
    assert.equal(await line.untilEnd(), '');
  });
  await talk(async (line) => {
    const body = draft();
    line.write(creates(`Content-Length: ${body.length}`) + body);
    await new Promise(setImmediate);
    line.write(tunnel);
    assert.equal((await line.reply()).status, 201);
    assert.equal(code(await line.reply('CONNECT')), 'no_such_endpoint');
    assert.equal(await line.untilEnd(), '');
  });
  assert.equal((await service.request('GET', '/summary', { key })).status, 200);
});

for (const upgrade of ['h2c', 'websocket', 'TLS/1.2'])
  test(`an upgrade to ${upgrade}, which nobody states, is not taken, and the request answered`, () =>
    talk(async (line) => {
      const reply = await line.exchange(head('GET /summary', 'Connection: Upgrade', `Upgrade: ${upgrade}`), 'GET');
      assert.equal(reply.status, 200);
      assert.equal(await line.untilEnd(), '');
    }));

test('HTTP/1.0 is answered, with and without a host, and the connection ends', async () => {
  for (const host of ['', 'Host: a\r\n'])
    await talk(async (line) => {
      const reply = await line.exchange(`GET /summary HTTP/1.0\r\n${host}Authorization: Bearer ${key}\r\n\r\n`, 'GET');
      assert.equal(reply.status, 200);
      assert.equal(await line.untilEnd(), '');
    });
});

test('a method that no endpoint has is refused by the document, and a head that comes a byte at a time is read', () =>
  talk(async (line) => {
    const source = await line.exchange(head('SOURCE /orders'), 'SOURCE');
    assert.deepEqual([source.status, code(source)], [405, 'method_not_allowed']);
    for (const byte of head('GET /summary')) {
      line.write(byte);
      await new Promise(setImmediate);
    }
    assert.equal((await line.reply('GET')).status, 200);
    // What stands in a body names no protocol.
    const body = 'GET /summary RTSP/1.0\r\nPOST /orders RTSP/1.0\r\n';
    const reply = await line.exchange(creates(`Content-Length: ${body.length}`) + body, 'POST');
    assert.deepEqual([reply.status, code(reply)], [400, 'malformed_request']);
    const old = await line.exchange(head('GET /summary').replace('1.1', '1.0'), 'GET');
    assert.equal(old.status, 200);
  }));

test('HEAD and errors to HEAD have no body', () =>
  talk(async (line) => {
    const reply = await line.exchange(head('HEAD /orders'), 'HEAD');
    assert.equal(reply.status, 405);
    assert.equal((await line.exchange(head('GET /summary'), 'GET')).status, 200);
  }));

test('pipelined requests are answered in order, each after the one before it', () =>
  talk(async (line) => {
    line.write(create() + head('GET /orders?limit=1') + head('GET /nothing') + create() + head('GET /summary'));
    const made = await line.reply();
    assert.equal(made.status, 201);
    const page = JSON.parse((await line.reply()).body) as { items: Array<{ id: string }> };
    assert.equal(page.items[0]!.id, (JSON.parse(made.body) as { id: string }).id);
    assert.equal((await line.reply()).status, 404);
    assert.equal((await line.reply()).status, 201);
    assert.equal((await line.reply()).status, 200);
    assert.equal(line.rest(), '');
  }));

test('what HTTP can’t read after a request doesn’t take its answer away', () =>
  talk(async (line) => {
    const before = await orders();
    line.write(`${create()}nonsense\r\n\r\n`);
    assert.equal((await line.reply()).status, 201);
    assertBare(await line.reply(), 400);
    assert.equal(await line.untilEnd(), '');
    assert.equal(await orders(), before + 1);
  }));

test('a request without a body is answered before those behind it are begun, with bodies or without', () =>
  talk(async (line) => {
    const made = JSON.parse((await line.exchange(create(), 'POST')).body) as { id: string };
    const at = `/orders/${made.id}`;
    const change = JSON.stringify({ quantity: 2 });
    const patch = head(`PATCH ${at}`, 'Content-Type: application/json', `Content-Length: ${change.length}`) + change;
    line.write(head(`POST ${at}/place`, 'Content-Length: 0') + patch + head(`GET ${at}`) + head(`POST ${at}/cancel`));
    assert.equal((JSON.parse((await line.reply()).body) as { status: string }).status, 'placed');
    assert.equal(code(await line.reply()), 'match_required');
    assert.equal((JSON.parse((await line.reply()).body) as { status: string }).status, 'placed');
    assert.equal((JSON.parse((await line.reply()).body) as { status: string }).status, 'cancelled');
  }));

test('several answers have left before what HTTP can’t read is told', async () => {
  for (const requests of [create() + head('GET /summary'), head('GET /summary') + create() + head('GET /summary')])
    await talk(async (line) => {
      line.write(`${requests}nonsense\r\n\r\n`);
      for (const _ of requests.matchAll(/ HTTP\/1\.1/g)) assert.match(String((await line.reply()).status), /^20[01]$/);
      assertBare(await line.reply(), 400);
      assert.equal(await line.untilEnd(), '');
    });
});

test('a refusal before the body is wanted ends the connection: what follows is no request', async () => {
  const before = await orders();
  await talk(async (line) => {
    const body = draft();
    const refused = creates('Expect: 100-continue', `Content-Length: ${body.length}`).replace(key, 'nf_unknown') + body;
    line.write(refused + create());
    const reply = await line.reply();
    assert.deepEqual([reply.status, reply.interim, reply.last], [401, [], true]);
    assert.equal(await line.untilEnd(), '');
  });
  assert.equal(await orders(), before);
});

test('after `Connection: close` nothing more is a request', async () => {
  const before = await orders();
  await talk(async (line) => {
    line.write(create().replace('Host', 'Connection: close\r\nHost') + create());
    assert.equal((await line.reply()).status, 201);
    assert.equal(await line.untilEnd(), '');
  });
  assert.equal(await orders(), before + 1);
});

test('a body left unread never becomes the next request', async () => {
  const before = await orders();
  const hidden = create();
  await talk(async (line) => {
    // All at once: the body is known to its end, and what follows is a request.
    line.write(head('GET /summary', `Content-Length: ${hidden.length}`) + hidden + head('GET /summary'));
    assert.equal(code(await line.reply()), 'body_not_expected');
  });
  await talk(async (line) => {
    // The body comes once the answer is there: the connection has ended for requests.
    const reply = await line.exchange(head('GET /summary', `Content-Length: ${hidden.length}`), 'GET');
    assert.equal(code(reply), 'body_not_expected');
    assert.equal(reply.last, true);
    line.write(hidden + create());
    assert.equal(await line.untilEnd(), '');
  });
  assert.equal(await orders(), before);
});

test('an answer that comes before the body has is not lost to the client', () =>
  talk(async (line) => {
    const size = 8 << 20;
    line.write(creates(`Content-Length: ${size}`));
    for (let sent = 0; sent < size; sent += 65_536) line.write(' '.repeat(65_536));
    assert.equal(code(await line.reply()), 'request_too_large');
    assert.equal(await line.untilEnd(), '');
  }));

test('100 Continue comes when the body is wanted, and not before a refusal', async () => {
  const body = draft();
  await talk(async (line) => {
    line.write(creates('Expect: 100-continue', `Content-Length: ${body.length}`));
    line.socket.once('data', () => line.write(body));
    const reply = await line.reply();
    assert.deepEqual([reply.interim, reply.status], [[100], 201]);
  });
  await talk(async (line) => {
    const reply = await line.exchange(creates('Expect: 100-continue', 'Content-Length: 65537'), 'POST');
    assert.deepEqual([reply.interim, code(reply), reply.last], [[], 'request_too_large', true]);
  });
  await talk(async (line) => {
    const reply = await line.exchange(head('GET /summary', 'Expect: 200-perhaps'), 'GET');
    assert.deepEqual([reply.interim, reply.status], [[], 200]);
  });
});

test('a client that goes away in the middle of a body has sent nothing', async () => {
  const before = await orders();
  const body = draft();
  for (const framing of [`Content-Length: ${body.length + 1}`, 'Transfer-Encoding: chunked'])
    await talk(async (line) => {
      const start = framing.startsWith('T') ? `${body.length.toString(16)}\r\n${body}\r\n` : body;
      line.write(creates(framing) + start);
      await new Promise((resolve) => setTimeout(resolve, 100));
    });
  await talk(async (line) => {
    line.write(creates(`Content-Length: ${body.length + 1}`) + body);
    line.socket.end();
    assert.equal(code(await line.reply()), 'malformed_request');
  });
  assert.equal(await orders(), before);
});

test(
  'slow heads are ended with a bare 408, slow bodies with the document’s time-out, and nothing is done',
  IN_WHOLE,
  async () => {
    const before = await orders();
    const body = draft();
    const drip = async (start: string, rest: string): Promise<Reply> =>
      talk(async (line) => {
        line.write(start);
        let at = 0;
        const timer = setInterval(() => at < rest.length && line.write(rest[at++]!), 900);
        const reply = await line.reply();
        clearInterval(timer);
        assert.equal(await line.untilEnd(), '');
        return reply;
      });
    const slow = 'X-A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
    const [heads, silence, length, chunks] = await Promise.all([
      drip('GET /orders HTTP/1.1\r\n', slow),
      drip('', ''),
      drip(creates(`Content-Length: ${body.length}`), body.slice(0, -1)),
      drip(creates('Transfer-Encoding: chunked'), '1\r\n \r\n1\r\n \r\n1\r\n \r\n'),
    ]);
    assertBare(heads!, 408);
    assertBare(silence!, 408);
    for (const reply of [length!, chunks!]) assert.deepEqual([reply.status, code(reply)], [503, 'time_out']);
    assert.equal(await orders(), before);
  },
);

test('after all that the service answers, has printed nothing, and stops in good order', async () => {
  const before = await orders();
  assert.equal((await talk((line) => line.exchange(create(), 'POST'))).status, 201);
  assert.equal(await orders(), before + 1);
  assert.equal(await service.stop(), 0);
  assert.deepEqual(
    service.err.split('\n').filter((line) => line && !/"event":"request(?:\.malformed)?"/.test(line)),
    [],
  );
});
