import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import Database from 'better-sqlite3';
import { edited, PATIENT, type Service, until, Workspace } from '../harness.ts';
import { IN_WHOLE, times } from '../share.ts';
import { load, mustBeOneState } from './load.ts';

/** How many backups are made while requests write. */
const BACKUPS = times(2, 4);

const space = new Workspace(PATIENT);
const other = new Workspace(PATIENT);
let service: Service;
let key: string;

before(async () => {
  key = await space.key(await space.customer());
  service = await space.serve();
});
after(async () => {
  await space[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

test('is one state of everything, made while requests write', async (t) => {
  const working = load(key, [service]);
  const told: string[] = [];
  for (let n = 1; n <= BACKUPS; n++) {
    const enough = working.opened.size + 60;
    await until(() => working.opened.size > enough, 'some load');
    const known = new Map(working.opened);
    const to = join(space.dir, `backup-${n}.sqlite`);
    const ran = await space.cli('backup', '--to', to);
    assert.deepEqual([ran.code, ran.err], [0, '']);
    assert.match(ran.out, /is backed up to .*backup-\d.sqlite: /);
    const { rows, placed } = mustBeOneState(to, known);
    told.push(`${rows} orders, ${placed} placed, ${known.size} acknowledged before`);
    assert.equal(statSync(to).mode & 0o777, 0o600);
  }
  await working.stop();
  assert.deepEqual(
    readdirSync(space.dir).filter((name) => name.includes('.part')),
    [],
  );
  for (const one of told) t.diagnostic(one);
});

test('is restored, and the service goes on from there', async () => {
  const backup = join(space.dir, `backup-${BACKUPS}.sqlite`);
  const ran = await other.cli('restore', '--from', backup);
  assert.deepEqual([ran.code, ran.err], [0, '']);
  const restored = await other.serve();
  const listed = await restored.request('GET', '/orders?limit=5', { key });
  assert.equal(listed.status, 200, 'the keys are there');
  const answer = await restored.open(key, { sku: 'NEW-0001', quantity: 1 });
  assert.equal(answer.status, 201);
  const inUse = await other.cli('restore', '--from', backup, '--replace');
  assert.deepEqual([inUse.code, /Another service runs/.test(inUse.err)], [3, true]);
  assert.equal(await restored.stop(), 0);
});

test('does not take the place of what is there, unless told; and then that is kept', IN_WHOLE, async () => {
  const backup = join(space.dir, 'backup-1.sqlite');
  const file = join(other.data, 'ninefold.sqlite');
  const there = await other.cli('restore', '--from', backup);
  assert.deepEqual([there.code, /^error: A database exists already/.test(there.err)], [3, true]);
  const open = new Database(file);
  open.prepare('SELECT count(*) FROM "order"').get();
  const used = await other.cli('restore', '--from', backup, '--replace');
  assert.equal(used.code, 3, used.out);
  open.close();
  const ran = await other.cli('restore', '--from', backup, '--replace', '--json');
  assert.equal(ran.code, 0, ran.err);
  const { kept } = JSON.parse(ran.out) as { kept: string };
  const orders = (path: string): unknown =>
    new Database(path, { readonly: true }).prepare('SELECT count(*) FROM "order"').pluck().get();
  assert.ok((orders(kept) as number) > (orders(file) as number));
  assert.equal(orders(file), orders(backup));
});

test('that is damaged, or of another document, or no backup, is refused before anything is touched', async () => {
  const [good, bad] = [join(space.dir, 'backup-2.sqlite'), join(space.dir, 'bad.sqlite')];
  const bytes = readFileSync(good);
  // Pages from the middle on, but not their heads alone: what is in them no longer fits what points at it.
  bytes.fill(0x5a, bytes.length >> 1, (bytes.length >> 1) + 8192);
  writeFileSync(bad, bytes);
  const before = readdirSync(other.data).sort();
  const damaged = await other.cliHere('restore', '--from', bad, '--replace');
  assert.deepEqual([damaged.code, damaged.err.startsWith(`error: “${bad}” is damaged`)], [3, true], damaged.err);
  const none = await other.cliHere('restore', '--from', join(space.dir, 'none'), '--replace');
  assert.match(none.err, /There is no backup/);
  copyFileSync(other.file, bad);
  assert.equal((await other.cliHere('restore', '--from', bad, '--replace')).code, 3);
  other.write(edited(PATIENT, ['at most 500 characters ', 'at most 400 characters ']));
  const another = await other.cliHere('restore', '--from', good, '--replace');
  assert.match(
    another.err,
    /^error: “[^”]*backup-2\.sqlite” can’t be restored: The rows have the shape of another document\. With this document, Order.note may hold fewer values/,
  );
  assert.deepEqual(readdirSync(other.data).sort(), before);
  const again = await space.cli('backup', '--to', good);
  assert.match(again.err, /“.*” exists already/);
  assert.ok(existsSync(good));
});
