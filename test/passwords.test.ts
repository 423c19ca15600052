import './whole-alone.ts';
import assert from 'node:assert/strict';
import crypto, { createPublicKey, type ScryptOptions } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { decodeJwt, jwtVerify } from 'jose';
import { compile } from '../src/compiler/compile.ts';
import type { Plan } from '../src/plan/step.ts';
import { Service } from '../src/runtime/service.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import { changed, example } from './fixtures.ts';
import { until } from './harness.ts';
import { hashesBegun } from './hashes.ts';
import { IN_WHOLE, share } from './share.ts';
import { newKeyText, signingKey } from './tokens.ts';

/** Hashing takes its time on a busy machine. */
const ACCOUNTS = changed(example('accounts'), ['| Time-out     | 10 seconds ', '| Time-out     | 120 seconds ']);

function planOf(text: string): Plan {
  const { plan, findings } = compile('accounts.md', text);
  assert.deepEqual(findings, []);
  return plan!;
}

/** The accounts in force, with rows in a file. */
class Accounts {
  readonly dir = mkdtempSync(join(tmpdir(), 'ninefold-accounts-'));
  private service!: Service;
  private store!: SqliteStore;

  static async start(plan: Plan, key: string): Promise<Accounts> {
    const accounts = new Accounts();
    const options = { host: '127.0.0.1', port: 0, admin: null, url: null, secrets: () => key, log: () => {} };
    accounts.service = new Service(options);
    accounts.store = new SqliteStore(join(accounts.dir, 'ninefold.sqlite'), plan);
    await accounts.service.start(plan, accounts.store);
    return accounts;
  }

  async send(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    const response = await fetch(`http://127.0.0.1:${this.service.port}${path}`, {
      method,
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body ? JSON.stringify(body) : null,
    });
    const text = await response.text();
    return { status: response.status, body: (text ? JSON.parse(text) : null) as Record<string, string> };
  }

  signUp(email: string, password: string) {
    return this.send('POST', '/users', { email, password });
  }

  logIn(email: string, password: string) {
    return this.send('POST', '/sessions', { email, password });
  }

  /** All that is kept on disk. */
  kept(): string {
    return readdirSync(this.dir)
      .map((file) => readFileSync(join(this.dir, file)).toString('latin1'))
      .join('');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

type Done = (error: Error | null, key: Buffer) => void;

/**
 * Keeps what scrypt gives until it is asked for: however fast it is, the others come first. Of the same password and
 * salt it is computed once.
 */
function keptHashes(t: TestContext): { begun(): number; give(): void } {
  const { scrypt } = crypto;
  let kept: Array<() => void> | null = [];
  const known = new Map<string, Promise<Parameters<Done>>>();
  const later = (text: string, salt: Buffer, length: number, options: ScryptOptions, done: Done): void => {
    const name = `${text} ${salt.toString('hex')}`;
    const hash =
      known.get(name) ??
      new Promise<Parameters<Done>>((resolve) => {
        scrypt(text, salt, length, options, (...given) => resolve(given));
      });
    known.set(name, hash);
    void hash.then((given) => {
      if (kept) kept.push(() => done(...given));
      else done(...given);
    });
  };
  const { mock } = t.mock.method(crypto, 'scrypt', later);
  syncBuiltinESMExports();
  t.after(() => {
    mock.restore();
    syncBuiltinESMExports();
  });
  return {
    begun: () => mock.callCount(),
    give: () => {
      const all = kept ?? [];
      kept = null;
      for (const one of all) one();
    },
  };
}

describe('passwords', () => {
  const key = newKeyText('EdDSA');
  let accounts: Accounts;
  before(async () => {
    accounts = await Accounts.start(planOf(ACCOUNTS), key);
    assert.equal((await accounts.signUp('ada@example.com', 'correct horse battery')).status, 201);
  });
  after(() => accounts[Symbol.asyncDispose]());

  test('an account that is there and one that is not cost the same work, and get the same answer', async () => {
    const answers: unknown[] = [];
    const wrong = () => accounts.logIn('ada@example.com', 'wrong horse battery').then((one) => answers.push(one));
    const nobody = () => accounts.logIn('nobody@example.com', 'wrong horse battery').then((one) => answers.push(one));
    assert.equal(await hashesBegun(wrong), 1);
    assert.equal(await hashesBegun(nobody), 1);
    assert.deepEqual(answers[0], answers[1]);
    assert.equal(
      await hashesBegun(() => accounts.signUp('bob@example.com', 'short')),
      0,
      'what is refused is not hashed',
    );
  });

  test('hashing holds nobody else up', async (t) => {
    const order: string[] = [];
    const hashes = keptHashes(t);
    const logins = Array.from({ length: 4 }, async () => {
      assert.equal((await accounts.logIn('ada@example.com', 'correct horse battery')).status, 201);
      order.push('log in');
    });
    await until(() => hashes.begun() > 0, 'a password is hashed');
    const others = Array.from({ length: 20 }, async () => {
      assert.equal((await accounts.send('GET', '/me')).status, 401);
      order.push('other');
    });
    await Promise.all(others);
    assert.deepEqual(order, Array(20).fill('other'));
    hashes.give();
    await Promise.all(logins);
  });

  test('past a number that wait, others are told that the service is unavailable', IN_WHOLE, async (t) => {
    const hashes = keptHashes(t);
    const logins = Array.from({ length: 50 }, () => accounts.logIn('ada@example.com', 'correct horse battery'));
    const { status, body } = await Promise.race(logins);
    assert.deepEqual([status, body.code], [503, 'unavailable'], 'all others wait');
    hashes.give();
    const answers = await Promise.all(logins);
    const statuses = answers.map((answer) => answer.status);
    const refused = statuses.filter((status) => status === 503).length;
    assert.ok(refused > 0 && statuses.every((status) => status === 201 || status === 503), statuses.join(' '));
    assert.equal((await accounts.logIn('ada@example.com', 'correct horse battery')).status, 201);
  });

  test('ten sign-ups for one address at once give one account', IN_WHOLE, async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => accounts.signUp('eve@example.com', `correct horse battery ${i}`)),
    );
    assert.equal(answers.filter((answer) => answer.status === 201).length, 1);
    assert.equal(answers.filter((answer) => answer.status === 409).length, 9);
    const winner = answers.findIndex((answer) => answer.status === 201);
    assert.equal((await accounts.logIn('eve@example.com', `correct horse battery ${winner}`)).status, 201);
  });

