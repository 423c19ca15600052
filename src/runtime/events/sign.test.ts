import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { isWebhookSecret, newSecret } from '../../expression/values/secret.ts';
import { sign } from './sign.ts';

const now = Math.floor(Date.now() / 1000);

function headers(id: string, seconds: number, signature: string): Record<string, string> {
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signature };
}

test('a new secret is whsec_ and the base64 of 32 bytes, and never the same', () => {
  const secrets = Array.from({ length: 100 }, newSecret);
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32);
  }
  assert.equal(new Set(secrets).size, 100);
});

test('standardwebhooks verifies what is signed', () => {
  const bodies = [
    '',
    '{}',
    '{"type":"a","timestamp":"b","data":{"x":"."}}',
    '{"name":"Zoë 🦉\\u0000"}',
    'x'.repeat(1e6),
  ];
  for (const body of bodies) {
    const secret = newSecret();
    const signature = sign(secret, 'msg_1', now, body);
    assert.equal(signature, new Webhook(secret).sign('msg_1', new Date(now * 1000), body));
    new Webhook(secret).verify(body, headers('msg_1', now, signature), { jsonParse: false });
  }
});

test('the example of the specification library', () => {
  const signature = sign(
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    1614265330,
    '{"test": 2432232314}',
  );
  assert.equal(signature, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('another body, id, time or secret is not verified', () => {
  const secret = newSecret();
  const signature = sign(secret, 'msg_1', now, '{"a":1}');
  const refused = (key: string, body: string, id: string, seconds: number) =>
    assert.throws(() => new Webhook(key).verify(body, headers(id, seconds, signature)), /No matching signature/);
  refused(secret, '{"a":2}', 'msg_1', now);
  refused(secret, '{"a":1}', 'msg_2', now);
  refused(secret, '{"a":1}', 'msg_1', now - 100);
  refused(newSecret(), '{"a":1}', 'msg_1', now);
});

test('a secret, id or time of another form is refused, and the secret is not quoted', () => {
  const bytes = (count: number) => Buffer.alloc(count, 7).toString('base64');
  const secrets = [
    '',
    'whsec_',
    'whsec_!!',
    bytes(32),
    `whsec_${bytes(23)}`,
    `whsec_${bytes(65)}`,
    `whsec_${bytes(32)} `,
    `whsec_${bytes(32).slice(0, -1)}`,
    `whsec_${bytes(32).replace('=', '')}`,
    `whsec_${bytes(33).replaceAll('B', '_')}`,
  ];
  for (const secret of secrets) {
    assert.throws(
      () => sign(secret, 'msg_1', 1, ''),
      (error: Error) => error.message === 'a webhook secret is whsec_ and the base64 of 24 to 64 bytes',
    );
  }
  assert.throws(() => sign(newSecret(), 'msg.1', 1, ''), /id/);
  assert.throws(() => sign(newSecret(), '', 1, ''), /id/);
  for (const seconds of [1.5, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => sign(newSecret(), 'msg_1', seconds, ''), /timestamp/);
  }
});

test('a secret with stray bits is none that is taken, and one that has been kept still signs', () => {
  const sound = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const stray = `${sound.slice(0, -2)}d=`;
  assert.deepEqual(Buffer.from(stray.slice(6), 'base64'), Buffer.alloc(32, 7));
  assert.deepEqual([isWebhookSecret(sound), isWebhookSecret(stray)], [true, false]);
  assert.equal(sign(stray, 'msg_1', 1, ''), sign(sound, 'msg_1', 1, ''));
});
