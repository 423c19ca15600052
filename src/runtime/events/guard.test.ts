import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { test } from 'node:test';
import { fc } from '../../../test/seeded.ts';
import { isPrivate, resolveSafely, shared } from './guard.ts';

const PRIVATE_V4 = [
  '0.0.0.0, 0.255.255.255, 10.0.0.0, 10.255.255.255, 100.64.0.0, 100.127.255.255, 127.0.0.0, 127.0.0.1',
  '127.255.255.255, 169.254.0.0, 169.254.169.254, 169.254.255.255, 172.16.0.0, 172.31.255.255, 192.0.0.0, 192.0.0.255',
  '192.0.2.0, 192.0.2.255, 192.88.99.1, 192.168.0.0, 192.168.255.255, 198.18.0.0, 198.19.255.255, 198.51.100.0',
  '198.51.100.255, 203.0.113.0, 203.0.113.255, 224.0.0.1, 239.255.255.255, 240.0.0.0, 255.255.255.255',
].flatMap((line) => line.split(', '));

/** Addresses next to the private ranges, and some well-known ones. */
const PUBLIC_V4 = [
  '1.0.0.0, 9.255.255.255, 11.0.0.0, 100.63.255.255, 100.128.0.0, 126.255.255.255, 128.0.0.0, 169.253.255.255',
  '169.255.0.0, 172.15.255.255, 172.32.0.0, 191.255.255.255, 192.0.1.0, 192.0.3.0, 192.88.98.255, 192.88.100.0',
  '192.167.255.255, 192.169.0.0, 198.17.255.255, 198.20.0.0, 198.51.99.255, 198.51.101.0, 203.0.112.255, 203.0.114.0',
  '223.255.255.255, 8.8.8.8, 1.1.1.1, 93.184.216.34',
].flatMap((line) => line.split(', '));

const PRIVATE_V6 = [
  '::, ::1, ::2, ::8.8.8.8, ::ffff:0:8.8.8.8, 64:ff9b:1::1, 64:ff9b:1::808:808, 100::, 100::1, 2001::, 2001:0:808:808::',
  '2001:2::1, 2001:10::1, 2001:20::1, 2001:1ff:ffff::, 2001:db8::, 2001:db8:ffff::1, 3fff::, 3fff:fff:ffff::, 4000::',
  '5f00::1, fc00::, fd00::1, fdff:ffff::1, fe80::1, febf::1, fec0::1, feff::1, ff00::, ff02::1, 1fff:ffff::',
  'fe80::1%eth0, 2606:4700::1111%eth0',
].flatMap((line) => line.split(', '));

const PUBLIC_V6 = ['2001:200::', '2001:db7:ffff::', '2001:db9::', '2606:4700:4700::1111', '2a00:1450:4001::200e'];

/** Returns all IPv6 forms of an IPv4 address that may be public. */
function carriers(address: string): string[] {
  const [a, b, c, d] = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  return [
    `::ffff:${address}`,
    `::ffff:${a}${b}:${c}${d}`,
    `0:0:0:0:0:FFFF:${address}`,
    `64:ff9b::${address}`,
    `2002:${a}${b}:${c}${d}::`,
    `2002:${a}${b}:${c}${d}:1:2:3:4:5`,
  ];
}

test('private and public addresses, in each form', () => {
  for (const address of PRIVATE_V4.flatMap((one) => [one, ...carriers(one), `::${one}`])) {
    assert.equal(isPrivate(address), true, address);
  }
  for (const address of PUBLIC_V4.flatMap((one) => [one, ...carriers(one)])) {
    assert.equal(isPrivate(address), false, address);
  }
  for (const address of PRIVATE_V6) assert.equal(isPrivate(address), true, address);
  for (const address of PUBLIC_V6) assert.equal(isPrivate(address), false, address);
});

test('the spelling of an address changes nothing', () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const canonical = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1) ?? '';
      return isPrivate(address) === isPrivate(canonical) && isPrivate(address) === isPrivate(address.toUpperCase());
    }),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(fc.ipV4(), (address) => carriers(address).every((one) => isPrivate(one) === isPrivate(address))),
    { numRuns: 2000 },
  );
});

test('what is no literal address is private', () => {
  const texts = [
    '',
    'localhost',
    'example.com',
    '2130706433',
    '0x7f.1',
    '127.1',
    '010.1.1.1',
    '[::1]',
    '8.8.8.8 ',
    '::g',
  ];
  for (const text of texts) assert.equal(isPrivate(text), true, text);
});

