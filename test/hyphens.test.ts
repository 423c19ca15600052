import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { descriptions } from '../src/export/served/descriptions.ts';
import { Service } from '../src/runtime/service.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import type { Store } from '../src/store/store.ts';
import { readCases } from './cases.ts';
import { PostgresServer } from './postgres.ts';
import { planOf } from './subject.ts';

/** Readers and loans, whose fields have hyphens in all places. */
const PLAN = planOf(readCases('src/compiler/resources/cases/hyphens.md')[0]!.document);

const LOAN = { 'lent-to': 1, 'lent-on': '2026-01-31', 'price-eur': '2.50' };
const REQUESTS: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>> | null]> = [
  ['/readers', { 'full-name': 'Ann', 'a-b-c-1_2': true, 'to-string': { 'value-of': 7 } }],
  ['/readers', { 'full-name': 'ANN' }],
  ['/readers', { 'full-name': '', 'to-string': { 'value-of': 101 } }],
  ['/readers', { 'full-name': 'Ben', constructor: 'c' }],
  ['/loans', { ...LOAN, 'tag-list': ['b', 'a'] }],
  ['/loans', LOAN],
  ['/loans', { ...LOAN, 'lent-on': '2026-02-27' }],
  ['/loans', { ...LOAN, 'lent-on': '2026-02-28', 'returned-on': '2026-02-27' }],
  ['/loans', { ...LOAN, 'lent-on': '2026-02-28' }],
  ['/loans', { ...LOAN, 'lent-to': 2 }],
  ['/readers?sort-by=loan-count&way=desc', null],
  ['/readers?sort-by=full-name&way=asc&full-name=Ben', null],
];

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

/** The answers of a service on a store, without the identities that it draws. */
async function answersOn(store: Store): Promise<string[]> {
  const place = { host: '127.0.0.1', port: 0, admin: null, url: 'http://loans.example' };
  const service = new Service({ ...place, secrets: () => '', describe: descriptions(), log: () => {} });
  await service.start(PLAN, store);
  const out: string[] = [];
  try {
    for (const [path, body] of REQUESTS) {
      const sent = body && { method: 'POST', body: JSON.stringify(body) };
      const headers = { 'Content-Type': 'application/json' };
      const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, sent ? { ...sent, headers } : {});
      out.push(`${answer.status} ${(await answer.text()).replaceAll(/"id":"[^"]*",/g, '')}`);
    }
  } finally {
    await service.stop();
  }
  return out;
}

test('fields with hyphens are stored, compared and ordered alike on both stores', async () => {
  const [sqlite, postgres] = [
    await answersOn(new SqliteStore(':memory:', PLAN)),
    await answersOn(await PostgresStore.open(await server.database(), PLAN)),
  ];
  assert.deepEqual(postgres, sqlite);
  assert.deepEqual(
    sqlite.map((one) => one.slice(0, 3)),
    ['201', '409', '422', '201', '201', '409', '409', '409', '201', '201', '200', '200'],
  );
});
