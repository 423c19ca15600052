import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { databaseFile, type Place } from '../../src/cli/stores.ts';
import { IN_WHOLE, share, times } from '../share.ts';
import { PostgresStand, SqliteStand, type Stand } from './stands.ts';
import { NOW, stock } from './stock.ts';

const PROGRAM = fileURLToPath(new URL('killed.ts', import.meta.url));

const sqlite = new SqliteStand();
const postgres = new PostgresStand();
const dir = mkdtempSync(join(tmpdir(), 'ninefold-killed-'));
const file = join(dir, 'stock.md');
before(async () => {
  await sqlite.fill();
  await postgres.fill();
  writeFileSync(file, NEXT);
});
after(async () => {
  await sqlite[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
});

/** A document that differs in all that a migration knows of, and what the operator says of it. */
const NEXT = stock(
  ['### Maker', '### Brand'],
  ['| maker  | Maker     |', '| maker  | Brand     |'],
  ['List `makers`: Maker,', 'List `makers`: Brand,'],
  ['| amount | integer   |        | 0 to 1000 ', '| onhand | decimal   |        | 0.0 to 1000.0 '],
  ['name, amount, spare, price, note', 'name, onhand, spare, price, total'],
  [
    '| note   | string    |        | at most 200 characters     | operator    | optional |',
    '| total  | integer   |        | 0 to 9000                  | operator    |          |',
  ],
  [
    '| code   | string    |        | at most 40 characters      | operator    | optional |          |',
    '| code   | string    | uuid   | any                        | operator    | optional | yes      |',
  ],
  ['one of draft, open, closed', 'one of draft, live, closed'],
  ['| open       | draft       | open   |', '| open       | draft       | live   |'],
  [
    '| close      | draft, open | closed | always                  | not_open  |',
    '| close      | draft, live | closed | always                  | not_open  |\n| lapse      | draft | closed | 24 hours after `made` | none |',
  ],
  [
    '### Item\n',
    '### Tag\n\n| Field | Type | Allowed values | Given by | Unique |\n| --- | --- | --- | --- | --- |\n| id | string | at most 9 characters | operator | identity |\n\n- Shown: id\n- Visible: everyone\n\n### Item\n',
  ],
  [
    '### `GET /makers`',
    '### `GET /tags`\n\n1. List `tags`: Tag, earliest `id` first, in pages.\n2. Answer 200 with `tags`.\n\n### `GET /makers`',
  ],
);
const OPTIONS = {
  rename: ['Maker=Brand', 'Item.amount=Item.onhand'],
  accept: ['drop Item.note'],
  fill: ['Item.total=`spare * 2`'],
  replace: ['Item.status:open=`onhand > 5.0 ? "live" : "draft"`'],
};

/** At how many statements a run kills it: each is a process. */
const MOST = 4;

/** Migrates in a process of its own, under another program where one is given; gives how that ended. */
function migrate(at: Place, k: number, prefix: readonly string[] = []) {
  const place = JSON.stringify(at);
  const words = [...prefix, process.execPath, PROGRAM, file, place, String(NOW), JSON.stringify(OPTIONS), String(k)];
  return spawnSync(words[0]!, words.slice(1), { encoding: 'utf8' });
}

/** What a database holds whose writer is gone; its log is read as whoever opens it next would. */
async function found(stand: Stand, place: Place): Promise<unknown> {
  if (place.store !== undefined) return stand.contents(place);
  const db = new Database(databaseFile(place.data));
  assert.equal(db.pragma('integrity_check', { simple: true }), 'ok');
  assert.deepEqual(db.pragma('foreign_key_check'), []);
  db.close();
  return stand.contents(place);
}

for (const [name, stand, most] of [
  ['SQLite', sqlite, MOST],
  ['PostgreSQL', postgres, MOST / 2],
] as const)
  test(
    `${name}: killed at each statement, the rows are those of the old document or of the new one, never between`,
    IN_WHOLE,
    async (t) => {
      const whole = await stand.copy();
      const ran = migrate(whole, 0);
      assert.equal(ran.status, 0, ran.stderr);
      const statements = Number(ran.stdout);
      const [old, done] = [await found(stand, stand.first), await found(stand, whole)];
      assert.ok(statements > 30);
      assert.notDeepEqual(old, done);
      const { cases, which } = share(
        Array.from({ length: statements }, (_, i) => i + 1),
        most,
        3,
      );
      for (const [i, k] of cases.entries()) {
        const place = await stand.copy();
        assert.equal(migrate(place, k).signal, 'SIGKILL', `statement ${k}`);
        assert.deepEqual(await found(stand, place), old, `killed at statement ${k} of ${statements}`);
        // Every few times it is begun again: what was killed has left nothing in the way.
        if (i % 4 === 0) {
          assert.equal(migrate(place, 0).status, 0);
          assert.deepEqual(await found(stand, place), done);
        }
      }
      t.diagnostic(
        `killed at ${cases.length} of ${statements} statements (${which}); begun again ${Math.ceil(cases.length / 4)} times`,
      );
    },
  );

const tried = spawnSync('strace', ['-o', '/dev/null', '-e', 'trace=fsync', 'true'], { encoding: 'utf8' });
const skip = tried.error || tried.status !== 0 ? 'strace can’t trace here' : false;
const CALLS = 'pwrite64,fsync,fdatasync,ftruncate';
/** How many writes and syncs it is killed at, beside the last ones, which are those of the commit. */
const SAMPLES = times(2, 12);
const LAST = times(6, 12);

test('killed at writes and syncs, those of the commit among them, it is one or the other', {
  skip,
  ...IN_WHOLE,
}, async (t) => {
  const trace = join(dir, 'trace');
  const whole = await sqlite.copy();
  assert.equal(migrate(whole, 0, ['strace', '-qq', '-o', trace, '-e', `trace=${CALLS}`]).status, 0);
  const calls = readFileSync(trace, 'utf8').split('\n').length - 1;
  const [old, done] = [await found(sqlite, sqlite.first), await found(sqlite, whole)];
  const ends = { before: 0, done: 0 };
  const spread = Array.from({ length: SAMPLES }, (_, i) => 1 + Math.floor(((calls - LAST) * i) / SAMPLES));
  for (const n of [...spread, ...Array.from({ length: LAST }, (_, i) => calls - i)]) {
    const place = await sqlite.copy();
    const inject = `inject=${CALLS}:signal=SIGKILL:when=${n}`;
    migrate(place, 0, ['strace', '-qq', '-o', '/dev/null', '-e', `trace=${CALLS}`, '-e', inject]);
    const left = JSON.stringify(await found(sqlite, place));
    const end = left === JSON.stringify(done) ? 'done' : 'before';
    assert.equal(left, JSON.stringify(end === 'done' ? done : old), `killed at call ${n} of ${calls}`);
    ends[end]++;
  }
  assert.ok(ends.before > 0 && ends.done > 0);
  t.diagnostic(
    `of ${calls} calls, killed at ${SAMPLES + LAST}: ${ends.before} times as before, ${ends.done} times done`,
  );
});
