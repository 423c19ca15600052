import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { contractOf } from '../src/contract/contract-of.ts';
import { Operator } from '../src/runtime/operator.ts';
import { Service } from '../src/runtime/service.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import { verify } from '../src/verify/run/verify.ts';
import { statementsOf } from '../src/verify/statements/statements.ts';
import { until } from './harness.ts';
import { IN_WHOLE, SEED } from './share.ts';
import { planOf, subjectOf } from './subject.ts';
import { TestKeys } from './tokens.ts';

const FOLDER = join(import.meta.dirname, '..', 'docs', 'recipes');
const RECIPES = readdirSync(FOLDER).filter((file) => file.endsWith('.md'));

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: an answer has any form
  readonly body: any;
}

/** A running service of a recipe. */
class Served {
  readonly operator: Operator;
  private readonly url: string;

  private constructor(url: string, operator: Operator) {
    this.url = url;
    this.operator = operator;
  }

  static async of(t: TestContext, name: string): Promise<Served> {
    const file = join(FOLDER, `${name}.md`);
    const { plan, findings } = compile(file, readFileSync(file, 'utf8'));
    assert.deepEqual(findings, []);
    const keys = new TestKeys(plan!);
    const secrets = (scheme: string): string => keys.secret(scheme);
    const service = new Service({
      host: '127.0.0.1',
      port: 0,
      admin: null,
      url: 'https://recipes.example',
      secrets,
      log: () => {},
    });
    await service.start(plan!, new SqliteStore(':memory:', plan!));
    t.after(() => service.stop());
    return new Served(`http://127.0.0.1:${service.port}`, new Operator(service.engine!));
  }

  async send(line: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const [method = '', path = ''] = line.split(' ');
    const sent =
      body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
    const answer = await fetch(this.url + path, { method, headers, ...sent });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) };
  }

  /** A key of a new person, as the header that sends it. */
  async key(id: string, scopes: readonly string[] | null = null): Promise<Record<string, string>> {
    await this.operator.add(
      'Person',
      new Map([
        ['id', id],
        ['name', 'Ada'],
      ]),
    );
    const { key } = await this.operator.issueKey('Person', id, scopes, null);
    return { authorization: `Bearer ${key}` };
  }
}

const ADA = '0195c2a0-0000-7000-8000-000000000001';
const BOB = '0195c2a0-0000-7000-8000-000000000002';
const bearer = ({ body }: Answer): Record<string, string> => ({ authorization: `Bearer ${body.token}` });

/** The messages that handlers send from now on. */
async function mailbox(t: TestContext): Promise<ReadonlyArray<{ readonly to: string; readonly text: string }>> {
  const messages: Array<{ to: string; text: string }> = [];
  const mails = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    messages.push(JSON.parse(text));
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(mails, 'listening');
  t.after(() => mails.close());
  process.env.MAIL_URL = `http://127.0.0.1:${(mails.address() as AddressInfo).port}/messages`;
  t.after(() => delete process.env.MAIL_URL);
  return messages;
}

test('each recipe is a whole document, and the page of recipes lists it', () => {
  const page = readFileSync(join(FOLDER, '..', 'recipes.md'), 'utf8');
  assert.ok(RECIPES.length >= 5);
  for (const file of RECIPES) {
    const { findings, notices } = compile(file, readFileSync(join(FOLDER, file), 'utf8'));
    assert.deepEqual([...findings, ...notices], [], file);
    assert.ok(page.includes(`](recipes/${file})`), file);
  }
});

