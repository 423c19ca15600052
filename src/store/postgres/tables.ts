import { randomBytes } from 'node:crypto';
import type { Plan } from '../../plan/step.ts';
import { mustFit } from '../migration/compare.ts';
import { takeAnswers } from '../migration/kept-answers.ts';
import { type StoredShape, shapeId, shapeOf } from '../shape.ts';
import { StoreError } from '../store.ts';
import { columnName, quoted, SHOWN, tableName } from '../tables.ts';
import type { Link } from './connections.ts';
import { alone, hashOf, type Making, provide } from './create.ts';
import { mustHaveRoom } from './identity.ts';
import { type PostgresTable, postgresSchema } from './schema.ts';
import { isOfWords } from './search.ts';
import { ANSWERS_CHANGED, DELIVERY_COLUMNS, EVENTS_PACKED, POSTGRES_TABLES, RECEIVER_COLUMNS } from './system.ts';

/** The stored shape; null if nothing is stored, and `unknown` for a store from before shapes were recorded. */
export async function storedShape(making: Making): Promise<StoredShape | 'unknown' | null> {
  const shape = await making.meta('shape');
  if (shape !== null) return JSON.parse(shape) as StoredShape;
  const tables = await making.run("SELECT 1 FROM ninefold_meta WHERE key LIKE 'table %' LIMIT 1");
  return tables.length ? 'unknown' : null;
}

/** The hashes of shapes whose nodes may share the rows: the rows’ own shape, and compatible ones. */
const BESIDE = 'shapes beside';
/** The hashes of earlier shapes of the rows. */
const BEFORE = 'shapes before';

async function idsOf(making: Making, key: string): Promise<string[]> {
  return JSON.parse((await making.meta(key)) ?? '[]') as string[];
}

/** The hash of the stored rows’ shape; null where no shape is stored. */
const storedId = (making: Making): Promise<string | null> => making.meta('shape id');

/** Whether rows had a shape earlier and have another now. */
export async function wasBefore(making: Making, shape: StoredShape): Promise<boolean> {
  return (await idsOf(making, BEFORE)).includes(shapeId(shape));
}

/** Records the new shape of the rows; with `beside`, nodes with the shape before may continue. */
export async function writeShape(making: Making, plan: Plan, shape: StoredShape, beside: boolean): Promise<void> {
  const id = shapeId(shape);
  const last = await storedId(making);
  const others = beside ? (await idsOf(making, BESIDE)).filter((one) => one !== id) : [];
  const before = (await idsOf(making, BEFORE)).filter((one) => one !== id && one !== last);
  for (const [resource, table] of postgresSchema(plan, () => {}))
    await making.keep(hashKey(resource), tableHash(table));
  await making.keep('shape', JSON.stringify(shape));
  await making.keep('shape id', id);
  await making.keep(BESIDE, JSON.stringify([...others, id]));
  await making.keep(BEFORE, JSON.stringify(last === null || last === id ? before : [...before, last]));
}

/** Whether a node with a shape may continue to use the rows. */
export const GOES_ON = `SELECT value::jsonb ? $1 FROM ninefold_meta WHERE key = '${BESIDE}'`;

const hashKey = ({ name }: { readonly name: string }): string => `table ${tableName(name)}`;
const tableHash = ({ made, uniques, references }: PostgresTable): string =>
  hashOf([made, ...uniques.values(), ...references.values()]);

/**
 * Makes the tables of an empty store. Returns the hash of the rows’ shape. Throws, without any change, if there are
 * rows of another shape than the plan’s.
 */
export async function openTables(link: Link, plan: Plan): Promise<string> {
  await mustHaveRoom(link, plan);
  return alone(link, (making) => openWithin(making, plan));
}

/** Like `openTables`, inside work on tables that has begun. */
export async function openWithin(making: Making, plan: Plan): Promise<string> {
  const functions = new Set<string>();
  const schema = postgresSchema(plan, (id) => functions.add(id));
  const next = shapeOf(plan);
  const stored = await storedShape(making);
  if (stored === 'unknown') await mustBeMadeFor(making, schema);
  else if (stored) mustFit(stored, next);
  await provide(making, functions);
  await prepareSystem(making, plan);
  await making.work(takeAnswers(plan));
  if (stored === null || stored === 'unknown') {
    const references: string[] = [];
    for (const [resource, table] of schema) {
      if ((await making.meta(hashKey(resource))) !== null) continue;
      for (const sql of [table.made, ...table.uniques.values()]) await making.run(sql);
      references.push(...table.references.values());
    }
    for (const sql of references) await making.run(sql);
    await writeShape(making, plan, next, false);
  }
  await furnish(making, plan);
  await making.run("INSERT INTO ninefold_meta VALUES ('streamed', '0') ON CONFLICT (key) DO NOTHING");
  if ((await making.meta('secret')) === null) await making.keep('secret', randomBytes(32).toString('base64'));
  return (await storedId(making))!;
}

