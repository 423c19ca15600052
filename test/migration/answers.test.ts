import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import Database from 'better-sqlite3';
import { rowRules } from '../../src/runtime/row-rules.ts';
import { NO_ANSWERS } from '../../src/store/migration/upgrade.ts';
import { backupPostgres } from '../../src/store/postgres/backup.ts';
import { restorePostgres } from '../../src/store/postgres/restore.ts';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import { upgradeDatabase } from '../../src/store/sqlite/upgrade.ts';
import { edited, PATIENT, Workspace } from '../harness.ts';
import { PostgresServer } from '../postgres.ts';
import { IN_WHOLE } from '../share.ts';
import { planOf } from './stock.ts';

// A kept answer outlives every change of the document that a caller can’t see, and the Ninefold that kept it.

const dir = mkdtempSync(join(tmpdir(), 'ninefold-answers-'));
let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(async () => {
  rmSync(dir, { recursive: true });
  await server[Symbol.asyncDispose]();
});

/** Orders with an idempotency key at a path that has a parameter. */
const AGAIN = edited(
  PATIENT,
  [
    '### `POST /orders/{id}/cancel`\n\n',
    '### `POST /orders/{id}/again`\n\n- Idempotency: header `Idempotency-Key`, required, for each caller, kept 24 hours, answers below 500\n\n1. Create `other`: Order with sku `"AAA-" + order.sku.substring(4)`, quantity `order.quantity`.\n2. Answer 201 with `other`.\n\n### `POST /orders/{id}/cancel`\n\n',
  ],
  [
    '`/^[A-Z]{3}-[0-9]{4}$/`                             | request            |',
    '`/^[A-Z]{3}-[0-9]{4}$/`                             | request; steps     |',
  ],
  [
    '1 to 1000                                           | request            |',
    '1 to 1000                                           | request; steps     |',
  ],
);

/** The same with callers of a second resource, and with another name for the parameter: nothing that a customer sees. */
const SEVERAL = edited(
  AGAIN,
  [
    '### Order\n\nOne customer',
    '### Clerk\n\n| Field | Type   | Format | Allowed values     | Given by | Unique   |\n| ----- | ------ | ------ | ------------------ | -------- | -------- |\n| id    | string | uuid   |                    | operator | identity |\n| name  | string |        | 1 to 80 characters | operator |          |\n\n- Shown: never\n\n### Order\n\nOne customer',
  ],
  ['- Visible: `customer == caller ||', '- Visible: `customer == caller.Customer ||'],
  [
    '### `GET /summary`',
    '### `GET /clerk`\n\n- Access: any Clerk\n\n1. Answer 200 with name: `caller.name`.\n\n### `GET /summary`',
  ],
  ['## Authentication\n', '## Authentication\n\n- Browser origins: none\n'],
  [
    '\n- Browser origins: none\n\n## Events',
    '\n### Clerk key\n\n- Scheme: API key\n- Header: `X-Clerk-Key: {key}`\n- Credentials: issued and revoked by the operator, each for one Clerk, kept as a hash\n- Caller: Clerk\n- Scopes: none\n\n## Events',
  ],
)
  .replaceAll('{id}', '{order}')
  .replaceAll('path.id', 'path.order')
  .replace('| id        | path |', '| order     | path |');

/** The same with customers called otherwise. */
const CLIENTS = AGAIN.replaceAll('Customer', 'Client');

const INSERT = `INSERT INTO ninefold_answer (endpoint, caller, key, status, fingerprint, headers, own_body, expires)
  VALUES ($1, $2, $3, $4, '\\x00', '[]', '', 1)`;
const OLDER = "DELETE FROM ninefold_meta WHERE key = 'answers known by'";

for (const older of [false, true])
  test(
    `a key holds beside callers of another kind and another name of a parameter${older ? ', one of an older Ninefold too' : ''}`,
    older ? IN_WHOLE : {},
    async () => {
      await using space = new Workspace(AGAIN);
      const key = await space.key(await space.customer());
      const first = await space.serve();
      const idOf = ({ status, body }: { status: number; body: unknown }): string => {
        assert.equal(status, 201);
        return (body as { id: string }).id;
      };
      const opened = idOf(await first.open(key, { sku: 'TWI-0001', quantity: 1 }, 'one'));
      const again = { key, headers: { 'idempotency-key': 'two' } };
      const made = idOf(await first.request('POST', `/orders/${opened}/again`, again));
      // Otherwise a rule would refuse a second one.
      for (const id of [opened, made]) await first.request('POST', `/orders/${id}/place`, { key });
      await first.stop();
      if (older) {
        const db = new Database(join(space.data, 'ninefold.sqlite'));
        db.exec(
          "UPDATE ninefold_answer SET hash = NULL, caller = substr(caller, 10), endpoint = replace(endpoint, '{}', '{id}')",
        );
        db.exec(OLDER);
        db.close();
      }
      space.write(SEVERAL);
      const second = await space.serve();
      assert.equal(idOf(await second.open(key, { sku: 'TWI-0001', quantity: 1 }, 'one')), opened);
      assert.equal(idOf(await second.request('POST', `/orders/${opened}/again`, again)), made);
      assert.equal(space.select('SELECT 1 FROM "order"').length, 2);
    },
  );

