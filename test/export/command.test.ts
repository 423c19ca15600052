import '../whole-alone.ts';
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '../../src/cli/main.ts';
import { example } from '../fixtures.ts';

const ORDERS = 'examples/orders.md';
const WITHOUT_ENDPOINTS = `# Nothing

## What the service does

- Purpose: wait
- Domain: none
- Address: given by the operator

## Resources and their fields

Resources, fields, types, formats and allowed values: none.

## States and transitions

States and transitions: none.

## Endpoints

Methods, path shapes, request payloads and response payloads: none.

## Authentication

Scheme, credentials and scopes: none.

## Events

Events and webhooks: none.

## Errors

- Payload: RFC 9457
- Conditions: Ninefold common 1

## Limits

Rate limits, size limits, time-outs, pagination bounds and defaults: none.

## Versioning

- Scheme: none
`;

async function exported(...args: string[]): Promise<{ out: string; err: string; code: number }> {
  const said = { out: '', err: '', code: 0 };
  await run(['export', ...args], {
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    color: false,
    exit: (code) => {
      said.code = code;
    },
  });
  return said;
}

function inFolder(doing: (folder: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ninefold-export-'));
    try {
      await doing(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
}

test(
  'a document without endpoints is refused in a sentence',
  inFolder(async (folder) => {
    const file = join(folder, 'none.md');
    writeFileSync(file, WITHOUT_ENDPOINTS);
    const { err, code } = await exported('client', file);
    assert.match(err, /none\.md has no endpoint, so nothing was written\.\n$/);
    assert.equal(code, 1);
  }),
);

test(
  'a document that is not settled is refused in a sentence, and what was there stays',
  inFolder(async (folder) => {
    const file = join(folder, 'half.md');
    const out = join(folder, 'openapi.json');
    writeFileSync(file, example('orders').replace('- Final: delivered, cancelled\n', ''));
    writeFileSync(out, 'as it was');
    const { err, code } = await exported('openapi', file, '--out', out);
    assert.match(
      err,
      /^error: .*half\.md is not settled \(1 question\), and nothing was written\. `ninefold check` lists/,
    );
    assert.equal(code, 1);
    assert.equal(readFileSync(out, 'utf8'), 'as it was');
  }),
);

test('a version that there isn’t, or that is retired, is refused with those that there are', async () => {
  const unknown = await exported('openapi', ORDERS, '--version', '2026-11-02');
  assert.match(unknown.err, /there is no version “2026-11-02”: did you mean “2026-11-01”\?/);
  assert.deepEqual([unknown.out, unknown.code], ['', 2]);
  const retired = await exported('openapi', ORDERS, '--version', '2024-12-01');
  assert.match(retired.err, /version 2024-12-01 is retired, and the service no longer answers it/);
  assert.equal(retired.code, 2);
});

test(
  'a path that can’t be written is refused in a sentence, and nothing half written is left beside it',
  inFolder(async (folder) => {
    const none = await exported('openapi', ORDERS, '--out', join(folder, 'none', 'a.json'));
    assert.match(none.err, /can’t be written: there is no directory “.*none”\. Create the directory first\.\n$/);
    mkdirSync(join(folder, 'taken'));
    const taken = await exported('openapi', ORDERS, '--out', join(folder, 'taken'));
    assert.match(taken.err, /taken” is a directory\. Name a file in it\.\n$/);
    const file = await exported('openapi', ORDERS, '--out', join(folder, 'a.json'));
    const below = await exported('openapi', ORDERS, '--out', join(folder, 'a.json', 'b.json'));
    assert.match(below.err, /can’t be written: a part of its path is a file instead of a directory\./);
    const empty = await exported('openapi', ORDERS, '--out', '');
    assert.equal(empty.err, 'error: An empty path names no file.\n');
    assert.deepEqual([none.code, taken.code, file.code, below.code, empty.code], [2, 2, 0, 2, 2]);
    assert.deepEqual(readdirSync(folder).sort(), ['a.json', 'taken']);
  }),
);

test('a disk that is full, and one that can only be read, are told of', {
  skip: !existsSync('/dev/full'),
}, async () => {
  const full = await exported('openapi', ORDERS, '--out', '/dev/full');
  assert.equal(full.err, 'error: “/dev/full” can’t be written: its disk is full. Nothing has changed.\n');
  const readOnly = await exported('openapi', ORDERS, '--out', '/proc/self/a.json');
  assert.match(readOnly.err, /^error: “\/proc\/self\/a\.json” can’t be written: .*\.\n$/);
  assert.deepEqual([full.code, readOnly.code], [2, 2]);
});

test(
  'a file is written whole, in the place of what was there, with its permissions',
  inFolder(async (folder) => {
    const path = join(folder, 'a.yaml');
    writeFileSync(path, 'before', { mode: 0o600 });
    const { out } = await exported('openapi', ORDERS, '--yaml');
    assert.deepEqual(await exported('openapi', ORDERS, '--yaml', '--out', path), { out: '', err: '', code: 0 });
    assert.equal(readFileSync(path, 'utf8'), out);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder), ['a.yaml']);
  }),
);

test('an option that says nothing of a format is refused', async () => {
  const { err, code } = await exported('diagram', ORDERS, '--openapi', '3.2');
  assert.equal(err, 'error: diagram has no option --openapi. Remove it.\n');
  assert.equal(code, 2);
});

test('states and resources are drawn, and what is markup to Mermaid stands for itself', async () => {
  const { out } = await exported('diagram', ORDERS);
  assert.match(out, /^ {2}s1 --> s2: place #91;quantity #60;= 100 #124;#124; note != null#93;$/m);
  assert.match(out, /^ {2}s1 --> s5: expire, 1 day after created$/m);
  assert.match(out, /^ {2}r2 --> r1 : customer$/m);
});

test('internals are added where they are asked for, and a format without them refuses the option', async () => {
  const [own, all] = [await exported('openapi', ORDERS), await exported('openapi', ORDERS, '--internals')];
  assert.doesNotMatch(own.out, /x-ninefold-|quantity <= 100/);
  assert.match(all.out, /"x-ninefold-steps"/);
  assert.match(all.out, /quantity <= 100/);
  const { err } = await exported('client', ORDERS, '--internals');
  assert.equal(err, 'error: client has no option --internals. Remove it.\n');
});

test('a retired version has no operations to export, and its receivers are told of events', async () => {
  const { out, code } = await exported('asyncapi', ORDERS, '--version', '2024-12-01', '--internals');
  assert.equal(code, 0);
  assert.equal(JSON.parse(out).info['x-ninefold-version'].status, 'retired');
  const openapi = await exported('openapi', ORDERS, '--version', '2024-12-01');
  assert.match(openapi.err, /version 2024-12-01 is retired, and the service no longer answers it/);
  const unknown = await exported('asyncapi', ORDERS, '--version', '2023-01-01');
  assert.match(unknown.err, /there is no version “2023-01-01”/);
  assert.deepEqual([openapi.code, unknown.code], [2, 2]);
});

test('a title of a diagram is text in Markdown, whatever stands in it', async () => {
  const titled = join(mkdtempSync(join(tmpdir(), 'ninefold-')), 'titled.md');
  writeFileSync(titled, readFileSync(ORDERS, 'utf8').replace('# Orders', '# Q&A of <b> and `x`'));
  const { out } = await exported('diagram', titled);
  assert.equal(out.slice(0, out.indexOf('\n')), '# Q\\&A of \\<b\\> and \\`x\\`');
});

test('one diagram may be asked for, as Mermaid or SVG, and one that isn’t there is told of', async () => {
  const order = await exported('diagram', ORDERS, '--of', 'Order');
  assert.match(order.out, /^## Order\.status$/m);
  assert.doesNotMatch(order.out, /^## Resources$/m);
  const { out } = await exported('diagram', ORDERS, '--svg', '--of', 'resources');
  assert.match(out, /^<svg /);
  assert.doesNotMatch(out, /Order\.status/);
  const customer = await exported('diagram', ORDERS, '--of', 'Customer');
  assert.equal(customer.err, 'error: Customer has no states to draw. There are:\n  Order\n  resources\n');
  const unknown = await exported('diagram', ORDERS, '--svg', '--of', 'Ordr');
  assert.equal(unknown.err, 'error: there is no diagram “Ordr”: did you mean “Order”?\n');
  const version = await exported('diagram', ORDERS, '--version', '2025-06-01');
  assert.equal(version.err, 'error: diagram has no option --version. Remove it.\n');
  assert.deepEqual([order.code, customer.code, unknown.code, version.code], [0, 2, 2, 2]);
});

test(
  'a document whose rows no caller moves has nothing for Arazzo to tell, and nothing is written',
  inFolder(async (folder) => {
    const out = join(folder, 'todos.arazzo.json');
    const { err, code } = await exported('arazzo', 'examples/todos.md', '--out', out);
    assert.equal(
      err,
      'error: examples/todos.md has no resource whose states callers change, so an Arazzo export would be empty. Nothing was written.\n',
    );
    assert.equal(code, 2);
    assert.deepEqual(readdirSync(folder), []);
  }),
);

test('an export for an audience has what its callers may call, and what is for nobody is in none', async () => {
  const operations = (text: string): string[] =>
    Object.entries(JSON.parse(text).paths as Readonly<Record<string, object>>).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
  const reading = await exported('openapi', ORDERS, '--audience', 'orders:read');
  assert.deepEqual(operations(reading.out), ['GET /orders/{id}', 'GET /orders', 'GET /summary']);
  assert.doesNotMatch(reading.out, /fulfil|Idempotency-Key|order_not_placeable/);
  const both = await exported('openapi', ORDERS, '--audience', 'orders:read and orders:write');
  assert.ok(operations(both.out).length > 3);
  assert.deepEqual(operations((await exported('openapi', ORDERS, '--audience', 'any Customer')).out), []);
  const none = await exported('client', ORDERS, '--audience', 'any Customer');
  assert.deepEqual([none.code, none.out], [2, '']);
  assert.match(none.err, /has no endpoint for these callers, so a client would have no calls\. Nothing was written\./);
  const either = await exported('openapi', ORDERS, '--audience', 'orders:read or orders:write');
  assert.deepEqual(operations(either.out), operations(both.out));
  const sessions = join(import.meta.dirname, '..', '..', 'docs', 'documents', 'sessions.md');
  const forCallers = async (audience: string) =>
    operations((await exported('openapi', sessions, '--audience', audience)).out);
  const [users, machines] = [await forCallers('any User'), await forCallers('any Machine')];
  assert.notDeepEqual(users, machines);
  assert.deepEqual(new Set(await forCallers('any User or Machine')), new Set([...users, ...machines]));
  assert.equal((await exported('openapi', sessions, '--audience', 'any User or Robot')).code, 2);
  const unknown = await exported('openapi', ORDERS, '--audience', 'orders:reed');
  assert.match(unknown.err, /^error: no caller is “orders:reed”: did you mean “orders:read”\?/);
  const internals = await exported('openapi', ORDERS, '--audience', 'anyone', '--internals');
  assert.match(internals.err, /^error: --internals leaves out nothing/);
  assert.deepEqual([unknown.code, internals.code], [2, 2]);
});