function answering(...addresses: string[]): { lookup: (name: string) => Promise<LookupAddress[]>; asked: string[] } {
  const asked: string[] = [];
  const lookup = async (name: string) => {
    asked.push(name);
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { lookup, asked };
}

const REFUSED = { kind: 'refused', reason: 'private address refused' };

test('private hosts are refused however they are written, and without a look-up', async () => {
  const hosts = [
    '127.0.0.1, 2130706433, 0x7f000001, 0x7F.0.0.1, 0177.0.0.1, 017700000001, 127.1, 127.0.1, 127.0.0.1., 0, 0.0.0.0',
    '[::1], ::1, [::ffff:127.0.0.1], ::ffff:7f00:1, [0:0:0:0:0:ffff:7f00:1], [::127.0.0.1], [64:ff9b::10.0.0.1], [::]',
    '[2002:7f00:1::], 169.254.169.254, 0xa9fea9fe, 2852039166, [fd00:ec2::254], localhost, LOCALHOST, localhost., a.localhost',
    '%6cocalhost, ①②⑦.⓪.⓪.①, 127。0。0。1, 192.168.257, 10.1, localhost%2e',
  ].flatMap((line) => line.split(', '));
  for (const host of hosts) {
    const { lookup, asked } = answering('8.8.8.8');
    assert.deepEqual(await resolveSafely(host, false, lookup), REFUSED, host);
    assert.deepEqual(asked, [], host);
  }
});

test('what is not a host is refused', async () => {
  const hosts = [
    '',
    ' ',
    'a b',
    'a/b',
    'a@127.0.0.1',
    'a:81',
    'a?b',
    'a#b',
    'a\\b',
    '256.1.1.1',
    '1.2.3.4.5',
    '[::1',
    'a\nb',
  ];
  for (const host of [...hosts, '[fe80::1%25eth0]', '4294967296', 'a%00b', '[1.2.3.4]']) {
    const { lookup, asked } = answering('8.8.8.8');
    assert.deepEqual(await resolveSafely(host, true, lookup), { kind: 'refused', reason: 'invalid host' }, host);
    assert.deepEqual(asked, [], host);
  }
});

test('a name is refused if any of its addresses is private', async () => {
  for (const address of ['10.0.0.1', '::1', '::ffff:10.0.0.1', 'fe80::1%eth0', '64:ff9b::7f00:1', 'nonsense']) {
    assert.deepEqual(
      await resolveSafely('hook.example', false, answering('8.8.8.8', address).lookup),
      REFUSED,
      address,
    );
    assert.deepEqual(
      await resolveSafely('hook.example', false, answering(address, '8.8.8.8').lookup),
      REFUSED,
      address,
    );
  }
});

test('public addresses are returned as checked, and private ones where they are allowed', async () => {
  const { lookup, asked } = answering('8.8.8.8', '2606:4700::1111');
  assert.deepEqual(await resolveSafely('Hook.Example', false, lookup), {
    kind: 'resolved',
    host: 'hook.example',
    addresses: [
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ],
  });
  assert.deepEqual(asked, ['hook.example']);
  const literal = (host: string, address: string, family: number) => ({
    kind: 'resolved',
    host,
    addresses: [{ address, family }],
  });
  assert.deepEqual(await resolveSafely('134744072', false, lookup), literal('8.8.8.8', '8.8.8.8', 4));
  assert.deepEqual(await resolveSafely('127.1', true, lookup), literal('127.0.0.1', '127.0.0.1', 4));
  assert.deepEqual(await resolveSafely('[::1]', true, lookup), literal('::1', '::1', 6));
  const local = await resolveSafely('localhost', true, answering('127.0.0.1').lookup);
  assert.deepEqual(local, literal('localhost', '127.0.0.1', 4));
});

test('a look-up that fails, throws or finds nothing is a refusal', async () => {
  const rejecting = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
  const reason = async (lookup: () => Promise<LookupAddress[]>) => {
    const found = await resolveSafely('hook.example', false, lookup);
    return found.kind === 'refused' ? found.reason : found.kind;
  };
  assert.equal(await reason(rejecting('ENOTFOUND')), 'host not found');
  assert.equal(await reason(rejecting('EAI_AGAIN')), 'host lookup failed');
  assert.equal(await reason(() => Promise.resolve([])), 'host not found');
  const thrown = () => {
    throw new Error('at once');
  };
  assert.equal(await reason(thrown), 'host lookup failed');
});

test('the system resolver finds localhost', async () => {
  const found = await resolveSafely('localhost', true);
  assert.equal(found.kind, 'resolved');
  if (found.kind === 'resolved') assert.ok(found.addresses.every(({ address }) => isPrivate(address)));
});

test('a shared look-up asks once for those who ask at once, and afresh afterwards', async () => {
  const { lookup, asked } = answering('8.8.8.8');
  const once = shared(lookup);
  await Promise.all([once('a.example'), once('a.example'), once('b.example')]);
  assert.deepEqual(asked, ['a.example', 'b.example']);
  await once('a.example');
  assert.equal(asked.length, 3);
  const failing = shared(() => Promise.reject(new Error('no')));
  await assert.rejects(failing('a.example'), /no/);
  await assert.rejects(failing('a.example'), /no/);
});
