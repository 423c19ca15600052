import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { descriptions } from '../src/export/served/descriptions.ts';
import type { Plan } from '../src/plan/step.ts';
import { Operator } from '../src/runtime/operator.ts';
import { Service } from '../src/runtime/service.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import type { Store } from '../src/store/store.ts';
import { until } from './harness.ts';
import { headerOf, Line, type Reply } from './line.ts';
import { PostgresServer } from './postgres.ts';
import { documentText, planOf, withChange } from './subject.ts';
import { TestKeys } from './tokens.ts';

/** The condition after Caller, of every scheme for the account itself. */
const WHILE = ' while `closed == null`';
/** Accounts that close themselves and keep their row, with every kind of credentials that there is. */
const ACCOUNTS = (
  [
    [
      '| password | string | password | 12 to 200 characters | request            |          |                                      |',
      `| password | string | password | 12 to 200 characters | request            |          |                                      |
| closed   | timestamp |        |                      | steps; operator    | optional |                                      |`,
    ],
    [
      '## States and transitions',
      `### Note

| Field | Type   | Format | Allowed values     | Given by            | Presence | Unique   |
| ----- | ------ | ------ | ------------------ | ------------------- | -------- | -------- |
| id    | string | uuid   |                    | on create \`uuid()\`  |          | identity |
| text  | string |        | 1 to 40 characters | request             |          |          |

- Visible: everyone
- Shown: id, text

## States and transitions`,
    ],
    ['- Text: as sent', '- Text: as sent\n- Missing values in answers: left out'],
    ['- HEAD: not served', '- HEAD: as GET\n- Description: OpenAPI 3.1 at `/openapi.json` with every endpoint'],
    ['- Conditional requests: none', '- Conditional requests: RFC 9110, strong ETag of the answer, every GET'],
    [
      '### `PUT /me/password`',
      `### \`DELETE /me\`

- Preconditions on writes: ignored
- Idempotency: header \`Idempotency-Key\`, optional, for each caller, kept 24 hours, answers below 500

1. Find \`me\`: User where \`id == caller.id\`, else not_known.
2. Change \`me\` with closed \`now()\`.
3. Answer 204.

### \`POST /sessions/open\`

| Parameter | In   | Type          | Allowed values | Presence |
| --------- | ---- | ------------- | -------------- | -------- |
| email     | body | User.email    | any            | always   |
| password  | body | User.password | any            | always   |

- Access: anyone

1. Authenticate \`user\`: User where \`login == request.email.lower() && closed == null\`, password \`request.password\`, else not_known.
2. Issue \`token\`: Session for \`user\`.
3. Answer 201 with token: \`token\`.

### \`POST /cookies\`

| Parameter | In   | Type          | Allowed values | Presence |
| --------- | ---- | ------------- | -------------- | -------- |
| email     | body | User.email    | any            | always   |
| password  | body | User.password | any            | always   |

- Access: anyone

1. Authenticate \`user\`: User where \`login == request.email.lower()\`, password \`request.password\`, else not_known.
2. Issue \`key\`: Browser for \`user\`.
3. Answer 204.

### \`POST /keys\`

1. Issue \`key\`: Key for \`caller\`.
2. Answer 201 with key: \`key\`.

### \`POST /notes\`

- Request: Note with text
- Idempotency: header \`Idempotency-Key\`, optional, for each caller, kept 24 hours, answers below 500

1. Create \`note\`: Note from \`request\`.
2. Answer 201 with \`note\`.

### \`GET /events\`

1. Answer 200 with the stream.

### \`GET /hello\`

- Access: anyone

1. Answer 200 with known: \`caller.User != null\`.

### \`PUT /me/password\``,
    ],
    ['- Caller: User whose id is claim `sub`', `- Caller: User whose id is claim \`sub\`${WHILE}`],
    ['- Caller: Machine', '- Caller: Machine while `owner.closed == null`'],
    [
      '### Machine key',
      `### Issued elsewhere

- Scheme: JWT
- Header: \`X-Issued: {token}\`
- Algorithm: ES256
- Keys: given by the operator
- Issuer: \`https://id.example\`
- Audience: \`https://accounts.example\`
- Lifetime: as the token says
- Clock skew: none
- Credentials: issued by the issuer, each for one User
- Caller: User whose login is claim \`sub\`${WHILE}
- Scopes: none

### Key

- Scheme: API key
- Header: \`X-Key: {key}\`
- Credentials: issued and revoked by the operator and steps, each for one User, kept as a hash
- Caller: User${WHILE}
- Scopes: none

### Browser

- Scheme: API key
- Cookie: \`__Host-session={key}\`, HttpOnly, SameSite Lax, Max-Age 30 days, removed when refused
- Cross-origin writes: refused
- Credentials: issued and revoked by steps, each for one User, kept as a hash
- Caller: User${WHILE}
- Scopes: none

### Machine key`,
    ],
    [
      '- Events: none',
      `Webhooks: none.

| Event        | When              | Payload | Notified by |
| ------------ | ----------------- | ------- | ----------- |
| note.written | a Note is created | Note    | stream      |

### Stream

- Format: server-sent events (WHATWG HTML)
- Data: the payload
- Resumption: Last-Event-ID, for 24 hours, else events_gone
- Retry: none
- Heartbeat: none
- Slow readers: cut off after 30 seconds
- At once: any number`,
    ],
    [
      '| not_found   | 404    | a step says so | There is no such machine             |',
      `| not_found   | 404    | a step says so | There is no such machine             |
| events_gone | 410    | a step says so | These events are no longer kept      |
| foreign     | 403    | origin not accepted | Another page has sent this      |`,
    ],
    ['| Time-out     | 10 seconds ', '| Time-out     | 120 seconds '],
  ] as const
).reduce((text, [from, to]) => withChange(text, from, to), documentText('docs/documents/accounts.md'));

