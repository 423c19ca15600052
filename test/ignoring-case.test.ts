import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import Database from 'better-sqlite3';
import { compile } from '../src/compiler/compile.ts';
import { loweringOf } from '../src/plan/lowering.ts';
import { named } from '../src/plan/named.ts';
import type { InsideStep, Plan } from '../src/plan/step.ts';
import { postgresDialect } from '../src/store/postgres/dialect.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { StatementCompiler } from '../src/store/sql/compiler.ts';
import type { StoreDialect } from '../src/store/sql/dialect.ts';
import { sqliteDialect } from '../src/store/sqlite/dialect.ts';
import { openTables } from '../src/store/sqlite/tables.ts';
import type { StatementSpec } from '../src/store/store.ts';
import { uniqueColumns } from '../src/store/tables.ts';
import { edited, type Service, Workspace } from './harness.ts';
import { each, NODES, tally } from './nodes.ts';
import { PostgresServer } from './postgres.ts';
import { times } from './share.ts';

/** The document of the cases: shelves by name, and words of shelves while they are not lent. */
const CASES = readFileSync(new URL('../src/compiler/endpoints/cases/ignoring-case.md', import.meta.url), 'utf8');
const SHELVES = /~~~document\n([\s\S]*?)\n~~~/.exec(CASES)?.[1] ?? '';
const PLAN = compile('shelves.md', SHELVES).plan as Plan;
/** The same with shelves that not everyone sees: a look-up of a word reads them after the word. */
const HIDING = compile(
  'shelves.md',
  edited(SHELVES, ['- Visible: everyone\n- Shown: name', '- Visible: `name != "none"`\n- Shown: name']),
).plan as Plan;

const RACES = times(20, 100);

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

const stepOf = <K extends InsideStep['do']>(plan: Plan, endpoint: string, kind: K): Extract<InsideStep, { do: K }> => {
  const step = named(plan.endpoints, endpoint).inside.find((one) => one.do === kind);
  return step as Extract<InsideStep, { do: K }>;
};

/** The look-ups of the document, as statements of a store. */
function lookUps(plan: Plan): StatementSpec[] {
  const find = (endpoint: string): StatementSpec => {
    const { resource, where } = stepOf(plan, endpoint, 'find');
    const lowering = loweringOf((name) => named(plan.resources, name), 'caller');
    return {
      kind: 'select',
      resource,
      where: lowering.where(resource, where),
      order: null,
      after: false,
      limit: false,
    };
  };
  const ensured = (endpoint: string): StatementSpec[] => {
    const { resource, by } = stepOf(plan, endpoint, 'ensure');
    return by.map((key) => ({ kind: 'by key', resource, fields: uniqueColumns(key), while: key.while }));
  };
  return [
    find('GET /shelves/{shelf}'),
    find('GET /shelves/{shelf}/words/{text}'),
    ...ensured('PUT /shelves/{shelf}'),
    ...ensured('PUT /shelves/{shelf}/words/{text}'),
  ];
}

const sqlOf = (plan: Plan, dialect: StoreDialect): string[] => {
  const compiler = new StatementCompiler(plan.resources, dialect);
  return lookUps(plan).map((spec) => compiler.compile(spec).sql);
};

/** The indexes that each look-up uses, by the lines of its query plan. */
const indexesOf = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => /(?:INDEX|Scan using|Bitmap Index Scan on) (\w+)/.exec(line)?.[1] ?? []).sort();

