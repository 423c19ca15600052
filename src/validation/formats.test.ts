import assert from 'node:assert/strict';
import { isIPv4, isIPv6 } from 'node:net';
import { test } from 'node:test';
import { fc } from '../../test/seeded.ts';
import { TIME_ZONES } from '../expression/library/zone-names.ts';
import { FORMATS, isHostname, isIpv4, isIpv6, isUri } from './formats.ts';

test('addresses are told as Node tells them', () => {
  const parts = fc.constantFrom('0', '1', '00', '255', '256', 'ffff', 'g', '12345', '', ':', '::', '.', '%', 'FE80');
  const text = fc.array(parts, { maxLength: 20 }).map((list) => list.join(''));
  const six = fc.tuple(fc.ipV6(), fc.ipV4()).map(([a, b]) => `${a.split(':').slice(0, 6).join(':')}:${b}`);
  fc.assert(
    fc.property(fc.oneof(text, fc.ipV6(), fc.ipV4(), fc.ipV4Extended(), six), (one) => {
      assert.equal(isIpv4(one), isIPv4(one), one);
      if (!one.includes('%')) assert.equal(isIpv6(one), isIPv6(one), one);
    }),
    { numRuns: 5000 },
  );
  for (const one of ['fe80::1%eth0', '::ffff:01.2.3.4', '1::2::3', ':::', '1:2:3:4:5:6:7:8:9', '::1.2.3.4:5', '[::1]'])
    assert.equal(isIpv6(one), false, one);
  for (const one of ['::', '::1', '1::', '::ffff:1.2.3.4', '1:2:3:4:5:6:1.2.3.4']) assert.equal(isIpv6(one), true, one);
});

test('host names', () => {
  for (const one of ['a', 'example.com', 'xn--4gbwdl.xn--wgbh1c', 'a-b.c', '1host', '1.2.3.a', 'A'.repeat(63)])
    assert.equal(isHostname(one), true, one);
  const none = [
    '',
    '.',
    'a.',
    '.a',
    'a..b',
    '-a',
    'a-',
    'a_b',
    'a b',
    '127.0.0.1',
    'a.1',
    'ü.de',
    'a\n',
    'a'.repeat(64),
  ];
  for (const one of [...none, `${'a.'.repeat(126)}aa`, 'a.'.repeat(100_000)]) assert.equal(isHostname(one), false, one);
});

test('URIs', () => {
  const good = [
    'https://example.com',
    'HTTPS://user:pw@example.com:8080/a/b;c?d=e/f?g#h/i?j',
    'http://[2001:db8::7]/c=GB?one',
    'http://[v1.a:b]',
    'http://1.2.3.4',
    'mailto:a@b.c',
    'urn:isbn:0451450523',
    'tel:+1-816-555-1212',
    'file:///etc/hosts',
    'a:',
    'a:b:c',
    'http://',
    'http://%C3%BC',
    "http://a/!$&'()*+,;=:@~_-.",
  ];
  for (const one of good) assert.equal(isUri(one), true, one);
  const bad = [
    '',
    'example.com',
    '/a',
    '//a',
    ':a',
    '1a:b',
    'a b:c',
    'http://a b',
    'http://ü',
    'http://a/%',
    'http://a/%2',
    'http://a/%GG',
    'http://a:b',
    'http://a:1:2',
    'http://a:123456',
    'http://[::1',
    'http://::1]',
    'http://[::1]a',
    'http://[1.2.3.4]',
    'http://a@b@c',
    'http://a/<b>',
    'http://a/\\b',
    'http://a/"b"',
    'http://a/{b}',
    'http://a/[b]',
    'http://a#b#c',
    'http://a\n',
    'http://a/^',
    'http://a/`',
    'http://a/|',
  ];
  for (const one of bad) assert.equal(isUri(one), false, one);
});

test('every format takes a time that grows with the text alone', () => {
  const long = ['a', 'a.', 'a-', 'a@', '%', ':', '1:', '::', '1.', '//', 'http://a@', 'http://[', 'a:?#', '[', '-'];
  for (const { test: check } of Object.values(FORMATS))
    for (const piece of long) {
      check(piece.repeat(200_000));
      check(`http://${piece.repeat(200_000)}\u0001`);
      check(`a@${piece.repeat(200_000)}\u0001`);
    }
});

/** The member of `Temporal` that the test calls, which TypeScript does not declare yet. */
const { Temporal } = globalThis as unknown as {
  Temporal: { Now: { zonedDateTimeISO(zone: string): { timeZoneId: string } } };
};

test('time zones are spelled as Temporal spells them, and every zone that Intl knows is among them', () => {
  for (const name of TIME_ZONES) assert.equal(Temporal.Now.zonedDateTimeISO(name).timeZoneId, name);
  assert.deepEqual(
    Intl.supportedValuesOf('timeZone').filter((name) => !TIME_ZONES.has(name)),
    [],
  );
  for (const one of ['', 'europe/berlin', '+01:00', 'Factory', 'SystemV/EST5', 'ACT', 'Europe/Berlin ', 'Europe/']) {
    assert.equal(FORMATS['time zone'].test(one), false, one);
  }
});