/** The plan, with the least cost of a password: in a test it protects nothing. */
const stated = planOf(ACCOUNTS);
const PLAN: Plan = { ...stated, passwords: { ...stated.passwords!, cost: 2 } };
const ADA = { email: 'ada@example.com', password: 'correct horse battery' };
const ORIGIN = 'https://accounts.example';
/** What a page of the service itself sends. */
const PAGE = { Origin: ORIGIN };

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

type Headers = Readonly<Record<string, string>>;

function written(method: string, path: string, headers: Headers, body?: unknown): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const sized = text && { 'Content-Type': 'application/json', 'Content-Length': String(text.length) };
  const all = Object.entries({ Host: 'accounts.example', ...headers, ...sized });
  return `${method} ${path} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`;
}

async function send(url: string, method: string, path: string, headers: Headers = {}, body?: unknown): Promise<Reply> {
  const line = new Line(url);
  try {
    return await line.exchange(written(method, path, headers, body), method);
  } finally {
    line.close();
  }
}

/** The document in force: once on SQLite, or by two services that share a database of PostgreSQL. */
class Served implements AsyncDisposable {
  readonly urls: string[] = [];
  readonly keys = new TestKeys(PLAN);
  private readonly services: Service[] = [];

  async start(store: Store): Promise<void> {
    const secrets = (scheme: string): string => this.keys.secret(scheme);
    const place = { host: '127.0.0.1', port: 0, admin: null, url: ORIGIN };
    const service = new Service({ ...place, secrets, describe: descriptions(), log: () => {} });
    await service.start(PLAN, store);
    this.services.push(service);
    this.urls.push(`http://127.0.0.1:${service.port}`);
  }

  get operator(): Operator {
    return new Operator(this.services[0]!.engine!);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const service of this.services) await service.stop();
  }
}

/** A stream, and what has come of it. */
class Reader {
  text = '';
  ended = false;

