import './whole-alone.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { largeDocument, largeResources } from '../samples/large.ts';
import { compile } from '../src/compiler/compile.ts';
import { Engine } from '../src/runtime/engine/engine.ts';
import { Operator } from '../src/runtime/operator.ts';
import { Service } from '../src/runtime/service.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import { times } from './share.ts';

const SERVED = times(100, 1000);
const SETTLED = times(500, 10_000);

test(`a document of ${SERVED} endpoints is served, each of them`, async (t) => {
  const { plan, findings } = compile('large.md', largeDocument(SERVED));
  assert.deepEqual(findings, []);
  assert.equal(plan?.endpoints.length, SERVED);
  const store = new SqliteStore(':memory:', plan!);
  const service = new Service({ host: '127.0.0.1', port: 0, admin: null, url: null, log: () => {} });
  await service.start(plan!, store);
  t.after(() => service.stop());
  const operator = new Operator(await Engine.start(plan!, store));
  const resources = largeResources(SERVED);
  let key = '';
  const parents = new Map<string, string>();
  for (const [i, { name, path, area, before }] of resources.entries()) {
    // A caller has six hundred requests a minute.
    if (i % 100 === 0) await anotherCaller();
    const answer = await send('POST', path, {
      ...(before && { parent: parents.get(before.name) }),
      reference: 'ABC-1234',
      title: name,
      amount: i,
    });
    assert.equal(answer.status, 201, name);
    const { id } = (await answer.json()) as { id: string };
    parents.set(name, id);
    const listed = (await (await send('GET', `${path}?least=${i}&status=open`)).json()) as { items: unknown[] };
    assert.equal(listed.items.length, 1, name);
    const read = await send('GET', `${path}/${id}`);
    const patched = await send('PATCH', `${path}/${id}`, { note: area }, { 'if-match': read.headers.get('etag')! });
    assert.equal(patched.status, 200, name);
    const settled = await send('POST', `${path}/${id}/settle`);
    assert.equal(((await settled.json()) as { status: string }).status, 'settled', name);
  }

  /** Another caller, whose requests are counted anew. */
  async function anotherCaller(): Promise<void> {
    const scopes = [...new Set(resources.flatMap(({ area }) => [`${area}:read`, `${area}:write`]))];
    const id = randomUUID();
    await operator.add('Member', new Map(Object.entries({ id, email: `${id}@example.com` })));
    key = (await operator.issueKey('Member', id, scopes)).key;
  }

  function send(method: string, path: string, body?: unknown, more: Record<string, string> = {}): Promise<Response> {
    const headers: Record<string, string> = { authorization: `Bearer ${key}`, 'idempotency-key': path, ...more };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const sent = body === undefined ? null : JSON.stringify(body);
    return fetch(`http://127.0.0.1:${service.port}${path}`, { method, headers, body: sent });
  }
});

test(`${SETTLED} endpoints are settled`, () => {
  const { plan, findings } = compile('large.md', largeDocument(SETTLED));
  assert.deepEqual(findings, []);
  assert.equal(plan?.endpoints.length, SETTLED);
});
