import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook as verifyExactly } from '../../../src/export/client/runtime/standard-webhook.ts';
import { sign } from '../../../src/runtime/events/sign.ts';
import { verifyWebhook, WebhookError } from './goldens/orders.ts';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const BODY = '{"type":"order.opened","timestamp":"2026-11-23T10:00:00.000Z","data":{"id":"1","note":"für Übung"}}';
const now = (): number => Math.floor(Date.now() / 1000);

const headersOf = (secret = SECRET, seconds = now(), body = BODY) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(seconds),
  'webhook-signature': sign(secret, 'msg_1', seconds, body),
});

test('what the service signs is taken, and what another implementation of Standard Webhooks does', async () => {
  const event = await verifyWebhook(headersOf(), BODY, SECRET);
  assert.ok(event.type === 'order.opened' && event.data.id === '1');
  const at = new Date();
  const signature = new Webhook(SECRET).sign('msg_2', at, BODY);
  const headers = {
    'Webhook-Id': 'msg_2',
    'Webhook-Timestamp': String(Math.floor(at.getTime() / 1000)),
    'Webhook-Signature': signature,
  };
  assert.deepEqual(await verifyWebhook(headers, BODY, SECRET), JSON.parse(BODY));
  assert.deepEqual(
    await verifyWebhook(new Headers(headers), new TextEncoder().encode(BODY), [SECRET]),
    JSON.parse(BODY),
  );
  assert.deepEqual(new Webhook(SECRET).verify(BODY, headersOf()), JSON.parse(BODY));
});

test('while a secret is replaced, either is taken, and each of several signatures', async () => {
  const other = `whsec_${randomBytes(24).toString('base64')}`;
  await verifyWebhook(headersOf(other), BODY, [SECRET, other]);
  const both = {
    ...headersOf(),
    'webhook-signature': `v2,AAAA v1a,AAAA v1,%% ${headersOf(other)['webhook-signature']}`,
  };
  await verifyWebhook(both, BODY, other);
  await assert.rejects(verifyWebhook(both, BODY, SECRET), WebhookError);
});

test('whatever is otherwise than it was signed is refused, as the other implementation does', async () => {
  const good = headersOf();
  const bad: ReadonlyArray<readonly [Record<string, string>, string]> = [
    [good, BODY.replace('opened', 'placed')],
    [good, `${BODY} `],
    [{ ...good, 'webhook-id': 'msg_2' }, BODY],
    [{ ...good, 'webhook-timestamp': String(now() + 1) }, BODY],
    [headersOf(`whsec_${randomBytes(32).toString('base64')}`), BODY],
    [{ ...good, 'webhook-signature': good['webhook-signature'].slice(3) }, BODY],
    [{ ...good, 'webhook-signature': good['webhook-signature'].replace('v1', 'v2') }, BODY],
    [{ ...good, 'webhook-signature': '' }, BODY],
    [{ ...good, 'webhook-signature': `${good['webhook-signature'].slice(0, -4)}AAA=` }, BODY],
    [headersOf(SECRET, now() - 301), BODY],
    [headersOf(SECRET, now() + 400), BODY],
    ...['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
      (name) => [Object.fromEntries(Object.entries(good).filter(([one]) => one !== name)), BODY] as const,
    ),
  ];
  for (const [headers, body] of bad) {
    await assert.rejects(verifyWebhook(headers, body, SECRET), WebhookError);
    assert.throws(() => new Webhook(SECRET).verify(body, headers));
  }
  for (const timestamp of ['', 'now', '1e9', '-1', ' 1', 'NaN', 'Infinity'])
    await assert.rejects(verifyWebhook({ ...good, 'webhook-timestamp': timestamp }, BODY, SECRET), WebhookError);
  // What a server hands over where a header came twice.
  const twice = { ...good, 'webhook-signature': [good['webhook-signature'], good['webhook-signature']] };
  await assert.rejects(verifyWebhook(twice, BODY, SECRET), WebhookError);
});

test('how far off a timestamp may be is the caller’s to say', async () => {
  const old = headersOf(SECRET, now() - 3000);
  await verifyWebhook(old, BODY, SECRET, 3600);
  await verifyWebhook(old, BODY, SECRET, Infinity);
  await assert.rejects(verifyWebhook(headersOf(SECRET, now() - 100), BODY, SECRET, 60), WebhookError);
});

test('a secret that is none is the caller’s own mistake', async () => {
  for (const secret of ['', 'whsec_', 'whsec_%%%'])
    await assert.rejects(verifyWebhook(headersOf(), BODY, secret), TypeError);
});

test('a number of more digits than JavaScript’s is its text, where the client is exact', async () => {
  const body = '{"type":"order.opened","timestamp":"2026-11-23T10:00:00.000Z","data":{"total":19999999999999.98}}';
  const event: unknown = await verifyExactly(headersOf(SECRET, now(), body), body, SECRET);
  assert.deepEqual((event as { data: unknown }).data, { total: '19999999999999.98' });
});
