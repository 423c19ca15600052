import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { slug } from '../expression/library/slug.ts';
import { TIME_ZONES } from '../expression/library/zonenames.ts';
import type { Plan } from '../plan/step.ts';
import { unusable } from './postgres.errors.ts';
import { functionStatements } from './postgres.functions.ts';
import { Link } from './postgres.links.ts';
import { postgresSchema } from './postgres.schema.ts';
import { POSTGRES_TABLES } from './postgres.system.ts';
import { LOOK_LETTERS_UP, letters } from './postgres.texts.ts';
import {
  changesOf,
  comparedInstants,
  differingZones,
  ZONE_FUNCTION,
  ZONE_INSERT,
  ZONE_OFFSETS,
  ZONE_TABLE,
} from './postgres.zones.ts';
import { StoreError } from './store.ts';
import { tableName } from './tables.ts';

/** How many connections a node holds, unless the address says `pool_max_conns`. */
const CONNECTIONS = 10;

/** Where a database is, and how it is spoken to. */
export interface Address {
  readonly config: pg.ClientConfig;
  /** Where it is, for messages: without its password. */
  readonly where: string;
  readonly connections: number;
}

/** Reads an address; the password may stand in PGPASSWORD instead. Throws StoreError where it is none. */
export function readAddress(url: string): Address {
  let at: URL;
  try {
    at = new URL(url);
  } catch {
    throw new StoreError('failed', 'The store’s address is no URL such as postgres://user@host:5432/database.');
  }
  if (at.protocol !== 'postgres:' && at.protocol !== 'postgresql:')
    throw new StoreError('failed', `A store is at a postgres:// address, and “${at.protocol}//…” is none.`);
  const most = at.searchParams.get('pool_max_conns');
  if (most !== null && !/^[1-9]\d{0,3}$/.test(most))
    throw new StoreError('failed', 'pool_max_conns in the store’s address is how many connections to hold: 1 to 9999.');
  at.searchParams.delete('pool_max_conns');
  const database = decodeURIComponent(at.pathname.slice(1));
  return {
    config: { connectionString: at.href, application_name: 'ninefold' },
    where: `The database “${database}” at ${at.hostname}:${at.port || '5432'}`,
    connections: most === null ? CONNECTIONS : Number(most),
  };
}

/** The settings without which a committed change may be lost when the power fails. */
const DURABLE = ['fsync', 'full_page_writes', 'synchronous_commit'];

/** Connects, and sees that what is committed stays. Throws StoreError where it can’t, or does not. */
export async function connect({ config, where }: Address): Promise<Link> {
  let link: Link;
  try {
    link = await Link.open(config);
  } catch (error) {
    throw unusable(error, where);
  }
  const { rows } = await link.send({
    text: `SELECT name, setting FROM pg_settings WHERE name IN ('${DURABLE.join("', '")}', 'server_encoding')`,
  });
  const settings = new Map(rows as [string, string][]);
  const off = DURABLE.filter((name) => settings.get(name) === 'off');
  const encoding = settings.get('server_encoding') ?? 'UTF8';
  if (off.length === 0 && encoding === 'UTF8') return link;
  await link.close();
  if (encoding !== 'UTF8')
    throw new StoreError('failed', `${where} keeps text as ${encoding}: create one with ENCODING 'UTF8'.`);
  throw new StoreError(
    'failed',
    `${where} is not durable: ${off.join(', ')} ${off.length === 1 ? 'is' : 'are'} off, and what has been acknowledged could be lost. Switch ${off.length === 1 ? 'it' : 'them'} on.`,
  );
}

/** What is asked of a link while tables are made. */
export class Making {
  private readonly link: Link;

  constructor(link: Link) {
    this.link = link;
  }

  async run(text: string, ...values: string[]): Promise<unknown[][]> {
    return (await this.link.send({ text, values })).rows;
  }

  /** What is kept under a name, and keeps it. */
  async meta(key: string): Promise<string | null> {
    return ((await this.run('SELECT value FROM ninefold_meta WHERE key = $1', key))[0]?.[0] as string) ?? null;
  }

  async keep(key: string, value: string): Promise<void> {
    const sql = 'INSERT INTO ninefold_meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value';
    await this.run(sql, key, value);
  }
}

/** What comes before everything else: the table that says what is stored, and the row that is locked meanwhile. */
export const META_TABLE: readonly [table: string, lock: string] = [
  'CREATE TABLE IF NOT EXISTS ninefold_meta (key text COLLATE "C" PRIMARY KEY, value text NOT NULL)',
  "INSERT INTO ninefold_meta VALUES ('lock', '') ON CONFLICT (key) DO NOTHING",
];

