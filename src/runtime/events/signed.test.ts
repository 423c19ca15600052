import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { newSecret } from '../../expression/values/secret.ts';
import type { SigningPlan } from '../../plan/webhook-signing.ts';
import { Box, type Hit, receive, run, until } from './harness.test.ts';

/** A time in whole seconds, at which every attempt is made. */
const NOW = Date.UTC(2026, 10, 1, 12);

const OF_BODY: SigningPlan = {
  content: '{body}',
  encoding: 'hexadecimal',
  header: { name: 'X-Hub-Signature-256', value: 'sha256={signature}' },
  others: [
    { name: 'X-Delivery', value: '{id}' },
    { name: 'X-Event', value: '{type} at {timestamp}' },
  ],
  rotation: 'new',
};

const OF_TIME: SigningPlan = {
  content: '{seconds}.{body}',
  encoding: 'hexadecimal',
  header: { name: 'X-Signature', value: 't={seconds},v1={signature}' },
  others: [{ name: 'X-Id', value: '{id}' }],
  rotation: { between: ',v1=' },
};

const hmac = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex');

/** What a receiver gets of two attempts for one event, the first of which it refuses. */
async function attempts(
  t: Parameters<typeof receive>[0],
  signing: SigningPlan,
  old: string | null,
): Promise<{ readonly hits: readonly Hit[]; readonly secret: string }> {
  const box = new Box();
  const receiver = await receive(t, 'r', (response, _, hits) => response.writeHead(hits === 1 ? 500 : 204).end());
  const { secret } = receiver.of;
  const entry = box.add(
    { ...receiver.of, old: old === null ? null : { secret: old, until: NOW + 1000 } },
    'a',
    '{"x":"ä"}',
  );
  const { dispatcher } = run(t, box, { delays: [0], signing }, { now: () => NOW });
  await until(() => entry.outcomes.length > 1);
  await dispatcher.stop();
  assert.deepEqual(
    entry.outcomes.map(({ kind }) => kind),
    ['failed', 'delivered'],
  );
  assert.ok(receiver.hits.every(({ headers }) => !Object.keys(headers).some((name) => name.startsWith('webhook-'))));
  return { hits: receiver.hits, secret };
}

test('a receiver that knows the text of the secret verifies the body of each attempt', async (t) => {
  for (const rotation of ['new', 'old'] as const) {
    const old = newSecret();
    const { hits, secret } = await attempts(t, { ...OF_BODY, rotation }, old);
    for (const { headers, body } of hits) {
      assert.equal(headers['x-hub-signature-256'], `sha256=${hmac(rotation === 'new' ? secret : old, body)}`);
      assert.equal(headers['x-delivery'], 'msg_1');
      assert.equal(headers['x-event'], 'order.placed at 2026-11-20T18:00:00Z');
    }
  }
  const { hits, secret } = await attempts(t, { ...OF_BODY, rotation: 'old' }, null);
  assert.equal(hits[0]!.headers['x-hub-signature-256'], `sha256=${hmac(secret, hits[0]!.body)}`);
});

test('a receiver that knows one of two secrets verifies the instant and the body', async (t) => {
  const old = newSecret();
  const { hits, secret } = await attempts(t, OF_TIME, old);
  for (const { headers, body } of hits) {
    const parts = headers['x-signature']!.split(',').map((part) => part.split('='));
    const [seconds] = parts.flatMap(([name, value]) => (name === 't' ? [value!] : []));
    assert.equal(seconds, String(NOW / 1000));
    const signatures = parts.flatMap(([name, value]) => (name === 'v1' ? [value] : []));
    assert.deepEqual(signatures, [hmac(secret, `${seconds}.${body}`), hmac(old, `${seconds}.${body}`)]);
  }
  const alone = await attempts(t, OF_TIME, null);
  assert.match(alone.hits[0]!.headers['x-signature']!, /^t=\d+,v1=[0-9a-f]{64}$/);
});

test('signatures in base64, with all values in one header', async (t) => {
  const signing: SigningPlan = {
    content: '{id}.{seconds}.{body}',
    encoding: 'base64',
    header: { name: 'X-Signature', value: '{id};{seconds};{signature}' },
    others: [],
    rotation: 'new',
  };
  const { hits, secret } = await attempts(t, signing, null);
  const [{ headers, body }] = hits as [Hit];
  const [id, seconds, signature] = headers['x-signature']!.split(';');
  assert.equal(signature, createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64'));
});
