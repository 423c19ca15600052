import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFile as ninefoldFile } from '../../src/cli/stores.ts';
import { createTables, openDatabase } from '../peers/orders/schema.ts';
import { databaseFile } from '../peers/orders/start.ts';
import { readSyncs } from '../syncs.ts';
import type { Storage } from './storage.ts';

/** SQLite databases in directories; `syncs` is the file in which syncs are counted, or null. */
export function sqliteStorage(data: string, syncs: string | null): Storage {
  const template = (rows: string): string => templateIn(data, rows);
  return {
    create: async (rows, like) => {
      const directory = template(rows);
      rmSync(directory, { recursive: true, force: true });
      if (like === undefined) mkdirSync(directory, { recursive: true });
      else cpSync(template(like), directory, { recursive: true });
      return directory;
    },
    fill: async (tables) => {
      const db = openDatabase(databaseFile(template('orders')));
      createTables(db);
      db.transaction(() => {
        for (const { into, rows } of tables) {
          const insertion = db.prepare(`INSERT INTO ${into} VALUES (${rows[0]!.map(() => '?').join(', ')})`);
          for (const row of rows) insertion.run(...row);
        }
      })();
      db.close();
    },
    settle: async () => {
      for (const file of ['ninefold', 'before'].map((rows) => ninefoldFile(template(rows))).filter(existsSync)) {
        const db = openDatabase(file);
        db.exec('DELETE FROM ninefold_counter');
        db.close();
      }
    },
    copy: async (rows, name) => {
      const directory = join(data, 'run', name);
      copyRows(template(rows), directory);
      return directory;
    },
    databasePid: null,
    durable: syncs === null ? null : { unit: 'syncs', read: async () => readSyncs(syncs) },
  };
}

/** The directory of rows that nobody has touched. */
export const templateIn = (data: string, rows: string): string => join(data, 'template', rows);

/** Copies rows to a place where a server may change them. */
export function copyRows(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true });
}
