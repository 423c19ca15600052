import type Database from 'better-sqlite3';
import type { CounterRow, Counters } from '../counters.ts';

/** The counts of rates that were stored when the service last stopped. */
export const keptCounters = (db: Database.Database): CounterRow[] =>
  db.prepare('SELECT policy, key, count, ends_at FROM ninefold_counter').raw(true).all() as CounterRow[];

/**
 * Stores the counts of rates, which live in memory, for the next start. `now`: the time on the store’s clock, as in
 * counts.
 */
export function keepCounters(db: Database.Database, counters: Counters, now: number): void {
  const write = db.prepare('INSERT OR REPLACE INTO ninefold_counter VALUES (?, ?, ?, ?)');
  db.transaction(() => {
    db.exec('DELETE FROM ninefold_counter');
    for (const row of counters.snapshot(now)) write.run(...row);
  })();
}
