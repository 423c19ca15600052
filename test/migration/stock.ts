import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { compile } from '../../src/compiler/compile.ts';
import type { Plan } from '../../src/plan/step.ts';
import { Engine } from '../../src/runtime/engine/engine.ts';
import { Operator } from '../../src/runtime/operator.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import type { Store } from '../../src/store/store.ts';
import { changed, type Edit } from '../fixtures.ts';

/** A document with something of each kind that is stored: what a migration may meet. */
export const STOCK = `# Stock

## What the service does

- Purpose: keep what is in stock
- Domain: warehousing
- Address: given by the operator

## Resources and their fields

- Timestamps: RFC 3339, UTC, milliseconds
- Decimals: strings, more digits refused
- Text: trimmed
- Missing values in answers: left out
- Blank cells: Format none, Presence always, Unique no

### Maker

| Field | Type   | Allowed values      | Given by | Unique   |
| ----- | ------ | ------------------- | -------- | -------- |
| id    | string | at most 20 characters | operator | identity |
| name  | string | at most 80 characters | operator | yes |

- Visible: everyone
- Shown: id, name

### Item

| Field  | Type      | Format | Allowed values             | Given by    | Presence | Unique   |
| ------ | --------- | ------ | -------------------------- | ----------- | -------- | -------- |
| id     | string    | uuid   | any                        | operator    |          | identity |
| maker  | Maker     |        | any                        | operator    |          |          |
| name   | string    |        | at most 80 characters      | operator    |          |          |
| amount | integer   |        | 0 to 1000                  | operator    |          |          |
| spare  | integer   |        | 0 to 1000                  | operator    |          |          |
| price  | decimal   |        | 0.00 to 999.99             | operator    |          |          |
| note   | string    |        | at most 200 characters     | operator    | optional |          |
| code   | string    |        | at most 40 characters      | operator    | optional |          |
| status | string    |        | one of draft, open, closed | transitions |          |          |
| made   | timestamp |        | any                        | operator    |          |          |

- Visible: everyone
- Shown: id, maker as id, name, amount, spare, price, note, code, status, made
- Keeps: maker

## States and transitions

### Item.status

- Initial: draft
- Final: closed

| Transition | From        | To     | When                    | Otherwise |
| ---------- | ----------- | ------ | ----------------------- | --------- |
| open       | draft       | open   | always                  | not_draft |
| close      | draft, open | closed | always                  | not_open  |

## Endpoints

- Payloads: JSON (RFC 8259)
- Request: none
- Unread bodies: refused
- Unknown parameters: refused
- HEAD: not served
- Conditional requests: none
- Idempotency: none

| Parameter | In   | Type    | Allowed values | Presence | Otherwise |
| --------- | ---- | ------- | -------------- | -------- | --------- |
| id        | path | Item.id | any            | always   | not_found |

### Under \`/items/{id}\`

1. Find \`item\`: Item where \`id == path.id\`, else not_found.

### \`GET /items/{id}\`

1. Answer 200 with \`item\`.

### \`GET /items\`

1. List \`items\`: Item, earliest \`made\` first, in pages.
2. Answer 200 with \`items\`.

### \`GET /makers\`

1. List \`makers\`: Maker, earliest \`name\` first, in pages.
2. Answer 200 with \`makers\`.

### \`POST /items/{id}/open\`

1. Move \`item\` by open.
2. Answer 200 with \`item\`.

### \`POST /items/{id}/close\`

1. Move \`item\` by close.
2. Answer 200 with \`item\`.

## Authentication

- Scheme: none
- Browser origins: none

## Events

- Events: none

## Errors

- Payload: RFC 9457
- Conditions: Ninefold common 1

| Code      | Status | When           | Title        |
| --------- | ------ | -------------- | ------------ |
| not_found | 404    | a step says so | No such item |
| not_draft | 409    | a step says so | Not a draft  |
| not_open  | 409    | a step says so | Not open     |

## Limits

Rate limits: none. Time-outs: none.

| Limit        | Value                                      | Applies to          |
| ------------ | ------------------------------------------ | ------------------- |
| Request size | 4 KiB                                      | every endpoint      |
| Page size    | 10 by default, 50 at most, more is refused | every list in pages |

- Pages: by cursor, parameters \`limit\` and \`cursor\`; payload items \`page.items\`, next \`page.next\`

## Versioning

- Scheme: none
`;

/** The plan of a document that nothing is wrong with. */
export function planOf(text: string): Plan {
  const { plan, findings } = compile('stock.md', text);
  if (!plan || findings.length)
    throw new Error(findings.map((one) => `${one.code}: ${one.message} ${one.suggestion ?? ''}`).join('\n'));
  return plan;
}

