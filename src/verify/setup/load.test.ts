import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporary } from '../../cli/harness.test.ts';
import { compile } from '../../compiler/compile.ts';
import { SetupError } from './failures.ts';
import { loadSetup } from './load.ts';
import type { Setup } from './setup.ts';

const ORDERS = readFileSync(join(import.meta.dirname, '..', '..', '..', 'examples', 'orders.md'), 'utf8');
const { plan } = compile('orders.md', ORDERS);
assert.ok(plan);
const PLAN = plan;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const URL = 'http://127.0.0.1:3000';

function load(t: TestContext, name: string, text: string, patience?: { start: number; call: number }): Promise<Setup> {
  const file = join(temporary(t), name);
  writeFileSync(file, text);
  return loadSetup(file, URL, PLAN, patience);
}

async function refusal(work: Promise<unknown> | undefined): Promise<string> {
  assert.ok(work);
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof SetupError, `${error}`);
    return error.message;
  }
  return assert.fail('It was taken.');
}

const json = (value: unknown): string => JSON.stringify(value);
const SCHEME = PLAN.schemes[0]?.name ?? '';

test('a JSON file gives the rows, credentials and receivers that a service was seeded with', async (t) => {
  const ada = { id: 'a', name: 'Ada', email: 'ada@example.com' };
  const bob = { id: 'b', name: 'Bob', email: 'bob@example.com' };
  const receiver = {
    url: 'http://127.0.0.1:4000/hooks',
    events: ['order.opened'],
    version: '2026-11-01',
    secret: SECRET,
  };
  const setup = await load(
    t,
    'setup.json',
    json({
      rows: [
        { resource: 'Customer', fields: ada },
        { resource: 'Customer', fields: bob },
      ],
      callers: [
        { scheme: SCHEME, identity: 'a', scopes: ['orders:write', 'orders:read'], credentials: 'Bearer k1' },
        { scheme: SCHEME, identity: 'a', scopes: [], credentials: 'k2' },
      ],
      receivers: [receiver],
    }),
  );
  assert.deepEqual(await setup.row?.('Customer', { name: 'Somebody' }), ada);
  assert.deepEqual(await setup.row?.('Customer', {}), bob);
  assert.equal(await refusal(setup.row?.('Customer', {})), 'setup.json lists no further row of Customer.');
  assert.equal(await setup.caller?.(SCHEME, 'a', ['orders:read', 'orders:write']), 'k1');
  assert.equal(await setup.caller?.(SCHEME, 'a', []), 'k2');
  assert.equal(
    await refusal(setup.caller?.(SCHEME, 'b', ['orders:read'])),
    `setup.json lists no credentials of “${SCHEME}” for “b” with the scopes orders:read.`,
  );
  assert.deepEqual(setup.receivers, [receiver]);
  const missing = [setup.receiver, setup.clock, setup.reset, setup.close];
  assert.deepEqual(missing, [undefined, undefined, undefined, undefined]);
});

