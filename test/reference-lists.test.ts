import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import Database from 'better-sqlite3';
import { edited, type Served, Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { times } from './share.ts';
import { documentText } from './subject.ts';

/** Tasks with lists and sets of tags, in a document of the cases. */
const TAGS = documentText('src/compiler/resources/cases/documents/tags.md');
const ROUNDS = times(8, 100);

/** The names of the tables of items. */
const ITEMS = ['after', 'fixed', 'order', 'tags'].map((field) => `ninefold_items_task.${field}`);

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

const id = (n: number): string => `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`;

type Query = (sql: string) => Promise<unknown[]>;

/** Runs a test on both stores; `query` asks the database itself. */
function onBoth(name: string, run: (space: Workspace, query: Query, store: string) => Promise<void>): void {
  test(`${name}: SQLite`, async () => {
    await using space = new Workspace(TAGS);
    await run(
      space,
      async (sql) => {
        const db = new Database(join(space.data, 'ninefold.sqlite'));
        try {
          db.pragma('foreign_keys = ON');
          const statement = db.prepare(sql);
          if (statement.reader) return statement.all();
          statement.run();
          return [];
        } finally {
          db.close();
        }
      },
      'SQLite',
    );
  });
  test(`${name}: PostgreSQL`, async () => {
    await using space = new Workspace(TAGS);
    const url = await server.database();
    space.place = ['--store', url];
    await run(space, (sql) => server.query(url, sql), 'PostgreSQL');
  });
}

async function done(answer: Promise<{ status: number; text: string; body: unknown }>, status: number) {
  const came = await answer;
  assert.equal(came.status, status, came.text);
  return came.body as Record<string, unknown>;
}

const tag = (service: Served, n: number) =>
  done(service.request('POST', '/tags', { body: { id: id(n), name: `tag ${n}`, hidden: false } }), 201);
const task = (service: Served, body: object) =>
  done(service.request('POST', '/tasks', { body: { title: 'x', ...body } }), 201);
const listed = async (service: Served): Promise<Record<string, unknown>[]> =>
  (await done(service.request('GET', '/tasks'), 200)).tasks as Record<string, unknown>[];

/** Whether each table of items has exactly the items of the rows. */
async function agree(query: Query, store: string, field: string, column = field): Promise<void> {
  const table = `"ninefold_items_task.${column}"`;
  const [each, item] =
    store === 'SQLite'
      ? [`json_each(t."${column}") AS i`, "lower(replace(i.value, '-', ''))"]
      : [`jsonb_array_elements_text(t."${column}") AS i(value)`, "replace(i.value, '-', '')"];
  const own =
    store === 'SQLite'
      ? "lower(CASE typeof(item) WHEN 'blob' THEN hex(item) ELSE item END)"
      : "replace(item::text, '-', '')";
  const rows = await query(`SELECT DISTINCT t.id AS holder, ${item} AS item FROM task AS t, ${each} ORDER BY 1, 2`);
  const items = await query(`SELECT holder, ${own} AS item FROM ${table} ORDER BY 1, 2`);
  assert.deepEqual(JSON.stringify(items), JSON.stringify(rows));
}

onBoth(
  'a request that adds an item and the removal of its row never leave a dangling item',
  async (space, query, store) => {
    const one = await space.serveHere({ declared: true });
    const other = store === 'PostgreSQL' ? await space.serve({ declared: true }) : one;
    for (let n = 1; n <= ROUNDS; n++) {
      await tag(one, n);
      const { id: own } = await task(one, {});
      const [put, removed, made] = await Promise.all([
        one.request('PUT', `/tasks/${own}/tags/${id(n)}`),
        other.request('DELETE', `/tags/${id(n)}`),
        one.request('POST', '/tasks', { body: { title: 'y', fixed: [id(n)], order: [id(n), id(n)] } }),
      ]);
      const kept = removed.status === 409;
      assert.ok([204, 409].includes(removed.status), removed.text);
      assert.ok([200, 404, 409].includes(put.status), put.text);
      assert.ok([201, 422, 409].includes(made.status), made.text);
      const all = await listed(one);
      for (const { tags, order, fixed } of all) {
        if (!kept) assert.ok(!(tags as string[]).includes(id(n)) && !(fixed as string[] | null)?.length);
        if (!kept) assert.ok(((order as { id: string }[] | null) ?? []).every((item) => item.id !== id(n)));
      }
      for (const field of ['tags', 'order', 'fixed', 'after']) await agree(query, store, field);
      await done(one.request('DELETE', '/tasks'), 204);
      await one.request('DELETE', `/tags/${id(n)}`);
    }
  },
);

onBoth('no statement by hand makes a dangling item', async (space, query, store) => {
  const service = await space.serveHere();
  await tag(service, 1);
  await tag(service, 2);
  await task(service, { tags: [id(1)], order: [id(2), id(1)], after: [] });
  await service.stop();
  const blob = (n: number): string => (store === 'SQLite' ? `unhex('${id(n).replaceAll('-', '')}')` : `'${id(n)}'`);
  await assert.rejects(query(`DELETE FROM tag WHERE id = ${blob(1)}`), /FOREIGN KEY|foreign key/);
  await assert.rejects(query(`UPDATE task SET tags = '["${id(3)}"]'`), /FOREIGN KEY|foreign key/);
  await query(`UPDATE task SET tags = '["${id(2)}"]', "order" = NULL`);
  await query(`DELETE FROM tag WHERE id = ${blob(1)}`);
  for (const field of ['tags', 'order']) await agree(query, store, field);
});

onBoth('rows that hold one another are removed together', async (space) => {
  const service = await space.serveHere({ declared: true });
  const first = (await task(service, {})).id as number;
  const second = (await task(service, { after: [first, first] })).id as number;
  await done(service.request('PATCH', `/tasks/${first}`, { body: { after: [second, first] } }), 200);
  await done(service.request('DELETE', '/tasks'), 204);
  assert.deepEqual(await listed(service), []);
});

/** The document without one of its lists, with another name for one, and with plain numbers in the place of one. */
const WITHOUT = edited(
  TAGS,
  [/\| after .*\n/.exec(TAGS)![0], ''],
  ['after as id, ', ''],
  ['Cleared with: tags, order, after', 'Cleared with: tags, order'],
  ['order, fixed, after\n', 'order, fixed\n'],
  ['order, fixed, after, each', 'order, fixed, each'],
);
const RENAMED = edited(
  TAGS,
  ['| order    | list of Tag    |', '| ranking  | list of Tag    |'],
  ['order as Tag', 'ranking as Tag'],
  ['Cleared with: tags, order,', 'Cleared with: tags, ranking,'],
  ['tags, order, fixed, after\n', 'tags, ranking, fixed, after\n'],
  ['tags, order, fixed, after, each', 'tags, ranking, fixed, after, each'],
);
const NUMBERS = edited(
  TAGS,
  [
    '| list of Task   |        | at most 5 items     |',
    '| list of integer | | at most 5 items, each 1 to 9007199254740991 |',
  ],
  ['after as id', 'after'],
  ['Cleared with: tags, order, after', 'Cleared with: tags, order'],
);
/** The tags have another name: as a resource, and in all that says so. */
const LABELS = RENAMED.replace(/(?<=### |\| |of |as |: )Tag\b/g, 'Label');

async function migrated(space: Workspace, document: string, ...args: string[]): Promise<void> {
  space.write(document);
  const ran = await space.cliHere('migrate', ...args);
  assert.equal(ran.code, 0, ran.err + ran.out);
}

onBoth('lists come, are renamed and go with the document', async (space, query, store) => {
  space.write(WITHOUT);
  let service = await space.serveHere();
  for (const n of [1, 2, 3]) await tag(service, n);
  await task(service, { tags: [id(1), id(2)], order: [id(3), id(1), id(3)] });
  await service.stop();
  await migrated(space, TAGS, '--fill', 'Task.after=[]');
  for (const field of ['tags', 'order', 'after']) await agree(query, store, field);
  await migrated(space, RENAMED, '--rename', 'Task.order=Task.ranking');
  await agree(query, store, 'ranking');
  service = await space.serveHere({ declared: true });
  const [row = {}] = await listed(service);
  const ranking = (row.ranking as { id: string }[]).map((one) => one.id);
  assert.deepEqual([row.tags, ranking, row.after], [[id(1), id(2)], [id(3), id(1), id(3)], []]);
  await done(service.request('DELETE', `/tags/${id(3)}`), 204);
  await done(service.request('DELETE', `/tags/${id(1)}`), 204);
  const [left = {}] = await listed(service);
  assert.deepEqual([left.tags, left.ranking], [[id(2)], []]);
  await service.stop();
  await migrated(space, LABELS, '--rename', 'Tag=Label');
  await agree(query, store, 'ranking');
  const back = ['--rename', 'Task.ranking=Task.order', '--rename', 'Label=Tag'];
  await migrated(space, WITHOUT, ...back, '--accept', 'drop Task.after');
  await agree(query, store, 'order');
  const names = store === 'SQLite' ? 'SELECT name FROM sqlite_schema' : 'SELECT relname AS name FROM pg_class';
  const there = new Set((await query(names)).map((one) => (one as { name: string }).name));
  assert.deepEqual(
    ITEMS.filter((name) => there.has(name)),
    ITEMS.filter((name) => !name.endsWith('after')),
  );
});

onBoth('numbers become references where each is that of a row', async (space, query, store) => {
  space.write(NUMBERS);
  let service = await space.serveHere();
  const { id: own } = await task(service, { after: [7] });
  await service.stop();
  space.write(TAGS);
  const refused = await space.cliHere('migrate');
  assert.notEqual(refused.code, 0, refused.out);
  assert.match(refused.out + refused.err, /Task\.after holds references to Task/);
  space.write(NUMBERS);
  service = await space.serveHere();
  await done(service.request('PATCH', `/tasks/${own}`, { body: { after: [own, own] } }), 200);
  await service.stop();
  await migrated(space, TAGS);
  await agree(query, store, 'after');
});

test('a backup of either store is restored into the other, and the items with it', async () => {
  await using space = new Workspace(TAGS);
  const url = await server.database();
  let service = await space.serveHere();
  for (const n of [1, 2]) await tag(service, n);
  await task(service, { tags: [id(2), id(1)], order: [id(2), id(1), id(2)], fixed: [id(1)] });
  const held = await listed(service);
  await service.stop();
  const [first, second] = [join(space.dir, 'first'), join(space.dir, 'second')];
  const ran = async (command: string, ...args: string[]): Promise<void> => {
    const { code, err } = await space.cliHere(command, ...args);
    assert.equal(code, 0, err);
  };
  await ran('backup', '--to', first);
  const place = space.place;
  space.place = ['--store', url];
  await ran('restore', '--from', first);
  for (const field of ['tags', 'order', 'fixed']) await agree((sql) => server.query(url, sql), 'PostgreSQL', field);
  await ran('backup', '--to', second);
  space.place = place;
  await ran('restore', '--from', second, '--replace');
  service = await space.serveHere({ declared: true });
  assert.deepEqual(await listed(service), held);
  await done(service.request('DELETE', `/tags/${id(2)}`), 204);
  await done(service.request('DELETE', `/tags/${id(1)}`), 409);
});

test('an item is looked up by its index', async () => {
  await using space = new Workspace(TAGS);
  const service = await space.serveHere();
  await service.stop();
  const plan = space.select<{ detail: string }>(
    `EXPLAIN QUERY PLAN SELECT id FROM task AS t
     WHERE t.id IN (SELECT holder FROM "ninefold_items_task.tags" WHERE item = x'00')`,
  );
  assert.match(
    plan.map(({ detail }) => detail).join('; '),
    /SEARCH t USING .*SEARCH ninefold_items_task\.tags USING PRIMARY KEY \(item=\?\)/,
  );
});
