import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../../../expression/values/value.ts';
import type { Call, Program, Store } from '../../../store/store.ts';
import { RerunState } from '../../context/rerun-state.ts';
import { Calls } from './calls.ts';
import type { Handlers } from './handlers.ts';

/** A slow store in which a call is always due; it records the queries that it gets after it was closed. */
class SlowStore {
  closed = false;
  readonly late: string[] = [];
  leased = 0;

  now(): number {
    return Date.now();
  }

  prepare({ name }: { name: string }): unknown {
    return { spec: { name } };
  }

  async read<T>(program: () => Program<T>): Promise<T> {
    if (this.closed) this.late.push('read');
    await sleep(30);
    return this.drive(program());
  }

  async write<T>(program: () => Program<T>): Promise<T> {
    if (this.closed) this.late.push('write');
    await sleep(30);
    return this.drive(program());
  }

  private drive<T>(program: Program<T>): T {
    let step = program.next();
    while (!step.done) step = program.next(this.rows(step.value));
    return step.value;
  }

  private rows([statement]: Call): Row[] {
    const { name } = statement.spec as unknown as { name: string };
    if (name === 'lease call') this.leased++;
    if (name === 'call done') return [['call_0']];
    return name === 'due calls' ? [[`call_${this.leased}`, 'charge', '{}', 0] as unknown as Row] : [];
  }
}

/** A handler that answers once `answers` resolves, or fails once it is closed. */
function slowHandler(answers: Promise<string>): Handlers {
  let stop: (error: Error) => void = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = reject;
  });
  stopped.catch(() => {});
  const handler = {
    plan: { name: 'charge', within: 1000, delays: [] },
    process: { run: () => Promise.race([answers, stopped]) },
    given: () => ({ values: [] }),
    taken: () => [],
  };
  const close = async (): Promise<void> => stop(new Error('it has been stopped'));
  return { all: new Map([['charge', handler]]), close } as unknown as Handlers;
}

const NOTHING = {
  *answers(): Program<void> {},
  *fails(): Program<void> {},
};

function callsOn(store: SlowStore, handlers: Handlers): Calls {
  const work = {
    newRerunState: () => new RerunState(),
    make: () => ({ frame: { now: 0, version: '' } }) as never,
    *finish(): Program<void> {},
  };
  return new Calls(handlers, store as unknown as Store, new Map([['charge', NOTHING]]), work, () => {});
}

for (const wait of [0, 15, 45, 75, 105])
  test(`a stop ${wait} ms after the start waits for the look that is in progress, and for what it leases`, async () => {
    const store = new SlowStore();
    const calls = callsOn(store, slowHandler(Promise.resolve('{}')));
    calls.start();
    await sleep(wait);
    await calls.stop();
    store.closed = true;
    const { leased } = store;
    await sleep(200);
    assert.deepEqual([store.late, store.leased], [[], leased]);
  });

test('what still runs when the time of a stop is over is left to its lease', async () => {
  const store = new SlowStore();
  const calls = callsOn(store, slowHandler(new Promise(() => {})));
  calls.start();
  while (store.leased === 0) await sleep(5);
  // The handler never answers: the test is whether the stop ends.
  await calls.stop(50);
  store.closed = true;
  await sleep(200);
  assert.deepEqual(store.late, []);
});
