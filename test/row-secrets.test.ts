import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { Engine } from '../src/runtime/engine/engine.ts';
import { Operator } from '../src/runtime/operator.ts';
import { Service } from '../src/runtime/service.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import { PostgresServer } from './postgres.ts';
import { documentText, planOf } from './subject.ts';

// The secrets of rows: who has one is let in once, and nothing that is stored or logged tells one.

const PLAN = planOf(documentText('src/compiler/resources/cases/documents/invitations.md'));
const ANN = '0195c2a0-0000-7000-8000-00000000000a';

let server: PostgresServer | null = null;
after(() => server?.[Symbol.asyncDispose]());

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, string>>;
}

/** A service of invitations, and the one member who invites. */
class Invitations {
  readonly operator: Operator;
  readonly dir: string;
  readonly logged: string[];
  private readonly service: Service;
  private readonly key: string;

  private constructor(parts: Pick<Invitations, 'operator' | 'dir' | 'logged'>, service: Service, key: string) {
    this.operator = parts.operator;
    this.dir = parts.dir;
    this.logged = parts.logged;
    this.service = service;
    this.key = key;
  }

  static async start(t: TestContext, place: 'SQLite' | 'PostgreSQL'): Promise<Invitations> {
    const dir = mkdtempSync(join(tmpdir(), 'ninefold-secrets-'));
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    if (place === 'PostgreSQL') server ??= await PostgresServer.shared();
    const store =
      server && place === 'PostgreSQL'
        ? await PostgresStore.open(await server.database(), PLAN)
        : new SqliteStore(join(dir, 'ninefold.sqlite'), PLAN);
    const logged: string[] = [];
    const log = (...line: readonly unknown[]): void => void logged.push(JSON.stringify(line));
    const service = new Service({ host: '127.0.0.1', port: 0, admin: null, url: null, secrets: () => '', log });
    await service.start(PLAN, store);
    t.after(() => service.stop());
    const operator = new Operator(await Engine.start(PLAN, store, 'http://127.0.0.1'));
    await operator.add(
      'Member',
      new Map([
        ['id', ANN],
        ['name', 'Ann'],
      ]),
    );
    const { key } = await operator.issueKey('Member', ANN, null, null);
    return new Invitations({ operator, dir, logged }, service, key);
  }

  async post(path: string, body?: object, own = false): Promise<Answer> {
    const response = await fetch(`http://127.0.0.1:${this.service.port}${path}`, {
      method: 'POST',
      headers: {
        ...(own && { authorization: `Bearer ${this.key}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body ? JSON.stringify(body) : null,
    });
    return { status: response.status, body: JSON.parse(await response.text()) as Answer['body'] };
  }

  invite(): Promise<Answer> {
    return this.post('/invitations', { email: 'bob@example.com' }, true);
  }

  enter({ body }: Answer, secret = body.secret): Promise<Answer> {
    return this.post('/guests', { invitation: body.id, secret });
  }

  /** Everything in the folder of the store. */
  kept(): string {
    return readdirSync(this.dir)
      .map((file) => readFileSync(join(this.dir, file)).toString('latin1'))
      .join('');
  }
}

for (const place of ['SQLite', 'PostgreSQL'] as const) {
  test(`of several requests at once with a secret, one succeeds, in ${place}`, async (t) => {
    const invitations = await Invitations.start(t, place);
    for (let round = 0; round < 5; round++) {
      const made = await invitations.invite();
      const answers = await Promise.all(Array.from({ length: 8 }, () => invitations.enter(made)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 7 }, () => 422)]);
      for (const { status, body } of answers) if (status === 422) assert.equal(body.code, 'invitation_not_valid');
    }
    assert.equal((await invitations.operator.list('Guest')).length, 5);
  });

  test(`a secret that is drawn anew, or of a row that is over, is refused like a wrong one, in ${place}`, async (t) => {
    const invitations = await Invitations.start(t, place);
    const [first, other] = [await invitations.invite(), await invitations.invite()];
    assert.match(first.body.secret!, /^[A-Za-z0-9_-]{43}$/);
    assert.notEqual(first.body.secret, other.body.secret);
    const again = await invitations.post(`/invitations/${first.body.id}/secrets`, undefined, true);
    assert.equal(again.status, 200);
    assert.notEqual(again.body.secret, first.body.secret);
    const wrong = await invitations.enter(first, 'x');
    assert.deepEqual([wrong.status, wrong.body.code], [422, 'invitation_not_valid']);
    const missing = { ...first, body: { ...first.body, id: ANN } };
    for (const refused of [
      await invitations.enter(first),
      await invitations.enter(first, other.body.secret),
      await invitations.enter(first, `${again.body.secret} `),
      await invitations.enter(first, again.body.secret!.toLowerCase()),
      await invitations.enter(missing, again.body.secret),
    ])
      assert.deepEqual(refused, wrong);
    assert.equal((await invitations.enter(first, again.body.secret)).status, 201);
    assert.deepEqual(await invitations.enter(first, again.body.secret), wrong);
  });
}

test('no stored text, log or list of rows tells a secret', async (t) => {
  const invitations = await Invitations.start(t, 'SQLite');
  const [used, open] = [await invitations.invite(), await invitations.invite()];
  await invitations.enter(used);
  await invitations.enter(open, 'wrong');
  const told = [
    invitations.kept(),
    invitations.logged.join(),
    JSON.stringify(await invitations.operator.list('Invitation')),
  ];
  for (const { body } of [used, open]) for (const text of told) assert.ok(!text.includes(body.secret!));
  assert.ok(told[0]!.includes(used.body.email!));
});

test('the operator gives, reads and filters no secret', async (t) => {
  const { operator } = await Invitations.start(t, 'SQLite');
  await assert.rejects(operator.edit('Invitation', ANN, new Map([['secret', 'x'.repeat(43)]])));
});
