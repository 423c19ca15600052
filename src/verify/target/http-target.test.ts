import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Exchange, NoAnswer, Request } from './exchange.ts';
import { HttpTarget, Outage } from './http-target.ts';
import { placeOf } from './loopback.ts';

const GET: Request = { method: 'GET', target: '/things', headers: [], body: null };
/** Long enough for a busy machine where an answer comes, and short where none does. */
const PATIENT = { milliseconds: 60_000 };
const HASTY = { milliseconds: 300 };

type Bounds = ConstructorParameters<typeof HttpTarget>[1];

/** A server that does to each connection what a test says, once the request has begun to come. */
async function hostile(t: TestContext, act: (socket: Socket, request: string) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', (bytes) => act(socket, bytes.toString('latin1')));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function targetAt(url: string, bounds: Bounds = PATIENT): Promise<HttpTarget> {
  return new HttpTarget(await placeOf(url, false), bounds);
}

const answering = (bytes: string) => (socket: Socket) => {
  socket.end(Buffer.from(bytes, 'latin1'));
};

function failure({ outcome }: Exchange): NoAnswer {
  assert.ok('failed' in outcome, `an answer came: ${JSON.stringify(outcome)}`);
  return outcome;
}

function answer({ outcome }: Exchange): { status: number; body: string; headers: unknown } {
  assert.ok('status' in outcome, `no answer came: ${JSON.stringify(outcome)}`);
  return { status: outcome.status, body: outcome.body.toString('latin1'), headers: outcome.headers };
}

/** Writes as long as the other side reads, and reports the number of bytes. */
function pour(socket: Socket, piece: string, written: (bytes: number) => void): void {
  const bytes = Buffer.from(piece, 'latin1');
  const go = (): void => {
    while (!socket.destroyed) {
      written(bytes.length);
      if (!socket.write(bytes)) {
        socket.once('drain', go);
        return;
      }
    }
  };
  go();
}

test('a request goes out to the byte, and only what is not stated is added', async (t) => {
  const seen: string[] = [];
  const url = await hostile(t, (socket, request) => {
    seen.push(request);
    answering('HTTP/1.1 204 No Content\r\n\r\n')(socket);
  });
  const target = await targetAt(`${url}/api/`);
  const headers = [
    ['x-odd', 'caf\u00e9 \t; "'],
    ['X-Odd', ''],
    ['accept', '*/*'],
    ['accept', 'text/html'],
  ] as const;
  await target.send({ method: 'SPROING', target: '/a b?c=%zz', headers, body: Buffer.from('body') });
  await target.send({
    method: 'GET',
    target: '*',
    headers: [
      ['Host', 'other'],
      ['Content-Length', '7'],
    ],
    body: null,
  });
  await target.send({
    method: 'POST',
    target: '/',
    headers: [['Transfer-Encoding', 'chunked']],
    body: Buffer.from('0\r\n\r\n'),
  });
  const host = url.slice('http://'.length);
  assert.deepEqual(seen, [
    `SPROING /api/a b?c=%zz HTTP/1.1\r\nHost: ${host}\r\nx-odd: caf\u00c3\u00a9 \t; "\r\nX-Odd: \r\naccept: */*\r\naccept: text/html\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody`,
    'GET * HTTP/1.1\r\nHost: other\r\nContent-Length: 7\r\nConnection: close\r\n\r\n',
    `POST /api/ HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n`,
  ]);
  assert.equal(target.sent, 3);
});

test('answers are read however they are framed', async (t) => {
  const cases: Array<[bytes: string, method: string, status: number, body: string]> = [
    ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', 'GET', 200, 'hello'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', 'HEAD', 200, ''],
    ['HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n', 'GET', 304, ''],
    ['HTTP/1.0 200 OK\r\n\r\nuntil the end', 'GET', 200, 'until the end'],
    [
      'HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n1\r\n!\r\n0\r\nA-Trailer: x\r\n\r\n',
      'GET',
      200,
      'hello!',
    ],
    [
      'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 2, 2\r\n\r\nok',
      'PUT',
      201,
      'ok',
    ],
  ];
  for (const [bytes, method, status, body] of cases)
    for (const size of [bytes.length, 1]) {
      const url = await hostile(t, async (socket) => {
        socket.setNoDelay(true);
        for (let i = 0; i < bytes.length; i += size)
          await new Promise((sent) => socket.write(bytes.slice(i, i + size), 'latin1', sent));
        socket.end();
      });
      const got = answer(await (await targetAt(url)).send({ ...GET, method }));
      assert.deepEqual([got.status, got.body], [status, body], `${JSON.stringify(bytes)} in pieces of ${size}`);
    }
});