/** Does a piece of work on tables in one transaction, in which no other node does any. */
export async function alone(
  link: Link,
  work: (making: Making) => Promise<void>,
  lock = "SELECT value FROM ninefold_meta WHERE key = 'lock' FOR UPDATE",
): Promise<void> {
  const making = new Making(link);
  // Two that make it at once get in each other’s way once, and it is there the second time.
  await making.run(META_TABLE[0]).catch(() => making.run(META_TABLE[0]));
  await making.run(META_TABLE[1]);
  await making.run('BEGIN');
  try {
    await making.run(lock);
    await work(making);
    await making.run('COMMIT');
  } catch (error) {
    await making.run('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** What tells the tables of a plan from those that were made for other fields or rules, by their keys in the database. */
export function tableHashes(plan: Plan): Map<string, string> {
  const schema = [...postgresSchema(plan, () => {})];
  return new Map(
    schema.map(([{ name }, { shape, references }]) => [`table ${tableName(name)}`, hashOf([...shape, ...references])]),
  );
}

const hashOf = (texts: Iterable<string>): string =>
  createHash('sha256')
    .update([...texts].join(';\n'))
    .digest('hex');

/**
 * Makes the tables that are missing. A table that is there has to have been made for the same fields and rules:
 * otherwise this throws, and nothing is changed. `within` is the transaction, where it is to do more.
 */
export async function openTables(link: Link, plan: Plan, within = alone): Promise<void> {
  const functions = new Set<string>();
  const schema = postgresSchema(plan, (id) => functions.add(id));
  await within(link, async (making) => {
    await provide(making, functions);
    for (const sql of POSTGRES_TABLES) await making.run(sql);
    const references: string[] = [];
    for (const [resource, table] of schema) {
      const shape = hashOf([...table.shape, ...table.references]);
      const key = `table ${tableName(resource.name)}`;
      const known = await making.meta(key);
      if (known === null) {
        for (const sql of table.shape) await making.run(sql);
        references.push(...table.references);
        await making.keep(key, shape);
      } else if (known !== shape)
        throw new StoreError(
          'failed',
          `The stored table of ${resource.name} was made for other fields or rules, and changing stored tables is not supported yet. Serve the document from another database, or undo the change to ${resource.name}.`,
        );
      const watch = hashOf(table.watch);
      if (table.watch.length && (await making.meta(`watch ${tableName(resource.name)}`)) !== watch) {
        for (const sql of table.watch) await making.run(sql);
        await making.keep(`watch ${tableName(resource.name)}`, watch);
      }
      await makeLookups(making, tableName(resource.name), table.lookups);
    }
    for (const sql of references) await making.run(sql);
    await making.run("INSERT INTO ninefold_meta VALUES ('streamed', '0') ON CONFLICT (key) DO NOTHING");
    if ((await making.meta('secret')) === null) await making.keep('secret', randomBytes(32).toString('base64'));
    const [first] = plan.schemes;
    if (first) await making.run("UPDATE ninefold_key SET mark = $1 WHERE mark = ''", first.mark);
  });
}

/** Makes the indexes that the document's lists and timers want, and drops those that nothing wants any more. */
async function makeLookups(making: Making, table: string, wanted: ReadonlyMap<string, string>): Promise<void> {
  const sql = 'SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND tablename = $1';
  const there = (await making.run(sql, table)).map(([name]) => name as string);
  for (const name of there)
    if (/^ninefold_(?:due|at|lookup)_/.test(name) && !wanted.has(name))
      await making.run(`DROP INDEX "${name.replaceAll('"', '""')}"`);
  for (const [name, made] of wanted) if (!there.includes(name)) await making.run(made);
}

/** Gives a database the functions of expressions that statements call, and that it has not been given as they are. */
export async function provideFunctions(link: Link, ids: Iterable<string>): Promise<void> {
  await alone(link, (making) => provide(making, ids));
}

async function provide(making: Making, ids: Iterable<string>): Promise<void> {
  const wanted = functionStatements(ids);
  if (wanted.has(ZONE_FUNCTION)) await making.run(ZONE_TABLE);
  if ([...wanted.keys()].some((id) => LOOK_LETTERS_UP.has(id))) await provideLetters(making);
  for (const [id, sql] of wanted) {
    const key = `function ${id}`;
    const hash = hashOf([sql]);
    if ((await making.meta(key)) === hash) continue;
    await making.run(sql);
    await making.keep(key, hash);
  }
  if (wanted.has(ZONE_FUNCTION)) await provideZones(making);
}

/**
 * PostgreSQL’s time zone database and that of this Node.js are seldom of the same day. Where they differ, clocks do
 * what Node.js says, in the database too.
 */
async function provideZones(making: Making): Promise<void> {
  const [[server] = ['']] = await making.run('SHOW server_version');
  const version = `${process.versions.tz} ${server}`;
  if ((await making.meta('zones')) === version) return;
  await making.run('DELETE FROM ninefold_zone');
  const instants = comparedInstants();
  const offsets = await making.run(ZONE_OFFSETS, JSON.stringify([...TIME_ZONES]), JSON.stringify(instants));
  const differing = differingZones(instants, new Map(offsets as [string, unknown][]));
  await making.run(ZONE_INSERT, JSON.stringify(differing.flatMap(changesOf)));
  await making.keep('zones', version);
}

/** The letters are those of the Unicode that this Node.js knows. */
async function provideLetters(making: Making): Promise<void> {
  const version = process.versions.unicode ?? '';
  if ((await making.meta('letters')) === version) return;
  for (const sql of POSTGRES_TABLES.filter((one) => one.includes('ninefold_letter'))) await making.run(sql);
  await making.run('DELETE FROM ninefold_letter');
  await making.run(
    'INSERT INTO ninefold_letter SELECT l ->> 0, l ->> 1, l ->> 2 FROM jsonb_array_elements($1::jsonb) AS l',
    JSON.stringify(letters(slug)),
  );
  await making.keep('letters', version);
}
