import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, clientOf, type ProxyHeader, readTrusted } from './client-address.ts';

/** Returns the client of a request from `peer` with headers such as `Forwarded: for=192.0.2.1`. */
function client(
  peer: string,
  lines: readonly string[],
  to = 'loopback, 10.0.0.0/8, fd00::/8',
  headers?: ProxyHeader[],
): Client {
  const trusted = readTrusted(to);
  assert.ok(!('wrong' in trusted));
  const raw = lines.flatMap((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]);
  return clientOf(peer, raw, { ...trusted, headers: headers ?? null });
}

const PROXY = '127.0.0.1';

test('what a client writes itself changes nothing behind a proxy that adds its address', () => {
  for (const forged of [
    '',
    '192.0.2.66',
    '192.0.2.66, 192.0.2.67',
    '127.0.0.1',
    '127.0.0.1, 10.0.0.9',
    '10.0.0.9',
    '::1',
    '[::1]:80',
    '::ffff:127.0.0.1',
    'fd00::1',
    'unknown',
    '_hidden',
    'localhost',
    'loopback',
    'for=192.0.2.66',
    '"192.0.2.66',
    '192.0.2.66;',
    ',,,,',
    ', ,\t,',
    '0x7f000001',
    '127.1',
    '2130706433',
    '0177.0.0.1',
    '127.0.0.1%00',
    '10.0.0.1/8',
    'fe80::1%eth0',
    '١٢٧.0.0.1',
    `${'127.0.0.1, '.repeat(500)}127.0.0.1`,
    'x'.repeat(8000),
  ]) {
    const real = '203.0.113.5';
    assert.equal(client(PROXY, [`X-Forwarded-For: ${forged}, ${real}`]).address, real, forged);
    assert.equal(client(PROXY, [`X-Forwarded-For: ${forged}`, `x-forwarded-for: ${real}`]).address, real, forged);
    assert.equal(client(PROXY, [`Forwarded: ${forged}`, `X-Forwarded-For: ${real}`]).address, real, forged);
    assert.equal(client(PROXY, [`X-Real-IP: ${forged}`, `X-Forwarded-For: ${real}`]).address, real, forged);
    // The headers of a peer that is not a trusted proxy are ignored.
    assert.deepEqual(client(real, [`X-Forwarded-For: ${forged}`, `Forwarded: for=${forged}`]), {
      address: real,
      host: null,
    });
  }
});

test('what a client writes itself changes nothing behind a proxy that adds to Forwarded', () => {
  for (const forged of [
    'for=192.0.2.66',
    'for="[::1]"',
    'for=127.0.0.1',
    'for="',
    'for="\\',
    'for=192.0.2.66;for=192.0.2.67',
    'by="a, for=192.0.2.66',
    '"',
    ';',
    ',',
    'for',
    'for=',
    '=192.0.2.66',
    'for = 192.0.2.66',
    'secret="x, for=192.0.2.66;y=',
  ]) {
    const real = 'For="[2001:db8::5]:4711"';
    assert.equal(client(PROXY, [`Forwarded: ${forged}, ${real}`]).address, '2001:db8::5', forged);
    assert.equal(
      client(PROXY, [`Forwarded: ${forged}`, `Forwarded: ${real};proto=https`]).address,
      '2001:db8::5',
      forged,
    );
    const pinned = client(PROXY, [`X-Forwarded-For: ${forged}`, `Forwarded: ${real}`], 'loopback', ['forwarded']);
    assert.equal(pinned.address, '2001:db8::5', forged);
  }
});

