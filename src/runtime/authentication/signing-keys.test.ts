import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import type { SchemePlan } from '../../plan/callers.ts';
import { KeyError, keysOf, publishedKeys } from './signing-keys.ts';

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PUBLIC = pair.publicKey.export({ format: 'jwk' });
const PRIVATE = createPrivateKey(pair.privateKey.export({ type: 'pkcs8', format: 'pem' })).export({ format: 'jwk' });
const SHARED = { kty: 'oct', k: Buffer.alloc(32, 'a').toString('base64url') };

const scheme = (algorithm: string): SchemePlan =>
  ({ name: 'Token', tokens: { keys: 'operator', algorithm, lifetime: null } }) as unknown as SchemePlan;

/** The purposes of the operator's keys; null where the scheme has none that fits. */
function operators(jwk: object, algorithm = 'ES256'): { verifies: number; signs: boolean } | null {
  try {
    const keys = keysOf([scheme(algorithm)], () => JSON.stringify(jwk)).get('Token');
    return keys ? { verifies: keys.verifying.length, signs: keys.signing !== null } : null;
  } catch (error) {
    if (error instanceof KeyError) return null;
    throw error;
  }
}

const published = (jwk: object): number => publishedKeys(JSON.stringify({ keys: [jwk] }), 'ES256')?.length ?? 0;

const MEMBERS: ReadonlyArray<readonly [members: Readonly<Record<string, unknown>>, verifies: boolean]> = [
  [{}, true],
  [{ use: 'sig' }, true],
  [{ use: 'enc' }, false],
  [{ use: 5 }, false],
  [{ key_ops: ['verify'] }, true],
  [{ key_ops: ['sign', 'verify'] }, true],
  [{ key_ops: ['sign'] }, false],
  [{ key_ops: ['encrypt'] }, false],
  [{ key_ops: [] }, false],
  [{ key_ops: 'verify' }, false],
  [{ key_ops: ['verify', 5] }, false],
  [{ key_ops: ['verify', 'verify'] }, false],
  [{ alg: 'ES256' }, true],
  [{ alg: 'ES384' }, false],
  [{ alg: 5 }, false],
  [{ kid: 'a' }, true],
  [{ kid: 5 }, false],
];

for (const [members, verifies] of MEMBERS)
  test(`a public key with ${JSON.stringify(members)} ${verifies ? 'verifies' : 'does not verify'}, whoever gives it`, () => {
    const jwk = { ...PUBLIC, ...members };
    assert.equal(published(jwk), verifies ? 1 : 0);
    assert.deepEqual(operators(jwk), verifies ? { verifies: 1, signs: false } : null);
  });

test('a private key signs, and its public half verifies, unless it says otherwise', () => {
  assert.deepEqual(operators(PRIVATE), { verifies: 1, signs: true });
  assert.deepEqual(operators({ ...PRIVATE, key_ops: ['sign'] }), { verifies: 1, signs: true });
  assert.deepEqual(operators({ ...PRIVATE, key_ops: ['verify'] }), { verifies: 1, signs: false });
  assert.equal(operators({ ...PRIVATE, key_ops: ['decrypt'] }), null);
  assert.equal(published(PRIVATE), 0);
});

test('a shared secret is for what it says', () => {
  assert.deepEqual(operators(SHARED, 'HS256'), { verifies: 1, signs: true });
  assert.deepEqual(operators({ ...SHARED, key_ops: ['verify'] }, 'HS256'), { verifies: 1, signs: false });
  assert.equal(operators({ ...SHARED, key_ops: ['sign'] }, 'HS256'), null);
  assert.equal(operators({ ...SHARED, alg: 'HS512' }, 'HS256'), null);
});
