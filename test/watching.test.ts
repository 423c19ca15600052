import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { edited, RAISED, until, Workspace } from './harness.ts';

/** The document with larger pages, which is known by the rows that it lists unasked. */
const paged = (standard: number): string =>
  edited(RAISED, ['20 by default, 100 at most', `${standard} by default, 100 at most`]);

test('a document that is a link is served anew when it points elsewhere, and when what it points at changes', async () => {
  await using space = new Workspace(RAISED);
  for (const [version, standard] of [
    ['v1', 20],
    ['v2', 25],
  ] as const) {
    mkdirSync(join(space.dir, version));
    writeFileSync(join(space.dir, version, 'orders.md'), paged(standard));
  }
  rmSync(space.file);
  symlinkSync('v1', join(space.dir, '..data'));
  symlinkSync('..data/orders.md', space.file);
  const service = await space.serve({ args: ['--watch'] });
  const taken = (times: number) => (): boolean => service.out.split('is served as it is now').length > times;
  // As a ConfigMap of Kubernetes is changed.
  symlinkSync('v2', join(space.dir, '..new'));
  renameSync(join(space.dir, '..new'), join(space.dir, '..data'));
  await until(taken(1), 'the other document served');
  writeFileSync(join(space.dir, 'v2', 'orders.md'), paged(30));
  await until(taken(2), 'the edit served');
  await sleep(1500);
  assert.ok(!taken(3)(), 'nothing is read anew that has not changed');
});
