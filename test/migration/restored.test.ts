import '../whole-alone.ts';
import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import Database from 'better-sqlite3';
import { runHere } from '../../src/cli/harness.test.ts';
import { compile } from '../../src/compiler/compile.ts';
import { mustBeWhole, restoreDatabase } from '../../src/store/sqlite/restore.ts';
import { StoreError } from '../../src/store/store.ts';
import { PATIENT, Workspace } from '../harness.ts';
import { PostgresServer } from '../postgres.ts';
import { IN_WHOLE, share } from '../share.ts';

const space = new Workspace(PATIENT);
const plan = compile('orders.md', PATIENT).plan!;
const backup = join(space.dir, 'backup.sqlite');
const BACKED_UP = 12;
let server: PostgresServer;

before(async () => {
  server = await PostgresServer.shared();
  for (let n = 0; n < BACKED_UP; n++) await space.customer();
  assert.equal((await space.cli('backup', '--to', backup)).code, 0);
});
after(async () => {
  await server[Symbol.asyncDispose]();
  await space[Symbol.asyncDispose]();
});

/** A directory for one try. */
let tries = 0;
function place(): { data: string; file: string } {
  const data = join(space.dir, `place-${++tries}`);
  return { data, file: join(data, 'ninefold.sqlite') };
}

const restore = (data: string, ...more: string[]) =>
  runHere('restore', space.file, '--from', backup, '--data', data, ...more);

/** What is stored at a place has to be what was backed up, whole. */
function mustBeBackup(file: string): void {
  const db = new Database(file);
  assert.equal(db.pragma('integrity_check', { simple: true }), 'ok');
  assert.equal(db.prepare('SELECT count(*) FROM customer').pluck().get(), BACKED_UP);
  db.close();
}

/** Leaves a database with a log as a process that is killed would: others’ rows, of which most are in the log. */
function killed(file: string, rows: number): void {
  mkdirSync(join(file, '..'), { recursive: true });
  const made = `${file}.made`;
  const db = new Database(made);
  db.pragma('journal_mode = WAL');
  db.pragma('wal_autocheckpoint = 0');
  db.exec('CREATE TABLE customer (id TEXT PRIMARY KEY, name TEXT); CREATE TABLE other (text TEXT)');
  for (let n = 0; n < rows; n++) db.prepare('INSERT INTO customer VALUES (?, ?)').run(`${n}`, 'x'.repeat(3000));
  for (const end of ['', '-wal', '-shm']) copyFileSync(made + end, file + end);
  db.close();
  rmSync(made);
}

const keptIn = (data: string): string[] => readdirSync(data).filter((name) => name.includes('.before-'));

for (const lost of [[], ['-shm'], ['-wal']])
  test(`nothing that lies beside the place is read into what is restored (the database is gone${lost.length ? `, and its ${lost}` : ''})`, async () => {
    const { data, file } = place();
    killed(file, 400);
    for (const end of ['', ...lost]) rmSync(file + end);
    const log = existsSync(`${file}-wal`) ? readFileSync(`${file}-wal`) : null;
    const ran = await restore(data);
    assert.deepEqual([ran.err, ran.code], ['', null]);
    mustBeBackup(file);
    const kept = keptIn(data);
    assert.deepEqual(
      kept.map((name) => name.replace(/.*-\d+Z/, '').replace(/.*Z/, '')),
      log ? ['-wal'] : [],
    );
    if (log) assert.deepEqual(readFileSync(join(data, kept[0]!)), log, 'the log is kept as it was');
    if (log) assert.match(ran.out, /is kept as .*-wal/);
  });

test('a journal that lies beside the place is not rolled back into what is restored', async () => {
  const { data, file } = place();
  mkdirSync(data);
  const db = new Database(join(data, 'made'));
  db.exec('CREATE TABLE a (x)');
  for (let n = 0; n < 50; n++) db.prepare('INSERT INTO a VALUES (?)').run('x'.repeat(3000));
  db.pragma('cache_size = 1');
  db.exec('BEGIN; UPDATE a SET x = 1');
  copyFileSync(join(data, 'made-journal'), `${file}-journal`);
  db.close();
  assert.ok(statSync(`${file}-journal`).size > 4096);
  assert.deepEqual((await restore(data)).err, '');
  mustBeBackup(file);
});

