import { randomBytes, randomUUID } from 'node:crypto';
import type Database from 'better-sqlite3';
import { jsonOf, withMaps } from '../../src/expression/values/json.ts';
import { uuidBytes } from '../../src/expression/values/uuid.ts';
import type { Plan, ResourcePlan } from '../../src/plan/step.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { openTables } from '../../src/store/sqlite/tables.ts';
import { columnName, quoted, REVISION, type StoredColumn, storedColumns, tableName } from '../../src/store/tables.ts';

/** How many rows each table is given. */
export const ROWS = 300;

const TEXTS = [
  'plain',
  '',
  'é e\u0301',
  '\u{1f41d}\u{1f469}\u200d\u{1f680}',
  '"\\\n\t\u0001\u001f',
  '\ufffe\uffff\u{10ffff}',
  "'; --",
  '\\u0000',
  '{"a": 1}',
];
const NUMBERS = [0, 1, -1, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 1_700_000_000_000];
const LISTS = [
  [],
  [1, -9007199254740991],
  ['b', 'a', 'b', '\u{1f41d}"\\'],
  [[true, false], []],
  [{ z: 1, a: [{ k: '' }] }],
];
const MAPS = [{}, { ä: 'x', b: 'y', aa: 'z', '\u{1f41d}': '', '\uffff': '"' }, { b: { d: [1], c: null }, a: true }];

const pick = <T>(from: readonly T[], n: number): T => from[n % from.length]!;

/** A value as SQLite keeps it, of the n-th row. */
function value({ kind, nullable }: Pick<StoredColumn, 'kind' | 'nullable'>, n: number, salt: number): unknown {
  if (nullable && (n + salt) % 3 === 0) return null;
  switch (kind) {
    case 'text':
      return `${n} ${pick(TEXTS, n + salt)}`;
    case 'uuid':
      return uuidBytes(randomUUID());
    case 'boolean':
      return BigInt((n + salt) % 2);
    case 'date':
      return `${String(1 + n).padStart(4, '0')}-02-28`;
    case 'list':
    case 'set':
      return jsonOf(withMaps(pick(LISTS, n + salt)));
    case 'map':
      return jsonOf(withMaps(pick(MAPS, n + salt)));
    default:
      // The first few are at the ends of what there is, and all are different.
      return BigInt(n < NUMBERS.length ? NUMBERS[n]! : n * 1_000_003 + 7);
  }
}

function identity(resource: ResourcePlan, n: number): unknown {
  const { kind } = storedColumns(resource).find(({ name }) => name === resource.identity)!;
  if (kind !== 'uuid') return value({ kind, nullable: false }, n, 0);
  return Buffer.from(`${tableName(resource.name)}${' '.repeat(12)}`.slice(0, 12) + String(n).padStart(4, '0'));
}

