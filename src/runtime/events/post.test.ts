import assert from 'node:assert/strict';
import diagnostics from 'node:diagnostics_channel';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net, { type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import tls, { type TLSSocket } from 'node:tls';
import { listen } from './harness.test.ts';
import { type PostRequest, post } from './post.ts';

/** For hook.example, of no use anywhere else. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgyUCb9KJO9XtGUNPt
wX+ST5q4gz/CI3mr3cWnANtQXjahRANCAAQXyet+dT3TYyDd/IpR2a1t7eQIOIVh
jpIT6acDLHMN3rX8RtMoPNu0QVKGFA4jq3spheWNY7hWe67LsMve0YYP
-----END PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBnjCCAUSgAwIBAgIUAube6zkHBrDQ1TW0F7h5fm9Y3BAwCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMaG9vay5leGFtcGxlMCAXDTI2MTEyMDE4NTA1NFoYDzIxMjYx
MDI3MTg1MDU0WjAXMRUwEwYDVQQDDAxob29rLmV4YW1wbGUwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAAQXyet+dT3TYyDd/IpR2a1t7eQIOIVhjpIT6acDLHMN3rX8
RtMoPNu0QVKGFA4jq3spheWNY7hWe67LsMve0YYPo2wwajAdBgNVHQ4EFgQU6nMn
IiI53tAtYE/4VIU6fIckp50wHwYDVR0jBBgwFoAU6nMnIiI53tAtYE/4VIU6fIck
p50wDwYDVR0TAQH/BAUwAwEB/zAXBgNVHREEEDAOggxob29rLmV4YW1wbGUwCgYI
KoZIzj0EAwIDSAAwRQIhALt4a/j/3syTziGQvQtbuPNYGAWyDFnZKDHf53FghLUv
AiA76o/RHvVoEljvdvml2IskivbotVK2yg8Z4ICYLkbPqA==
-----END CERTIFICATE-----`;

/** Answers every connection with these bytes, once the request has begun. */
function raw(t: TestContext, bytes: string, then: (socket: Socket) => void = () => undefined): Promise<number> {
  const server = net.createServer((socket) =>
    socket.once('data', () => {
      socket.write(bytes);
      then(socket);
    }),
  );
  return listen(t, server);
}

function request(port: number, changes: Partial<PostRequest> = {}): PostRequest {
  return { url: `http://127.0.0.1:${port}/`, body: '{}', headers: {}, timeoutMs: 2000, allowPrivate: true, ...changes };
}

const failed = (reason: string, status?: number) => ({ kind: 'failed', reason, ...(status && { status }) });
const at = (...addresses: string[]) => addresses.map((address) => ({ address, family: net.isIP(address) }));

test('posts the body and the headers to the path, and nothing else', async (t) => {
  const seen: unknown[] = [];
  const server = http.createServer(async (incoming, answer) => {
    const body = (await incoming.toArray()).join('');
    seen.push(incoming.method, incoming.url, incoming.headers, body);
    answer.writeHead(204).end();
  });
  const port = await listen(t, server);
  const url = `http://hook.example:${port}/a%20b?c=d#e`;
  const headers = { 'content-type': 'application/json', 'webhook-id': 'msg_1' };
  const body = '{"name":"Zoë"}';
  const outcome = await post(request(port, { url, headers, body, lookup: async () => at('127.0.0.1') }));
  assert.deepEqual(outcome, { kind: 'delivered', status: 204 });
  assert.deepEqual(seen, [
    'POST',
    '/a%20b?c=d',
    { ...headers, 'content-length': '15', host: `hook.example:${port}`, connection: 'close' },
    body,
  ]);
});

test('only 2xx is success', async (t) => {
  let status = 0;
  const port = await listen(
    t,
    http.createServer((_, answer) => answer.writeHead(status).end('text')),
  );
  for (status of [200, 201, 202, 204, 299]) {
    assert.deepEqual(await post(request(port)), { kind: 'delivered', status });
  }
  for (status of [300, 304, 400, 404, 410, 429, 500, 503]) {
    assert.deepEqual(await post(request(port)), failed(`status ${status}`, status));
  }
});

test('a redirect is not followed', async (t) => {
  let hits = 0;
  const aim = await listen(
    t,
    http.createServer((_, answer) => {
      hits += 1;
      answer.end();
    }),
  );
  let status = 0;
  const location = `http://127.0.0.1:${aim}/`;
  const port = await listen(
    t,
    http.createServer((_, answer) => answer.writeHead(status, { location }).end()),
  );
  for (status of [301, 302, 303, 307, 308]) {
    assert.deepEqual(await post(request(port)), failed(`redirect refused (${status})`, status));
  }
  assert.equal(hits, 0);
});

test('an interim answer is no answer', async (t) => {
  const interim = 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
  assert.deepEqual(await post(request(await raw(t, interim))), { kind: 'delivered', status: 200 });
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n';
  assert.deepEqual(await post(request(await raw(t, upgrade))), failed('status 101', 101));
});

test('the time-out is one, from the look-up to the end of the response', async (t) => {
  const timedOut = failed('timed out after 0.2 s');
  const ends = async (changes: Partial<PostRequest>, port = 1) =>
    assert.deepEqual(await post(request(port, { timeoutMs: 200, ...changes })), timedOut);
  const never = new Promise<never>(() => undefined);
  await ends({ url: 'http://hook.example/', lookup: () => never });
  await ends({}, await listen(t, net.createServer()));
  await ends({}, await raw(t, 'HTTP/1.1 200 OK\r\n'));
  await ends({}, await raw(t, 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'));
  // Single bytes with pauses, which an inactivity time-out would never end.
  const closed = Promise.withResolvers<void>();
  const dripping = await raw(t, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', (socket) => {
    const drip = setInterval(() => socket.write('1\r\nx\r\n'), 20);
    socket.on('close', () => {
      clearInterval(drip);
      closed.resolve();
    });
  });
  await ends({}, dripping);
  await closed.promise;
});

test('nothing is sent after a look-up that took all the time', async (t) => {
  let connections = 0;
  const port = await listen(
    t,
    net.createServer((socket) => {
      connections += 1;
      socket.end('.');
    }),
  );
  const looked = Promise.withResolvers<LookupAddress[]>();
  const url = `http://hook.example:${port}/`;
  const attempt = post(request(port, { url, lookup: () => looked.promise, timeoutMs: 50 }));
  assert.deepEqual(await attempt, failed('timed out after 0.05 s'));
  looked.resolve(at('127.0.0.1'));
  // A connection of the attempt, begun after the look-up, would arrive before this one.
  await once(net.connect(port, '127.0.0.1'), 'data');
  assert.equal(connections, 1);
});

test('a receiver that closes before the end of its response has not received', async (t) => {
  const cut = async (bytes: string) => post(request(await raw(t, bytes, (socket) => socket.end())));
  const reset = await raw(t, 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc', (socket) => {
    setTimeout(() => socket.resetAndDestroy(), 20);
  });
  assert.deepEqual(await cut(''), failed('connection closed'));
  assert.deepEqual(await cut('HTTP/1.1 200 OK\r\nCont'), failed('connection closed'));
  assert.deepEqual(await cut('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'), failed('connection closed'));
  assert.deepEqual(
    await cut('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'),
    failed('connection closed'),
  );
  assert.deepEqual(await cut('HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\nabc'), failed('status 500', 500));
  assert.deepEqual(await post(request(reset)), failed('connection closed'));
  assert.deepEqual(await cut('HTTP/1.1 200 OK\r\n\r\nthe end is the closing'), { kind: 'delivered', status: 200 });
});

test('what is not HTTP is a failure', async (t) => {
  assert.deepEqual(await post(request(await raw(t, 'SSH-2.0-OpenSSH_9.6\r\n'))), failed('response not valid'));
  const long = `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`;
  assert.deepEqual(await post(request(await raw(t, long))), failed('response not valid'));
});

test('of a huge response a little is read', async (t) => {
  let sent = 0;
  const closed = Promise.withResolvers<void>();
  const server = http.createServer((_, answer) => {
    const chunk = Buffer.alloc(64 * 1024);
    const more = () => {
      while (answer.writable && answer.write(chunk)) sent += chunk.length;
    };
    answer.on('drain', more).on('close', closed.resolve);
    more();
  });
  const port = await listen(t, server);
  assert.deepEqual(await post(request(port)), { kind: 'delivered', status: 200 });
  await closed.promise;
  assert.ok(sent < 32 * 1024 * 1024, `${sent} bytes`);
});

test('no connection to be had', async (t) => {
  const server = net.createServer();
  const port = await listen(t, server);
  server.close();
  await once(server, 'close');
  assert.deepEqual(await post(request(port)), failed('connection refused'));
  const url = `http://hook.example:${port}/`;
  const both = { url, lookup: async () => at('127.0.0.1', '127.0.0.2') };
  assert.deepEqual(await post(request(port, both)), failed('connection refused'));
  const unknown = () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' }));
  assert.deepEqual(await post(request(port, { url, lookup: unknown })), failed('host not found'));
});

test('another address of the name is tried when the first refuses', async (t) => {
  const port = await listen(
    t,
    http.createServer((_, answer) => answer.end()),
  );
  const both = { url: `http://hook.example:${port}/`, lookup: async () => at('127.0.0.9', '127.0.0.1') };
  assert.deepEqual(await post(request(port, both)), { kind: 'delivered', status: 200 });
});

test('private addresses are refused before any connection', async (t) => {
  let connections = 0;
  const server = net.createServer(() => {
    connections += 1;
  });
  const port = await listen(t, server);
  const refused = failed('private address refused');
  const hosts = '127.0.0.1 2130706433 0x7f.1 0177.1 127.1 [::ffff:127.0.0.1] [::1] [::127.0.0.1] [64:ff9b::127.0.0.1]';
  for (const host of `${hosts} 0 0.0.0.0 [::] localhost localhost. a.localhost 169.254.169.254`.split(' ')) {
    const outcome = await post(request(port, { url: `http://${host}:${port}/`, allowPrivate: false }));
    assert.deepEqual(outcome, refused, host);
  }
  for (const addresses of [at('127.0.0.1'), at('8.8.8.8', '127.0.0.1'), at('::ffff:127.0.0.1')]) {
    const named = { url: `http://hook.example:${port}/`, allowPrivate: false, lookup: async () => addresses };
    assert.deepEqual(await post(request(port, named)), refused);
  }
  assert.equal(connections, 0);
});

test('a name that turns private after the check is connected to where it was checked', async (t) => {
  let connections = 0;
  const server = net.createServer(() => {
    connections += 1;
  });
  const port = await listen(t, server);
  // An address that is public by its range but never assigned, so that nobody gets the requests.
  const answers = [at('2d00::1'), at('127.0.0.1'), at('127.0.0.1')];
  let asked = 0;
  const lookup = async () => answers[asked++] ?? [];
  const tried: string[] = [];
  const watch = (message: unknown) =>
    (message as { socket: Socket }).socket.on('connectionAttempt', (ip: string) => tried.push(ip));
  diagnostics.subscribe('net.client.socket', watch);
  t.after(() => diagnostics.unsubscribe('net.client.socket', watch));
  const named = { url: `http://hook.example:${port}/`, allowPrivate: false, timeoutMs: 200, lookup };
  assert.equal((await post(request(port, named))).kind, 'failed');
  assert.deepEqual(tried, ['2d00::1']);
  assert.equal(asked, 1);
  assert.equal(connections, 0);
});

test('TLS: the name is asked for and checked, at the address that was checked', async (t) => {
  const names: unknown[] = [];
  const server = https.createServer({ key: KEY, cert: CERTIFICATE }, (incoming, answer) => {
    names.push((incoming.socket as TLSSocket & { servername: unknown }).servername, incoming.headers.host);
    answer.end();
  });
  const port = await listen(t, server);
  const to = (host: string) =>
    post(request(port, { url: `https://${host}:${port}/`, lookup: async () => at('127.0.0.1') }));
  assert.deepEqual(await to('hook.example'), failed('TLS: DEPTH_ZERO_SELF_SIGNED_CERT'));
  const before = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...before, CERTIFICATE]);
  t.after(() => tls.setDefaultCACertificates(before));
  assert.deepEqual(await to('hook.example'), { kind: 'delivered', status: 200 });
  assert.deepEqual(await to('hook.example.'), { kind: 'delivered', status: 200 });
  assert.deepEqual(await to('other.example'), failed('TLS: ERR_TLS_CERT_ALTNAME_INVALID'));
  assert.deepEqual(await to('127.0.0.1'), failed('TLS: ERR_TLS_CERT_ALTNAME_INVALID'));
  assert.deepEqual(names, ['hook.example', `hook.example:${port}`, 'hook.example', `hook.example.:${port}`]);
  const plain = await raw(t, 'HTTP/1.1 400 Bad Request\r\n\r\n');
  const outcome = await post(request(plain, { url: `https://127.0.0.1:${plain}/` }));
  assert.match(outcome.kind === 'failed' ? outcome.reason : '', /^TLS: [A-Z_]+$/);
});

