import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { RAISED, Workspace } from '../harness.ts';
import { complaints, type Figure, type Gate } from './gate.ts';

/** How many customers are backed up, and how many orders are made after that. */
const BACKED_UP = 20;
const ORDERED = 40;

/** What of a killed service's files is left, or has become of them, when a backup is restored in their place. */
const LEFT: Readonly<Record<string, (file: string) => readonly string[]>> = {
  'the database is gone, its log and the log’s index are not': (file) => {
    rmSync(file);
    return [];
  },
  'the database and the log’s index are gone, its log is not': (file) => {
    rmSync(file);
    rmSync(`${file}-shm`);
    return [];
  },
  'the database and its log are gone, the log’s index is not': (file) => {
    rmSync(file);
    rmSync(`${file}-wal`);
    return [];
  },
  'a journal is left': (file) => {
    for (const end of ['', '-wal', '-shm']) rmSync(file + end);
    leaveJournal(file);
    return [];
  },
  'a log of another database is left': (file) => {
    for (const end of ['', '-wal', '-shm']) rmSync(file + end);
    leaveAnother(file);
    rmSync(file);
    return [];
  },
  'the database is damaged': (file) => {
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xa5, 100));
    return ['--replace'];
  },
  'the database is another’s than its log': (file) => {
    leaveAnother(file);
    return ['--replace'];
  },
};

/** A journal of a change that was not ended, of a database of other rows. */
function leaveJournal(file: string): void {
  const made = `${file}.made`;
  const db = new Database(made);
  db.exec('CREATE TABLE a (x)');
  for (let n = 0; n < 50; n++) db.prepare('INSERT INTO a VALUES (?)').run('x'.repeat(3000));
  db.pragma('cache_size = 1');
  db.exec('BEGIN; UPDATE a SET x = 1');
  copyFileSync(`${made}-journal`, `${file}-journal`);
  db.close();
  rmSync(made);
}

/** Another database, of which what is in the place has the file but not the log, or the log but not the file. */
function leaveAnother(file: string): void {
  const made = `${file}.made`;
  const db = new Database(made);
  db.pragma('journal_mode = WAL');
  db.pragma('wal_autocheckpoint = 0');
  db.exec('CREATE TABLE customer (id TEXT PRIMARY KEY, name TEXT)');
  for (let n = 0; n < 400; n++) db.prepare('INSERT INTO customer VALUES (?, ?)').run(`${n}`, 'x'.repeat(3000));
  const ends = existsSync(`${file}-wal`) ? [''] : ['', '-wal', '-shm'];
  for (const end of ends) copyFileSync(made + end, file + end);
  db.close();
  rmSync(made);
}

/** A backup is restored where a killed service has left something. */
export const restored: Gate = {
  name: 'restored',
  about: 'a backup restored beside what a killed service has left: its log, a journal, another’s log, a damaged file',
  lacks: () => null,
  async *run() {
    for (const [what, leave] of Object.entries(LEFT)) yield await restore(what, leave);
  },
};

async function restore(what: string, leave: (file: string) => readonly string[]): Promise<Figure> {
  await using space = new Workspace(RAISED);
  const wrong: string[] = [];
  const backup = join(space.dir, 'backup.sqlite');
  const file = join(space.data, 'ninefold.sqlite');
  const customers = await Promise.all(Array.from({ length: BACKED_UP }, () => space.customer()));
  const key = await space.key(customers[0]!);
  const made = await space.cli('backup', '--to', backup);
  if (made.code !== 0) wrong.push(`the backup: ${made.err}`);
  const before = await space.serve();
  for (let n = 0; n < ORDERED; n++) await before.opened(key, `AAA-${1000 + n}`);
  await before.kill();
  const left = statSync(`${file}-wal`).size;
  if (left === 0) wrong.push('the log held nothing');
  const done = await space.cli('restore', '--from', backup, ...leave(file));
  if (done.code !== 0) wrong.push(`the restore: ${done.err}`);
  wrong.push(...look(file, 0));
  const service = await space.serve();
  const { status, text } = await service.request('GET', '/orders', { key });
  if (status !== 200 || !text.includes('"items":[]')) wrong.push(`a read was answered ${status} ${text.slice(0, 80)}`);
  await service.opened(key, 'BBB-0001');
  if ((await service.stop()) !== 0) wrong.push('it did not stop in good order');
  wrong.push(...look(file, 1));
  const kept = readdirSync(space.data).filter((name) => name.includes('.before-')).length;
  const figure = `${BACKED_UP} rows of ${BACKED_UP}, whole; ${left} bytes were in the log, ${kept} files are kept`;
  return { what, figure: wrong.length ? complaints(wrong) : figure, held: wrong.length === 0 };
}

/** What SQLite itself says of the database, and how many rows it has. */
function look(file: string, orders: number): string[] {
  const db = new Database(file);
  try {
    const whole = db.pragma('integrity_check', { simple: true });
    const counted = ['customer', '"order"'].map((table) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
    return [
      ...(whole === 'ok' ? [] : [`the integrity check says ${whole}`]),
      ...(`${counted}` === `${[BACKED_UP, orders]}` ? [] : [`there are ${counted.join(' and ')} rows`]),
    ];
  } catch (error) {
    return [`it can’t be read: ${(error as Error).message}`];
  } finally {
    db.close();
  }
}
