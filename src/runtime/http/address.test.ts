import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf } from './address.ts';

test('an IPv6 address counts as its first 64 bits, in whatever form it is written', () => {
  for (const [address, network] of [
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::ffff:ffff:ffff:ffff', '2001:db8:0:0::/64'],
    ['2001:0DB8:0000:0000:1:2:3:4', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['2001:db8:1::', '2001:db8:1:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['fe80::2%25', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['2001:db8::192.0.2.1', '2001:db8:0:0::/64'],
  ] as const)
    assert.equal(networkOf(address), network, address);
});

test('an IPv4 address counts as itself, mapped and translated too', () => {
  for (const address of [
    '192.0.2.1',
    '::ffff:192.0.2.1',
    '::FFFF:192.0.2.1',
    '::ffff:c000:201',
    '0:0:0:0:0:ffff:192.0.2.1',
    '0000:0000:0000:0000:0000:ffff:c000:0201',
    '::ffff:192.0.2.1%lo',
    '64:ff9b::192.0.2.1',
    '64:ff9b::c000:201',
  ])
    assert.equal(networkOf(address), '192.0.2.1', address);
  assert.notEqual(networkOf('::ffff:192.0.2.2'), networkOf('::ffff:192.0.2.1'));
});

test('what is no address, or a network already, is itself', () => {
  for (const text of [
    '',
    'unknown',
    ':',
    ':::',
    '1::2::3',
    '1:2:3',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    'g::',
    '::1.2.3',
    '::256.0.0.1',
  ])
    assert.equal(networkOf(text), text);
  assert.equal(networkOf(networkOf('2001:db8::1')), networkOf('2001:db8::1'));
});
