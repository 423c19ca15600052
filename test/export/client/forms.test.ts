import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Served } from './served.ts';

const FORMS = readFileSync('src/compiler/endpoints/cases/documents/forms.md', 'utf8');

test('the client sends forms where the service takes no JSON, and JSON where it takes both', async () => {
  await using served = await Served.start(FORMS);
  await served.operator.add('Guest', new Map([['name', 'Ada']]));
  const { key } = await served.operator.issueKey('Guest', 'Ada', [], 'Guest key');
  const types: Array<string | null> = [];
  const observing = (url: string, init: RequestInit) => {
    types.push(new Headers(init.headers).get('Content-Type'));
    return fetch(url, init);
  };
  const client = served.client({ guestKey: key, fetch: observing });
  const scope = ['a b', 'ü&=+%'];
  const token = await client.token.post({ grant_type: 'client_credentials', scope, seconds: 7 });
  assert.deepEqual(token.data, { type: 'client_credentials', scope, seconds: 7 });
  const made = await client.visits.create({ people: 2, day: '2026-11-30', note: null, deposit: 9.5, tags: [] });
  assert.ok(made.ok, JSON.stringify(made));
  const changed = await client.visits.post(made.data.id, { note: ' 1 + 1 = 2 ', tags: ['b', 'a'] });
  assert.ok(changed.ok, JSON.stringify(changed));
  assert.deepEqual(
    [changed.data.people, changed.data.note, changed.data.tags, changed.data.deposit],
    [2, '1 + 1 = 2', ['a', 'b'], 9.5],
  );
  const form = 'application/x-www-form-urlencoded';
  assert.deepEqual(types, [form, 'application/json', form]);
});