/** The document with texts replaced, each of which stands in it once. */
export const stock = (...edits: readonly Edit[]): string => changed(STOCK, ...edits);

/** Now, to the second: instants are said from here. */
export const NOW = Math.floor(Date.now() / 1000) * 1000;
const HOUR = 3_600_000;
const at = (hours: number): string => new Date(NOW + hours * HOUR).toISOString();

export const ITEMS = [
  {
    id: '00000000-0000-7000-8000-000000000001',
    maker: 'acme',
    name: 'Bolt',
    amount: '5',
    spare: '2',
    price: '1.50',
    made: at(-1),
  },
  {
    id: '00000000-0000-7000-8000-000000000002',
    maker: 'acme',
    name: 'Nut',
    amount: '50',
    spare: '0',
    price: '2.00',
    note: 'old',
    made: at(-30),
  },
  {
    id: '00000000-0000-7000-8000-000000000003',
    maker: 'base',
    name: 'bolt',
    amount: '500',
    spare: '9',
    price: '2.25',
    code: '00000000-0000-7000-8000-00000000000A',
    made: at(-2),
  },
] as const;

export type Listed = Record<string, unknown>;

/** Runs the operator's commands on a database. */
export async function operate<T>(path: string, plan: Plan, work: (operator: Operator) => Promise<T>): Promise<T> {
  return operateOn(new SqliteStore(path, plan), plan, work);
}

/** Runs them on a store that is open, and closes it. */
export async function operateOn<T>(store: Store, plan: Plan, work: (operator: Operator) => Promise<T>): Promise<T> {
  try {
    return await work(new Operator(await Engine.start(plan, store, 'https://stock.example')));
  } finally {
    await store.close();
  }
}

/** Fills an empty store with the rows above. */
export async function fillWith(open: (plan: Plan) => Store | Promise<Store>, document = STOCK): Promise<void> {
  const plan = planOf(document);
  await operateOn(await open(plan), plan, async (operator) => {
    await operator.add('Maker', new Map(Object.entries({ id: 'acme', name: 'Acme' })));
    await operator.add('Maker', new Map(Object.entries({ id: 'base', name: 'Base' })));
    for (const item of ITEMS) await operator.add('Item', new Map(Object.entries(item)));
  });
}

/** A place for databases that all begin as one with the rows above. */
export class Shelf {
  readonly dir = mkdtempSync(join(tmpdir(), 'ninefold-migration-'));
  private copies = 0;

  /** Fills the first database; `document` is what its rows are of. */
  async fill(document = STOCK): Promise<void> {
    await fillWith((plan) => new SqliteStore(this.first, plan), document);
    // As a move would leave it; the operator makes none.
    const db = new Database(this.first);
    db.prepare(`UPDATE "item" SET status = 'open' WHERE name = 'bolt'`).run();
    db.close();
  }

  /** The directory of the first database. */
  readonly data = this.directory();

  get first(): string {
    return join(this.data, 'ninefold.sqlite');
  }

  /** An empty directory. */
  directory(): string {
    const data = join(this.dir, `copy-${++this.copies}`);
    mkdirSync(data);
    return data;
  }

  /** A database of its own, in a directory of its own. */
  copy(): string {
    const path = join(this.directory(), 'ninefold.sqlite');
    copyFileSync(this.first, path);
    return path;
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true });
  }
}

export interface Contents {
  /** What the tables are made of. */
  readonly schema: unknown;
  /** The rows, by table. */
  readonly rows: ReadonlyArray<{ readonly table: string; readonly rows: ReadonlyArray<Record<string, unknown>> }>;
}

/** Everything that a database holds. */
export function contents(path: string): Contents {
  const db = new Database(path, { readonly: true });
  try {
    return contentsOf(db);
  } finally {
    db.close();
  }
}

/** Everything that an open database holds. The order of a table’s columns means nothing. */
export function contentsOf(db: Database.Database): Contents {
  const tables = db
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name",
    )
    .pluck()
    .all() as string[];
  const schema = tables.map((table) => ({
    table,
    columns: db.prepare('SELECT name, type, "notnull", pk FROM pragma_table_info(?) ORDER BY name').all(table),
    references: db.prepare('SELECT "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY "from"').all(table),
    indexes: db
      .prepare("SELECT name, sql FROM sqlite_schema WHERE tbl_name = ? AND type IN ('index', 'trigger') ORDER BY name")
      .all(table),
  }));
  const rows = tables.map((table) => ({
    table,
    rows: db.prepare(`SELECT * FROM "${table}" ORDER BY 1, 2`).all() as Array<Record<string, unknown>>,
  }));
  return { schema, rows };
}
