import { call, type Program, type Statement, type Store } from '../../store/store.ts';

/**
 * The number of complete scans after which old events are scanned from the start again: an hour, with one every 30
 * seconds.
 */
const LOOKS_UNTIL_ALL = 120;

/** How far the scan for old events without a delivery has come. */
interface Scan {
  /**
   * The last event that has been scanned. Older ones still exist because of a pending delivery or a stream, which
   * delete them when they end; or their receiver was removed with its deliveries, for which scans sometimes start from
   * the beginning.
   */
  readonly seen: number;
  /** The number of complete scans. */
  readonly looks: number;
}

/** The result of one transaction of deletions. */
interface Forgotten {
  /** The largest number of deletions of one kind. */
  readonly count: number;
  readonly scan: Scan;
}

/**
 * Deletes events of webhooks and their deliveries after the document's retention time, and ended handler calls that an
 * earlier version of Ninefold has kept.
 */
export class Retention {
  private readonly kept: number | null;
  private readonly forgetDeliveries: Statement;
  private readonly oldest: Statement;
  private readonly events: EventRemoval;
  private readonly forgetCalls: Statement;
  private scan: Scan = { seen: 0, looks: 0 };

  /**
   * `kept` is the retention time after an event's last delivery has ended, in milliseconds; null keeps events for ever.
   */
  constructor(store: Store, kept: number | null) {
    this.kept = kept;
    this.forgetDeliveries = store.prepare({ kind: 'system', name: 'forget deliveries' });
    this.oldest = store.prepare({ kind: 'system', name: 'oldest events' });
    this.events = new EventRemoval(store);
    this.forgetCalls = store.prepare({ kind: 'system', name: 'forget calls' });
  }

  /**
   * Deletes at most `most` of each kind. The result is for `committed`: the store may undo a run of this program and
   * run it again. `now` is in milliseconds since the epoch.
   */
  *forget(now: number, most: number): Program<Forgotten> {
    const calls = yield* call(this.forgetCalls, [most]);
    if (this.kept === null) return { count: calls.length, scan: this.scan };
    const before = now - this.kept;
    const ended = yield* call(this.forgetDeliveries, [before, most]);
    for (const event of new Set(ended.map(([seq]) => seq!))) yield* this.events.forget(event as number);
    const untold = yield* this.forgetUntold(before, most);
    return { count: Math.max(calls.length, ended.length, untold.count), scan: untold.scan };
  }

  /** Takes note of deletions that have been committed: the next scan continues where they ended. */
  committed({ scan }: Forgotten): void {
    this.scan = scan;
  }

  /** Removes old events without a delivery. */
  private *forgetUntold(before: number, most: number): Program<Forgotten> {
    let { seen, looks } = this.scan;
    let count = 0;
    for (const [seq, at] of yield* call(this.oldest, [seen, most])) {
      if ((at as number) > before) break;
      yield* this.events.forget(seq as number);
      seen = seq as number;
      count++;
    }
    if (count < most && ++looks % LOOKS_UNTIL_ALL === 0) seen = 0;
    return { count, scan: { seen, looks } };
  }
}

/** Deletes events that nothing needs any more. */
export class EventRemoval {
  private readonly forgetEvent: Statement;
  private readonly giveBodies: Statement;

  constructor(store: Store) {
    this.forgetEvent = store.prepare({ kind: 'system', name: 'forget event' });
    this.giveBodies = store.prepare({ kind: 'system', name: 'give answers bodies' });
  }

  /**
   * Deletes an event, unless a delivery or the stream needs it. A kept answer whose body is the event’s data gets the
   * data as a body of its own before.
   */
  *forget(seq: number): Program<void> {
    if ((yield* call(this.forgetEvent, [seq])).length > 0) return;
    if ((yield* call(this.giveBodies, [seq])).length > 0) yield* call(this.forgetEvent, [seq]);
  }
}

/** Deletes replaced secrets of receivers that are no longer valid. */
export function* forgetOldSecrets(store: Store, now: number): Program<void> {
  const [ended, forget] = (['ended old secrets', 'forget old secrets'] as const).map((name) =>
    store.prepare({ kind: 'system', name }),
  );
  // The check is a read: there are rarely any such secrets, and each write costs a commit.
  if ((yield* call(ended!, [now])).length > 0) yield* call(forget!, [now]);
}
