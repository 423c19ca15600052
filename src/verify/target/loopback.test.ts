import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { test } from 'node:test';
import { HttpTarget } from './http-target.ts';
import { AddressError, type Lookup, placeOf } from './loopback.ts';

const named =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map((address) => ({ address, family: isIP(address) }));

const why = async (url: string, lookup?: Lookup): Promise<string> => {
  try {
    await placeOf(url, false, lookup);
  } catch (error) {
    assert.ok(error instanceof AddressError, `${error}`);
    return error.message;
  }
  return 'allowed';
};

test('only addresses of this machine are tested unless others are allowed', async () => {
  const own = [
    'http://127.0.0.1:3000',
    'http://127.8.9.1',
    'https://[::1]:8443/api',
    'http://2130706433/',
    'http://[::ffff:127.0.0.1]/',
  ];
  for (const url of own) assert.equal(await why(url), 'allowed', url);
  const others = [
    'http://10.0.0.1',
    'http://192.0.2.7:3000',
    'http://[2001:db8::1]',
    'http://128.0.0.1',
    'http://[::ffff:192.0.2.7]/',
    'http://169.254.169.254/',
  ];
  for (const url of others) {
    assert.match(await why(url), /is not an address of this machine\. The test creates, .* add --allow-remote\.$/, url);
    await placeOf(url, true);
  }
});

test('the address that stands for all is not one to ask', async () => {
  assert.match(await why('http://0.0.0.0:3000'), /name one to ask, such as 127\.0\.0\.1\.$/);
  assert.match(await why('http://[::]:3000'), /name one to ask, such as \[::1\]\.$/);
});

test('a name has to be this machine by every address that it has', async () => {
  assert.equal(await why('http://localhost:3000', named('127.0.0.1', '::1')), 'allowed');
  assert.match(
    await why('http://localhost:3000', named('192.0.2.7')),
    /^“localhost” is 192\.0\.2\.7, which is not this machine\./,
  );
  assert.match(
    await why('http://api.test', named('127.0.0.1', '192.0.2.7')),
    /^“api\.test” is this machine and also 192\.0\.2\.7\./,
  );
  assert.equal(await why('http://api.test', named()), 'The name “api.test” has no address. Is --url spelled right?');
  const failing =
    (code: string): Lookup =>
    async () => {
      throw Object.assign(new Error(code), { code });
    };
  assert.equal(
    await why('http://api.test', failing('ENOTFOUND')),
    'The name “api.test” has no address. Is --url spelled right?',
  );
  assert.equal(
    await why('http://api.test', failing('EAI_AGAIN')),
    'The name “api.test” can’t be looked up (EAI_AGAIN).',
  );
});

test('the address that was checked is the one that is connected to', async () => {
  let asked = 0;
  const once: Lookup = async () => {
    asked++;
    return [
      { address: '::1', family: 6 },
      { address: '127.0.0.2', family: 4 },
    ];
  };
  const place = await placeOf('http://api.test:81/v1/', false, once);
  assert.deepEqual(place, {
    name: 'http://api.test:81',
    address: '127.0.0.2',
    others: ['::1'],
    port: 81,
    tls: false,
    host: 'api.test:81',
    base: '/v1',
    trusted: false,
  });
  assert.equal(asked, 1);
  assert.equal((await placeOf('https://api.test', true, named('192.0.2.7'))).trusted, true);
});

test('what is no address of a service is told so', async () => {
  assert.equal(
    await why('127.0.0.1:3000'),
    '“127.0.0.1:3000” is not an http or https URL, such as http://127.0.0.1:3000.',
  );
  assert.equal(
    await why('ftp://127.0.0.1'),
    '“ftp://127.0.0.1” is not an http or https URL, such as http://127.0.0.1:3000.',
  );
  assert.match(await why('http://me:secret@127.0.0.1'), /no user and no password/);
  assert.equal(
    await why('http://127.0.0.1/a?b'),
    'The URL of the service has no query and no fragment: http://127.0.0.1/a.',
  );
});

test('of the addresses of a name, the first that accepts a connection is used', async () => {
  const server = createServer((_, response) => response.end('here')).listen(0, '127.0.0.2');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const target = async (...addresses: string[]): Promise<HttpTarget> =>
    new HttpTarget(await placeOf(`http://api.test:${port}`, false, named(...addresses)));
  try {
    const found = await target('127.0.0.3', '127.0.0.2');
    assert.equal(await found.reach(), null);
    const { outcome } = await found.send({ method: 'GET', target: '/', headers: [], body: null });
    assert.ok('status' in outcome && outcome.status === 200, JSON.stringify(outcome));
    assert.equal(
      (await (await target('127.0.0.3', '127.0.0.4')).reach())?.detail,
      `http://api.test:${port} can’t be reached: nothing listens on this port. Tried: 127.0.0.3 and 127.0.0.4.`,
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