test('a list of hops is read from the right, as far as they are trusted', () => {
  for (const [lines, address] of [
    [[], '127.0.0.1'],
    [['X-Forwarded-For: 203.0.113.5'], '203.0.113.5'],
    [['X-Forwarded-For: 203.0.113.5:4711'], '203.0.113.5'],
    [['X-Forwarded-For: 2001:db8::5'], '2001:db8::5'],
    [['X-Forwarded-For: [2001:db8::5]:4711'], '2001:db8::5'],
    [['X-Forwarded-For: ::ffff:203.0.113.5'], '203.0.113.5'],
    [['X-Forwarded-For: 198.51.100.1, 203.0.113.5, 10.1.2.3, fd00::2'], '203.0.113.5'],
    [['X-Forwarded-For: 198.51.100.1, 203.0.113.5', 'X-Forwarded-For: 10.1.2.3'], '203.0.113.5'],
    // Clients within the network of the proxies.
    [['X-Forwarded-For: 10.1.2.3, 10.4.5.6'], '10.1.2.3'],
    // A proxy that names no client is the client.
    [['X-Forwarded-For: 203.0.113.5, unknown, 10.1.2.3'], '10.1.2.3'],
    [['Forwarded: for=203.0.113.5, for=unknown, for=10.1.2.3'], '10.1.2.3'],
    [['Forwarded: for=203.0.113.5, by=10.1.2.9, for=10.1.2.3'], '10.1.2.3'],
    [['Forwarded: for=203.0.113.5, for=_obfuscated'], '127.0.0.1'],
    [['Forwarded: for="203.0.113.5:_port"'], '203.0.113.5'],
    [['Forwarded: by=10.0.0.1;FOR=203.0.113.5;secret="a, b; \\" c"'], '203.0.113.5'],
    [['Forwarded: ;for=203.0.113.5;'], '203.0.113.5'],
    [['Forwarded: for=2001:db8::5'], '127.0.0.1'],
  ] as const)
    assert.equal(client(PROXY, lines).address, address, lines.join(' | '));
  assert.equal(client('::ffff:10.0.0.1', ['X-Forwarded-For: 203.0.113.5']).address, '203.0.113.5');
  assert.equal(client('::1', ['X-Forwarded-For: 203.0.113.5'], '::1').address, '203.0.113.5');
});

test('a Unix socket is trusted where that is said', () => {
  assert.equal(client('', ['X-Forwarded-For: 203.0.113.5'], 'unix').address, '203.0.113.5');
  assert.equal(client('', ['X-Forwarded-For: 203.0.113.5'], 'loopback').address, '');
});

test('the host is taken from a proxy that writes it, and from no other', () => {
  const lines = ['X-Forwarded-Host: old.example, api.example', 'X-Forwarded-For: 203.0.113.5'];
  assert.equal(client(PROXY, lines).host, null);
  assert.equal(client(PROXY, lines, 'loopback', ['x-forwarded-for', 'x-forwarded-host']).host, 'api.example');
  assert.equal(client('192.0.2.1', lines, 'loopback', ['x-forwarded-for', 'x-forwarded-host']).host, null);
  const forwarded = [
    'Forwarded: for=192.0.2.66;host=evil.example, for=203.0.113.5;host="api.example:8443", for=10.0.0.1;host=inner',
  ];
  assert.equal(client(PROXY, forwarded, 'loopback, 10.0.0.0/8', ['forwarded']).host, 'api.example:8443');
  assert.equal(client(PROXY, forwarded).host, null);
});

test('what is no address to trust is refused', () => {
  for (const text of [
    '',
    'local',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '::/129',
    '10.0.0',
    'a.example',
    'loopback,',
    '10.0.0.0/',
    'fe80::1%eth0',
    '0.0.0.0/0',
    '::/0',
    '0.0.0.0/1,128.0.0.0/1',
    '128.0.0.0/2, 10.0.0.0/8, 192.0.0.0/2, 0.0.0.0/1',
    '0.0.0.0/1,::ffff:128.0.0.0/97',
    '2000::/4,3000::/4',
    '::ffff:0:0/96',
    '::/1',
  ])
    assert.ok('wrong' in readTrusted(text), text);
  for (const text of [
    'loopback',
    'LOOPBACK'.toLowerCase(),
    '10.0.0.0/8, ::1',
    'unix,loopback',
    'fd00::/8',
    '0.0.0.0/1,128.0.0.0/2',
    '2000::/4',
  ])
    assert.ok(!('wrong' in readTrusted(text)), text);
});
