import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { newKeyText, publicJwk } from '../../../test/tokens.ts';
import { PublishedKeys } from './jwks.ts';

/** An issuer on this machine, and a clock that only the test moves. */
async function issuing(answer: RequestListener) {
  let asked = 0;
  const clock = { now: 1_000_000 };
  const server = createServer((request, response) => {
    asked++;
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  return {
    url,
    clock,
    asked: () => asked,
    keys: new PublishedKeys(url, 600_000, 'ES256', () => clock.now),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const jwks = async (...ids: string[]): Promise<string> =>
  JSON.stringify({ keys: await Promise.all(ids.map((kid) => publicJwk(newKeyText('ES256'), { kid }))) });
const ids = (keys: ReadonlyArray<{ id: string | null }> | null): Array<string | null> | null =>
  keys?.map((key) => key.id) ?? null;

test('keys are asked for when first needed, and again once they have been kept for as long as stated', async () => {
  let body = await jwks('a');
  await using issuer = await issuing((_request, response) => response.end(body));
  assert.equal(issuer.asked(), 0);
  assert.deepEqual(ids(await issuer.keys.named('a')), ['a']);
  issuer.clock.now += 599_999;
  assert.deepEqual(ids(await issuer.keys.named('a')), ['a']);
  assert.equal(issuer.asked(), 1);
  body = await jwks('b');
  issuer.clock.now += 1;
  assert.deepEqual(
    ids(await issuer.keys.named('a')),
    [],
    'a key that the issuer has taken back opens nothing any more',
  );
  assert.equal(issuer.asked(), 2);
});

test('a name that is unknown has the keys asked for again, once in half a minute', async () => {
  let body = await jwks('a');
  await using issuer = await issuing((_request, response) => response.end(body));
  assert.deepEqual(ids(await issuer.keys.named('a')), ['a']);
  body = await jwks('a', 'b');
  assert.deepEqual(ids(await issuer.keys.named('b')), []);
  assert.equal(issuer.asked(), 1);
  issuer.clock.now += 30_000;
  assert.deepEqual(ids(await issuer.keys.named('b')), ['b']);
  for (let i = 0; i < 50; i++) assert.deepEqual(ids(await issuer.keys.named(`none ${i}`)), []);
  assert.equal(issuer.asked(), 2);
});

test('a failure leaves keys in force that are still kept, and is tried again after a while', async () => {
  let status = 200;
  const body = await jwks('a');
  await using issuer = await issuing((_request, response) => response.writeHead(status).end(body));
  assert.deepEqual(ids(await issuer.keys.named('a')), ['a']);
  status = 500;
  issuer.clock.now += 30_000;
  assert.deepEqual(ids(await issuer.keys.named('b')), []);
  assert.deepEqual(ids(await issuer.keys.named('a')), ['a']);
  issuer.clock.now += 570_000;
  assert.equal(await issuer.keys.named('a'), null, 'what was kept too long is not believed');
  assert.equal(issuer.asked(), 3);
  status = 200;
  assert.equal(await issuer.keys.named('a'), null);
  assert.equal(issuer.asked(), 3);
  issuer.clock.now += 5000;
  assert.deepEqual(ids(await issuer.keys.named('a')), ['a']);
});

for (const [what, answer] of Object.entries<RequestListener>({
  'a redirect': (_request, response) => response.writeHead(302, { location: '/other' }).end(),
  'an answer that is too large': (_request, response) => response.end(`{"keys":[]${' '.repeat(300_000)}}`),
  'an answer that is no JSON': (_request, response) => response.end('<html>'),
  'an answer that breaks off': (_request, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('{"keys":');
    response.destroy();
  },
}))
  test(`${what} gives no keys`, async () => {
    await using issuer = await issuing(answer);
    assert.equal(await issuer.keys.named('a'), null);
  });

test('keys of another kind, to encrypt, private or shared are passed over', async () => {
  const key = newKeyText('ES256');
  const sound = await publicJwk(key);
  const body = JSON.stringify({
    keys: [
      await publicJwk(newKeyText('RS256'), { kid: 'rsa' }),
      await publicJwk(key, { kid: 'enc', use: 'enc' }),
      { kty: 'oct', k: 'c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0', kid: 'oct' },
      { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA', kid: 'broken' },
      null,
      'text',
      { ...sound, kid: 'padded', x: `${sound.x}=` },
      {
        ...sound,
        kid: 'with a stray bit',
        y: sound.y!.slice(0, -1) + String.fromCharCode(sound.y!.charCodeAt(42) + 1),
      },
      { ...sound, kid: 'good' },
    ],
  });
  await using issuer = await issuing((_request, response) => response.end(body));
  assert.deepEqual(ids(await issuer.keys.named(null)), ['good']);
});