  private constructor(body: ReadableStream<Uint8Array>) {
    void this.read(body).finally(() => {
      this.ended = true;
    });
  }

  static async of(url: string, headers: Headers): Promise<Reader> {
    const { body } = await fetch(`${url}/events`, { headers });
    return new Reader(body!);
  }

  heard(what: RegExp): Promise<RegExpExecArray> {
    return until(() => what.exec(this.text), `${what} is heard`);
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    for await (const part of body) this.text += Buffer.from(part).toString();
  }
}

describe('an account that a request closes: no way in works after it, and each one again once it is opened', () => {
  for (const [name, open] of [
    ['SQLite', async (served: Served) => served.start(new SqliteStore(':memory:', PLAN))],
    [
      'PostgreSQL, by two services',
      async (served: Served) => {
        const url = await server.database();
        for (let n = 0; n < 2; n++) await served.start(await PostgresStore.open(url, PLAN));
      },
    ],
  ] as const)
    test(name, async () => {
      await using served = new Served();
      await open(served);
      await closes(served);
    });
});

/** Each way in, by its name: the status of what is answered at an address. */
type Ways = Readonly<Record<string, (url: string) => Promise<number>>>;

const toLogIn = 'a log-in whose condition leaves the account out';

async function waysOf(served: Served, id: string, token: Headers): Promise<Ways> {
  const [url = ''] = served.urls;
  const { operator } = served;
  const status = (method: string, path: string, headers: Headers, body?: unknown) => async (at: string) =>
    (await send(at, method, path, headers, body)).status;
  const told = async (at: string, path: string, headers: Headers, body?: unknown): Promise<Record<string, string>> =>
    JSON.parse((await send(at, 'POST', path, headers, body)).body);
  const elsewhere = async (): Promise<Headers> => {
    const scheme = PLAN.schemes.find(({ name }) => name === 'Issued elsewhere')!;
    return { 'X-Issued': await served.keys.sign(scheme, { sub: ADA.email }) };
  };
  const byOperator = async (): Promise<Headers> => ({
    'X-Key': (await operator.issueKey('User', id, null, 'Key')).key,
  });
  const cookieAt = async (at: string): Promise<Headers> => {
    const set = headerOf(await send(at, 'POST', '/cookies', PAGE, ADA), 'Set-Cookie')!;
    return { Cookie: set.split(';')[0]!, ...PAGE };
  };
  const streams = (headers: Headers) => async (at: string) => {
    const stream = await fetch(`${at}/events`, { headers });
    await stream.body?.cancel();
    return stream.status;
  };
  const issued = await elsewhere();
  const key = { 'X-Key': (await told(url, '/keys', token)).key! };
  const machine = { 'X-Machine-Key': (await told(url, '/machines', token, { label: 'press' })).key! };
  const cookie = await cookieAt(url);
  const etag = headerOf(await send(url, 'GET', '/me', token), 'ETag')!;
  const reader = await Reader.of(url, key);
  const [, last = ''] = await reader.heard(/id: (\S+)\n/);
  return {
    'a token that a step issued': status('GET', '/me', token),
    'a token of another issuer': status('GET', '/me', issued),
    'a key of the account': status('GET', '/me', key),
    'a key that the operator issued': status('GET', '/me', await byOperator()),
    'a key of a machine of the account': status('GET', '/report', machine),
    'a cookie': status('GET', '/me', cookie),
    'a cookie that writes': status('POST', '/notes', cookie, { text: 'by cookie' }),
    'credentials where anyone may call': status('GET', '/hello', token),
    'a cookie where anyone may call': status('GET', '/hello', cookie),
    'the description for callers': status('GET', '/openapi.json', key),
    HEAD: status('HEAD', '/me', token),
    'what has not changed since': status('GET', '/me', { ...token, 'If-None-Match': etag }),
    'what has not changed since, whatever it is': status('HEAD', '/me', { ...key, 'If-None-Match': '*' }),
    'a kept answer': status('POST', '/notes', { ...key, 'Idempotency-Key': 'kept' }, { text: 'kept' }),
    'a stream': streams(token),
    'a stream opened again': streams({ ...key, 'Last-Event-ID': last }),
    'a key that a key gets': status('POST', '/keys', key),
    'a log-in': async (at) =>
      status('GET', '/me', { Authorization: `Bearer ${(await told(at, '/sessions', PAGE, ADA)).token}` })(at),
    [toLogIn]: status('POST', '/sessions/open', PAGE, ADA),
    'a log-in for a cookie': async (at) => status('GET', '/me', await cookieAt(at))(at),
    'a key that the operator issues then': async (at) => status('GET', '/me', await byOperator())(at),
    'a token that another issuer issues then': async (at) => status('GET', '/me', await elsewhere())(at),
  };
}