test('a redirect is an answer, and nobody is asked elsewhere', async (t) => {
  let elsewhere = 0;
  const other = createHttpServer((_, response) => {
    elsewhere++;
    response.end();
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  for (const status of [301, 302, 303, 307, 308]) {
    const location = `Location: http://127.0.0.1:${port}/`;
    const url = await hostile(t, answering(`HTTP/1.1 ${status} Go\r\n${location}\r\nContent-Length: 0\r\n\r\n`));
    const got = answer(await (await targetAt(url)).send(GET));
    assert.equal(got.status, status);
    assert.deepEqual(got.headers, [
      ['Location', `http://127.0.0.1:${port}/`],
      ['Content-Length', '0'],
    ]);
  }
  assert.equal(elsewhere, 0);
});

test('an answer of 1 GB is left after 4 MiB, however it is framed', async (t) => {
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
  for (const [head, piece] of [
    ['Content-Length: 1073741824', 'x'.repeat(65_536)],
    ['Transfer-Encoding: chunked', chunk],
    ['X-Until: closed', 'x'.repeat(65_536)],
  ] as const) {
    let written = 0;
    const url = await hostile(t, (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`);
      pour(socket, piece, (bytes) => {
        written += bytes;
      });
    });
    const { failed, detail } = failure(await (await targetAt(url)).send(GET));
    assert.equal(failed, 'too large');
    assert.equal(detail, 'The body of the answer is longer than 4194304 bytes. Ninefold closed the connection.');
    // The buffers of both sockets hold bytes in addition to those that were read.
    assert.ok(written < 64 << 20, `${head}: ${written} bytes went out`);
  }
});

test('half a million chunks of a byte each are read in the room of their bytes', async (t) => {
  const url = await hostile(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    pour(socket, '1\r\nx\r\n'.repeat(10_000), () => {});
  });
  const target = await targetAt(url, { ...PATIENT, bytes: 1 << 19 });
  const before = process.memoryUsage().arrayBuffers;
  assert.equal(failure(await target.send(GET)).failed, 'too large');
  const grown = process.memoryUsage().arrayBuffers - before;
  assert.ok(grown < 16 << 20, `${grown} bytes are held`);
});

test('headers, interim answers, trailers and lines without end are left', async (t) => {
  const endless: Array<[begin: string, piece: string, says: RegExp]> = [
    ['HTTP/1.1 200 OK\r\n', `X-More: ${'y'.repeat(1000)}\r\n`, /headers of the answer are longer than 65536 bytes/],
    ['', 'HTTP/1.1 100 Continue\r\n\r\n', /More than 32 interim answers \(1xx\)/],
    [
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n',
      `X: ${'y'.repeat(1000)}\r\n`,
      /trailers of the answer have no end/,
    ],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;', 'y'.repeat(1000), /line of the answer has no end/],
  ];
  for (const [begin, piece, says] of endless) {
    const url = await hostile(t, (socket) => {
      socket.write(begin);
      pour(socket, piece, () => {});
    });
    const { failed, detail } = failure(await (await targetAt(url)).send(GET));
    assert.equal(failed, 'too large', begin);
    assert.match(detail, says);
  }
});

test('what is not HTTP is told as such, at once', async (t) => {
  const cases: Array<[bytes: string, says: RegExp]> = [
    ['SSH-2.0-OpenSSH_9.9\r\n', /is not HTTP\/1\.1\. It begins with “SSH-2/],
    ['\x01\x03\x01\x1b[2J', /It begins with “\.\.\.\.\[2J”/],
    ['\x15\x03\x01\x00\x02\x02\x46', /It looks like TLS: try https:\/\//],
    ['\0\0\x12\x04\0\0\0\0\0', /It looks like HTTP\/2/],
    ['HTTP/2 200\r\n\r\n', /“HTTP\/2 200”/],
    ['HTTP/1.1 20 OK\r\n\r\n', /“HTTP\/1\.1 20 OK”/],
    ['HTTP/1.1 200 OK\r\nno colon\r\n\r\n', /“no colon” is not a header/],
    ['HTTP/1.1 200 OK\r\nA : b\r\n\r\n', /“A : b” is not a header/],
    ['HTTP/1.1 200 OK\r\nA: a\0b\r\n\r\n', /“A: a\.b” is not a header/],
    ['HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc', /Content-Length of the answer is “3, 4”/],
    ['HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabc', /Content-Length of the answer is “-3”/],
    [
      'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n',
      /both Transfer-Encoding and Content-Length/,
    ],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n', /transfer coding “gzip, chunked”/],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', /“zz” is not the size of a chunk/],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n', /longer than its size says/],
  ];
  for (const [bytes, says] of cases) {
    // The connection stays open: a failure that the received bytes show must be reported at once.
    const url = await hostile(t, (socket) => socket.write(bytes, 'latin1'));
    const { failed, detail } = failure(await (await targetAt(url)).send(GET));
    assert.equal(failed, 'no HTTP', `${JSON.stringify(bytes)}: ${detail}`);
    assert.match(detail, says);
  }
});

test('a connection that is dropped is told, and so is a port where nobody listens', async (t) => {
  const drops: Array<[act: (socket: Socket) => void, says: string]> = [
    [(socket) => socket.end(), 'The service closed the connection without an answer.'],
    [(socket) => socket.resetAndDestroy(), 'The service closed the connection without an answer (ECONNRESET).'],
    [answering('HTTP/1.1 200 OK\r\nContent-Le'), 'The service closed the connection before its answer was whole.'],
    [
      answering('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'),
      'The service closed the connection before its answer was whole.',
    ],
    [answering('HTTP/1.1 100 Continue\r\n\r\n'), 'The service closed the connection before its answer was whole.'],
  ];
  for (const [act, says] of drops) {
    const { failed, detail } = failure(await (await targetAt(await hostile(t, act))).send(GET));
    assert.deepEqual([failed, detail], ['closed', says]);
  }
  const gone = createServer().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const { port } = gone.address() as AddressInfo;
  await new Promise((closed) => gone.close(closed));
  const { failed, detail } = failure(await (await targetAt(`http://127.0.0.1:${port}`)).send(GET));
  assert.deepEqual(
    [failed, detail],
    ['not reached', `http://127.0.0.1:${port} can’t be reached: nothing listens on this port.`],
  );
});

test('a service that hangs or trickles is left when the time is over', async (t) => {
  const silent = await hostile(t, () => {});
  assert.deepEqual(failure(await (await targetAt(silent, HASTY)).send(GET)), {
    failed: 'timed out',
    detail: 'No answer came within 300 ms.',
  });
  const trickling = await hostile(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n');
    const timer = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(timer));
  });
  assert.deepEqual(failure(await (await targetAt(trickling, HASTY)).send(GET)), {
    failed: 'timed out',
    detail: 'The answer was not whole after 300 ms.',
  });
  const open = await hostile(t, (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n[]'));
  assert.match(
    failure(await (await targetAt(open, HASTY)).send(GET)).detail,
    /It has neither Content-Length nor Transfer-Encoding, so it ends with its connection, which stays open\.$/,
  );
});

test('requests of a race are all on their way before any is answered', async (t) => {
  const waiting: Socket[] = [];
  const url = await hostile(t, (socket) => {
    waiting.push(socket);
    if (waiting.length === 8) for (const one of waiting) answering('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')(one);
  });
  const target = await targetAt(url);
  const exchanges = await target.race(Array.from({ length: 8 }, () => GET));
  assert.deepEqual(
    exchanges.map((one) => answer(one).status),
    Array.from({ length: 8 }, () => 200),
  );
});

test('a run ends after five requests in a row without an answer', () => {
  const outage = new Outage();
  const failed: Exchange = {
    request: GET,
    outcome: { failed: 'closed', detail: 'The service closed the connection without an answer.' },
    sentAt: 0,
    endedAt: 0,
  };
  const good: Exchange = { ...failed, outcome: { status: 500, headers: [], body: Buffer.alloc(0) } };
  const told = [failed, failed, failed, failed, good, failed, failed, failed, failed, failed].map((one) => {
    outage.note(one);
    return outage.gone;
  });
  assert.deepEqual(
    told.slice(0, -1),
    Array.from({ length: 9 }, () => null),
  );
  assert.equal(
    told.at(-1),
    'The service has not answered 5 requests in a row, the last one GET /things: The service closed the connection without an answer. Restart it and read its log of these requests.',
  );
});

test('a run that ends among requests without an answer says so', () => {
  const failed = (detail: string): Exchange => ({
    request: GET,
    outcome: { failed: 'timed out', detail },
    sentAt: 0,
    endedAt: 0,
  });
  const good: Exchange = { ...failed(''), outcome: { status: 200, headers: [], body: Buffer.alloc(0) } };
  const silence = (...exchanges: readonly Exchange[]): string | null => {
    const outage = new Outage();
    for (const one of exchanges) outage.note(one);
    return outage.silence;
  };
  const late = failed('No answer came within 10 ms.');
  assert.equal(silence(), null);
  assert.match(
    silence(late) ?? '',
    /^The service has not answered any request \(1 request\), the last one GET \/things: No/,
  );
  // One or two unanswered requests may be due to their content.
  assert.equal(silence(good, late, late), null);
  assert.match(
    silence(good, late, late, late) ?? '',
    /^The service has not answered 3 requests in a row, the last one/,
  );
});

test('a service that is gone is asked nothing more', async (t) => {
  let asked = 0;
  const url = await hostile(t, (socket) => {
    asked++;
    socket.destroy();
  });
  const target = await targetAt(url);
  for (let i = 0; i < 5; i++) {
    assert.equal(target.gone, null);
    await target.send(GET);
  }
  assert.match(target.gone ?? '', /^The service has not answered 5 requests in a row/);
  const exchanges = [await target.send(GET), ...(await target.race([GET, GET])), await target.follow(GET)];
  for (const one of exchanges) {
    assert.ok('outcome' in one);
    assert.equal(failure(one).failed, 'not reached');
  }
  assert.deepEqual([asked, target.sent], [5, 5]);
});

test('a service that can’t bear requests at the same time is not gone', async (t) => {
  let asked = 0;
  const url = await hostile(t, (socket) => {
    if (++asked === 1) answering('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')(socket);
    else socket.destroy();
  });
  const target = await targetAt(url);
  await target.race(Array.from({ length: 8 }, () => GET));
  assert.equal(target.gone, null);
});

test('a service that is started again is waited for, and one that does not come back is gone', async (t) => {
  const listen = async (port: number): Promise<Server> => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => answering('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')(socket));
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    return server;
  };
  const close = async (server: Server): Promise<void> => {
    server.close();
    await once(server, 'close');
  };
  const first = await listen(0);
  const { port } = first.address() as AddressInfo;
  const patient = await targetAt(`http://127.0.0.1:${port}`, { ...PATIENT, away: 60_000 });
  const hasty = await targetAt(`http://127.0.0.1:${port}`, { ...PATIENT, away: 200 });
  for (const one of [patient, hasty]) assert.equal(answer(await one.send(GET)).status, 200);
  await close(first);
  assert.match(failure(await hasty.send(GET)).detail, /nothing listens on this port/);
  assert.match(hasty.gone ?? '', /^The service stopped answering at GET \/things: http:/);
  const sent = patient.send(GET);
  await listen(port);
  assert.equal(answer(await sent).status, 200);
  assert.equal(patient.gone, null);
});
