import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headOf, hostIsSound, isBodiless } from './framing.ts';

test('headers are found in any case, and by their whole names', () => {
  const head = headOf([
    'HOST',
    'a',
    'tRaceparent',
    'b',
    'UPGRADE',
    'c',
    'Content-LENGTH',
    '3',
    'Transfer-encoding',
    'd',
  ]);
  assert.deepEqual([head.hosts, head.traceparent, head.upgrades, head.length, head.coding], [1, 'b', true, '3', 'd']);
  // Names as long as those that the code looks for.
  const names = ['Most', 'Upgrade'.replace('U', 'V'), 'Forwardee', 'Traceparens', 'Content-Lengts', 'X-Forwarded-Fox'];
  const others = headOf([...names, 'Transfer-Encodins'].flatMap((name) => [name, 'host']));
  assert.deepEqual(others, headOf([]));
});

test('a header that is sent twice has both values, in their order', () => {
  const { length, coding, traceparent } = headOf(
    ['Content-Length', 'Transfer-Encoding', 'Traceparent'].flatMap((name) => [name, '1', name.toLowerCase(), '2']),
  );
  assert.deepEqual([length, coding, traceparent], ['1, 2', '1, 2', '1, 2']);
});

test('a request that tells of its client is known by its headers’ names', () => {
  assert.equal(headOf(['Host', 'x', 'FORWARDED', '']).tellsOfClient, true);
  assert.equal(headOf(['X-Forwarded-for', 'x']).tellsOfClient, true);
  assert.equal(headOf(['Host', 'forwarded', 'Forwarder', 'x', 'x-forwarded-fox', 'y']).tellsOfClient, false);
});

test('each Host counts, and each has to be sound', () => {
  assert.equal(hostIsSound(headOf(['Host', 'a']), '1.1'), true);
  assert.equal(hostIsSound(headOf(['Host', 'a', 'host', 'a']), '1.1'), false);
  assert.equal(hostIsSound(headOf(['Host', 'a b']), '1.1'), false);
  assert.equal(hostIsSound(headOf([]), '1.1'), false);
  assert.equal(hostIsSound(headOf([]), '1.0'), true);
});

test('a length of zero is no body, and one in another spelling may be', () => {
  assert.equal(isBodiless(headOf([])), true);
  assert.equal(isBodiless(headOf(['Content-Length', '0'])), true);
  assert.equal(isBodiless(headOf(['Content-Length', '00'])), false);
  assert.equal(isBodiless(headOf(['Transfer-Encoding', 'chunked'])), false);
});
