import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import type Database from 'better-sqlite3';
import type { Row } from '../../expression/values/value.ts';
import type { Plan } from '../../plan/step.ts';
import { rewriteTables } from '../migration/rewrite.ts';
import type { Migrated, Upgrade } from '../migration/upgrade.ts';
import { type StoredShape, same, shapeOf } from '../shape.ts';
import { compileSystem } from '../sql/compiler.ts';
import { sqliteDialect } from './dialect.ts';
import { mustHaveItsColumns } from './identity.ts';
import { withDatabase } from './open.ts';
import { SqliteRewriter } from './rewriter.ts';
import { openTables, prepareSystem, storedShape, writeShape } from './tables.ts';

/**
 * Migrates a database to the shape of a plan, in one transaction: a process that is killed at any statement leaves it
 * as it was. Returns null if nothing has to be done. Throws StoreError where the database cannot be used.
 */
export function upgradeDatabase(path: string, plan: Plan, upgrade: Upgrade): Migrated | null {
  if (!existsSync(path)) return null;
  return withDatabase(path, (db) => {
    const next = shapeOf(plan);
    if (storedShape(db) === 'unknown') openTables(db, plan);
    const stored = storedShape(db);
    if (stored === null || stored === 'unknown') return null;
    if (same(stored, next)) {
      mustHaveItsColumns(db, plan);
      return null;
    }
    if (upgrade.dry) return upgradeCopy(db, path, plan, upgrade);
    // Foreign keys are checked once, at the end, since tables are dropped and created meanwhile.
    db.pragma('foreign_keys = OFF');
    return transact(db, plan, upgrade);
  });
}

/** The shape of the rows in a database; null if there are none, or the shape was not recorded. */
export function shapeStoredIn(path: string): StoredShape | null {
  if (!existsSync(path)) return null;
  return withDatabase(path, (db) => {
    const stored = storedShape(db);
    return stored === 'unknown' ? null : stored;
  });
}

/** The receivers in a database, as “list receivers” gives them; none where there is no database. */
export function receiversStoredIn(path: string): Row[] {
  if (!existsSync(path)) return [];
  return withDatabase(path, (db) =>
    storedShape(db) === null
      ? []
      : (db
          .prepare(compileSystem('list receivers', sqliteDialect([])).sql)
          .raw()
          .all() as Row[]),
  );
}

function transact(db: Database.Database, plan: Plan, upgrade: Upgrade): Migrated {
  upgrade.watcher.step('The migration begins', 'BEGIN IMMEDIATE');
  db.exec('BEGIN IMMEDIATE');
  try {
    // The shape is read again, since another process may have migrated the rows meanwhile.
    const stored = storedShape(db);
    if (stored === null || stored === 'unknown') throw new Error('The stored shape has gone');
    const migrated = migrateTables(db, stored, plan, upgrade);
    if (migrated.hindrances.length || migrated.mistakes.length) {
      db.exec('ROLLBACK');
      return migrated;
    }
    upgrade.watcher.step('The migration is committed', 'COMMIT');
    db.exec('COMMIT');
    return migrated;
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** Migrates stored rows to a plan, and records the new shape, in a transaction that the caller begins and ends. */
export function migrateTables(
  db: Database.Database,
  old: StoredShape,
  plan: Plan,
  upgrade: Omit<Upgrade, 'dry'>,
): Migrated {
  const to = new SqliteRewriter(db, plan, upgrade.watcher, upgrade.now);
  prepareSystem(db, plan);
  const migrated = to.work(rewriteTables(old, plan, upgrade, to));
  if (migrated.hindrances.length || migrated.mistakes.length) return migrated;
  upgrade.watcher.step('The shape is written down', '');
  writeShape(db, plan, shapeOf(plan));
  return migrated;
}

/** The copy is made beside the database, on the same disk and with the same permissions, and removed at once. */
function upgradeCopy(db: Database.Database, path: string, plan: Plan, upgrade: Upgrade): Migrated | null {
  const copy = `${path}.trial-${process.pid}`;
  try {
    // SQLite accepts an empty file as a new database.
    closeSync(openSync(copy, 'wx', 0o600));
    db.prepare('VACUUM INTO ?').run(copy);
    return upgradeDatabase(copy, plan, { ...upgrade, dry: false });
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(copy + suffix, { force: true });
  }
}
