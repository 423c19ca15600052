import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { example } from '../fixtures.ts';
import { edited, type Service, Workspace } from '../harness.ts';
import { IN_WHOLE } from '../share.ts';

// What owners, agents and customers of a helpdesk are shown of it.

const PASSWORD = 'correct horse battery';
const ORGANISATION = '0195c2a0-0000-7000-8000-00000000000a';

const DOCUMENT = edited(
  example('helpdesk'),
  ['- HEAD: not served', '- HEAD: as GET'],
  [
    '- Conditional requests: none',
    '- Conditional requests: RFC 9110, strong ETag of the answer, every GET\n- Preconditions on writes: ignored',
  ],
  ['### `GET /tickets.csv`\n', '### `GET /tickets.csv`\n\n- Conditional requests: none\n'],
  ['### `GET /reports/priorities`\n', '### `GET /reports/priorities`\n\n- Audience: none\n'],
);

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly webhooks?: Readonly<Record<string, unknown>>;
  readonly tags: ReadonlyArray<{ readonly name: string }>;
  readonly components: { readonly schemas: object; readonly securitySchemes: object };
}

const space = new Workspace(DOCUMENT, 'helpdesk.md');
let service: Service;
const keys: Record<string, string> = {};

/** What a person is shown: the answer, and the operations in it. */
async function shownTo(name: string) {
  const answer = await service.request('GET', '/openapi.json', { key: keys[name]! });
  assert.equal(answer.status, 200, answer.text);
  const body = answer.body as Described;
  const operations = Object.entries(body.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  return { ...answer, body, operations };
}

before(async () => {
  copyFileSync(join(import.meta.dirname, '..', '..', 'examples', 'helpdesk.ts'), join(space.dir, 'helpdesk.ts'));
  const added = async (...fields: string[]): Promise<void> => {
    const { code, err } = await space.cli('rows', 'add', ...fields);
    assert.equal(code, 0, err);
  };
  await added('Plan', 'name=small', 'rate=100000', 'agents=3');
  await added('Organisation', `id=${ORGANISATION}`, 'name=Apples', 'plan=small');
  for (const role of ['owner', 'agent', 'customer']) {
    const of = [`organisation=${ORGANISATION}`, `role=${role}`, `name=${role}`, `email=${role}@example.com`];
    await added('Person', ...of, `password=${PASSWORD}`);
  }
  service = await space.serve({ declared: true });
  for (const name of ['owner', 'agent', 'customer']) {
    const body = { email: `${name}@example.com`, password: PASSWORD };
    const answer = await service.request('POST', '/sessions', { body });
    keys[name] = (answer.body as { readonly token: string }).token;
  }
});
after(async () => {
  await space[Symbol.asyncDispose]();
});

test('each person is shown what they may call, and nothing of what is for nobody', async () => {
  const [owner, agent, customer] = [await shownTo('owner'), await shownTo('agent'), await shownTo('customer')];
  const beyond = (one: { readonly operations: readonly string[] }, other: { readonly operations: readonly string[] }) =>
    one.operations.filter((name) => !other.operations.includes(name));
  assert.deepEqual(beyond(agent, owner), []);
  assert.deepEqual(beyond(customer, agent), []);
  assert.deepEqual(beyond(owner, agent), [
    'DELETE /people/{person}',
    'POST /invitations',
    'GET /invitations',
    'PUT /targets/{priority}',
    'GET /hooks',
    'POST /hooks',
  ]);
  assert.deepEqual(beyond(agent, customer).toSorted(), [
    'DELETE /tags/{tag}',
    'GET /counts',
    'GET /people',
    'GET /targets',
    'GET /tickets.csv',
    'GET /tickets/{number}/changes',
    'PATCH /tickets/{number}',
    'POST /tags',
    'POST /tickets:solve',
    'PUT /tickets/{number}/assignee',
  ]);
  // Those who may add no receiver are told of no webhooks.
  assert.ok(owner.body.webhooks);
  assert.equal(agent.body.webhooks, undefined);
  for (const one of [owner, agent, customer]) {
    assert.ok(!one.operations.includes('GET /reports/priorities'));
    assert.doesNotMatch(one.text, /reports\/priorities/);
  }
  assert.doesNotMatch(customer.text, /TicketChange|not_yourself/);
});

test('a description for one caller is not for others: caches are told so, and each has its own entity tag', async () => {
  const [owner, customer] = [await shownTo('owner'), await shownTo('customer')];
  for (const { headers } of [owner, customer]) {
    assert.equal(headers.get('cache-control'), 'private, no-cache');
    assert.match(headers.get('vary') ?? '', /\bAuthorization\b/);
  }
  const tags = [owner, customer].map(({ headers }) => headers.get('etag') ?? '');
  assert.notEqual(tags[0], tags[1]);
  const again = async (name: string, tag = '') =>
    (await service.request('GET', '/openapi.json', { key: keys[name]!, headers: { 'if-none-match': tag } })).status;
  assert.deepEqual([await again('owner', tags[0]), await again('customer', tags[1])], [304, 304]);
  assert.deepEqual([await again('owner', tags[1]), await again('customer', tags[0])], [200, 200]);
  assert.equal((await shownTo('customer')).text, customer.text);
});

test('what a description leaves out is answered as before', async () => {
  const report = (name: string) => service.request('GET', '/reports/priorities', { key: keys[name]! });
  assert.equal((await report('agent')).status, 200);
  assert.equal((await report('customer')).status, 403);
  assert.equal((await service.request('GET', '/hooks', { key: keys.customer! })).status, 403);
});

test('a caller who gets another role is shown what goes with it', IN_WHOLE, async () => {
  const before = await shownTo('customer');
  const { code, out } = await space.cli('rows', 'list', 'Person', '--json');
  assert.equal(code, 0);
  const found = (JSON.parse(out) as ReadonlyArray<Record<string, unknown>>).find((one) => one.name === 'customer');
  const changed = await space.cli('rows', 'change', 'Person', String(found?.id), 'role=agent');
  assert.equal(changed.code, 0, changed.err);
  assert.ok((await shownTo('customer')).operations.length > before.operations.length);
  await space.cli('rows', 'change', 'Person', String(found?.id), 'role=customer');
});
