import { heldAs } from '../../expression/values/kinds.ts';
import { uuidBytes, uuidText } from '../../expression/values/uuid.ts';
import type { ColumnKind, Plan } from '../../plan/step.ts';
import { ANSWER_BODY } from '../sql/answers.ts';
import { columnName, quoted, type StoredColumn, storedColumns, tableName } from '../tables.ts';

/**
 * The type of a column of the service’s own tables; `any` is the identity of a row, in the type of its resource’s
 * identity.
 */
type OwnKind = 'text' | 'integer' | 'bytes' | 'uuid' | 'any';

/**
 * The service’s own tables whose rows a backup carries from one store to another, each with its columns. The first
 * column, or the first few, are its key.
 */
export const BACKUP_TABLES: Readonly<Record<string, Readonly<Record<string, OwnKind>>>> = {
  ninefold_key: {
    id: 'text',
    hash: 'bytes',
    holder: 'any',
    scopes: 'text',
    created: 'integer',
    revoked: 'integer',
    mark: 'text',
  },
  ninefold_answer: {
    // Answers are sorted by `expires`, which comes nearest to the order of their insertion.
    expires: 'integer',
    key: 'text',
    caller: 'any',
    endpoint: 'text',
    fingerprint: 'bytes',
    status: 'integer',
    headers: 'text',
    own_body: 'text',
  },
  ninefold_receiver: {
    id: 'text',
    url: 'text',
    secret: 'text',
    version: 'text',
    allow_private: 'integer',
    created: 'integer',
    paused: 'integer',
    old_secret: 'text',
    old_until: 'integer',
  },
  ninefold_subscription: { event: 'text', receiver: 'text' },
  ninefold_event: {
    seq: 'integer',
    id: 'text',
    type: 'text',
    resource: 'text',
    row: 'text',
    at: 'integer',
    packed: 'text',
  },
  ninefold_skeleton: { id: 'integer', text: 'text' },
  ninefold_streamed: { event: 'integer', recorded: 'integer', row: 'text' },
  ninefold_delivery: {
    id: 'integer',
    event: 'integer',
    receiver: 'text',
    line: 'text',
    state: 'text',
    attempts: 'integer',
    due: 'integer',
    last_at: 'integer',
    last_result: 'text',
    data: 'text',
    tried: 'text',
  },
  ninefold_file: { id: 'uuid', until: 'integer' },
  ninefold_chunk: { file: 'uuid', place: 'integer', bytes: 'bytes' },
  ninefold_sequence: { name: 'text', per: 'any', last: 'integer' },
  ninefold_call: {
    id: 'text',
    handler: 'text',
    takes: 'text',
    created: 'integer',
    state: 'text',
    attempts: 'integer',
    due: 'integer',
    last_at: 'integer',
    last_result: 'text',
  },
  ninefold_schedule: {
    name: 'text',
    rule: 'text',
    due: 'integer',
    pending_until: 'integer',
    last_due: 'integer',
    last_at: 'integer',
    last_result: 'text',
  },
};

/** The columns that the database numbers: it continues after the highest number that it has ever given. */
export const COUNTED: ReadonlyArray<readonly [table: string, column: string]> = [
  ['ninefold_event', 'seq'],
  ['ninefold_delivery', 'id'],
];

/**
 * The one entry of `ninefold_meta` in a backup: the secret, which signs cursors and places in the stream. Each store
 * writes the other entries itself.
 */
export const BACKUP_META = 'secret';

const OWN_COLUMNS = {
  'ninefold_chunk.seq': 'the order in which chunks came: it is made anew',
  'ninefold_answer.seq': 'the order in which answers came: it is made anew',
  'ninefold_answer.hash': 'made from the other columns',
  'ninefold_answer.event': 'a carried answer has a body of its own',
} as const;

/** Tables and columns (`table` or `table.column`) that a store has and no backup carries, each with the reason. */
export const NOT_IN_BACKUP = {
  sqlite: {
    ninefold_meta: 'of its entries the secret alone is carried',
    ninefold_counter: 'rates are counted anew',
    ninefold_console: 'links expire within ten minutes, and removed receivers are only shown',
    ...OWN_COLUMNS,
  },
  postgres: {
    ninefold_meta: 'of its entries the secret alone is carried, and how far the stream has come',
    ...OWN_COLUMNS,
    'ninefold_streamed.place': 'in a backup the event’s own number is its place in the stream',
    ninefold_console: 'links expire within ten minutes, and removed receivers are only shown',
    ninefold_claim: 'what nodes are doing now',
    ninefold_node: 'what nodes are doing now',
    ninefold_stated: 'what nodes are doing now',
    ninefold_rate: 'rates are counted anew',
    ninefold_share: 'rates are counted anew',
    ninefold_letter: 'made from this Node.js',
    ninefold_zone: 'made from this Node.js',
  },
} as const;