for (const [shelves, plan, word] of [
  ['shelves', PLAN, ['ninefold_unique_shelf_1', 'ninefold_unique_word_1']],
  [
    'hidden shelves',
    HIDING,
    [/^(?:ninefold_unique_shelf_1|shelf_pkey|sqlite_autoindex_shelf_1)$/, /_folded_text_lent$/],
  ],
] as const) {
  const check = (plans: ReadonlyArray<readonly string[]>): void => {
    const indexes = plans.map(indexesOf);
    const wanted = [['ninefold_unique_shelf_1'], word, ['ninefold_unique_shelf_1'], ['ninefold_unique_word_1']];
    for (const [i, names] of wanted.entries()) {
      const text = `${plans[i]?.join('\n')}`;
      assert.equal(indexes[i]?.length, names.length, text);
      for (const name of names)
        assert.ok(
          indexes[i]?.some((one) => (typeof name === 'string' ? one === name : name.test(one))),
          text,
        );
    }
    assert.match(plans.flat().join('\n'), /ninefold_folded_text ?=/);
  };

  test(`SQLite looks rows of ${shelves} up by the indexes of folded texts`, () => {
    const db = new Database(':memory:');
    openTables(db, plan);
    const plans = sqlOf(plan, sqliteDialect(plan.resources)).map((sql) => {
      const none = Array.from({ length: sql.split('?').length - 1 }, () => null);
      const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...none) as Array<{ detail: string }>;
      return steps.map(({ detail }) => detail);
    });
    check(plans);
    assert.ok(!plans.flat().some((line) => line.startsWith('SCAN')), plans.flat().join('\n'));
  });

  test(`PostgreSQL looks rows of ${shelves} up by the indexes of folded texts`, async () => {
    const url = await server.database();
    const store = await PostgresStore.open(url, plan);
    await store.close();
    // With few rows, the database would read all of them.
    await server.query(
      url,
      `WITH made AS (
        INSERT INTO shelf (id, name, ninefold_revision, ninefold_folded_name)
        SELECT gen_random_uuid(), 'Shelf ' || i, 1, 'shelf ' || i FROM generate_series(1, 2000) AS i RETURNING id)
      INSERT INTO word (id, shelf, text, lent, state, ninefold_revision, ninefold_folded_text)
      SELECT row_number() OVER (), id, 'Word ' || i, FALSE, 'here', 1, 'word ' || i FROM made, generate_series(1, 20) AS i`,
    );
    await server.query(url, 'ANALYZE');
    const plans: string[][] = [];
    for (const sql of sqlOf(
      plan,
      postgresDialect(plan.resources, () => {}),
    )) {
      const rows = await server.query<Record<'QUERY PLAN', string>>(url, `EXPLAIN (GENERIC_PLAN, COSTS off) ${sql}`);
      plans.push(rows.map((row) => row['QUERY PLAN']));
    }
    check(plans);
  });
}

const STORES: Readonly<Record<string, { readonly nodes: number; readonly place: () => Promise<readonly string[]> }>> = {
  SQLite: { nodes: 1, place: async () => [] },
  PostgreSQL: { nodes: NODES, place: async () => ['--store', await server.database()] },
};

/** Spellings of one text that are the same ignoring case. */
const spellings = (n: number): string[] => [`Kiſte ${n}k`, `kiste ${n}K`, `KISTE ${n}\u212a`, `kISTE ${n}k`];

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Sends a request for each spelling of each text, all spellings of a text at once. */
const race = (
  nodes: readonly Service[],
  of: (text: string) => readonly [method: string, path: string, body?: object],
) =>
  each(RACES, 5, (n) =>
    Promise.all(
      spellings(n).map((text, i): Promise<Answer> => {
        const [method, path, body] = of(text);
        const node = nodes[i % nodes.length] as Service;
        return node.request(method, path, body ? { body } : {});
      }),
    ),
  );

const inPath = (text: string): string => encodeURIComponent(text);

for (const [store, { nodes: count, place }] of Object.entries(STORES))
  test(`spellings of one text that arrive at once make one row, on ${store}`, async () => {
    await using space = new Workspace(SHELVES, 'shelves.md');
    const given = await place();
    if (given.length > 0) space.place = given;
    const nodes = [await space.serve()];
    for (let i = 1; i < count; i++) nodes.push(await space.serve());
    const ensured = await race(nodes, (text) => ['PUT', `/shelves/${inPath(text)}`]);
    for (const answers of ensured) {
      assert.deepEqual(tally(answers.map(({ status }) => `${status}`)), { 200: 4 });
      assert.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1, 'all answers show one row');
    }
    const words = await race(nodes, (text) => [
      'PUT',
      `/shelves/${inPath(spellings(0)[0] ?? '')}/words/${inPath(text)}`,
    ]);
    for (const answers of words) {
      assert.deepEqual(tally(answers.map(({ status }) => `${status}`)), { 200: 4 });
      assert.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1, 'all answers show one row');
    }
    const created = await race(nodes, (text) => ['POST', '/shelves', { name: `new ${text}` }]);
    for (const answers of created)
      assert.deepEqual(tally(answers.map(({ status }) => `${status}`)), { 201: 1, 409: 3 });
    const [node] = nodes as [Service];
    for (const text of spellings(1)) {
      const { status, body } = await node.request('GET', `/shelves/${inPath(`NEW ${text}`)}`);
      assert.equal(status, 200);
      assert.ok(spellings(1).some((one) => (body as { name: string }).name === `new ${one}`));
    }
  });