test('what is wrong in a JSON file is told with its place', async (t) => {
  const row = (of: unknown) => ({ rows: [of] });
  const caller = (of: object) => ({
    callers: [{ scheme: SCHEME, identity: 'a', scopes: [], credentials: 'k', ...of }],
  });
  const receiver = (of: object) => ({
    receivers: [{ url: 'http://127.0.0.1:4000/', events: [], secret: SECRET, ...of }],
  });
  const cases: Array<[file: unknown, says: RegExp]> = [
    [[], /^setup\.json holds a list, not an object with rows and callers\.$/],
    [{ row: [] }, /^setup\.json: row is not known\. Known are rows, callers, receivers\.$/],
    [{ rows: {} }, /^setup\.json: rows is an object, not a list\.$/],
    [row(1), /^setup\.json: rows\[0\] is a number, not an object with resource, fields\.$/],
    [
      row({ resource: 'Custmer', fields: {} }),
      /rows\[0\]\.resource is wrong\. The document has no resource “Custmer”: did you mean “Customer”\?$/,
    ],
    [row({ resource: 'Customer', fields: [] }), /rows\[0\]\.fields is a list, not an object\.$/],
    [
      row({ resource: 'Customer', fields: { id: 'a', mail: 'x' } }),
      /no field of Customer “mail”: did you mean “email”\?$/,
    ],
    [row({ resource: 'Customer', fields: { name: 'Ada' } }), /rows\[0\]\.fields lacks id, which every Customer has\.$/],
    [
      row({ resource: 'Customer', fields: { id: 'a', name: 'Ada', email: null } }),
      /rows\[0\]\.fields lacks email, which every Customer has\.$/,
    ],
    [caller({ scheme: 'cookie' }), /The document has no scheme “cookie”/],
    [caller({ scopes: ['orders:reed'] }), /callers\[0\]\.scopes\[0\] is wrong.*did you mean “orders:read”\?$/],
    [caller({ scopes: 'orders:read' }), /callers\[0\]\.scopes is a string, not a list\.$/],
    [caller({ identity: null }), /callers\[0\]\.identity is null, not the identity of a Customer\.$/],
    [caller({ credentials: 'a\r\nb' }), /callers\[0\]\.credentials has a character that no header can hold\.$/],
    [caller({ credentials: 'a b' }), /callers\[0\]\.credentials has a character that can’t follow “Bearer”/],
    [
      { callers: [...caller({}).callers, ...caller({ identity: 'b' }).callers] },
      /^setup\.json: callers\[1\]\.credentials is the same for “a” with no scope and for “b” with no scope/,
    ],
    [caller({ more: 1 }), /callers\[0\]\.more is not known/],
    [
      receiver({ url: 'https://example.com/' }),
      /receivers\[0\]\.url has to be an http URL with a port of this machine/,
    ],
    [receiver({ events: ['order.lost'] }), /The document has no event “order\.lost”/],
    [receiver({ secret: 'secret' }), /receivers\[0\] has a secret that is not 24 to 64 bytes in base64 after `whsec_`/],
    [receiver({ version: '1999-01-01' }), /The document has no version “1999-01-01”/],
  ];
  for (const [file, says] of cases) assert.match(await refusal(load(t, 'setup.json', json(file))), says);
  assert.match(await refusal(load(t, 'setup.json', '{"rows": [')), /^setup\.json is not JSON in UTF-8: .+\.$/);
});

test('a module gives members itself, or by setup(url)', async (t) => {
  const named = `
    export const row = (resource, fields) => ({ id: resource, ...fields });
    export const caller = async (scheme, identity, scopes) => 'Bearer ' + [scheme.length, identity, ...scopes].join('-');
    export const receiver = () => '${SECRET}';
    let now = 1000;
    export const clock = { now: () => new Date(now), pass(ms) { now += ms; } };
    export const reset = () => { now = 0; };`;
  const byUrl = `export function setup(url) { return Promise.resolve({ url, row(_, fields) { return { ...fields, id: this.url }; } }); }`;
  const typed = `export const row = (resource: string, fields: object): object => ({ ...fields, id: resource });`;
  const common = `export default { row: (_, fields) => ({ ...fields, id: 'd' }) };`;
  const one = await load(t, 'setup.mjs', named);
  const ada = { name: 'Ada', email: 'ada@example.com' };
  assert.deepEqual(await one.row?.('Customer', ada), { id: 'Customer', ...ada });
  assert.equal(await one.caller?.(SCHEME, 'a', ['x', 'y']), `${SCHEME.length}-a-x-y`);
  assert.equal(await one.receiver?.(URL, [], null), SECRET);
  await one.clock?.pass(500);
  assert.equal(await one.clock?.now(), 1500);
  await one.reset?.();
  assert.equal(await one.clock?.now(), 0);
  assert.equal(one.close, undefined);
  assert.deepEqual(await (await load(t, 'setup.js', byUrl)).row?.('Customer', ada), { id: URL, ...ada });
  assert.deepEqual(await (await load(t, 'setup.ts', typed)).row?.('Customer', ada), { id: 'Customer', ...ada });
  assert.deepEqual(await (await load(t, 'setup.mjs', common)).row?.('Customer', ada), { id: 'd', ...ada });
});