type Kept = readonly [endpoint: string, caller: string, key: string, status: number];

/** Answers as older ones kept them, while there was one kind of callers and while there were several. */
const KEPT: readonly Kept[] = [
  ['POST /orders', 'ada', 'a', 201],
  ['POST /orders', 'Customer/ada', 'b', 202],
  ['POST /orders', 'ada', 'b', 203],
  ['POST /orders/{id}/again', 'ada', 'c', 204],
  ['POST /orders/{order}/again', 'bob', 'c', 205],
  ['POST /everybody', '', 'd', 206],
];
const known = (resource: string): Kept[] => [
  ['POST /everybody', '', 'd', 206],
  ['POST /orders', `${resource}/ada`, 'a', 201],
  ['POST /orders', `${resource}/ada`, 'b', 202],
  ['POST /orders/{}/again', `${resource}/ada`, 'c', 204],
  ['POST /orders/{}/again', `${resource}/bob`, 'c', 205],
];

/** A SQLite database that an older Ninefold has left. */
async function leftBehind(name: string): Promise<string> {
  const path = join(dir, name);
  await new SqliteStore(path, planOf(AGAIN)).close();
  const db = new Database(path);
  const insert = db.prepare(
    "INSERT INTO ninefold_answer (endpoint, caller, key, status, fingerprint, headers, own_body, expires) VALUES (?, ?, ?, ?, x'00', '[]', '', 1)",
  );
  for (const one of KEPT) insert.run(...one);
  db.exec(OLDER);
  db.close();
  return path;
}

function keptIn(path: string): unknown[] {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare('SELECT endpoint, caller, key, status FROM ninefold_answer ORDER BY 1, 2, 3').raw().all();
  } finally {
    db.close();
  }
}

test('SQLite: answers that an older Ninefold kept are taken along, once', async () => {
  const path = await leftBehind('older.sqlite');
  await new SqliteStore(path, planOf(AGAIN)).close();
  assert.deepEqual(keptIn(path), known('Customer'));
  await new SqliteStore(path, planOf(AGAIN)).close();
  assert.deepEqual(keptIn(path), known('Customer'));
});

test('SQLite: they bear the names of resources that are renamed, at once or later', async () => {
  const plan = planOf(CLIENTS);
  const renames = [{ resource: 'Customer', field: null, to: { resource: 'Client', field: null } }];
  const answers = { ...NO_ANSWERS, renames };
  const upgrade = { answers, rules: rowRules(plan), watcher: { planned() {}, step() {} }, now: 1, dry: false };
  for (const opened of [false, true]) {
    const path = await leftBehind(`renamed-${opened}.sqlite`);
    if (opened) await new SqliteStore(path, planOf(AGAIN)).close();
    const migrated = upgradeDatabase(path, plan, upgrade);
    assert.deepEqual([migrated?.mistakes, migrated?.hindrances], [[], []]);
    assert.deepEqual(keptIn(path), known('Client'));
  }
});

test('PostgreSQL: they are taken along, once, and by whoever restores a backup of them', async () => {
  const plan = planOf(AGAIN);
  const url = await server.database();
  const kept = async (at: string): Promise<unknown[]> => {
    const rows = await server.query(at, 'SELECT endpoint, caller, key, status FROM ninefold_answer ORDER BY 1, 2, 3');
    return rows.map((row) => Object.values(row));
  };
  await (await PostgresStore.open(url, plan)).close();
  for (const one of KEPT) await server.query(url, INSERT, [...one]);
  await server.query(url, OLDER);
  const backup = join(dir, 'backup.sqlite');
  await backupPostgres(url, backup, plan);
  for (let times = 0; times < 2; times++) {
    await (await PostgresStore.open(url, plan)).close();
    assert.deepEqual(await kept(url), known('Customer'));
  }
  const other = await server.database();
  await restorePostgres(backup, other, plan, { replace: false, unsealed: false });
  assert.deepEqual(await kept(other), known('Customer'));
  await new SqliteStore(backup, plan).close();
  assert.deepEqual(keptIn(backup), known('Customer'));
});
