import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compile } from '../src/compile.ts';
import { LIBRARY } from '../src/expression/library/index.ts';
import type { Plan } from '../src/plan/step.ts';
import { Engine } from '../src/serve/engine.ts';
import { Handler } from '../src/serve/handle.ts';
import { PostgresStore } from '../src/store/postgres.ts';
import { SqliteStore } from '../src/store/sqlite.ts';
import type { Store } from '../src/store/store.ts';
import { PLACES, type Place } from './places.document.ts';
import { PROBES, ROWS } from './places.probes.ts';
import { PostgresServer } from './postgres.ts';

/** What was found, function by function: `UPDATE=1` writes it anew. */
const TABLE = join(import.meta.dirname, 'places.md');

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

const STORES: ReadonlyArray<readonly [name: string, open: (plan: Plan) => Promise<Store>]> = [
  ['SQLite', async (plan) => new SqliteStore(':memory:', plan)],
  ['PostgreSQL', async (plan) => PostgresStore.open(await server.database(), plan)],
];

/** What each function did, by place and then by function: empty where all was as it has to be. */
const found = new Map<string, Map<string, string[]>>();

async function tried(place: Place, store: string, open: (plan: Plan) => Promise<Store>): Promise<string[]> {
  const { plan, findings } = compile('places.md', place.document);
  assert.ok(plan, `${place.name}: ${findings.map((one) => `${one.message} (${one.span?.from})`).join('\n')}`);
  const failures: unknown[] = [];
  const kept = await open(plan);
  const engine = await Engine.start(plan, kept, 'https://api.example.com');
  const handler = new Handler(engine, { failed: (_endpoint, error) => failures.push(error), recorded: () => {} });
  const ask = async (method: string, target: string, body?: unknown): Promise<{ status: number; text: string }> => {
    const [path = '', query = null] = target.split('?');
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
    const sent = body === undefined ? [] : ['Content-Type', 'application/json', 'Content-Length', String(bytes.length)];
    const { answer } = await handler.handle({
      method,
      path,
      query,
      rawHeaders: ['Host', 'localhost', ...sent],
      address: '127.0.0.1',
      arrived: Date.now(),
      now: Date.now(),
      body: () => bytes,
    });
    return { status: answer.status, text: String(answer.body ?? '') };
  };
  const wrong: string[] = [];
  for (const { path, only } of place.created)
    for (const row of ROWS) {
      const { status, text } = await ask('POST', path, row);
      const wanted = only === null || only.includes(row.id as number) ? 201 : 409;
      if (status !== wanted) wrong.push(`POST ${path} of row ${row.id}: ${status} ${text}`);
    }
  const table = found.get(place.name) ?? new Map<string, string[]>();
  found.set(place.name, table);
  for (const { functions, method, path, status, gives } of place.asked) {
    const answer = await ask(method, path);
    const right = answer.status === status && (gives === null || answer.text === gives);
    for (const id of functions) table.set(id, [...(table.get(id) ?? []), ...(right ? [] : [store])]);
    if (!right)
      wrong.push(`${method} ${path} (${functions.slice(0, 3)}): ${answer.status} ${answer.text.slice(0, 300)}`);
  }
  await kept.close();
  return [...wrong, ...failures.map(String)];
}

test('there is a probe for each meaning of each function', () => {
  const ids = [...LIBRARY.values()].flat().map(({ id }) => id);
  assert.deepEqual(
    ids.filter((id) => !Object.hasOwn(PROBES, id)),
    [],
  );
});

for (const place of PLACES)
  for (const [store, open] of STORES)
    test(`every function in ${place.name}, on a new database in ${store}, beside rows at the ends of what is allowed`, async () => {
      assert.deepEqual(await tried(place, store, open), []);
    });

test('every function works in every place, on both stores: a table', () => {
  const names = [...found.keys()];
  const rows = Object.keys(PROBES).map((id) => {
    const cells = names.map((name) => {
      const stores = found.get(name)!.get(id);
      return stores === undefined ? '–' : stores.length === 0 ? 'both' : `not in ${[...new Set(stores)].join(', ')}`;
    });
    return `| ${id} | ${cells.join(' | ')} |`;
  });
  const head = `| Function | ${names.join(' | ')} |\n| --- | ${names.map(() => '---').join(' | ')} |`;
  const text = `# Every function in every place\n\nThe first requests of new databases, in SQLite and in PostgreSQL, with rows at the ends of what is allowed beside.\n\n${head}\n${rows.join('\n')}\n`;
  if (process.env.UPDATE === '1') writeFileSync(TABLE, text);
  assert.equal(text, readFileSync(TABLE, 'utf8'));
});