test('a module that is wrong is told with its member', async (t) => {
  const cases: Array<[text: string, says: string | RegExp]> = [
    ['export const x =', /^setup\.mjs can’t be loaded: .+\.$/],
    ['throw new Error("no database")', 'setup.mjs can’t be loaded: no database.'],
    ['await new Promise(() => setTimeout(() => {}, 20_000).unref());', 'setup.mjs was not loaded within 0.3 seconds.'],
    [
      'export const other = 1',
      'setup.mjs exports neither `setup` nor any of row, caller, receiver, list, clock, reset, close.',
    ],
    ['export const rows = () => {}', 'setup.mjs has `rows`: did you mean `row`?'],
    ['export const row = 1', '`row` of setup.mjs is a number, not a function.'],
    [
      'export const clock = { now() {} }',
      '`clock` of setup.mjs has to be an object with the functions `now` and `pass`.',
    ],
    ['export const setup = {}', '`setup` of setup.mjs is an object, not a function.'],
    ['export const setup = () => 7', '`setup` of setup.mjs gave a number, not an object of members.'],
    [
      'export const setup = async () => { throw new Error("seeds\\nare gone."); }',
      '`setup` of setup.mjs failed: seeds are gone.',
    ],
    ['export const setup = () => new Promise(() => {})', '`setup` of setup.mjs did not end within 0.3 seconds.'],
  ];
  for (const [text, says] of cases) {
    const told = await refusal(load(t, 'setup.mjs', text, { start: 300, call: 300 }));
    if (typeof says === 'string') assert.equal(told, says);
    else assert.match(told, says);
  }
});

