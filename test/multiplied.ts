import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';

/** Expressions for columns of the copies, by the number `i` of a copy; other columns are as in the one row. */
type Values = Readonly<Record<string, string>>;

const selected = (names: readonly string[], values: Values): string =>
  names.map((name) => values[name] ?? `"${name}"`).join(', ');

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

/**
 * Copies the one order that a store has, which nothing may be serving: past the service, since many rows would take an
 * hour by requests. `at`: the directory of an embedded store, or the address of a database.
 */
export async function multiplied(at: string, copies: number, values: Values): Promise<void> {
  if (!at.startsWith('postgres:')) {
    const db = new Database(join(at, 'ninefold.sqlite'));
    const names = (db.pragma('table_info("order")') as Array<{ readonly name: string }>).map(({ name }) => name);
    const all = { id: 'randomblob(16)', ninefold_shown: 'NULL', ...values };
    db.exec(`INSERT INTO "order" (${quoted(names)})
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${copies})
      SELECT ${selected(names, all)} FROM (SELECT * FROM "order" LIMIT 1), n`);
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
    return;
  }
  const client = new pg.Client({ connectionString: at });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = '"order"'::regclass AND attnum > 0 AND NOT attisdropped`,
  );
  const names = rows.map(({ name }) => name).filter((name) => name !== 'ninefold_shown');
  await client.query(`INSERT INTO "order" (${quoted(names)})
    SELECT ${selected(names, { id: 'gen_random_uuid()', ...values })}
    FROM (SELECT * FROM "order" LIMIT 1) one, generate_series(1, ${copies}) i`);
  await client.query('VACUUM ANALYZE');
  await client.end();
}
