import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import { asyncApiOf } from '../../src/export/asyncapi/document.ts';
import type { JsonObject } from '../../src/export/json.ts';
import { openApiOf } from '../../src/export/openapi/document.ts';
import { ValueJudge } from '../../src/verify/contract/values.ts';
import { deletions, documents } from '../fixtures.ts';
import { edited, PATIENT, until, Workspace } from '../harness.ts';
import { IN_WHOLE } from '../share.ts';

const STATED =
  '- Description: OpenAPI 3.1 at `/openapi.json` for orders:read with every endpoint, AsyncAPI 3.1 at `/asyncapi.json` with every endpoint';

/** Orders that describe themselves, and answer HEAD and conditional requests. */
const DESCRIBED = edited(
  PATIENT,
  ['- Payloads: JSON (RFC 8259)', `- Payloads: JSON (RFC 8259)\n${STATED}`],
  ['- HEAD: not served', '- HEAD: as GET'],
  [
    '- Conditional requests: none',
    '- Conditional requests: RFC 9110, strong ETag of the answer, every GET\n- Preconditions on writes: ignored',
  ],
  ['1. Answer 200 with `order` and header ETag `etag(order)`.', '1. Answer 200 with `order`.'],
  ['4. Answer 200 with `order` and header ETag `etag(order)`.', '4. Answer 200 with `order`.'],
);

function exportsOf(document: string, version: string) {
  const { plan } = compile('orders.md', document);
  assert.ok(plan);
  const contract = contractOf(plan);
  const found = contract.versions.find((one) => one.name === version);
  assert.ok(found);
  const plain = (value: JsonObject): unknown => JSON.parse(JSON.stringify(value));
  return {
    openapi: plain(openApiOf(contract, found, '3.1')),
    newer: plain(openApiOf(contract, found, '3.2')),
    asyncapi: plain(asyncApiOf(contract, found)),
  };
}

test(
  'a service answers with its descriptions, in the version that a request speaks, and the operator’s port has them all',
  IN_WHOLE,
  async () => {
    await using space = new Workspace(DESCRIBED);
    const key = await space.key(await space.customer());
    const service = await space.serve({ args: ['--admin', '127.0.0.1:0'] });
    const older = { 'orders-version': '2025-06-01' };
    const current = exportsOf(DESCRIBED, '2026-11-01');
    const before = exportsOf(DESCRIBED, '2025-06-01');
    const described = await service.request('GET', '/openapi.json', { key });
    assert.equal(described.status, 200);
    assert.equal(described.headers.get('content-type'), 'application/json');
    assert.deepEqual(described.body, current.openapi);
    assert.deepEqual((await service.request('GET', '/openapi.json', { key, headers: older })).body, before.openapi);
    assert.deepEqual((await service.request('GET', '/asyncapi.json', { key, headers: older })).body, before.asyncapi);
    const tag = described.headers.get('etag') ?? '';
    const again = await service.request('GET', '/openapi.json', { key, headers: { 'if-none-match': tag } });
    assert.deepEqual([again.status, again.text], [304, '']);
    const head = await service.request('HEAD', '/openapi.json', { key });
    assert.deepEqual([head.status, head.headers.get('etag')], [200, tag]);
    assert.equal(head.headers.get('content-length'), `${Buffer.byteLength(described.text)}`);
    assert.equal((await service.request('GET', '/openapi.json')).status, 401);

    const port = /operator’s port is (\d+)/.exec(service.out)?.[1];
    const ask = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return { status: response.status, text: await response.text() };
    };
    for (const [path, expected] of [
      ['/openapi.json', current.openapi],
      ['/openapi.json?version=2025-06-01', before.openapi],
      ['/openapi.json?openapi=3.2', current.newer],
      ['/asyncapi.json', current.asyncapi],
      ['/asyncapi.json?version=2024-12-01', exportsOf(DESCRIBED, '2024-12-01').asyncapi],
    ] as const) {
      const { status, text } = await ask(path);
      assert.equal(status, 200, path);
      assert.deepEqual(JSON.parse(text), expected, path);
    }
    for (const [path, status] of [
      ['/openapi.json?version=2024-12-01', 404],
      ['/openapi.json?version=none', 404],
      ['/openapi.json?openapi=2.0', 400],
      ['/asyncapi.json?openapi=3.2', 400],
      ['/openapi.yaml', 404],
    ] as const)
      assert.equal((await ask(path)).status, status, path);
  },
);

