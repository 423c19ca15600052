import assert from 'node:assert/strict';
import { createHmac, createPublicKey, type KeyObject, randomBytes, sign as signBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { emptyFrame } from '../src/expression/values/value.ts';
import type { SchemePlan } from '../src/plan/callers.ts';
import type { Plan } from '../src/plan/step.ts';
import { TokenHolders } from '../src/runtime/authentication/token-holders.ts';
import { Engine } from '../src/runtime/engine/engine.ts';
import { Operator } from '../src/runtime/operator.ts';
import { Service } from '../src/runtime/service.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import { changed, example } from './fixtures.ts';
import { newKeyText, publicJwk, signingKey, signToken } from './tokens.ts';

const BLOG = example('blog');
const API_KEY = BLOG.slice(BLOG.indexOf('- Scheme: API key'), BLOG.indexOf('- Scopes: none'));

/** The blog with tokens of an issuer in place of keys. */
function withTokens(algorithm: string, keys = 'given by the operator', kind = 'JWT', ...more: readonly string[]): Plan {
  const tokens = [
    `- Scheme: ${kind}`,
    '- Header: `Authorization: Bearer {token}`',
    `- Algorithm: ${algorithm}`,
    `- Keys: ${keys}`,
    '- Issuer: `https://id.example`',
    '- Audience: `blog`',
    '- Lifetime: at most 1 hour',
    '- Clock skew: none',
    '- Credentials: issued by the issuer, each for one Author',
    '- Caller: Author whose number is claim `sub`',
    ...more,
    '',
  ].join('\n');
  const text = changed(BLOG, [API_KEY, tokens], ['| 4 requests per minute  ', '| 4000 requests per minute']);
  const { plan, findings } = compile('blog.md', text);
  assert.deepEqual(findings, []);
  return plan!;
}

/** A plan in force, with Ada as its one author. */
class Running {
  readonly plan: Plan;
  private readonly service: Service;

  private constructor(plan: Plan, service: Service) {
    this.plan = plan;
    this.service = service;
  }

  static async start(plan: Plan, key: string): Promise<Running> {
    const options = { host: '127.0.0.1', port: 0, admin: null, url: null, secrets: () => key, log: () => {} };
    const service = new Service(options);
    const store = new SqliteStore(':memory:', plan);
    await service.start(plan, store);
    const operator = new Operator(await Engine.start(plan, store));
    await operator.add(
      'Author',
      new Map([
        ['number', '1'],
        ['name', 'Ada'],
        ['editor', 'false'],
      ]),
    );
    return new Running(plan, service);
  }

  get scheme(): SchemePlan {
    return this.plan.schemes[0]!;
  }

  /** The status that a request with these header lines gets, sent byte for byte. */
  status(...lines: string[]): Promise<number> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.service.port, '127.0.0.1');
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
      });
      socket.on('end', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])));
      socket.on('error', reject);
      const head = ['GET /me HTTP/1.1', 'Host: a', 'Connection: close', ...lines, '', ''].join('\r\n');
      socket.write(Buffer.from(head, 'latin1'));
    });
  }

  bearer(token: string): Promise<number> {
    return this.status(`Authorization: Bearer ${token}`);
  }

  stop(): Promise<void> {
    return this.service.stop();
  }
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = (): number => Math.floor(Date.now() / 1000);
const good = () => ({ iss: 'https://id.example', aud: 'blog', sub: '1', iat: now(), exp: now() + 600 });

/** A token of any header and claims, signed as `how` says, whether or not the header agrees. */
function forged(header: object, claims: unknown, how: (input: string) => Buffer | string): string {
  const input = `${part(header)}.${typeof claims === 'string' ? claims : part(claims)}`;
  const signature = how(input);
  return `${input}.${typeof signature === 'string' ? signature : signature.toString('base64url')}`;
}

/** The character that stands behind another in base64url. */
const after64 = (character: string): string => {
  const all = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return all[(all.indexOf(character) + 1) % 64]!;
};

/** The same bytes, but for bits at the end that stand for nothing. */
const strayed = (text: string): string => {
  const out = text.slice(0, -1) + after64(text.at(-1)!);
  assert.deepEqual(Buffer.from(out, 'base64url'), Buffer.from(text, 'base64url'));
  return out;
};

