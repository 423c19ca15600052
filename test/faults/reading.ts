// A process that reads the database beside a service, as a backup or somebody with SQLite's own shell does: it keeps what
// it has seen for a while, and looks again.
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';

const db = new Database(process.argv[2]!, { readonly: true });
const begin = db.prepare('BEGIN');
const look = db.prepare('SELECT count(*) FROM "order"');
const end = db.prepare('COMMIT');
process.stdout.write('reads\n');
for (;;) {
  begin.run();
  look.get();
  await sleep(20);
  end.run();
}