test('a document that is served anew describes itself anew', IN_WHOLE, async () => {
  await using space = new Workspace(DESCRIBED);
  const key = await space.key(await space.customer());
  const service = await space.serve({ args: ['--watch'] });
  const other = edited(DESCRIBED, ['`/openapi.json` for', '`/api.json` for'], ['# Orders', '# Purchases']);
  space.write(other);
  const answer = await until(async () => {
    const { status, body } = await service.request('GET', '/api.json', { key });
    return status === 200 ? { body } : null;
  }, 'the other document');
  assert.deepEqual(answer.body, exportsOf(other, '2026-11-01').openapi);
  assert.equal((await service.request('GET', '/openapi.json', { key })).status, 404);
});

test('a service that doesn’t say so describes itself to nobody but the operator', IN_WHOLE, async () => {
  for (const { name, text } of documents().filter((one) => !one.text.includes('\n- Description: '))) {
    const { plan } = compile(name, text);
    assert.deepEqual(
      plan?.endpoints.filter((one) => one.after?.body?.kind === 'description'),
      [],
    );
  }
  await using space = new Workspace(PATIENT);
  const key = await space.key(await space.customer());
  const service = await space.serve({ args: ['--admin', '127.0.0.1:0'] });
  for (const path of ['/openapi.json', '/asyncapi.json'])
    assert.equal((await service.request('GET', path, { key })).status, 404);
  const port = /operator’s port is (\d+)/.exec(service.out)?.[1];
  const response = await fetch(`http://127.0.0.1:${port}/openapi.json`);
  assert.deepEqual(await response.json(), exportsOf(PATIENT, '2026-11-01').openapi);
});

test('each description that is removed, or whom it is for, changes what runs, what callers can meet and the exports', () => {
  const whole = seen(DESCRIBED);
  const line = STATED.slice(2);
  const [removed] = deletions(DESCRIBED).filter((one) => one.what.includes(line));
  assert.ok(removed);
  const others = [
    removed.text,
    DESCRIBED.replace(' for orders:read', ''),
    DESCRIBED.replace(', AsyncAPI 3.1 at `/asyncapi.json` with every endpoint', ''),
    DESCRIBED.replace('OpenAPI 3.1 at', 'OpenAPI 3.2 at'),
    DESCRIBED.replace('`/asyncapi.json`', '`/events.json`'),
    DESCRIBED.replace(', AsyncAPI 3.1 at', ', OpenAPI 3.1 at'),
  ];
  for (const text of others) {
    assert.notEqual(text, DESCRIBED);
    const found = seen(text);
    for (const [i, one] of found.entries()) assert.notEqual(one, whole[i], `${i}: ${text.slice(0, 3000)}`);
  }
});

/** The plan, the contract and the OpenAPI export, as texts without lines. */
function seen(text: string): string[] {
  const { plan, findings } = compile('orders.md', text);
  assert.deepEqual(findings, []);
  assert.ok(plan);
  const contract = contractOf(plan);
  const [version] = contract.versions;
  assert.ok(version);
  const bare = (value: unknown): string =>
    JSON.stringify(value, (key, one) => (key === 'lines' || key === 'line' ? undefined : one));
  return [bare(plan), bare(contract), bare(openApiOf(contract, version, '3.1'))];
}

test('an answer is allowed by the schema that its own description has for it', () => {
  const made = JSON.parse(JSON.stringify(exportsOf(DESCRIBED, '2026-11-01').openapi));
  const { schema } = made.paths['/openapi.json'].get.responses['200'].content['application/json'];
  assert.match(made.openapi, new RegExp(schema.properties.openapi.pattern));
  assert.equal(schema.title, 'OpenAPI 3.1');
  const { plan } = compile('orders.md', DESCRIBED);
  const contract = plan && contractOf(plan);
  const [version] = contract?.versions ?? [];
  assert.ok(contract && version);
  const values = new ValueJudge(contract.errors, version);
  const faultsOf = (format: 'OpenAPI 3.1' | 'OpenAPI 3.2') =>
    values.faults({ kind: 'description', format, content: 'every endpoint' }, false, made);
  assert.deepEqual([faultsOf('OpenAPI 3.1').length, faultsOf('OpenAPI 3.2').length], [0, 1]);
});
