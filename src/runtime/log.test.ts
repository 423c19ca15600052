import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { jsonOf } from '../text/visible.ts';
import { createLog, REQUEST } from './log.ts';

/** Returns a log, and the list of its writes. */
function logged(level: 'info' | 'warn', text = false) {
  const writes: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      writes.push(String(chunk));
      done();
    },
  });
  return { writes, log: createLog(stream, { text, level }) };
}

const eventsOf = (writes: readonly string[]): string[][] =>
  writes.map((one) =>
    one
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).event),
  );

test('lines of requests are held, and lines keep their order', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { writes, log } = logged('info');
  log('info', REQUEST, { status: 200 });
  await new Promise(setImmediate);
  log('info', REQUEST, { status: 201 });
  assert.deepEqual(writes, []);
  log('warn', 'webhook.failed');
  assert.deepEqual(eventsOf(writes), [[REQUEST, REQUEST, 'webhook.failed']]);
  log('info', REQUEST, { status: 202 });
  log('info', 'moves.made', { moves: 2 });
  assert.equal(writes.length, 1);
  await new Promise(setImmediate);
  assert.deepEqual(eventsOf(writes.slice(1)), [[REQUEST, 'moves.made']]);
});

test('lines of requests are written by themselves, before they are many', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { writes, log } = logged('info');
  for (let i = 0; i < 2000; i++) log('info', REQUEST, { status: 200 });
  assert.ok(writes.length > 1);
  t.mock.timers.tick(50);
  assert.equal(eventsOf(writes).flat().length, 2000);
});

test('what is not logged is not asked for', () => {
  const { writes, log } = logged('warn');
  log('info', REQUEST, () => assert.fail('asked for'));
  log('warn', 'a warning', () => ({ number: 1, text: 'é"\u001b[31m', nothing: undefined, list: [1, 'a'], none: null }));
  const { time, ...line } = JSON.parse(writes[0]!);
  assert.deepEqual(line, {
    level: 'warn',
    number: 1,
    text: 'é"\u001b[31m',
    list: [1, 'a'],
    none: null,
    event: 'a warning',
  });
  assert.ok(!writes[0]!.includes('\u001b') && !Number.isNaN(Date.parse(time)));
});

test('a number that JSON does not have is null', () => {
  const { writes, log } = logged('info');
  log('error', 'failed', { ms: Number.NaN, bytes: Number.POSITIVE_INFINITY, status: 500 });
  const { ms, bytes, status } = JSON.parse(writes[0]!);
  assert.deepEqual([ms, bytes, status], [null, null, 500]);
});

test('text has no field that is undefined', () => {
  const { writes, log } = logged('info', true);
  log('error', 'failed', { code: undefined, ms: 3 });
  assert.match(writes[0]!, /^\S+ error failed ms=3\n$/);
});

test('members that are written already are told as they are, and as text', () => {
  const members = () => `"id":${jsonOf('a"b')},"status":200`;
  const [json, text] = [logged('info'), logged('info', true)];
  for (const { log } of [json, text]) log('error', 'failed', members);
  const { id, status } = JSON.parse(json.writes[0]!);
  assert.deepEqual([id, status], ['a"b', 200]);
  assert.match(text.writes[0]!, /^\S+ error failed id=a"b status=200\n$/);
});

test('long lines, and those of other scripts, are whole and in order', async () => {
  const { writes, log } = logged('info');
  const lengths = [10, 5000, 40_000, 1, 10_900, 10_900, 3];
  for (const length of lengths) log('info', 'said', { text: '蜂'.repeat(length) });
  await new Promise(setImmediate);
  const lines = writes.join('').trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).text),
    lengths.map((length) => '蜂'.repeat(length)),
  );
});
