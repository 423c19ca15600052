import { createHash } from 'node:crypto';
import { slug } from '../expression/library/slug.ts';
import { TIME_ZONES } from '../expression/library/zonenames.ts';
import { failureOf } from './postgres.errors.ts';
import { functionStatements } from './postgres.functions.ts';
import type { Link } from './postgres.links.ts';
import { POSTGRES_TABLES } from './postgres.system.ts';
import { LOOK_LETTERS_UP, letters } from './postgres.texts.ts';
import { bound } from './postgres.values.ts';
import {
  changesOf,
  comparedInstants,
  differingZones,
  ZONE_FUNCTION,
  ZONE_INSERT,
  ZONE_OFFSETS,
  ZONE_TABLE,
} from './postgres.zones.ts';
import type { Asked, Work } from './rewriter.ts';
import type { Argument } from './store.ts';

/** Quoted parts of a statement, in which a `?` is none, and those that stand for values. */
const PARTS = /E'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g;

/** What is asked of a link while tables are made. */
export class Making {
  private readonly link: Link;

  constructor(link: Link) {
    this.link = link;
  }

  async run(text: string, ...values: ReadonlyArray<string | Buffer | null>): Promise<unknown[][]> {
    return (await this.link.send({ text, values })).rows;
  }

  /** Runs a piece of a migration, statement by statement; `before` is awaited before each, for what it needs. */
  async work<T>(work: Work<T>, before: (asked: Asked) => Promise<void> = async () => {}): Promise<T> {
    let next = work.next([]);
    while (!next.done) {
      await before(next.value);
      const { sql, values } = next.value;
      let place = 0;
      const text = sql.replace(PARTS, (part) => (part === '?' ? `$${++place}` : part));
      next = work.next(await this.run(text, ...bound(values as Argument[], [])));
    }
    return next.value;
  }

  /** What is kept under a name, and keeps it. */
  async meta(key: string): Promise<string | null> {
    return ((await this.run('SELECT value FROM ninefold_meta WHERE key = $1', key))[0]?.[0] as string) ?? null;
  }

  async keep(key: string, value: string): Promise<void> {
    const sql = 'INSERT INTO ninefold_meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value';
    await this.run(sql, key, value);
  }

  /**
   * Runs those statements, each a `CREATE … IF NOT EXISTS`, whose table or index is missing: PostgreSQL would lock the
   * table of an index that is there against all writing before it looks.
   */
  async runMissing(statements: readonly string[]): Promise<void> {
    const made = statements.map((sql) => /IF NOT EXISTS (\w+)/.exec(sql)![1]!);
    const there = await this.run(
      `SELECT relname FROM pg_class
       WHERE relnamespace = current_schema()::regnamespace AND relname = ANY (SELECT jsonb_array_elements_text($1::jsonb))`,
      JSON.stringify(made),
    );
    const names = new Set(there.map(([name]) => name));
    for (const [n, sql] of statements.entries()) if (!names.has(made[n])) await this.run(sql);
  }
}

/** What comes before everything else: the table that says what is stored, and the row that is locked meanwhile. */
export const META_TABLE: readonly [table: string, row: string] = [
  'CREATE TABLE IF NOT EXISTS ninefold_meta (key text COLLATE "C" PRIMARY KEY, value text NOT NULL)',
  "INSERT INTO ninefold_meta VALUES ('lock', '') ON CONFLICT (key) DO NOTHING",
];

/** How often work on tables is begun that meets what requests do to them. */
const TRIES = 5;

/**
 * Does a piece of work on tables in one transaction, in which no other node does any; from its start again where it has
 * met a request. What it gives is kept, unless `undone` says of it that nothing is to be. `lock` is what keeps others
 * from it.
 */
export async function alone<T>(
  link: Link,
  work: (making: Making) => Promise<T>,
  undone: (given: T) => boolean = () => false,
  lock = "SELECT value FROM ninefold_meta WHERE key = 'lock' FOR UPDATE",
): Promise<T> {
  const making = new Making(link);
  // Two that make it at once get in each other’s way once, and it is there the second time.
  const [table, row] = META_TABLE;
  await making.run(table).catch(() => making.run(table));
  await making.run(row);
  for (let tries = 1; ; tries++) {
    await making.run('BEGIN');
    try {
      await making.run(lock);
      const given = await work(making);
      await making.run(undone(given) ? 'ROLLBACK' : 'COMMIT');
      return given;
    } catch (error) {
      await making.run('ROLLBACK').catch(() => {});
      if (failureOf(error) !== 'again' || tries === TRIES) throw error;
    }
  }
}

/** What texts are known by. */
export const hashOf = (texts: Iterable<string>): string =>
  createHash('sha256')
    .update([...texts].join(';\n'))
    .digest('hex');

/** Gives a database the functions of expressions that statements call, and that it has not been given as they are. */
export async function provideFunctions(link: Link, ids: Iterable<string>): Promise<void> {
  await alone(link, (making) => provide(making, ids));
}

/** The same, inside a piece of work on tables. */
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
  await making.runMissing(POSTGRES_TABLES.filter((one) => one.includes('ninefold_letter')));
  await making.run('DELETE FROM ninefold_letter');
  await making.run(
    'INSERT INTO ninefold_letter SELECT l ->> 0, l ->> 1, l ->> 2 FROM jsonb_array_elements($1::jsonb) AS l',
    JSON.stringify(letters(slug)),
  );
  await making.keep('letters', version);
}