/** How long a member has to be for claims to leave bits over: their length may be no multiple of three. */
const paddingOf = (claims: object): number => (JSON.stringify({ ...claims, pad: 'x' }).length % 3 === 0 ? 2 : 1);

const hmac = (key: string | Buffer) => (input: string) => createHmac('sha256', key).update(input).digest();
const rsa = (key: KeyObject) => (input: string) => signBytes('sha256', Buffer.from(input), key);

describe('tokens that are not what they seem', () => {
  const text = newKeyText('RS256');
  const own = signingKey(text);
  const other = signingKey(newKeyText('RS256'));
  let running: Running;
  before(async () => {
    running = await Running.start(withTokens('RS256'), text);
  });
  after(() => running.stop());

  test('are all refused, and none is a failure', async () => {
    const spki = createPublicKey(own).export({ type: 'spki', format: 'pem' }) as string;
    const der = createPublicKey(own).export({ type: 'spki', format: 'der' });
    const RS = { alg: 'RS256', typ: 'JWT' };
    const sound = forged(RS, good(), rsa(own));
    const [head = '', body = '', signature = ''] = sound.split('.');
    const claims = (more: object): string => forged(RS, { ...good(), ...more }, rsa(own));
    const without = (name: string): string =>
      forged(RS, Object.fromEntries(Object.entries(good()).filter(([key]) => key !== name)), rsa(own));
    const restated = (
      head: string,
      header: (text: string) => string,
      claims = (text: string): string => text,
    ): string => {
      const input = `${header(head)}.${claims(part(good()))}`;
      return `${input}.${rsa(own)(input).toString('base64url')}`;
    };
    const otherJwk = await publicJwk(newKeyText('RS256'));
    const tokens: Record<string, string> = {
      'alg none': forged({ alg: 'none' }, good(), () => ''),
      'alg None': forged({ alg: 'None' }, good(), () => ''),
      'alg NONE with a signature': forged({ alg: 'NONE' }, good(), rsa(own)),
      'no alg': forged({ typ: 'JWT' }, good(), rsa(own)),
      'alg null': forged({ alg: null }, good(), rsa(own)),
      'alg a list': forged({ alg: ['RS256'] }, good(), rsa(own)),
      'alg in lower case': forged({ alg: 'rs256' }, good(), rsa(own)),
      'HS256 with the public key in PEM': forged({ alg: 'HS256' }, good(), hmac(spki)),
      'HS256 with the public key, trimmed': forged({ alg: 'HS256' }, good(), hmac(spki.trim())),
      'HS256 with the public key in DER': forged({ alg: 'HS256' }, good(), hmac(der)),
      'HS256 with nothing': forged({ alg: 'HS256' }, good(), hmac('')),
      'RS256 that is HS256': forged(RS, good(), hmac(spki)),
      'another algorithm of the same key': forged({ alg: 'RS512' }, good(), (input) =>
        signBytes('sha512', Buffer.from(input), own),
      ),
      'PS256 that says RS256': forged(RS, good(), (input) =>
        signBytes('sha256', Buffer.from(input), { key: own, padding: 6 }),
      ),
      'another key': forged(RS, good(), rsa(other)),
      'another key, its JWK in the header': forged({ ...RS, jwk: otherJwk }, good(), rsa(other)),
      jku: forged({ ...RS, jku: 'http://127.0.0.1:9/keys' }, good(), rsa(other)),
      x5u: forged({ ...RS, x5u: 'http://127.0.0.1:9/cert' }, good(), rsa(other)),
      x5c: forged({ ...RS, x5c: [der.toString('base64')] }, good(), rsa(other)),
      'kid of a file': forged({ ...RS, kid: '../../../../dev/null' }, good(), hmac('')),
      'kid of SQL': forged({ ...RS, kid: "' UNION SELECT 'a" }, good(), hmac('a')),
      'kid that is an object': forged({ ...RS, kid: { $ne: null } }, good(), rsa(other)),
      'kid that is a number': forged({ ...RS, kid: 5 }, good(), rsa(own)),
      'kid null': forged({ ...RS, kid: null }, good(), rsa(own)),
      'kid a list': forged({ ...RS, kid: ['a'] }, good(), rsa(own)),
      'kid __proto__': forged({ ...RS, kid: '__proto__' }, good(), rsa(other)),
      'unknown crit': forged({ ...RS, crit: ['exp2'], exp2: 1 }, good(), rsa(own)),
      'crit that is empty': forged({ ...RS, crit: [] }, good(), rsa(own)),
      'crit b64': forged({ ...RS, crit: ['b64'], b64: false }, good(), rsa(own)),
      'no signature': `${head}.${body}.`,
      'a signature cut short': sound.slice(0, -2),
      'a signature with a bit turned': `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
      'a signature of zeros': `${head}.${body}.${'A'.repeat(342)}`,
      'claims changed': `${head}.${part({ ...good(), sub: '2' })}.${signature}`,
      'two parts': `${head}.${body}`,
      'four parts': `${sound}.${signature}`,
      'five parts, as if encrypted': `${sound}.a.b`,
      'dots alone': '..',
      padding: `${head}=.${body}.${signature}`,
      'padding behind the signature': `${sound}==`,
      'padding behind it once': `${sound}=`,
      'stray bits in the signature': `${head}.${body}.${strayed(signature)}`,
      'stray bits in the header, signed': restated(head, (text) => (text.length % 4 ? strayed(text) : `${text}A`)),
      'claims with padding, signed': restated(
        head,
        (text) => text,
        (text) => `${text}=`,
      ),
      'claims with stray bits, signed': restated(
        head,
        (text) => text,
        () => strayed(part({ ...good(), pad: 'x'.repeat(paddingOf(good())) })),
      ),
      'claims in the other alphabet, signed': restated(
        head,
        (text) => text,
        () =>
          Buffer.from(JSON.stringify({ ...good(), pad: 'ÿÿÿ???>>>~~~' }))
            .toString('base64')
            .replace(/=+$/, ''),
      ),
      expired: claims({ exp: now() - 1, iat: now() - 10 }),
      'expired at this very second': claims({ exp: now() }),
      'no exp': without('exp'),
      'exp as text': claims({ exp: String(now() + 600) }),
      'exp null': claims({ exp: null }),
      'exp beyond all numbers': forged(
        RS,
        Buffer.from(`{"iss":"https://id.example","aud":"blog","sub":"1","iat":1,"exp":1e999}`).toString('base64url'),
        rsa(own),
      ),
      'exp in milliseconds': claims({ exp: Date.now() + 600_000 }),
      'not before a minute from now': claims({ nbf: now() + 60 }),
      'nbf as text': claims({ nbf: '0' }),
      'issued in the future': claims({ iat: now() + 60 }),
      'no iat': without('iat'),
      'good for too long': claims({ exp: now() + 3700 }),
      'aud a list with a number': claims({ aud: ['blog', 5] }),
      'aud a list with a list': claims({ aud: ['blog', ['blog']] }),
      'aud a list with null': claims({ aud: ['blog', null] }),
      'aud an object': claims({ aud: { blog: true } }),
      'jti a number': claims({ jti: 5 }),
      'another issuer': claims({ iss: 'https://id.example.evil.example' }),
      'an issuer with a slash': claims({ iss: 'https://id.example/' }),
      'no issuer': without('iss'),
      'a list of issuers': claims({ iss: ['https://id.example'] }),
      'another audience': claims({ aud: 'blogs' }),
      'no audience': without('aud'),
      'an empty list of audiences': claims({ aud: [] }),
      'an audience in an object': claims({ aud: { blog: true } }),
      'no subject': without('sub'),
      'a subject nobody is': claims({ sub: '99' }),
      'a subject that is SQL': claims({ sub: '1 OR 1=1' }),
      'a subject that is a list': claims({ sub: ['1'] }),
      'a subject that is an object': claims({ sub: { toString: '1' } }),
      'a subject that is true': claims({ sub: true }),
      'a subject that is a fraction': claims({ sub: 1.5 }),
      'a subject beyond all integers': claims({ sub: '99999999999999999999' }),
      'claims that are a list': forged(RS, [good()], rsa(own)),
      'claims that are text': forged(RS, part('claims'), rsa(own)),
      'claims that are null': forged(RS, part(null), rsa(own)),
      'claims that are no JSON': forged(RS, Buffer.from('{').toString('base64url'), rsa(own)),
      'claims that are no UTF-8': forged(RS, Buffer.from([0xff, 0xfe, 0x7b]).toString('base64url'), rsa(own)),
      'a header that is no JSON': `${Buffer.from('{').toString('base64url')}.${body}.${signature}`,
      'a header that is a list': forged([RS], good(), rsa(own)),
      'a header that is null': `${part(null)}.${body}.${signature}`,
      'deep claims': forged(
        RS,
        Buffer.from(`{"sub":${'['.repeat(3000)}${']'.repeat(3000)}}`).toString('base64url'),
        rsa(own),
      ),
      'a prototype in the claims': forged(
        RS,
        Buffer.from(`{"__proto__":{"sub":"1","exp":9999999999,"iss":"https://id.example","aud":"blog"}}`).toString(
          'base64url',
        ),
        rsa(own),
      ),
      'an API key': `nf_${'a'.repeat(12)}_${'b'.repeat(43)}`,
      'random bytes': randomBytes(300).toString('base64url'),
      'a long one': `${head}.${'A'.repeat(8000)}.${signature}`,
    };
    assert.equal(await running.bearer(sound), 200, 'the sound one is taken');
    const lines: Record<string, string[]> = {
      'two tokens': [`Authorization: Bearer ${sound}, Bearer ${sound}`],
      'two headers': [`Authorization: Bearer ${sound}`, `Authorization: Bearer ${sound}`],
      'a tab for the space': [`Authorization: Bearer\t${sound}`],
      'a space inside': [`Authorization: Bearer ${head}. ${body}.${signature}`],
      'words after it': [`Authorization: Bearer ${sound} x`],
      'quotes around it': [`Authorization: Bearer "${sound}"`],
      'beyond ASCII': [`Authorization: Bearer ${sound}\u00e9`],
      'a full-width dot': [`Authorization: Bearer ${head}\u00b7${body}\u00b7${signature}`],
      'no scheme': [`Authorization: ${sound}`],
      'another scheme': [`Authorization: Basic ${sound}`],
      'the scheme twice': [`Authorization: Bearer Bearer ${sound}`],
      'the bare scheme': ['Authorization: Bearer'],
      'an empty header': ['Authorization: '],
    };
    const all = [
      ...Object.entries(tokens).map(([what, token]) => [what, [`Authorization: Bearer ${token}`]] as const),
      ...Object.entries(lines),
    ];
    const wrong: string[] = [];
    for (const [what, sent] of all) {
      const status = await running.status(...sent);
      if (status !== 401) wrong.push(`${what}: ${status}`);
    }
    assert.deepEqual(wrong, []);
    assert.equal(
      await running.status(`Authorization: Bearer ${'a.'.repeat(20_000)}`),
      431,
      'HTTP refuses what is oversized',
    );
    assert.equal(await running.bearer(sound), 200, 'and the sound one still is taken');
    console.log(`hostile tokens ${all.length + 1}: all refused, none with a 5xx`);
    assert.ok(all.length >= 40);
  });
});

test('a secret is not taken for a public key, nor a short one for a secret', async () => {
  const plan = withTokens('HS256');
  const start = (key: string) => Engine.start(plan, new SqliteStore(':memory:', plan), null, () => key);
  await assert.rejects(start('too short'), /has to be a secret of at least 32 bytes/);
  await assert.rejects(start(newKeyText('RS256')), /has to be a secret of at least 32 bytes/);
  const keys = withTokens('ES256');
  const with256 = (key: string) => Engine.start(keys, new SqliteStore(':memory:', keys), null, () => key);
  await assert.rejects(with256(newKeyText('RS256')), /has to be a key on the curve P-256/);
  await assert.rejects(with256('nonsense'), /has to be a key on the curve P-256/);
  await with256(JSON.stringify({ keys: [await publicJwk(newKeyText('ES256'), { kid: 'a' })] }));
});

test('an access token of OAuth 2 is typed as one', async () => {
  const text = newKeyText('ES256');
  const running = await Running.start(withTokens('ES256', undefined, 'OAuth 2 bearer'), text);
  try {
    const sign = (header: object) => signToken(running.scheme, signingKey(text), { sub: '1' }, { ...header });
    assert.equal(await running.bearer(await sign({ typ: 'at+jwt' })), 200);
    assert.equal(await running.bearer(await sign({ typ: 'application/at+jwt' })), 200);
    assert.equal(await running.bearer(await sign({ typ: 'JWT' })), 401);
    assert.equal(await running.bearer(await sign({ typ: undefined })), 401);
  } finally {
    await running.stop();
  }
});

test('a JWT has the type that is stated, or any', async () => {
  const text = newKeyText('ES256');
  const answers = async (...stated: string[]): Promise<number[]> => {
    const running = await Running.start(withTokens('ES256', undefined, 'JWT', ...stated), text);
    try {
      const types = [
        'session+jwt',
        'Session+JWT',
        'application/session+jwt',
        'JWT',
        'text/session+jwt',
        '',
        undefined,
        1,
      ];
      const out: number[] = [];
      for (const typ of types)
        out.push(await running.bearer(await signToken(running.scheme, signingKey(text), { sub: '1' }, { typ })));
      return out;
    } finally {
      await running.stop();
    }
  };
  assert.deepEqual(await answers('- Type: `session+jwt`'), [200, 200, 200, 401, 401, 401, 401, 401]);
  assert.deepEqual(await answers('- Type: any'), [200, 200, 200, 200, 200, 200, 200, 200]);
  assert.deepEqual(await answers(), [200, 200, 200, 200, 200, 200, 200, 200]);
});

test('while an issuer cannot be asked for its keys, nobody is refused for it: the service is unavailable', async () => {
  let asked = 0;
  const issuer = createServer((_request, response) => {
    asked++;
    response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
  const { port } = issuer.address() as AddressInfo;
  const running = await Running.start(withTokens('ES256', `from \`http://127.0.0.1:${port}/keys\`, kept 1 day`), '');
  try {
    const token = await signToken(running.scheme, signingKey(newKeyText('ES256')), { sub: '1' }, { kid: 'a' });
    assert.equal(await running.bearer(token), 503);
    assert.equal(await running.bearer(token), 503);
    assert.equal(asked, 1, 'it is not asked again at once');
    assert.equal(await running.bearer('nonsense'), 401);
    assert.equal(await running.status(), 200, 'nobody needs no keys');
  } finally {
    await running.stop();
    issuer.close();
  }
});

test('published keys are found by name, kept, and looked for anew when a token names another', async () => {
  const [first, second] = [newKeyText('ES256'), newKeyText('ES256')];
  let body = JSON.stringify({ keys: [await publicJwk(first, { kid: 'a' }), { kty: 'oct', k: 'AAAA', kid: 'b' }] });
  let asked = 0;
  const issuer = createServer((_request, response) => {
    asked++;
    response.end(body);
  });
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
  const { port } = issuer.address() as AddressInfo;
  const running = await Running.start(withTokens('ES256', `from \`http://127.0.0.1:${port}/keys\`, kept 1 day`), '');
  const token = (key: string, header: object) =>
    signToken(running.scheme, signingKey(key), { sub: '1' }, { ...header });
  try {
    const many = await Promise.all(
      Array.from({ length: 20 }, async () => running.bearer(await token(first, { kid: 'a' }))),
    );
    assert.deepEqual(new Set(many), new Set([200]));
    assert.equal(asked, 1, 'all who need the keys at one time wait for one answer');
    assert.equal(await running.bearer(await token(first, {})), 200, 'a token that names no key may be signed with any');
    assert.equal(await running.bearer(await token(second, { kid: 'a' })), 401);
    assert.equal(await running.bearer(await token(second, { kid: 'b' })), 401);
    body = JSON.stringify({ keys: [await publicJwk(second, { kid: 'c' })] });
    assert.equal(await running.bearer(await token(second, { kid: 'c' })), 401, 'not so soon after the last time');
    assert.equal(asked, 1);
  } finally {
    await running.stop();
    issuer.close();
  }
});

test('what is read for long outlives no token', async () => {
  const plan = withTokens('ES256');
  const text = newKeyText('ES256');
  const store = new SqliteStore(':memory:', plan);
  const engine = await Engine.start(plan, store, null, () => text);
  const operator = new Operator(engine);
  const fields = { number: '1', name: 'Ada', editor: 'false' };
  await operator.add('Author', new Map(Object.entries(fields)));
  const holders = new TokenHolders(plan.schemes[0]!, plan, store, engine.keys.get('Author key')!, null);
  const token = await signToken(plan.schemes[0]!, signingKey(text), { sub: '1', exp: 60 });
  const at = Date.now();
  const known = await holders.accept(token, { frame: emptyFrame(at, '') });
  assert.ok(typeof known !== 'string');
  assert.ok(await store.read(() => known.again(at + 58_000)));
  assert.equal(await store.read(() => known.again(at + 60_000)), null);
});
