import assert from 'node:assert/strict';
import { chownSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lacksMount, SmallDisk } from '../faults/smalldisk.ts';
import { RAISED, Workspace } from '../harness.ts';
import { IN_WHOLE, WHOLE } from '../share.ts';
import { STRACE, skip } from '../strace.ts';

const TRACED = !WHOLE ? IN_WHOLE : { skip };

/** When a restore is killed: it has begun to copy, waits for the disk, and is about to give the name. */
const KILLS = ['pwrite64:signal=KILL:when=20', 'fsync:signal=KILL:when=1', 'rename:signal=KILL:when=1'];

/** Makes a backup of some rows. */
async function backedUp(space: Workspace): Promise<string> {
  await space.customer();
  const backup = join(space.dir, 'backup');
  assert.equal((await space.cli('backup', '--to', backup)).code, 0);
  return backup;
}

for (const kill of KILLS)
  for (const next of ['restore', 'serve'])
    test(`${next} clears away what a killed restore has left: ${kill}`, TRACED, async () => {
      await using space = new Workspace(RAISED);
      const backup = await backedUp(space);
      const place = join(space.dir, 'other');
      space.place = ['--data', place];
      const killed = [...STRACE, '-o', '/dev/null', '-e', 'trace=fsync,rename,pwrite64', '-e', `inject=${kill}`];
      const { code } = await space.cliUnder(killed, 'restore', '--from', backup);
      assert.notEqual(code, 0);
      assert.deepEqual(
        readdirSync(place).map((name) => name.replace(/-\w{6}$/, '')),
        ['ninefold.sqlite.part', 'serving.lock'],
      );
      if (next === 'restore') assert.equal((await space.cli('restore', '--from', backup)).code, 0);
      else assert.equal(await (await space.serve()).stop(), 0);
      assert.deepEqual(readdirSync(place), ['ninefold.sqlite']);
    });

const lacks = WHOLE && lacksMount();

test(
  'what finds its disk full says so, and leaves nothing',
  !WHOLE ? IN_WHOLE : lacks ? { skip: lacks } : {},
  async () => {
    await using space = new Workspace(RAISED);
    const backup = await backedUp(space);
    const mounted = join(space.dir, 'disk');
    mkdirSync(mounted);
    using disk = await SmallDisk.on(mounted, '1m');
    disk.fill(100_000);
    const there = (): string[] => readdirSync(disk.path);
    const copied = await space.cliUnder(disk.prefix, 'backup', '--to', join(mounted, 'copy'));
    assert.deepEqual(
      [copied.code, copied.err],
      [3, `error: “${join(mounted, 'copy')}” can’t be made: its disk is full.\n`],
    );
    const data = join(mounted, 'data');
    space.place = ['--data', data];
    const full = (err: string): void =>
      assert.match(
        err,
        /^error: the store in \S+ can’t be used: .*disk is full\. Make room on the disk, and run the command again\.\n$/,
      );
    const restored = await space.cliUnder(disk.prefix, 'restore', '--from', backup);
    assert.equal(restored.code, 3);
    full(restored.err);
    assert.deepEqual(there(), ['ballast']);
    const served = await space.cliUnder(disk.prefix, 'serve', '--port', '0');
    assert.equal(served.code, 3);
    full(served.err);
  },
);

const root = process.getuid?.() === 0 ? false : 'only root gives files to others';

test(
  'what root stores in the directory of another user belongs to that user, for whom the service runs',
  !WHOLE ? IN_WHOLE : { skip: root },
  async () => {
    await using space = new Workspace(RAISED);
    const backup = await backedUp(space);
    const nobody = 65_534;
    for (const [i, args] of [
      ['restore', '--from', backup],
      ['rows', 'add', 'Customer', 'id=0195c2a0-0000-7000-8000-000000000001', 'name=A', 'email=a@b.example'],
    ].entries()) {
      const data = join(space.dir, `nobody-${i}`);
      mkdirSync(data);
      chownSync(data, nobody, nobody);
      space.place = ['--data', data];
      const [command = '', ...words] = args;
      const ran = await space.cliUnder([], command, ...words);
      assert.equal(ran.code, 0, ran.err);
      const again = await space.cliUnder([], 'restore', '--from', backup, '--replace');
      assert.equal(again.code, 0, again.err);
      for (const name of readdirSync(data)) {
        const { uid, gid, mode } = statSync(join(data, name));
        assert.deepEqual([uid, gid, mode & 0o777], [nobody, nobody, 0o600], name);
      }
    }
  },
);