test('a service that was killed is restored beside its log, and serves what was backed up', IN_WHOLE, async () => {
  await using other = new Workspace(PATIENT);
  const key = await other.key(await other.customer());
  const service = await other.serve();
  for (let n = 0; n < 30; n++) await service.opened(key, `AAA-${1000 + n}`);
  await service.kill();
  const file = join(other.data, 'ninefold.sqlite');
  assert.ok(statSync(`${file}-wal`).size > 0);
  rmSync(file);
  assert.equal((await other.cli('restore', '--from', backup)).err, '');
  const again = await other.serve();
  mustBeBackup(file);
  assert.equal(await again.stop(), 0);
});

const WRECKS: Readonly<Record<string, (file: string) => void>> = {
  'of other bytes': (file) => writeFileSync(file, Buffer.alloc(20_000, 0x5a)),
  'cut off': (file) => {
    copyFileSync(backup, file);
    truncateSync(file, 5000);
  },
  'with a damaged head': (file) => {
    const bytes = readFileSync(backup);
    bytes.fill(0xff, 0, 40);
    writeFileSync(file, bytes);
  },
  'with damaged pages, and a log': (file) => {
    killed(file, 100);
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 100);
    writeFileSync(file, bytes);
  },
  'with a log that is another’s': (file) => {
    killed(file, 100);
    copyFileSync(backup, file);
  },
  empty: (file) => writeFileSync(file, ''),
  'a directory': (file) => mkdirSync(file),
  'a link that leads nowhere': (file) => symlinkSync('/nowhere/at/all', file),
};

for (const [name, wreck] of Object.entries(WRECKS))
  test(`what is there may be damaged, and is kept: ${name}`, async () => {
    const { data, file } = place();
    mkdirSync(data);
    wreck(file);
    assert.equal((await restore(data)).code, 3, 'not without --replace');
    const ran = await restore(data, '--replace');
    assert.deepEqual([ran.err, ran.code], ['', null]);
    mustBeBackup(file);
    assert.ok(keptIn(data).length > 0);
    assert.match(ran.out, /The replaced store is kept as /);
  });

test('every flipped bit of a backup is noticed, and so is a missing or an added byte', IN_WHOLE, async (t) => {
  const good = readFileSync(backup);
  const bad = join(space.dir, 'flipped.sqlite');
  const { data, file } = place();
  mkdirSync(data);
  const isRefused = (error: unknown): boolean =>
    error instanceof StoreError && /is damaged|has no checksum/.test(error.message);
  const bits: number[] = [];
  // All of the head and of the end, and the others from a fixed seed.
  for (let bit = 0; bit < 100 * 8; bit += 7) bits.push(bit);
  for (let bit = (good.length - 140) * 8; bit < good.length * 8; bit++) bits.push(bit);
  for (let n = 0, x = 42; n < 300; n++) {
    x = (Math.imul(x, 1_103_515_245) + 12_345) >>> 0;
    bits.push(x % (good.length * 8));
  }
  for (const bit of bits) {
    const bytes = Buffer.from(good);
    bytes[bit >> 3]! ^= 1 << (bit & 7);
    writeFileSync(bad, bytes);
    assert.throws(() => mustBeWhole(bad, false), isRefused, `bit ${bit}`);
  }
  t.diagnostic(`${bits.length} bits flipped, one at a time`);
  for (const bytes of [
    good.subarray(0, -1),
    good.subarray(1),
    Buffer.concat([good, Buffer.from('\n')]),
    good.subarray(0, 10),
    Buffer.alloc(0),
  ]) {
    writeFileSync(bad, bytes);
    assert.throws(() => restoreDatabase(bad, file, plan, { replace: false, unsealed: false }), isRefused);
  }
  assert.deepEqual(readdirSync(data), []);
  const url = await server.database();
  const ran = await runHere('restore', space.file, '--from', bad, '--store', url);
  assert.deepEqual([ran.code, /has no checksum/.test(ran.err)], [3, true], ran.err);
});

