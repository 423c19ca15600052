import {
  describedVersions,
  type Registered,
  registeredOf,
  type UnservedReceiver,
  unservedReceivers,
} from '../plan/receiver-versions.ts';
import { call, type Program } from '../store/store.ts';
import type { SystemStatement } from '../store/system.ts';
import type { Engine } from './engine/engine.ts';

/** A change of registered receivers; null leaves a property unchanged. */
export interface ReceiverChange {
  /**
   * The receivers to change: by their ids, all that wait for a version, or all with a subscription to the renamed
   * event.
   */
  readonly ids: readonly string[] | 'waiting' | 'subscribed';
  readonly version: string | null;
  readonly events: readonly string[] | null;
  /** The event of a subscription, and the one that replaces it. */
  readonly renamedEvent: { readonly from: string; readonly to: string } | null;
  readonly url: string | null;
  /** Whether the new URL may have a private address; has no effect without a URL. */
  readonly allowPrivate: boolean;
}

/** The versions that a receiver may be given; `none` where the document has no versions. */
export function versionsToGive({ plan, store, versions }: Engine): string[] {
  if (!plan.versions) return ['none'];
  return versions.spoken(store.now()).map((apiVersion) => apiVersion.version);
}

/** Changes receivers; returns the ids of the changed ones, and unknown ids. */
export function* changeReceivers(
  engine: Engine,
  change: ReceiverChange,
): Program<{ readonly changed: readonly string[]; readonly unknown: readonly string[] }> {
  const system = (name: SystemStatement) => engine.store.prepare({ kind: 'system', name });
  const registered = registeredOf(yield* call(system('list receivers'), []));
  const ids = idsOf(engine, change, registered);
  const unknown = ids.filter((id) => !registered.some((one) => one.id === id));
  if (unknown.length) return { changed: [], unknown };
  const version = change.version === 'none' && describedVersions(engine.plan).includes('') ? '' : change.version;
  for (const id of ids) {
    if (version !== null) yield* call(system('change receiver'), [version, id]);
    if (change.url !== null) yield* call(system('move receiver'), [change.url, change.allowPrivate, id]);
    const events = eventsOf(change, registered.find((one) => one.id === id)!);
    if (!events) continue;
    yield* call(system('unsubscribe receiver'), [id]);
    for (const event of events) yield* call(system('subscribe receiver'), [id, event]);
  }
  return { changed: ids, unknown };
}

function idsOf({ plan }: Engine, change: ReceiverChange, registered: readonly Registered[]): readonly string[] {
  const { ids, renamedEvent } = change;
  if (ids === 'waiting')
    return unservedReceivers(plan, registered).flatMap(({ id, becomes }) => (becomes === 'waits' ? [id] : []));
  if (ids !== 'subscribed') return ids;
  return registered.flatMap(({ id, events }) => (renamedEvent && events.includes(renamedEvent.from) ? [id] : []));
}

function eventsOf({ events, renamedEvent }: ReceiverChange, before: Registered): readonly string[] | null {
  if (!renamedEvent) return events;
  return before.events.map((event) => (event === renamedEvent.from ? renamedEvent.to : event));
}

/** Returns the receivers whose version or events the document no longer has. */
export async function strandedIn({ plan, store }: Engine): Promise<UnservedReceiver[]> {
  const list = store.prepare({ kind: 'system', name: 'list receivers' });
  return unservedReceivers(plan, registeredOf(await store.read(() => call(list, []))));
}
