import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { compile } from '../../../src/compiler/compile.ts';
import type { SigningPlan } from '../../../src/plan/webhook-signing.ts';
import { signedHeaders } from '../../../src/runtime/events/sign.ts';
import { example, fileOf } from '../../fixtures.ts';
import { until } from '../../harness.ts';
import { Receiver } from '../../receiver.ts';
import { clientText, imported } from './made.ts';
import { Served } from './served.ts';
import { documentWith, FORMS } from './signed.ts';

// Webhooks whose signature has the form of another sender: the client of the document verifies them.

const BODY = '{"type":"order.opened","timestamp":"2026-11-23T10:00:00.000Z","data":{"id":"1","note":"für Übung"}}';
const secret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
const now = (): number => Math.floor(Date.now() / 1000);

for (const [name, form] of Object.entries(FORMS))
  test(`a signature of ${name} is verified, and whatever differs from what was signed is refused`, async () => {
    const text = documentWith(form);
    const signing = compile('orders.md', text).plan?.webhook?.signing as SigningPlan;
    const { verifyWebhook } = await imported(clientText('orders.md', text));
    const [own, old] = [secret(), secret()];
    const headersOf = (secrets: readonly [string, ...string[]], seconds = now(), body = BODY) =>
      signedHeaders(signing, secrets, {
        id: 'msg_1',
        type: 'order.opened',
        seconds: String(seconds),
        timestamp: '2026-11-23T10:00:00.000Z',
        body,
      });
    const good = headersOf([own]);
    assert.deepEqual(await verifyWebhook(good, BODY, own), JSON.parse(BODY));
    const lower = Object.fromEntries(Object.entries(good).map(([one, value]) => [one.toLowerCase(), value]));
    assert.deepEqual(await verifyWebhook(lower, Buffer.from(BODY), [old, own]), JSON.parse(BODY));
    assert.deepEqual(await verifyWebhook(new Headers(good), BODY, [own]), JSON.parse(BODY));
    // While the secret is replaced, a receiver that knows both accepts what either signs.
    await verifyWebhook(headersOf([own, old]), BODY, [own, old]);
    if (typeof signing.rotation === 'object') {
      await verifyWebhook(headersOf([own, old]), BODY, own);
      await verifyWebhook(headersOf([own, old]), BODY, old);
    }
    const { name: header } = signing.header;
    const spoilt: ReadonlyArray<readonly [object, string]> = [
      [good, BODY.replace('opened', 'placed')],
      [good, `${BODY} `],
      [headersOf([secret()]), BODY],
      [{ ...good, [header]: '' }, BODY],
      [{ ...good, [header]: good[header]?.slice(1) }, BODY],
      [{ ...good, [header]: good[header]?.slice(0, -2) }, BODY],
      [{ ...good, [header]: `${good[header]}0` }, BODY],
      [{ ...good, [header]: [good[header], good[header]] }, BODY],
      [Object.fromEntries(Object.entries(good).filter(([one]) => one !== header)), BODY],
    ];
    for (const [headers, body] of spoilt)
      await assert.rejects(verifyWebhook(headers, body, own), { name: 'WebhookError' }, JSON.stringify(headers));
    if (signing.content.includes('{seconds}')) {
      const late = headersOf([own], now() - 400);
      await assert.rejects(verifyWebhook(late, BODY, own), { name: 'WebhookError' });
      await assert.rejects(verifyWebhook(headersOf([own], now() + 400), BODY, own), { name: 'WebhookError' });
      await verifyWebhook(late, BODY, own, 500);
      const moved = Object.fromEntries(
        Object.entries(late).map(([one, value]) => [one, value.replace(String(now() - 400), String(now()))]),
      );
      await assert.rejects(verifyWebhook(moved, BODY, own), { name: 'WebhookError' });
    }
    await assert.rejects(verifyWebhook(good, BODY, ''), TypeError);
  });

test('a header that differs from another in a signed value is refused, though its own signature is right', async () => {
  const text = documentWith(FORMS['the id, the time and the body, in base64']);
  const { verifyWebhook } = await imported(clientText('orders.md', text));
  const key = secret();
  const signature = createHmac('sha256', key).update(`msg_1/${now()}/${BODY}`).digest('base64');
  const headers = { 'X-Signature': `msg_1;${now()};${signature}`, 'X-Id': 'msg_1' };
  await verifyWebhook(headers, BODY, key);
  await assert.rejects(verifyWebhook({ ...headers, 'X-Id': 'msg_2' }, BODY, key), { name: 'WebhookError' });
});

for (const [name, form] of Object.entries(FORMS).slice(0, 2))
  test(`a delivery of the service with a signature of ${name} is verified by the client`, async () => {
    await using served = await Served.start(documentWith(form));
    await using receiver = await new Receiver().up();
    const { operator } = served;
    const id = '0195c2a0-0000-7000-8000-000000000001';
    await operator.add('Customer', new Map(Object.entries({ id, name: 'Ada', email: 'ada@example.com' })));
    const { key } = await operator.issueKey('Customer', id, ['orders:read', 'orders:write']);
    const own = (await operator.receivers.add(receiver.url, ['order.opened'], null, true)).secret;
    const opened = served.module.unwrap(
      await served.client({ apiKey: key }).orders.create({ sku: 'ABC-1234', quantity: 1 }),
    );
    const got = await until(() => receiver.accepted[0], 'the webhook');
    const event = await served.module.verifyWebhook(got.headers, got.body, own);
    assert.deepEqual([event.type, event.data.id], ['order.opened', opened.id]);
    await assert.rejects(served.module.verifyWebhook(got.headers, got.body, secret()), { name: 'WebhookError' });
  });

test('a delivery to a receiver that is a row is verified with the secret that its endpoint answered', async () => {
  await using served = await Served.start(example('helpdesk'), null, fileOf('helpdesk.md'));
  await using receiver = await new Receiver().up();
  const { operator } = served;
  const organisation = '0195c2a0-0000-7000-8000-000000000002';
  const add = (resource: string, row: Record<string, string>) => operator.add(resource, new Map(Object.entries(row)));
  await add('Plan', { name: 'large', rate: '1000', agents: '10' });
  await add('Organisation', { id: organisation, name: 'Books', plan: 'large' });
  const person = {
    organisation,
    role: 'owner',
    name: 'Ada',
    email: 'ada@example.com',
    password: 'correct horse battery',
  };
  await add('Person', person);
  const anyone = served.client();
  const { token } = served.module.unwrap(
    await anyone.sessions.create({ email: person.email, password: person.password }),
  );
  const client = served.client({ session: token });
  const hook = served.module.unwrap(await client.hooks.create({ url: receiver.url, events: ['ticket.created'] }));
  const ticket = served.module.unwrap(await client.tickets.create({ subject: 'Late', body: 'Where is it?' }));
  const got = await until(() => receiver.accepted[0], 'the webhook');
  const event = await served.module.verifyWebhook(got.headers, got.body, hook.secret);
  assert.deepEqual([event.type, event.data.number], ['ticket.created', ticket.number]);
});
