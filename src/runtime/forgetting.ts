import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from './engine/engine.ts';
import { forgetOldSecrets } from './events/retention.ts';

/** The pause between two transactions of deletions, in milliseconds. */
const PAUSE_MS = 20;

/**
 * Deletes all expired data as of `now`, and returns the disk space: in parts, so that requests run in between, until
 * nothing is left, since a day's data must be deleted in a day. Rejects with StoreError.
 */
export async function forgetExpired(engine: Engine, now: number, isStopped: () => boolean): Promise<void> {
  const { store } = engine;
  const untilDone = async (some: () => Promise<boolean> | undefined): Promise<void> => {
    while (!isStopped() && (await some())) await sleep(PAUSE_MS, undefined, { ref: false });
  };
  await untilDone(() => engine.forget(now));
  await untilDone(() => engine.files.forget(now));
  if (store.travels && !isStopped()) await store.write(() => engine.skeletons.keepStored());
  if (engine.plan.webhook && !isStopped()) await store.write(() => forgetOldSecrets(store, now));
  await untilDone(() => store.shrink?.());
}
