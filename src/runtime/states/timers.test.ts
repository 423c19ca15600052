import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Program, Store } from '../../store/store.ts';
import type { Expressions } from '../expressions/layout.ts';
import type { Resource } from '../resources/rules.ts';
import { Timers } from './states.ts';

const LAPSE = { name: 'lapse', timed: {}, then: [] };
const plan = {
  name: 'Job',
  events: [],
  givings: [],
  machines: [{ field: 'state', initial: 'open', transitions: [LAPSE] }],
};

/** Runs a program to its end; all its queries return no rows. */
function run<T>(program: Program<T>): T {
  let step = program.next();
  while (!step.done) step = program.next([]);
  return step.value;
}

test('a look that does not see a commit yet forgets nothing that the commit has noted', async () => {
  const resource = { plan, transition: () => ({ field: 'state', plan: LAPSE }), onDue: (_: number) => {} };
  const store = {
    now: () => Date.now(),
    prepare: () => ({ parameters: [] }),
    read: (program: () => Program<unknown>) => run(program()),
    write: async (program: () => Program<unknown>) => run(program()),
  };
  const timers = new Timers(
    [resource as unknown as Resource],
    store as unknown as Store,
    { column: () => 0 } as unknown as Expressions,
    { version: '', wire: () => null } as never,
    function* finish() {},
  );
  const now = Date.now();
  resource.onDue(now + 500);
  resource.onDue(now + 50);
  // A read sees the store as it was before the commits: nothing is due.
  run(timers.look());
  assert.equal(timers.next, now + 50);
  assert.equal(await timers.makeDue(now + 100), 0);
  assert.equal(timers.next, now + 500, 'what has been done, or was undone, is not waited for again');
  await timers.makeDue(now + 1000);
  assert.equal(timers.next, Number.POSITIVE_INFINITY);
});
