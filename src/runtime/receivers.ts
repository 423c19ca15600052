import {
  describedVersions,
  registeredOf,
  type UnservedReceiver,
  unservedReceivers,
} from '../plan/receiver-versions.ts';
import { call, type Program } from '../store/store.ts';
import type { SystemStatement } from '../store/system.ts';
import type { Engine } from './engine/engine.ts';

/** What becomes of receivers that are registered already; null leaves it as it is. */
export interface ReceiverChange {
  /** Of whom: by their ids, or all that wait for a version. */
  readonly ids: readonly string[] | 'waiting';
  readonly version: string | null;
  readonly events: readonly string[] | null;
}

/** The versions that a receiver may be given; `none` where the document has no versions. */
export function versionsToGive({ plan, store, versions }: Engine): string[] {
  if (!plan.versions) return ['none'];
  return versions.spoken(store.now()).map((apiVersion) => apiVersion.version);
}

/** Gives receivers another version, or other events; gives the ids of those changed, and of those that there are not. */
export function* changeReceivers(
  engine: Engine,
  change: ReceiverChange,
): Program<{ readonly changed: readonly string[]; readonly unknown: readonly string[] }> {
  const system = (name: SystemStatement) => engine.store.prepare({ kind: 'system', name });
  const registered = registeredOf(yield* call(system('list receivers'), []));
  const waiting = unservedReceivers(engine.plan, registered).flatMap(({ id, becomes }) =>
    becomes === 'waits' ? [id] : [],
  );
  const ids = change.ids === 'waiting' ? waiting : change.ids;
  const unknown = ids.filter((id) => !registered.some((one) => one.id === id));
  if (unknown.length) return { changed: [], unknown };
  const version = change.version === 'none' && describedVersions(engine.plan).includes('') ? '' : change.version;
  for (const id of ids) {
    if (version !== null) yield* call(system('change receiver'), [version, id]);
    if (!change.events) continue;
    yield* call(system('unsubscribe receiver'), [id]);
    for (const event of change.events) yield* call(system('subscribe receiver'), [id, event]);
  }
  return { changed: ids, unknown };
}

/** The receivers that are not told what they were registered for. */
export async function strandedIn({ plan, store }: Engine): Promise<UnservedReceiver[]> {
  const list = store.prepare({ kind: 'system', name: 'list receivers' });
  return unservedReceivers(plan, registeredOf(await store.read(() => call(list, []))));
}
