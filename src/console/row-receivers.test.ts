import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { readCases } from '../../test/cases.ts';
import { edited } from '../../test/harness.ts';
import { ADA, ORDERS, Shown, until } from './harness.test.ts';
import type { HealthAnswer, ReceiverAdded, ServiceAnswer, TestAnswer, TryAnswer } from './protocol.ts';

/** A receiver that answers 204, and keeps the requests that it gets. */
async function receiver() {
  const got: { headers: IncomingHttpHeaders; text: string }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => {
      text += chunk;
    });
    request.on('end', () => {
      got.push({ headers: request.headers, text });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}

test('receivers that are rows have a health, and are sent test events without anything of a row', async () => {
  const hook = await receiver();
  const page = await Shown.open(readCases('src/compiler/events/cases/receivers.md')[0]!.document, {
    allowPrivate: true,
  });
  try {
    await page.customer();
    const caller = { scheme: 'API key', id: ADA, scopes: ['orders:write'] };
    const made = await page.post<TryAnswer>('/try', {
      method: 'POST',
      path: '/hooks',
      headers: [
        ['Content-Type', 'application/json'],
        ['Idempotency-Key', crypto.randomUUID()],
      ],
      body: JSON.stringify({ url: hook.url, events: ['order.opened'] }),
      caller,
    });
    assert.equal(made.status, 201, made.body);
    const { id, secret } = JSON.parse(made.body) as { readonly id: string; readonly secret: string };
    assert.deepEqual((await page.get<HealthAnswer>('/receivers/health')).receivers, [], 'nothing was sent to it yet');
    const order = await page.order('ABC-0001');
    const health = await until(async () => {
      const [one] = (await page.get<HealthAnswer>('/receivers/health')).receivers;
      return one?.delivered === 1 && one;
    }, 'the event is delivered');
    assert.deepEqual([health.receiver, health.url, health.givenUp, health.pending], [`Hook ${id}`, hook.url, 0, 0]);
    const path = `/receivers/${encodeURIComponent(`Hook ${id}`)}/test`;
    const tested = await page.post<TestAnswer>(path, { event: 'order.opened' });
    assert.equal(tested.attempt.status, 204, JSON.stringify(tested));
    const { headers, text } = hook.got.at(-1)!;
    assert.equal(headers['webhook-id'], tested.event);
    new Webhook(secret).verify(text, headers as Record<string, string>);
    assert.doesNotMatch(text, new RegExp(`${order}|${ADA}|ABC-0001`), 'no value of a row');
    assert.equal((await page.post('/receivers/Hook%20none/test', { event: 'order.opened' })).http, 404);
  } finally {
    await page.stop();
    hook.close();
  }
});

test('a signature in a form of the document marks a test event, too', async () => {
  const hook = await receiver();
  const own =
    'HMAC-SHA256 of `{body}` in hexadecimal, in `X-Sig: sha256={signature}`, other headers `X-Delivery: {id}`; of two secrets the new one signs';
  const page = await Shown.open(edited(ORDERS, ['- Signature: Standard Webhooks', `- Signature: ${own}`]));
  try {
    const given = { url: hook.url, events: ['order.placed'], version: null, allowPrivate: true };
    const { id } = await page.post<ReceiverAdded>('/receivers', given);
    const tested = await page.post<TestAnswer>(`/receivers/${id}/test`, { event: 'order.placed' });
    assert.equal(hook.got[0]?.headers['x-delivery'], tested.event);
    assert.match(tested.event, /^test_/);
  } finally {
    await page.stop();
    hook.close();
  }
});

test('an event that a step emits is tested with values of its members', async () => {
  const hook = await receiver();
  const page = await Shown.open(readFileSync(new URL('../../docs/documents/alarms.md', import.meta.url), 'utf8'), {
    url: 'https://alarms.example',
  });
  try {
    const [event = ''] = (await page.get<ServiceAnswer>('/service')).events;
    const given = { url: hook.url, events: [event], version: null, allowPrivate: true };
    const { id } = await page.post<ReceiverAdded>('/receivers', given);
    const tested = await page.post<TestAnswer>(`/receivers/${id}/test`, { event });
    assert.equal(tested.attempt?.status, 204, JSON.stringify(tested));
    const { data } = JSON.parse(hook.got[0]?.text ?? '') as { readonly data: object };
    assert.ok(Object.keys(data).length > 0);
  } finally {
    await page.stop();
    hook.close();
  }
});