test('what a member of a module gives is checked, and what it throws is told', async (t) => {
  const asked: Array<[member: string, ask: (setup: Setup) => Promise<unknown> | undefined, says: string]> = [
    [
      'row = () => null',
      (s) => s.row?.('Customer', {}),
      '`row` of setup.mjs gave null for a Customer, not an object of its fields.',
    ],
    [
      'row = () => ({ at: new Date() })',
      (s) => s.row?.('Customer', {}),
      '`row` of setup.mjs gave a Customer whose `at` is an object, not JSON.',
    ],
    ['row = () => { throw "refused" }', (s) => s.row?.('Customer', {}), '`row` of setup.mjs failed: refused.'],
    [
      'row = () => new Promise(() => {})',
      (s) => s.row?.('Customer', {}),
      '`row` of setup.mjs did not end within 0.3 seconds.',
    ],
    [
      'caller = () => ""',
      (s) => s.caller?.(SCHEME, 'a', []),
      'What `caller` of setup.mjs gave is an empty text, not a text.',
    ],
    [
      'caller = () => "a\\nb"',
      (s) => s.caller?.(SCHEME, 'a', []),
      'What `caller` of setup.mjs gave has a character that no header can hold.',
    ],
    [
      'caller = () => ({ key: "k" })',
      (s) => s.caller?.(SCHEME, 'a', []),
      'What `caller` of setup.mjs gave is an object, not a text.',
    ],
    [
      'caller = () => "Basic dXNlcg=="',
      (s) => s.caller?.(SCHEME, 'a', []),
      'What `caller` of setup.mjs gave has a character that can’t follow “Bearer”: letters, digits and -._~+/ can, with = at the end (RFC 9110, section 11.4).',
    ],
    [
      'caller = () => "the-same"',
      async (s) => {
        await s.caller?.(SCHEME, 'a', ['x']);
        await s.caller?.(SCHEME, 'a', ['x']);
        await s.caller?.(SCHEME, 'b', ['x']);
      },
      'What `caller` of setup.mjs gave is the same for “a” with x and for “b” with x: a service can’t tell them apart.',
    ],
    [
      'row = (resource, { id, ...others }) => others',
      (s) => s.row?.('Customer', { id: 'a', name: 'Ada' }),
      '`row` of setup.mjs gave a Customer without `id`, which every Customer has: it gives all fields of the row.',
    ],
    [
      'row = (resource, { email, ...others }) => others',
      (s) => s.row?.('Customer', { id: 'a', name: 'Ada', email: 'ada@example.com' }),
      '`row` of setup.mjs gave a Customer without `email`, which every Customer has: it gives all fields of the row.',
    ],
    [
      'list = () => ({ rows: [] })',
      (s) => s.list?.('Customer'),
      '`list` of setup.mjs gave an object for Customer, not a list of rows, each an object of its fields as JSON.',
    ],
    [
      'list = () => [{ at: new Date() }]',
      (s) => s.list?.('Customer'),
      '`list` of setup.mjs gave a list for Customer, not a list of rows, each an object of its fields as JSON.',
    ],
    [
      'receiver = () => ({ secret: "s" })',
      (s) => s.receiver?.(URL, [], null),
      '`receiver` of setup.mjs gave an object, not the secret as text.',
    ],
    [
      'clock = { now: () => 1793577600, pass() {} }',
      (s) => s.clock?.now(),
      '`clock.now` of setup.mjs gave 1793577600, which are seconds since the epoch: it has to give milliseconds.',
    ],
    [
      'clock = { now: () => 5, pass() {} }',
      async (s) => {
        for (let i = 0; i < 3; i++) {
          await s.clock?.now();
          await s.clock?.pass(700);
        }
      },
      '`clock.now` of setup.mjs gave a time that is 1400 ms too early: `clock.now` must not go back, and after `clock.pass(n)` it must be at least n milliseconds later.',
    ],
    [
      'clock = { now: () => 1793577600000, pass() {} }',
      (s) => s.clock?.pass(86_400_000),
      '`clock.now` of setup.mjs gave a time that is 86400000 ms too early: `clock.now` must not go back, and after `clock.pass(n)` it must be at least n milliseconds later.',
    ],
    [
      'receiver = () => "s"',
      (s) => s.receiver?.(URL, [], null),
      '`receiver` of setup.mjs gave a secret that is not 24 to 64 bytes in base64 after `whsec_` (Standard Webhooks).',
    ],
    [
      'clock = { now: () => "now", pass() {} }',
      (s) => s.clock?.now(),
      '`clock.now` of setup.mjs gave a string, not milliseconds since the epoch.',
    ],
    [
      'clock = { now: () => 1, pass() { throw new Error("stuck") } }',
      (s) => s.clock?.pass(1),
      '`clock.pass` of setup.mjs failed: stuck.',
    ],
    ['reset = () => Promise.reject(new TypeError("no"))', (s) => s.reset?.(), '`reset` of setup.mjs failed: no.'],
  ];
  for (const [member, ask, says] of asked) {
    const setup = await load(t, 'setup.mjs', `export const ${member};`, { start: 60_000, call: 300 });
    assert.equal(await refusal(ask(setup)), says);
  }
});

test('a file that is no setup is told so', async (t) => {
  const folder = temporary(t);
  const load = (name: string): Promise<string> => refusal(loadSetup(join(folder, name), URL, PLAN));
  writeFileSync(join(folder, 'setup.yaml'), '');
  assert.match(
    await load('setup.yaml'),
    /setup\.yaml” is neither a JSON file \(\.json\) nor a module \(\.js, \.mjs, \.ts, \.mts\)\./,
  );
  assert.match(await load('gone.json'), /^There is no file “.+gone\.json”\. Is --setup spelled right\?$/);
  assert.match(await load('.'), /is not a file\.$/);
});