/** Fills the table of a resource. Each row refers to those of the others that have its number. */
function fillResource(db: Database.Database, plan: Plan, resource: ResourcePlan): void {
  const columns = storedColumns(resource);
  const names = columns.map(({ name }) => quoted(columnName(name))).join(', ');
  const insert = db.prepare(
    `INSERT INTO ${quoted(tableName(resource.name))} (${names}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  for (let n = 0; n < ROWS; n++) {
    const row = columns.map((column, at) => {
      if (column.name === resource.identity) return identity(resource, n);
      if (column.name === REVISION) return BigInt(n + 1);
      // What a list refers to would have to be there: test/reference-lists.test.ts has such rows.
      if (resource.columns.some(({ name, references }) => name === column.name && references)) return '[]';
      if (column.reference === null) return value(column, n, at);
      const target = plan.resources.find(({ name }) => name === column.reference)!;
      return column.nullable && n % 4 === 0 ? null : identity(target, n);
    });
    insert.run(...row);
  }
}

type Made = Readonly<Record<string, unknown>>;

/** The n-th row of each of the service’s own tables; null where there is none. */
const OWN: Readonly<Record<string, (n: number, plan: Plan) => Made | null>> = {
  ninefold_key: (n, plan) => {
    const scheme = plan.schemes.length ? pick(plan.schemes, n) : null;
    const of = plan.resources.find(({ name }) => name === scheme?.resource);
    const holder = of ? identity(of, n) : 'somebody';
    const mark = scheme?.mark ?? 'Gone/then';
    return { id: `key_${n}`, hash: randomBytes(32), holder, scopes: '["a"]', created: n, revoked: maybe(n), mark };
  },
  ninefold_answer: (n) => ({
    endpoint: 'POST /x',
    caller: randomUUID(),
    key: pick(TEXTS, n),
    fingerprint: randomBytes(32),
    status: 201,
    headers: '[]',
    own_body: pick(TEXTS, n + 1),
    expires: n % 7,
  }),
  ninefold_receiver: (n) => ({
    id: `rcv_${n}`,
    url: 'https://x',
    secret: 'whsec_',
    version: pick(TEXTS, n),
    allow_private: n % 2,
    created: n,
    paused: maybe(n),
    old_secret: maybe(n) === null ? null : 'whsec_old',
    old_until: maybe(n),
  }),
  ninefold_subscription: (n) => ({ event: pick(TEXTS, n), receiver: `rcv_${n}` }),
  ninefold_event: (n) => ({
    seq: number(n),
    id: `evt_${n}`,
    type: 't',
    resource: 'R',
    row: pick(TEXTS, n),
    at: n,
    packed: '{"a":"\\u0000"}',
  }),
  ninefold_skeleton: (n) => ({ id: n, text: pick(TEXTS, n) }),
  ninefold_streamed: (n) => (n % 3 ? { event: number(n), recorded: n, row: n % 2 ? null : '["x"]' } : null),
  ninefold_delivery: (n) => ({ id: n * 3, event: number(n), receiver: `rcv_${n}`, line: 'R 1', ...tried(n) }),
  ninefold_call: (n) => ({ id: `call_${n}`, handler: 'h', takes: '{}', created: n, ...tried(n) }),
};

/** Numbers of events leave gaps. */
const number = (n: number): number => n * 2 + (n % 2);
const maybe = (n: number): number | null => (n % 3 === 0 ? null : NUMBERS[5]! + n);

/** How far something that is sent has come. */
const tried = (n: number): Made => ({
  state: n % 2 ? 'pending' : 'given up',
  attempts: n % 5,
  due: n % 2 ? n : null,
  last_at: maybe(n),
  last_result: n % 4 ? pick(TEXTS, n) : null,
});

function insert(db: Database.Database, table: string, row: Made): void {
  const names = Object.keys(row);
  const values = Object.values(row).map((one) => (typeof one === 'number' ? BigInt(one) : one));
  const sql = `INSERT INTO ${table} (${names.map(quoted).join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
  db.prepare(sql).run(...values);
}

/** The sequences of a plan, each for a few rows where it counts for each. */
function fillSequences(db: Database.Database, plan: Plan): void {
  for (const resource of plan.resources)
    for (const { name, sequence } of resource.columns) {
      if (!sequence) continue;
      const target = resource.columns.find((column) => column.name === sequence.per)?.reference;
      const of = plan.resources.find((one) => one.name === target);
      for (let n = 1; n <= (of ? 5 : 1); n++) {
        const counts = of ? identity(of, n) : '';
        const per = Buffer.isBuffer(counts) ? randomUUID() : counts;
        insert(db, 'ninefold_sequence', { name: `${resource.name}.${name}`, per, last: n });
      }
    }
}

/** Makes a database of a plan, with rows in every table: values of all kinds, and all that may stand at their ends. */
export function fill(path: string, plan: Plan): void {
  const db = openDatabase(path);
  openTables(db, plan);
  db.pragma('foreign_keys = OFF');
  db.exec('BEGIN');
  for (const resource of plan.resources) fillResource(db, plan, resource);
  fillSequences(db, plan);
  for (const [table, make] of Object.entries(OWN))
    for (let n = 1; n <= ROWS; n++) {
      const row = make(n, plan);
      if (row) insert(db, table, row);
    }
  // The highest number was given to what is gone.
  db.prepare('DELETE FROM ninefold_delivery WHERE id = ?').run(BigInt(ROWS * 3));
  db.exec('COMMIT');
  db.close();
}
