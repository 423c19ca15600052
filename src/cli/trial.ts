import type { Plan } from '../plan/step.ts';
import { Engine } from '../runtime/engine/engine.ts';
import { SqliteStore } from '../store/sqlite/store.ts';
import { secretsIn } from './secrets.ts';

/** Starts a plan on an empty store in memory: a plan that can’t be started never takes the place of one that runs. */
export async function tryOut(plan: Plan, url: string | null): Promise<void> {
  const store = new SqliteStore(':memory:', plan);
  try {
    await (await Engine.start(plan, store, plan.address.url ?? url, secretsIn(process.env))).handlers.close();
  } finally {
    await store.close();
  }
}