test('sign-up with e-mail: an account can be used once its link has come back, and a link works once', async (t) => {
  const messages = await mailbox(t);
  const served = await Served.of(t, 'sign-up');
  const ada = { email: 'ada@example.com', password: 'correct horse battery' };
  const { status, body: user } = await served.send('POST /users', ada);
  assert.equal(status, 201);
  assert.equal((await served.send('POST /users', { ...ada, email: 'ADA@example.com' })).body.code, 'email_taken');
  await until(() => messages.length > 0, 'a message');
  assert.equal(messages[0]!.to, ada.email);
  const key = /#(.+)$/.exec(messages[0]!.text)![1]!;
  assert.equal((await served.send('POST /sessions', ada)).body.code, 'not_confirmed');
  const confirm = (text: string) => served.send('POST /confirmations', undefined, { 'X-Confirmation': text });
  for (const wrong of [
    `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`,
    key.toUpperCase(),
    user.id,
    'x'.repeat(32),
  ])
    assert.equal((await confirm(wrong)).status, 401, wrong);
  assert.equal((await confirm(key)).status, 204);
  assert.equal((await confirm(key)).status, 401, 'it works once');
  assert.equal((await served.send('GET /me', undefined, { 'X-Confirmation': key })).status, 401);
  const session = await served.send('POST /sessions', ada);
  assert.equal(session.status, 201);
  assert.equal((await served.send('GET /me', undefined, bearer(session))).body.email, ada.email);
});

test('invitations by e-mail: a secret works once, for whoever has the message', async (t) => {
  const messages = await mailbox(t);
  const served = await Served.of(t, 'invitations');
  const ann = { email: 'ann@example.com', password: 'correct horse battery' };
  await served.operator.add('User', new Map(Object.entries(ann)));
  const session = bearer(await served.send('POST /sessions', ann));
  const made = await served.send('POST /invitations', { email: 'bob@example.com' }, session);
  assert.deepEqual([made.status, made.body.secret], [201, undefined]);
  const link = async (count: number): Promise<[invitation: string, secret: string]> => {
    await until(() => messages.length >= count, 'a message');
    const { to, text } = messages[count - 1]!;
    assert.equal(to, 'bob@example.com');
    const [, invitation = '', secret = ''] = /#([^.]+)\.(.+)$/.exec(text) ?? [];
    return [invitation, secret];
  };
  const join = (invitation: string, secret: string) =>
    served.send('POST /users', { invitation, secret, password: 'a password of my own' });
  const [invitation, first] = await link(1);
  assert.equal(invitation, made.body.id);
  assert.equal((await served.send(`POST /invitations/${invitation}/messages`, undefined, session)).status, 200);
  const [, second] = await link(2);
  for (const [id, secret] of [
    [invitation, first],
    [ADA, second],
    [invitation, second.slice(1)],
  ] as const)
    assert.equal((await join(id, secret)).body.code, 'invitation_not_valid');
  assert.equal((await join(invitation, second)).body.email, 'bob@example.com');
  assert.equal((await join(invitation, second)).body.code, 'invitation_not_valid');
  const bob = await served.send('POST /sessions', { email: 'bob@example.com', password: 'a password of my own' });
  assert.equal((await served.send('GET /me', undefined, bearer(bob))).body.email, 'bob@example.com');
  const late = await served.send('POST /invitations', { email: 'eve@example.com' }, session);
  assert.equal((await served.send(`DELETE /invitations/${late.body.id}`, undefined, session)).status, 204);
});

test('accounts that close: nothing works with a closed account, and what refers to it stays', async (t) => {
  const served = await Served.of(t, 'closing-accounts');
  const ada = { email: 'ada@example.com', password: 'correct horse battery' };
  const session = await served.send('POST /users', ada);
  const { body: remark } = await served.send('POST /remarks', { text: 'Hello' }, bearer(session));
  assert.equal(remark.by, ada.email);
  assert.equal((await served.send('DELETE /me', undefined, bearer(session))).status, 204);
  assert.equal((await served.send('POST /remarks', { text: 'Still here' }, bearer(session))).status, 401);
  assert.equal((await served.send('POST /sessions', ada)).status, 422);
  assert.equal((await served.send(`GET /remarks/${remark.id}`)).body.by, 'somebody who has left');
  await served.operator.edit('User', session.body.user.id, new Map([['closed', null]]));
  assert.equal((await served.send('POST /sessions', ada)).status, 201);
});

