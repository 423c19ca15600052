import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import Database from 'better-sqlite3';
import { compile } from '../src/compiler/compile.ts';
import { loweringOf } from '../src/plan/lowering.ts';
import { named } from '../src/plan/named.ts';
import type { Plan } from '../src/plan/step.ts';
import { postgresDialect } from '../src/store/postgres/dialect.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { StatementCompiler } from '../src/store/sql/compiler.ts';
import type { StoreDialect } from '../src/store/sql/dialect.ts';
import { sqliteDialect } from '../src/store/sqlite/dialect.ts';
import { openTables } from '../src/store/sqlite/tables.ts';
import { Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';

/** A document that groups sales by every kind of value. */
const SALES = readFileSync(new URL('../src/compiler/endpoints/cases/documents/sales.md', import.meta.url), 'utf8');

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

const MOST = Number.MAX_SAFE_INTEGER;
const SHOPS = [
  { id: 'a', zone: 'north', open: true },
  { id: 'b', zone: 'north', open: false },
];
/** Sales with texts that collations order otherwise, equal prices in other digits, and values at the bounds. */
const ROWS = [
  { word: 'z', price: '1.5', big: 1, paid: true, took: 'PT1S', shop: 'a', at: '2026-03-28T23:30:00Z' },
  { word: 'Z', price: '1.50', big: MOST, paid: true, took: 'PT0.5S', shop: 'b', day: '2026-01-02' },
  { word: 'ä', price: '1.50', big: 1, paid: false, took: 'PT0S', shop: 'b', at: '2026-03-29T22:30:00Z' },
  { word: 'a\u0308', price: '0', big: 2, paid: false, took: 'PT100H', shop: 'a', day: '2025-12-31' },
  { word: '\u{1F600}', price: '0.01', big: 0, paid: true, took: 'PT0S', ref: '0195c2a0-0000-7000-8000-00000000000a' },
  { word: '\uFF5E', price: '9000000000000', big: 5, paid: true, took: 'PT2S', at: '0001-01-01T00:00:00Z' },
  { price: '0.01', big: 7, paid: false, took: 'PT3S', ref: '0195c2a0-0000-7000-8000-00000000000a' },
  { price: '0.02', big: 7, paid: true, took: 'PT3S', ref: '0195c2a0-0000-7000-8000-00000000000b', day: '2026-01-02' },
  { word: '', price: '0.02', big: 1, paid: true, took: 'PT3S', at: '9999-12-31T23:59:59.999Z' },
];

const AT = '2026-07-01T12:00:00Z';

/** The answers of the document to the same requests, on one store. */
async function answers(place: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
  await using space = new Workspace(SALES, 'sales.md');
  if (place.length > 0) space.place = place;
  const service = await space.serveHere();
  const out = new Map<string, unknown>();
  const get = async (path: string, name = path): Promise<void> => {
    const { status, body, text } = await service.request('GET', path);
    out.set(name, { status, body: status === 500 ? null : body, text: status === 500 ? null : text });
  };
  await get('/words', 'none');
  for (const shop of SHOPS) assert.equal((await service.request('POST', '/shops', { body: shop })).status, 201);
  for (const { shop, ...row } of ROWS) {
    const sent = { at: AT, ...row, ...(shop && (shop === 'a' ? { shop } : {})) };
    const answer = await service.request('POST', '/sales', { body: sent });
    assert.equal(answer.status, 201, answer.text);
  }
  for (const path of [
    '/words',
    '/prices',
    '/days',
    '/shops/sales',
    '/sums?paid=false&least=1',
    '/sums?paid=true&least=1',
    '/doubles',
    '/totals',
    '/bigs/7',
  ])
    await get(path);
  return out;
}

let onSqlite: ReadonlyMap<string, unknown>;
let onPostgres: ReadonlyMap<string, unknown>;
before(async () => {
  onSqlite = await answers([]);
  onPostgres = await answers(['--store', await server.database()]);
});

test('both stores answer the same groups, byte for byte', () => {
  for (const [path, answer] of onSqlite) assert.deepEqual(onPostgres.get(path), answer, path);
});

const bodyOf = (path: string): unknown => (onSqlite.get(path) as { body: unknown }).body;

test('texts are keys and are ordered by their code points, and rows without a text are a group', () => {
  const words = bodyOf('/words') as ReadonlyArray<{ word?: string; count: number }>;
  assert.deepEqual(
    words.map(({ word, count }) => [word, count]),
    [
      [undefined, 2],
      ['', 1],
      ['Z', 1],
      ['a\u0308', 1],
      ['z', 1],
      ['ä', 1],
      ['\uFF5E', 1],
      ['\u{1F600}', 1],
    ],
  );
  assert.deepEqual(bodyOf('none'), []);
});

test('decimals are one key whatever their digits, and true and false are two', () => {
  const { groups } = bodyOf('/prices') as { groups: ReadonlyArray<{ price: string; paid: boolean }> };
  assert.deepEqual(
    groups.map(({ price, paid }) => `${price} ${paid}`),
    ['9000000000000.00 true', '1.50 false', '1.50 true', '0.02 true', '0.01 false', '0.01 true', '0.00 false'],
  );
});

test('a sum beyond 2^53 − 1, and a key beyond it, have no result, and the request fails', () => {
  assert.equal((onSqlite.get('/sums?paid=false&least=1') as { status: number }).status, 200);
  assert.equal((onSqlite.get('/sums?paid=true&least=1') as { status: number }).status, 500);
  assert.equal((onSqlite.get('/doubles') as { status: number }).status, 500);
  assert.equal((onSqlite.get('/totals') as { status: number }).status, 500);
  assert.deepEqual(bodyOf('/bigs/7'), {
    groups: [
      { paid: false, price: '0.01', count: 1 },
      { paid: true, price: '0.02', count: 1 },
    ],
  });
});

const PLAN = compile('sales.md', SALES).plan as Plan;

/** The statement of the Group of an endpoint. */
function sqlOf(endpoint: string, dialect: StoreDialect): string {
  const step = named(PLAN.endpoints, endpoint).inside.find((one) => one.do === 'group');
  assert.ok(step);
  const lowering = loweringOf((name) => named(PLAN.resources, name), 'caller');
  return new StatementCompiler(PLAN.resources, dialect).compile({
    kind: 'groups',
    resource: step.resource,
    where: lowering.where(step.resource, step.where),
    keys: step.by.map(({ value }) => lowering.lower(value)),
    values: step.with.map(({ value }) => lowering.lower(value)),
    order: { member: 0, descending: false },
  }).sql;
}

test('SQLite makes groups in the order of an index, of the rows that the index finds', () => {
  const db = new Database(':memory:');
  openTables(db, PLAN);
  const detail = (endpoint: string): string => {
    const sql = sqlOf(endpoint, sqliteDialect(PLAN.resources));
    const none = Array.from({ length: sql.split('?').length - 1 }, () => null);
    const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...none) as Array<{ detail: string }>;
    return steps.map((one) => one.detail).join('\n');
  };
  const found = detail('GET /bigs/{big}');
  assert.match(found, /SEARCH t USING (?:COVERING )?INDEX \w+ \(big=\?\)/);
  assert.doesNotMatch(found, /B-TREE FOR GROUP BY/);
  const all = detail('GET /prices');
  assert.match(all, /SCAN t USING (?:COVERING )?INDEX/);
  assert.doesNotMatch(all, /B-TREE FOR GROUP BY/);
});

test('PostgreSQL makes groups of the rows that an index finds', async () => {
  const url = await server.database();
  const store = await PostgresStore.open(url, PLAN);
  await store.close();
  await server.query(
    url,
    `INSERT INTO sale (id, word, price, big, paid, at, took, ninefold_revision)
     SELECT gen_random_uuid(), 'word ' || i, i % 7, i % 4000, i % 2 = 0, i, 0, 1 FROM generate_series(1, 40000) AS i`,
  );
  await server.query(url, 'VACUUM ANALYZE sale');
  const dialect = postgresDialect(PLAN.resources, () => {});
  const rows = await server.query<Record<'QUERY PLAN', string>>(
    url,
    `EXPLAIN (GENERIC_PLAN, COSTS off) ${sqlOf('GET /bigs/{big}', dialect)}`,
  );
  const text = rows.map((row) => row['QUERY PLAN']).join('\n');
  assert.match(text, /Index (?:Only )?Scan .*big/);
  assert.doesNotMatch(text, /Seq Scan/);
});
