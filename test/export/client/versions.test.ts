import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changed, example } from '../../fixtures.ts';
import { clientText, imported } from './made.ts';
import { json, Scripted } from './scripted.ts';
import { Served } from './served.ts';

const TODOS = example('todos');

/** The list of to-dos in two versions, of which the older calls the title otherwise. */
const versioned = (scheme: string): string =>
  changed(TODOS, [
    '## Versioning\n\n- Scheme: none',
    `## Versioning

- Scheme: ${scheme}
- Current version: v2
- Without a version: refused
- Deprecation policy: a deprecated version answers for 12 months, with headers Deprecation (RFC 9745) and Sunset (RFC 8594)

| Version | State      | Deprecated | Sunset     | Differs from the next version in |
| ------- | ---------- | ---------- | ---------- | -------------------------------- |
| v1      | deprecated | 2026-11-01 | 2126-11-01 | Todo.title is \`name\`             |`,
  ]);

for (const scheme of [
  'a name in header `Todos-Version`',
  'path `/api/{version}`',
  'media type `application/vnd.todos.{version}+json`',
  'media type `application/json; version={version}`',
])
  test(`each version has its own client, where it is named by ${scheme}`, async () => {
    const document = versioned(scheme);
    for (const [version, name] of [
      ['v2', 'title'],
      ['v1', 'name'],
    ] as const) {
      await using served = await Served.start(document, version);
      const client = served.client();
      const made = await client.create({ [name]: 'buy milk' });
      assert.ok(made.ok, JSON.stringify(made));
      assert.equal(made.data[name], 'buy milk');
      assert.equal(made.headers.has('Deprecation'), version === 'v1');
      assert.deepEqual((await client.list()).data, [made.data]);
      assert.equal((await client.update(1, { [name]: 'drink it' })).data[name], 'drink it');
      const refused = await client.create({ title: '', name: '' });
      assert.ok(!refused.ok && refused.error.code === 'invalid_request');
      assert.equal(/@deprecated/.test(served.text), version === 'v1');
      // Versions are no names of calls.
      assert.doesNotMatch(served.text, /client\.(?:api|v1|v2)/);
    }
  });

test('of several credentials, a request carries the one that its endpoint takes, and never two', async () => {
  const { createClient } = await imported(clientText('accounts.md', example('accounts')));
  const text = clientText('accounts.md', example('accounts'));
  const [, session = '', machine = ''] =
    /interface Credentials \{[^}]*?readonly (\w+)\?[^}]*?readonly (\w+)\?/.exec(text) ?? [];
  const network = new Scripted(json(500, {}));
  const client = createClient({
    baseUrl: 'https://accounts.example',
    fetch: network.fetch,
    [session]: 'of a session',
    [machine]: () => 'of a machine',
  });
  const calls: Array<(...args: unknown[]) => Promise<unknown>> = [];
  const gather = (group: object): void => {
    for (const one of Object.values(group))
      if (typeof one === 'object') gather(one);
      else if (!/Generator/.test(one.constructor.name)) calls.push(one);
  };
  gather(client);
  for (const call of calls) await call('1', {}, {}, {}).catch(() => {});
  const sent = network.sent.map(({ headers }) => [headers.get('Authorization'), headers.get('X-Machine-Key')]);
  assert.ok(sent.length > 3);
  assert.deepEqual(
    sent.filter(([one, other]) => one && other),
    [],
  );
  assert.ok(sent.some(([one]) => one === 'Bearer of a session'));
  assert.ok(sent.some(([, other]) => other === 'of a machine'));
});
