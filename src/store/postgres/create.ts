import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { slug } from '../../expression/library/slug.ts';
import { TIME_ZONES } from '../../expression/library/zone-names.ts';
import type { MigrationQuery, MigrationStep } from '../migration/rewriter.ts';
import type { Argument } from '../store.ts';
import { COMMIT, type Link } from './connections.ts';
import { failureOf } from './errors.ts';
import { functionStatements } from './functions.ts';
import { type Creation, POSTGRES_TABLES } from './system.ts';
import { LOOK_LETTERS_UP, letters } from './texts.ts';
import { UNREPLICATED } from './transaction.ts';
import { bound } from './values.ts';
import {
  changesOf,
  comparedInstants,
  differingZones,
  ZONE_FUNCTION,
  ZONE_INSERT,
  ZONE_OFFSETS,
  ZONE_TABLE,
} from './zones.ts';

/** The operations on a connection while tables are created or migrated. */
export class Making {
  private readonly link: Link;

  constructor(link: Link) {
    this.link = link;
  }

  async run(text: string, ...values: ReadonlyArray<string | Buffer | null>): Promise<unknown[][]> {
    return (await this.link.send({ text, values })).rows;
  }

  /**
   * Runs a part of a migration, statement by statement. `before` is awaited before each statement, to create what it
   * calls.
   */
  async work<T>(work: MigrationStep<T>, before: (asked: MigrationQuery) => Promise<void> = async () => {}): Promise<T> {
    let next = work.next([]);
    while (!next.done) {
      await before(next.value);
      const { sql } = next.value;
      next = work.next(
        await this.run(
          sql.text((n) => `$${n}`),
          ...bound(sql.values as Argument[], []),
        ),
      );
    }
    return next.value;
  }

  /** Reads an entry of `ninefold_meta`. */
  async meta(key: string): Promise<string | null> {
    return ((await this.run('SELECT value FROM ninefold_meta WHERE key = $1', key))[0]?.[0] as string) ?? null;
  }

  async keep(key: string, value: string): Promise<void> {
    const sql = 'INSERT INTO ninefold_meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value';
    await this.run(sql, key, value);
  }

  /**
   * Creates the tables and indexes that are missing. Checks that first, since PostgreSQL would lock the table of an
   * existing index against writes.
   */
  async createMissing(creations: readonly Creation[]): Promise<void> {
    const there = await this.run(
      `SELECT relname FROM pg_class
       WHERE relnamespace = current_schema()::regnamespace AND relname = ANY (SELECT jsonb_array_elements_text($1::jsonb))`,
      JSON.stringify(creations.map(([, name]) => name)),
    );
    const names = new Set(there.map(([name]) => name));
    for (const [what, name, of] of creations)
      if (!names.has(name)) await this.run(`CREATE ${what} IF NOT EXISTS ${name} ${of}`);
  }
}

/**
 * The table `ninefold_meta`, which is created before all others: it records the shape of the stored rows. Its row is
 * locked while tables are created or changed.
 */
export const META_TABLE: readonly [table: string, row: string] = [
  'CREATE TABLE IF NOT EXISTS ninefold_meta (key text COLLATE "C" PRIMARY KEY, value text NOT NULL)',
  "INSERT INTO ninefold_meta VALUES ('lock', '') ON CONFLICT (key) DO NOTHING",
];

/**
 * How long work on tables is retried after conflicts with requests, and the longest pause before a retry, in
 * milliseconds.
 */
const CONTENDED_MS = 20_000;
const PAUSE_MS = 200;

/**
 * Does work on tables in one transaction, while no other node does any, and retries it after conflicts with requests.
 * Commits the work, unless `undone` returns true for its result. `lock` is the statement by which others are excluded.
 */
export async function alone<T>(
  link: Link,
  work: (making: Making) => Promise<T>,
  undone: (given: T) => boolean = () => false,
  lock = "SELECT value FROM ninefold_meta WHERE key = 'lock' FOR UPDATE",
): Promise<T> {
  const making = new Making(link);
  // Two nodes that create it at once may get an error, and find the table at their second attempt.
  const [table, row] = META_TABLE;
  await making.run(table).catch(() => making.run(table));
  await making.run(row);
  const begun = performance.now();
  for (;;) {
    await making.run('BEGIN');
    try {
      await making.run(lock);
      const given = await work(making);
      const { warned } = await link.send({ text: undone(given) ? 'ROLLBACK' : COMMIT });
      if (warned) throw UNREPLICATED;
      return given;
    } catch (error) {
      await making.run('ROLLBACK').catch(() => {});
      if (failureOf(error) !== 'again' || performance.now() - begun > CONTENDED_MS) throw error;
      await sleep(Math.random() * PAUSE_MS);
    }
  }
}

/** The hash of texts. */
export const hashOf = (texts: Iterable<string>): string =>
  createHash('sha256')
    .update([...texts].join(';\n'))
    .digest('hex');

/** Creates the functions of expressions that statements call, unless the database has them in their present form. */
export async function provideFunctions(link: Link, ids: Iterable<string>): Promise<void> {
  await alone(link, (making) => provide(making, ids));
}

/** Like `provideFunctions`, inside work on tables that has begun. */
export async function provide(making: Making, ids: Iterable<string>): Promise<void> {
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

/** Number of zones that are compared between two statements. */
const ZONES_AT_ONCE = 50;

/**
 * The time zone databases of PostgreSQL and of this Node.js are usually of different versions. Where they differ,
 * functions in the database use the offsets of Node.js.
 */
async function provideZones(making: Making): Promise<void> {
  const [[server] = ['']] = await making.run('SHOW server_version');
  const version = `${process.versions.tz} ${server}`;
  if ((await making.meta('zones')) === version) return;
  await making.run('DELETE FROM ninefold_zone');
  const instants = comparedInstants();
  const all = [...TIME_ZONES];
  // A few zones at a time: comparing takes long on a busy machine, and the server ends an idle transaction.
  for (let at = 0; at < all.length; at += ZONES_AT_ONCE) {
    const zones = all.slice(at, at + ZONES_AT_ONCE);
    const offsets = await making.run(ZONE_OFFSETS, JSON.stringify(zones), JSON.stringify(instants));
    for (const zone of differingZones(zones, instants, new Map(offsets as [string, unknown][])))
      await making.run(ZONE_INSERT, JSON.stringify(changesOf(zone)));
  }
  await making.keep('zones', version);
}

/** The table of letters follows the version of Unicode in this Node.js. */
async function provideLetters(making: Making): Promise<void> {
  const version = process.versions.unicode ?? '';
  if ((await making.meta('letters')) === version) return;
  await making.createMissing(POSTGRES_TABLES.filter(([, name]) => name === 'ninefold_letter'));
  await making.run('DELETE FROM ninefold_letter');
  await making.run(
    'INSERT INTO ninefold_letter SELECT l ->> 0, l ->> 1, l ->> 2 FROM jsonb_array_elements($1::jsonb) AS l',
    JSON.stringify(letters(slug)),
  );
  await making.keep('letters', version);
}
