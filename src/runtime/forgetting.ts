import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from './engine/engine.ts';
import { forgetOldSecrets } from './events/retention.ts';

/** How long it pauses when there is more to forget, in milliseconds. */
const PAUSE_MS = 20;

/**
 * Removes what is kept for a time that is over by `now`, and gives the room back to the disk: some at a time, so that
 * requests come in between, until nothing is left, since what comes in a day has to go in one. Rejects with StoreError.
 */
export async function forgetExpired(engine: Engine, now: number, isStopped: () => boolean): Promise<void> {
  const { store } = engine;
  const untilDone = async (some: () => Promise<boolean> | undefined): Promise<void> => {
    while (!isStopped() && (await some())) await sleep(PAUSE_MS, undefined, { ref: false });
  };
  await untilDone(() => store.write(() => engine.forget(now)));
  if (engine.plan.webhook && !isStopped()) await store.write(() => forgetOldSecrets(store, now));
  await untilDone(() => store.shrink?.());
}