/** Makes the missing ones of the service’s own tables. */
export async function prepareSystem(making: Making, plan: Plan): Promise<void> {
  const answers = await columnsOf(making, 'ninefold_answer');
  if (answers.includes('body')) for (const sql of ANSWERS_CHANGED) await making.run(sql);
  const events = await columnsOf(making, 'ninefold_event');
  if (events.includes('data')) for (const sql of EVENTS_PACKED) await making.run(sql);
  await making.createMissing(POSTGRES_TABLES);
  await widen(making, 'ninefold_receiver', RECEIVER_COLUMNS);
  await widen(making, 'ninefold_delivery', DELIVERY_COLUMNS);
  const [first] = plan.schemes;
  if (first) await making.run("UPDATE ninefold_key SET mark = $1 WHERE mark = ''", first.mark);
}

/** Adds columns that older tables lack. A table that has them is not locked. */
async function widen(making: Making, table: string, columns: readonly string[]): Promise<void> {
  const there = await columnsOf(making, table);
  for (const column of columns)
    if (!there.includes(column.split(' ')[0])) await making.run(`ALTER TABLE ${table} ADD COLUMN ${column}`);
}

/** The columns that a table has. */
export async function columnsOf(making: Making, table: string): Promise<unknown[]> {
  const sql =
    'SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1';
  return (await making.run(sql, table)).map(([name]) => name);
}

/** For a store from before shapes were recorded, only a hash tells for which tables it was made. */
async function mustBeMadeFor(making: Making, schema: ReturnType<typeof postgresSchema>): Promise<void> {
  const wanted = new Map([...schema].map(([resource, table]) => [hashKey(resource), tableHash(table)]));
  for (const [key, hash] of await making.run("SELECT key, value FROM ninefold_meta WHERE key LIKE 'table %'"))
    if (wanted.get(key as string) !== hash)
      throw new StoreError(
        'failed',
        `The stored ${key} has other fields or rules, and was stored by an older Ninefold without its shape. Open it once with its own document. After that, it can be migrated.`,
      );
}

/**
 * Adds the parts of tables that may come and go with the document: the cached JSON with its trigger, and indexes for
 * speed.
 */
export async function furnish(making: Making, plan: Plan): Promise<void> {
  for (const [resource, { watch, lookups, items = [] }] of postgresSchema(plan, () => {})) {
    const table = tableName(resource.name);
    if (watch.length) {
      await addShown(making, table);
      if ((await making.meta(`watch ${table}`)) !== hashOf(watch)) {
        for (const sql of watch) await making.run(sql);
        await making.keep(`watch ${table}`, hashOf(watch));
      }
    }
    await makeLookups(making, table, lookups);
    for (const { name, made } of items) {
      const [[there] = []] = await making.run('SELECT to_regclass($1) IS NOT NULL', quoted(name));
      if (there !== true) for (const sql of made) await making.run(sql);
    }
  }
}

/**
 * Adds the column of the cached JSON. Looks for it first, since ALTER TABLE locks the table even where the column
 * exists.
 */
async function addShown(making: Making, table: string): Promise<void> {
  const shown = columnName(SHOWN);
  if (!(await columnsOf(making, table)).includes(shown))
    await making.run(`ALTER TABLE ${quoted(table)} ADD COLUMN ${quoted(shown)} text COLLATE "C"`);
}

/** Makes the indexes that lists and timers need, and drops those that nothing needs any more. */
async function makeLookups(making: Making, table: string, wanted: ReadonlyMap<string, string>): Promise<void> {
  const sql = 'SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND tablename = $1';
  const there = (await making.run(sql, table)).map(([name]) => name as string);
  for (const name of there)
    if (/^ninefold_(?:due|at|lookup)_/.test(name) && !wanted.has(name)) await making.run(`DROP INDEX ${quoted(name)}`);
  for (const [name, made] of wanted) {
    if (there.includes(name)) continue;
    await making.run(made);
    // Searches are planned by how many rows have a word. PostgreSQL counts them here, and may not do so by itself for long.
    if (isOfWords(made)) await making.run(`ANALYZE ${quoted(table)}`);
  }
}