/** A table whose rows go from one store to another. */
export interface BackupTable {
  readonly table: string;
  /** The resource, or the service’s own table, for messages. */
  readonly what: string;
  readonly columns: readonly BackupColumn[];
  /** Number of columns, from the first on, that form the key and the order of rows. */
  readonly keys: number;
  /** The largest number of rows that are held in memory together. */
  readonly page: number;
}

/**
 * A column of a resource or of the service itself. Stores read the service’s own columns as text and integers, unless
 * `own` states another type.
 */
export interface BackupColumn extends StoredColumn {
  /** The name of the column in both stores. */
  readonly stored: string;
  readonly own: OwnKind | null;
}

/**
 * SQL for the value of a column of the table `a` that is carried; null where the table lacks the column, because an
 * older Ninefold made it.
 */
export function carriedValue(table: string, column: string, there: readonly unknown[]): string | null {
  if (table === 'ninefold_answer' && column === 'own_body') return there.includes(column) ? ANSWER_BODY : 'a.body';
  if (table === 'ninefold_event' && column === 'packed' && there.includes('data')) return 'a.data';
  return there.includes(column) ? `a.${quoted(column)}` : null;
}

/** All tables that a backup of a plan’s rows carries: the resources’, then the service’s own. */
export function backupTables(plan: Plan): BackupTable[] {
  const resources = plan.resources.map((resource): BackupTable => {
    const columns = storedColumns(resource).map((one) => ({ ...one, stored: columnName(one.name), own: null }));
    const identity = columns.filter(({ name }) => name === resource.identity);
    const others = columns.filter(({ name }) => name !== resource.identity);
    return {
      table: tableName(resource.name),
      what: resource.name,
      columns: [...identity, ...others],
      keys: 1,
      page: PAGE,
    };
  });
  const own = Object.entries(BACKUP_TABLES).map(([table, columns]): BackupTable => {
    const all = Object.entries(columns).map(([name, kind]): BackupColumn => {
      const read = kind === 'integer' || kind === 'uuid' ? kind : 'text';
      return { name, stored: name, own: kind, kind: read, nullable: true, reference: null };
    });
    return { table, what: table, columns: all, keys: KEYS[table] ?? 1, page: PAGES[table] ?? PAGE };
  });
  return [...resources, ...own];
}

/** Number of columns in the key of a table, for tables whose key has more than one. */
const KEYS: Readonly<Record<string, number>> = {
  ninefold_answer: 4,
  ninefold_subscription: 2,
  ninefold_sequence: 2,
  ninefold_chunk: 2,
};

/** Number of rows in a page, which is held in memory: a chunk of a file is longer than other rows. */
const PAGE = 250;
const PAGES: Readonly<Record<string, number>> = { ninefold_chunk: 8 };

/** The identity of a row as text, as PostgreSQL stores it, from any form in which SQLite stores it. */
export function identityText(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return value.length === 16 ? uuidText(value.toString('hex')) : value;
  return typeof value === 'number' ? String(value) : value;
}

/** Converts an identity from text to the form that SQLite’s own tables store, given the row that holds the identity. */
export function identityForms(plan: Plan): (table: string, text: string, row: (column: string) => unknown) => unknown {
  const kindOf = (resource: string, column: string | null): ColumnKind | null => {
    const found = plan.resources.find(({ name }) => name === resource);
    return found?.columns.find(({ name }) => name === (column ?? found.identity))?.rule.kind ?? null;
  };
  return (table, text, row) => {
    if (table === 'ninefold_key') {
      // A mark begins with the resource: see `markOf` of authentication.
      const [resource = ''] = (row('mark') as string).split('/');
      const kind = kindOf(resource, null);
      return kind === 'uuid' ? (uuidBytes(text) ?? text) : whole(kind, text);
    }
    if (table === 'ninefold_sequence' && text !== '') {
      const [resource = '', field = ''] = (row('name') as string).split('.');
      const columns = plan.resources.find(({ name }) => name === resource)?.columns;
      const per = columns?.find(({ name }) => name === field)?.sequence?.per ?? null;
      return whole(per === null ? null : kindOf(resource, per), text);
    }
    return text;
  };
}

/** SQLite’s own tables hold such an identity as an integer. */
const whole = (kind: ColumnKind | null, text: string): unknown =>
  kind && heldAs(kind) === 'whole' && /^-?\d+$/.test(text) ? BigInt(text) : text;