  test('neither a password nor a credential is kept', async () => {
    const password = 'a password that is nowhere else';
    const { body: signed } = await accounts.signUp('mallory@example.com', password);
    const bearer = { authorization: `Bearer ${signed.token}` };
    const { body: made } = await accounts.send('POST', '/machines', { label: 'press' }, bearer);
    assert.ok(made.key?.startsWith('nf_'));
    const kept = accounts.kept();
    assert.ok(kept.includes('mallory@example.com'), 'the rest is there');
    assert.ok(kept.includes('$scrypt$ln=13,r=8,p=10$'));
    for (const secret of [password, signed.token!, made.key!, signed.token!.split('.')[2]!, made.key!.slice(-43)])
      assert.ok(!kept.includes(secret));
  });

  test('two accounts with one password have two hashes', IN_WHOLE, async () => {
    await accounts.signUp('one@example.com', 'the very same password');
    await accounts.signUp('two@example.com', 'the very same password');
    const hashes = accounts.kept().match(/\$scrypt\$ln=13,r=8,p=10\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}/g)!;
    assert.equal(new Set(hashes).size, new Set(hashes.map((one) => one.split('$')[3])).size);
    assert.ok(new Set(hashes).size > 2);
  });
});

for (const algorithm of share(['HS256', 'HS384', 'HS512', 'RS256', 'PS256', 'ES256', 'EdDSA'], 1).cases)
  test(`tokens that steps issue are as the document states them: ${algorithm}`, async () => {
    const key = newKeyText(algorithm);
    const plan = planOf(changed(ACCOUNTS, ['- Algorithm: EdDSA', `- Algorithm: ${algorithm}`]));
    await using accounts = await Accounts.start(plan, key);
    const { body } = await accounts.signUp('ada@example.com', 'correct horse battery');
    const token = body.token!;
    const verifying = algorithm.startsWith('HS') ? signingKey(key) : createPublicKey(key);
    const { payload, protectedHeader } = await jwtVerify(token, verifying, {
      algorithms: [algorithm],
      issuer: 'https://accounts.example',
      audience: 'https://accounts.example',
      requiredClaims: ['jti'],
      typ: 'JWT',
    });
    assert.deepEqual(protectedHeader, { alg: algorithm, typ: 'JWT' });
    assert.equal(payload.exp! - payload.iat!, 3600);
    assert.equal(payload.sub, (body.user as unknown as { id: string }).id);
    assert.equal((await accounts.send('GET', '/me', undefined, { authorization: `Bearer ${token}` })).status, 200);
    const again = await accounts.logIn('ada@example.com', 'correct horse battery');
    assert.notEqual(decodeJwt(again.body.token!).jti, payload.jti);
  });