/** Tries each way at each service; gives its statuses. */
async function tried(ways: Ways, urls: readonly string[]): Promise<Record<string, readonly number[]>> {
  const found: Record<string, readonly number[]> = {};
  for (const [name, way] of Object.entries(ways)) {
    const statuses: number[] = [];
    for (const url of urls) statuses.push(await way(url));
    found[name] = [...new Set(statuses)];
  }
  return found;
}

async function closes(served: Served): Promise<void> {
  const { urls, operator } = served;
  const [url = '', other = url] = urls;
  const signUp = async (email: string): Promise<{ user: { id: string }; token: string }> =>
    JSON.parse((await send(url, 'POST', '/users', PAGE, { ...ADA, email })).body);
  const { user, token } = await signUp(ADA.email);
  const hers = { Authorization: `Bearer ${token}` };
  const bobs = { Authorization: `Bearer ${(await signUp('bob@example.com')).token}` };
  const ways = await waysOf(served, user.id, hers);
  const before = await tried(ways, urls);
  assert.deepEqual([...new Set(Object.values(before).flat())].sort(), [200, 201, 304]);
  assert.ok(Object.keys(before).length >= 12, 'the ways that are promised');

  const open = await Promise.all([Reader.of(url, hers), Reader.of(other, hers)]);
  const his = await Reader.of(other, bobs);
  // One whose body is still to come once it has been let in.
  const waiting = new Line(other);
  const [head, body] = written('POST', '/notes', { ...hers, Expect: '100-continue' }, { text: 'in flight' }).split(
    '\r\n\r\n',
  );
  waiting.write(`${head}\r\n\r\n`);
  await until(() => waiting.rest().includes('100 Continue'), 'it is asked for its body');
  const line = new Line(url);
  const closing = written('DELETE', '/me', { ...hers, 'Idempotency-Key': 'closing' });
  const behind = [written('GET', '/me', hers), written('POST', '/notes', hers, { text: 'behind' }), closing];
  line.write(closing + behind.join(''));
  assert.equal((await line.reply()).status, 204);
  waiting.write(body!);
  const late = [(await line.reply()).status, (await line.reply()).status, (await line.reply()).status];
  assert.deepEqual([...late, (await waiting.reply()).status], [401, 401, 401, 401]);
  for (const one of [line, waiting]) one.close();
  await send(url, 'POST', '/notes', bobs, { text: 'after' });
  await his.heard(/after/);
  for (const one of open) {
    await until(() => one.ended, 'the stream ends');
    assert.doesNotMatch(one.text, /after|behind|in flight/);
  }
  const refused = Object.fromEntries(Object.keys(ways).map((name) => [name, [name === toLogIn ? 422 : 401]]));
  assert.deepEqual(await tried(ways, urls), refused);
  const rows = await operator.list('User');
  assert.equal(rows.filter(({ closed }) => closed !== null).length, 1, 'its row is kept');

  await operator.edit('User', user.id, new Map([['closed', null]]));
  assert.deepEqual(await tried(ways, urls), before);
}