test('a backup without a checksum is restored where that is said, and never by chance', async () => {
  const old = join(space.dir, 'old.sqlite');
  new Database(join(space.data, 'ninefold.sqlite')).prepare('VACUUM INTO ?').run(old);
  for (const where of [
    ['--data', place().data],
    ['--store', await server.database()],
  ]) {
    const words = ['restore', space.file, '--from', old, ...where];
    const refused = await runHere(...words);
    assert.deepEqual([refused.code, /add --without-checksum/.test(refused.err)], [3, true], refused.err);
    const ran = await runHere(...words, '--without-checksum');
    assert.deepEqual([ran.err, ran.code], ['', null]);
    const listed = await runHere('rows', space.file, 'list', 'Customer', '--json', ...where);
    assert.equal(JSON.parse(listed.out).length, BACKED_UP);
  }
  const bytes = readFileSync(backup);
  bytes[5000]! ^= 4;
  writeFileSync(old, bytes);
  const ran = await runHere('restore', space.file, '--from', old, '--data', place().data, '--without-checksum');
  assert.match(ran.err, /is damaged/, 'one that has a checksum is held against it');
});

test('what is restored is its owner’s alone, whatever the backup was', async () => {
  const { data, file } = place();
  const open = join(space.dir, 'open.sqlite');
  copyFileSync(backup, open);
  chmodSync(open, 0o644);
  assert.equal((await runHere('restore', space.file, '--from', open, '--data', data)).err, '');
  assert.deepEqual([statSync(file).mode & 0o777, statSync(data).mode & 0o777], [0o600, 0o700]);
});

test('a restore that fails leaves nothing behind', async () => {
  const { data } = place();
  const deep = join(data, 'a', 'b');
  const bad = join(space.dir, 'bad.sqlite');
  const other = new Workspace(PATIENT.replace('at most 500 characters ', 'at most 400 characters '));
  for (const [from, file] of [
    [join(space.dir, 'none'), space.file],
    [space.dir, space.file],
    [space.file, space.file],
    [bad, space.file],
    [backup, other.file],
  ] as const) {
    writeFileSync(bad, 'x'.repeat(9000));
    const ran = await runHere('restore', file, '--from', from, '--data', deep);
    assert.equal(ran.code, 3, ran.out);
    assert.equal(existsSync(data), false, `${from} left directories behind`);
  }
  await other[Symbol.asyncDispose]();
});

test('a backup says which file or directory is in its way, and blames no store', async () => {
  const log = join(space.dir, 'taken.sqlite');
  appendFileSync(`${log}-wal`, 'x');
  for (const [to, why] of [
    [
      join(space.dir, 'a', 'b'),
      /^error: “.*a\/b” can’t be created: there is no directory “.*a”\. Create the directory first\.\n$/,
    ],
    [space.dir, /^error: “.*” is a directory: name a file in it for the backup\.\n$/],
    [backup, /^error: “.*” exists already\. Give the backup another name\.\n$/],
    [join(backup, 'b'), /^error: “.*” can’t be created: “.*” is a file instead of a directory\.\n$/],
    [log, /^error: There is a file “.*-wal”, which SQLite would read together with the backup/],
  ] as const) {
    const ran = await runHere('backup', space.file, '--data', space.data, '--to', to);
    assert.equal(ran.code, 3);
    assert.match(ran.err, why);
  }
});

for (const damage of share(['DROP TABLE ninefold_meta', 'DELETE FROM ninefold_meta', 'DROP TABLE customer CASCADE'], 1)
  .cases)
  test(`what is there in PostgreSQL may be damaged, and is kept: ${damage}`, async () => {
    const url = await server.database();
    const words = ['restore', space.file, '--from', backup, '--store', url];
    assert.equal((await runHere(...words)).err, '');
    await server.query(url, damage);
    const ran = await runHere(...words, '--replace');
    assert.equal(ran.err, '');
    assert.match(ran.out, /The replaced store is kept as the schema ninefold_before_/);
    const listed = await runHere('rows', space.file, 'list', 'Customer', '--json', '--store', url);
    assert.equal(JSON.parse(listed.out).length, BACKED_UP);
  });
