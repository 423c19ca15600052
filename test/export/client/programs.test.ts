import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { FixedSources } from '../../../src/exchanges/fixed-sources.ts';
import { World } from '../../../src/exchanges/world.ts';
import { camel } from '../../../src/export/client/words.ts';
import { documents, fileOf, type Whole } from '../../fixtures.ts';
import { PATIENT } from '../../harness.ts';
import { share } from '../../share.ts';
import { programOf } from './made.ts';
import { Served } from './served.ts';

// The first program that people read, at the head of a client and in the reference, does what it says.

/** What a program printed: as data, and as errors. */
interface Printed {
  readonly out: unknown[];
  readonly err: unknown[];
}

/** Runs a program beside its client, as Node.js runs it. */
async function run(t: TestContext, file: string, client: string, program: string): Promise<Printed> {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-program-'));
  const printed: Printed = { out: [], err: [] };
  const log = t.mock.method(console, 'log', (value: unknown) => void printed.out.push(value));
  const error = t.mock.method(console, 'error', (value: unknown) => void printed.err.push(value));
  try {
    writeFileSync(join(folder, file), client);
    writeFileSync(join(folder, 'program.ts'), program);
    await import(pathToFileURL(join(folder, 'program.ts')).href);
    return printed;
  } finally {
    log.mock.restore();
    error.mock.restore();
    rmSync(folder, { recursive: true });
  }
}

/** Serves a document with the rows that an operator enters, and runs the program of its client. */
async function example(t: TestContext, { name, text }: Whole): Promise<Printed & { readonly program: string }> {
  await using served = await Served.start(text, null, fileOf(name));
  const { engine } = served;
  const world = new World(engine.plan, engine, new FixedSources(Date.now()), 10_000);
  await world.furnish();
  const program = programOf(served.text);
  const [scheme] = engine.plan.schemes.filter((one) => program.includes(`${camel(one.name)}: `));
  const [caller] = await world.callers(scheme ? [scheme.name] : []);
  const credentials = caller && (await world.credentials(caller, scheme?.scopes ?? []));
  const own = program
    .replace(/baseUrl: '[^']*'/, `baseUrl: '${served.url}'`)
    .replace(/'…'/, JSON.stringify(credentials ?? ''));
  return { program, ...(await run(t, `${basename(name, '.md')}.ts`, served.text, own)) };
}

/** The callers of these documents sign up themselves, so an operator has no credentials for the program. */
const SIGNING_UP: readonly string[] = ['sessions.md'];

for (const document of share(
  documents().filter(({ name }) => !SIGNING_UP.includes(name)),
  4,
).cases)
  test(`the program at the head of the client of ${document.name} creates a row, and finds it`, async (t) => {
    const { program, out, err } = await example(t, document);
    assert.ok(program.split('\n').length <= 16, program);
    assert.deepEqual(err, [], program);
    assert.match(program, /created\.data/);
    assert.ok(out.length > 0, program);
  });

test('the program in the reference opens an order, changes it, lists placed ones and cancels it', async (t) => {
  const [, section = ''] = readFileSync('docs/exports.md', 'utf8').split('\n## Client\n');
  const [, program = ''] = /\n```ts\n(.*?)```\n/s.exec(section) ?? [];
  await using served = await Served.start(PATIENT);
  const { engine } = served;
  const world = new World(engine.plan, engine, new FixedSources(Date.now()), 10_000);
  await world.furnish();
  const [caller] = await world.callers(['API key']);
  assert.ok(caller);
  const { scopes } = engine.plan.schemes[0]!;
  process.env.ORDERS_KEY = (await world.credentials(caller, scopes)) ?? '';
  t.after(() => delete process.env.ORDERS_KEY);
  const own = program.replace('https://shop.example', served.url);
  assert.notEqual(own, program);
  const { out, err } = await run(t, 'orders.ts', served.text, own);
  assert.deepEqual([out, err], [[], []], 'no order was placed');
  const orders = await served.operator.list('Order');
  assert.deepEqual(
    orders.map(({ sku, quantity, status }) => ({ sku, quantity, status })),
    [{ sku: 'ABC-1234', quantity: 3, status: 'cancelled' }],
  );
});