test('public view of private rows: only what is shared is there, in its public form', async (t) => {
  const served = await Served.of(t, 'public-view');
  const [ada, bob] = [await served.key(ADA), await served.key(BOB)];
  const made = await served.send('POST /boards', { title: 'Garden', text: 'Plan', remarks: 'Too dear' }, ada);
  const { id } = made.body;
  for (const [line, headers] of [
    [`GET /public/${id}`, {}],
    [`GET /public/${id}`, bob],
    [`GET /public/${ADA}`, {}],
  ] as const)
    assert.equal((await served.send(line, undefined, headers)).body.code, 'not_found');
  assert.deepEqual((await served.send('GET /public')).body.items, []);
  assert.equal((await served.send(`PATCH /boards/${id}`, { shared: true }, bob)).status, 404);
  assert.equal((await served.send(`PATCH /boards/${id}`, { shared: true }, ada)).status, 200);
  assert.deepEqual((await served.send(`GET /public/${id}`)).body, { id, title: 'Garden', text: 'Plan', author: 'Ada' });
  assert.equal((await served.send(`PATCH /boards/${id}`, { shared: false }, bob)).status, 404);
  assert.equal((await served.send('GET /boards', undefined, ada)).body.items[0].remarks, 'Too dear');
});

test('a nightly job: one run closes what is over, and a repetition changes nothing', async (t) => {
  const served = await Served.of(t, 'nightly-job');
  const ada = await served.key(ADA, ['book']);
  const days = ['2026-01-05', '2999-01-05'];
  const bookings: string[] = [];
  for (const day of days) bookings.push((await served.send('POST /bookings', { desk: 7, day }, ada)).body.id);
  for (const id of bookings)
    assert.equal((await served.send(`POST /bookings/${id}/confirm`, undefined, ada)).status, 200);
  const [before] = await served.operator.schedules.list();
  assert.deepEqual([before!.name, before!.last], ['close_past', null]);
  await served.operator.schedules.run('close_past');
  await served.operator.schedules.run('close_past');
  const { items } = (await served.send('GET /bookings', undefined, ada)).body;
  assert.deepEqual(
    items.map(({ status }: { status: string }) => status),
    ['over', 'confirmed'],
  );
  const [after] = await served.operator.schedules.list();
  assert.deepEqual([after!.next, after!.result], [before!.next, 'done']);
  await assert.rejects(served.operator.schedules.run('close'), /There is no schedule “close”/);
});

test('a second version: both versions read and write the same rows, each by its own names', async (t) => {
  const served = await Served.of(t, 'second-version');
  const old = await served.send('POST /v1/notes', { text: 'Milk' });
  assert.equal(old.body.text, 'Milk');
  assert.ok(old.headers.has('deprecation') && old.headers.has('sunset'));
  const now = await served.send(`GET /v2/notes/${old.body.id}`);
  assert.deepEqual([now.body.body, now.body.text, now.headers.has('deprecation')], ['Milk', undefined, false]);
  assert.equal((await served.send('POST /v2/notes', { text: 'Milk' })).status, 422);
});

/** How many requests the test of one recipe sends at most. */
const MOST_REQUESTS = 2500;

for (const file of RECIPES) {
  const text = readFileSync(join(FOLDER, file), 'utf8');
  // A handler that sends messages is tried above, with a service that takes them.
  if (text.includes('### Handler')) continue;
  test(`${file}: ninefold test finds nothing broken`, IN_WHOLE, async (t) => {
    const plan = planOf(text);
    const statements = statementsOf(plan, contractOf(plan), text);
    const subject = await subjectOf(t, text);
    const { results, breaks } = await verify({
      subject,
      url: subject.serviceUrl,
      statements,
      only: null,
      seed: SEED,
      budget: 600_000,
      mostRequests: MOST_REQUESTS,
      mostBreaks: 5,
      version: '0',
    });
    assert.deepEqual(breaks, []);
    assert.ok(results.some(({ outcome }) => outcome === 'kept'));
  });
}
