import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerStart, attemptsIn, attemptsWith, withoutSecrets } from './attempts.ts';

const kept = (chunks: readonly (string | Buffer)[], secrets: readonly string[] = []) => {
  const answer = new AnswerStart();
  for (const chunk of chunks) answer.read(Buffer.from(chunk as string));
  return answer.kept(secrets);
};

const SECRET = 'whsec_c2VjcmV0c2VjcmV0c2Vjc/V0c2Vjcm+0';

test('of an answer the beginning is kept, cut at a character', () => {
  assert.deepEqual(kept([]), { body: '', isCut: false });
  assert.deepEqual(kept(['o', 'k']), { body: 'ok', isCut: false });
  assert.deepEqual(kept(['x'.repeat(500)]), { body: 'x'.repeat(500), isCut: false });
  assert.deepEqual(kept(['x'.repeat(501)]), { body: 'x'.repeat(500), isCut: true });
  assert.deepEqual(kept(['x'.repeat(499), '😀']), { body: `${'x'.repeat(499)}\uFFFD`, isCut: true });
  assert.deepEqual(kept(Array.from({ length: 64 }, () => Buffer.alloc(1024, 'y'))), {
    body: 'y'.repeat(500),
    isCut: true,
  });
  const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)];
  assert.equal(kept([first, second]).body, 'é', 'a character in two chunks');
  assert.equal(kept([Buffer.from([0xff, 0, 0x1b])]).body, '\uFFFD\0\u001b', 'bytes that are no text');
});

test('secrets that a receiver sends back are not kept', () => {
  assert.equal(kept([`<p>${SECRET}</p>`], [SECRET]).body, '<p>…</p>');
  assert.equal(kept([SECRET.slice('whsec_'.length)], [SECRET]).body, '…', 'without its prefix');
  assert.equal(kept([JSON.stringify({ s: SECRET }).replaceAll('/', '\\/')]).body, '{"s":"…"}', 'as PHP writes JSON');
  assert.equal(kept(['x'.repeat(490), SECRET], [SECRET]).body, `${'x'.repeat(490)}…`, 'across the cut');
  const key = `nf_${'a'.repeat(12)}_${'b-_'.repeat(14)}c`;
  assert.equal(withoutSecrets(`Bearer ${key}, ${SECRET}.`), 'Bearer …, ….');
  const bare = SECRET.slice('whsec_'.length);
  assert.equal(kept([bare.replaceAll('/', '\\/')], [SECRET]).body, '…', 'without its prefix, as PHP writes JSON');
  for (const [secret, of] of [
    [key, []],
    [bare, [SECRET]],
  ] as const)
    for (const before of ['', '.', '..', '...'.repeat(9)]) {
      const { body, isCut } = kept([before, `${secret} `.repeat(200)], of);
      assert.match(body, /^\.*(?:… ?)+$/, 'often, so that what is read ends with a part of it');
      assert.ok(isCut);
    }
});

test('the last twenty attempts are stored', () => {
  let stored: string | null = null;
  for (let at = 1; at <= 25; at++)
    stored = attemptsWith(stored, { at, took: 2, status: 500, result: 'status 500', body: '\0"', isCut: false });
  const attempts = attemptsIn(stored);
  assert.deepEqual([attempts.length, attempts[0]?.at, attempts.at(-1)?.at], [20, 6, 25]);
  assert.equal(attempts[0]?.body, '\0"');
  assert.doesNotMatch(stored ?? '', /\0/, 'PostgreSQL stores no U+0000');
  assert.deepEqual(attemptsIn(null), []);
});

test('an attempt takes few bytes, and is read as it was', () => {
  const whole = { at: 1_790_000_000_000, took: 12, status: 204, result: 'status 204', body: '', isCut: false };
  assert.equal(attemptsWith(null, whole), '[[1790000000000,12,204]]');
  for (const one of [
    whole,
    { ...whole, took: 0 },
    { ...whole, status: null, result: 'no answer within 10 s' },
    { ...whole, body: '0' },
    { ...whole, body: 'x', isCut: true },
    { ...whole, status: 500, result: 'answer too long', body: 'x', isCut: true },
    { ...whole, status: null, result: 'status null' },
  ])
    assert.deepEqual(attemptsIn(attemptsWith(null, one)), [one]);
});