test('what cannot be asked for is a failure that quotes nothing', async () => {
  const reason = async (changes: Partial<PostRequest>) => post(request(1, changes));
  for (const url of ['', 'hook.example', 'http://', 'ftp://127.0.0.1/', 'file:///etc/passwd', 'data:,x']) {
    assert.deepEqual(await reason({ url }), failed('URL not valid'), url);
  }
  assert.deepEqual(await reason({ url: 'http://a:b@127.0.0.1/' }), failed('URL with credentials refused'));
  assert.deepEqual(await reason({ headers: { a: 'b\r\nc: d' } }), failed('request not valid'));
});

test('an attempt can be stopped', async (t) => {
  const port = await listen(t, net.createServer());
  const stop = new AbortController();
  const attempt = post(request(port, { signal: stop.signal }));
  setTimeout(() => stop.abort(), 30);
  assert.deepEqual(await attempt, failed('stopped'));
  assert.deepEqual(await post(request(port, { signal: stop.signal })), failed('stopped'));
});

for (const secure of [false, true])
  test(`what may no longer be sent once the connection is there is not${secure ? ', over TLS' : ''}`, async (t) => {
    let asked = 0;
    const answer: http.RequestListener = (_, response) => {
      asked++;
      response.writeHead(204).end();
    };
    const server = secure ? https.createServer({ key: KEY, cert: CERTIFICATE }, answer) : http.createServer(answer);
    const port = await listen(t, server);
    const before = tls.getCACertificates('default');
    tls.setDefaultCACertificates([...before, CERTIFICATE]);
    t.after(() => tls.setDefaultCACertificates(before));
    const url = `${secure ? 'https' : 'http'}://hook.example:${port}/`;
    const options = { url, lookup: async () => at('127.0.0.1') };
    const outcomes: unknown[] = [];
    for (const still of [() => false, () => true]) outcomes.push(await post(request(port, { ...options, still })));
    assert.deepEqual(outcomes, [failed('lease ended'), { kind: 'delivered', status: 204 }]);
    assert.equal(asked, 1);
  });
