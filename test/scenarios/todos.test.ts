import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { example } from '../fixtures.ts';
import { type Service, Workspace } from '../harness.ts';

// What a page on another origin does with the list, as a browser would ask for it.

const space = new Workspace(example('todos'), 'todos.md');
let service: Service;

before(async () => {
  service = await space.serve({ declared: true, args: ['--url', 'https://todos.example'] });
});
after(async () => {
  await space[Symbol.asyncDispose]();
});

const headers = { origin: 'https://page.example' };
const ask = (method: string, path: string, body?: unknown) => service.request(method, path, { headers, body });
/** What the address that an answer gives is on this machine. */
const local = (url: unknown): string => String(url).replace('https://todos.example', '');

test('a browser is told that it may', async () => {
  const response = await fetch(`${service.url}/1`, {
    method: 'OPTIONS',
    headers: { ...headers, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'content-type' },
  });
  assert.equal(response.status, 204);
  assert.equal(response.headers.get('access-control-allow-origin'), '*');
  assert.match(response.headers.get('access-control-allow-methods') ?? '', /\bPATCH\b/);
  assert.match(response.headers.get('access-control-allow-headers') ?? '', /\bContent-Type\b/i);
  assert.equal(response.headers.get('access-control-max-age'), '3600');
});

test('to-dos are added, found by the addresses that answers give, ticked off, and all cleared', async () => {
  assert.deepEqual((await ask('GET', '/')).body, []);
  const first = await ask('POST', '/', { title: ' buy milk ' });
  assert.equal(first.status, 201);
  assert.deepEqual(first.body, { url: 'https://todos.example/1', title: 'buy milk', completed: false, order: null });
  assert.equal(first.headers.get('location'), 'https://todos.example/1');
  assert.equal(first.headers.get('access-control-allow-origin'), '*');
  const { url } = first.body as { url: string };
  assert.deepEqual((await ask('GET', local(url))).body, first.body);
  const ticked = await ask('PATCH', local(url), { completed: true, order: 95, colour: 'unknown, and ignored' });
  assert.deepEqual(ticked.body, { url, title: 'buy milk', completed: true, order: 95 });
  await ask('POST', '/', { title: 'drink it', order: 1 });
  assert.equal(((await ask('GET', '/')).body as unknown[]).length, 2);
  assert.equal((await ask('DELETE', local(url))).status, 204);
  assert.equal((await ask('GET', local(url))).status, 404);
  assert.equal((await ask('DELETE', '/')).status, 204);
  assert.deepEqual((await ask('GET', '/')).body, []);
  assert.equal((await ask('POST', '/', { title: 'again' })).headers.get('location'), 'https://todos.example/3');
});

test('what is wrong is told, and to browsers too', async () => {
  for (const [body, code] of [
    [{}, 'missing'],
    [{ title: '' }, 'null_refused'],
    [{ title: 5 }, 'not_text'],
    [{ title: 'x', order: -1 }, 'too_small'],
  ] as const) {
    const refused = await ask('POST', '/', body);
    assert.equal(refused.status, 422);
    assert.equal(refused.headers.get('access-control-allow-origin'), '*');
    assert.deepEqual(
      (refused.body as { errors: Array<{ code: string }> }).errors.map((one) => one.code),
      [code],
    );
  }
  const head = await fetch(`${service.url}/`, { method: 'HEAD', headers });
  assert.deepEqual([head.status, await head.text()], [200, '']);
});
