import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WebhookPlan } from '../../plan/step.ts';
import { Box, receive, run, settled, until } from './harness.test.ts';

const HOUR_MS = 3_600_000;
/** A time in whole seconds, at which every attempt is made. */
const NOW = Date.UTC(2026, 10, 1, 12);

/** The wait after a refusal with Retry-After, in milliseconds. */
async function waitAfter(
  t: Parameters<typeof receive>[0],
  status: number,
  retryAfter: string | string[],
  webhook: Partial<WebhookPlan>,
): Promise<number | null> {
  const box = new Box();
  const receiver = await receive(t, 'r', (response) =>
    response.writeHead(status, { 'retry-after': retryAfter as string }).end(),
  );
  const entry = box.add(receiver.of, 'a');
  const { dispatcher } = run(t, box, { delays: [60_000], ...webhook }, { now: () => NOW });
  await until(() => entry.outcomes.length > 0);
  await dispatcher.stop();
  const [outcome] = entry.outcomes;
  assert.ok(outcome?.kind === 'failed');
  return outcome.retryAt === null ? null : outcome.retryAt - NOW;
}

test('Retry-After delays the next attempt, no longer than is stated and never makes it earlier', async (t) => {
  const date = (at: number): string => new Date(at).toUTCString();
  for (const [text, wait] of [
    ['120', 120_000],
    ['0', 60_000],
    ['60', 60_000],
    ['3600', HOUR_MS],
    ['3601', HOUR_MS],
    ['9'.repeat(400), HOUR_MS],
    [date(NOW + 300_000), 300_000],
    [date(NOW + 10 * HOUR_MS), HOUR_MS],
    [date(NOW - HOUR_MS), 60_000],
    ['Sunday, 01-Nov-26 12:05:00 GMT', 300_000],
    ['Thu, 31 Dec 9999 23:59:59 GMT', HOUR_MS],
    // Not of the form: the header has no effect.
    ['-1', 60_000],
    ['120.5', 60_000],
    ['1e9', 60_000],
    ['0x1000', 60_000],
    ['soon', 60_000],
    ['2026-11-01T13:00:00Z', 60_000],
    ['Mon, 30 Feb 2027 00:00:00 GMT', 60_000],
    ['120, 240', 60_000],
  ] as const)
    assert.equal(await waitAfter(t, 503, text, { retryAfter: HOUR_MS }), wait, text);
  assert.equal(await waitAfter(t, 503, ['120', '240'], { retryAfter: HOUR_MS }), 120_000, 'the first of two');
  for (const status of [301, 410, 429, 500])
    assert.equal(await waitAfter(t, status, '120', { retryAfter: HOUR_MS }), 120_000, String(status));
  assert.equal(await waitAfter(t, 503, '120', {}), 60_000, 'where it is not stated');
  assert.equal(await waitAfter(t, 503, '120', { retryAfter: HOUR_MS, delays: [] }), null, 'after the last attempt');
});

test('a delivery that waits for Retry-After is not taken for one of a clock that was set back', async (t) => {
  const box = new Box();
  let now = NOW;
  const receiver = await receive(t, 'r', (response, _, hits) =>
    response.writeHead(hits === 1 ? 503 : 204, { 'retry-after': '3600' }).end(),
  );
  const entry = box.add(receiver.of, 'a');
  run(t, box, { delays: [60_000], retryAfter: HOUR_MS }, { now: () => now });
  await until(() => entry.outcomes.length === 1);
  now -= 1;
  const looks = box.nexts;
  await until(() => box.nexts > looks + 2);
  assert.equal(receiver.hits.length, 1);
  now = NOW + HOUR_MS;
  await until(() => settled(box));
  assert.equal(receiver.hits.length, 2);
});

test('the status 410 ends a receiver where that is stated, and is a failure like any other where it is not', async (t) => {
  for (const gone of ['removed', undefined] as const)
    for (const status of [404, 410, 411]) {
      const box = new Box();
      const receiver = await receive(t, 'r', (response) => response.writeHead(status).end());
      const entry = box.add(receiver.of, 'a');
      const { dispatcher, events } = run(t, box, { delays: [60_000], ...(gone && { gone }) }, { now: () => NOW });
      await until(() => entry.outcomes.length > 0);
      await dispatcher.stop();
      const isGone = gone !== undefined && status === 410;
      const failed = { kind: 'failed', at: NOW, reason: `status ${status}` };
      assert.deepEqual(
        entry.outcomes.map(({ attempts: _, ...rest }) => rest),
        [
          isGone
            ? { ...failed, retryAt: null, gone: { id: 'r', url: receiver.of.url } }
            : { ...failed, retryAt: NOW + 60_000 },
        ],
      );
      assert.deepEqual(events(), [isGone ? 'webhook.receiver_gone' : 'webhook.failed']);
    }
});
