import { call, type Program, type Statement, type Store } from '../../store/store.ts';

/**
 * The number of complete scans after which old events are scanned from the start again: an hour, with one every 30
 * seconds.
 */
const LOOKS_UNTIL_ALL = 120;

/**
 * Deletes events of webhooks and their deliveries after the document's retention time, and ended handler calls that an
 * earlier version of Ninefold has kept.
 */
export class Retention {
  private readonly kept: number | null;
  private readonly forgetDeliveries: Statement;
  private readonly oldest: Statement;
  private readonly forgetEvent: Statement;
  private readonly forgetCalls: Statement;
  /**
   * The last event that has been scanned. Older ones still exist because of a pending delivery or a stream, which
   * delete them when they end; or their receiver was removed with its deliveries, for which scans sometimes start from
   * the beginning.
   */
  private seen = 0;
  private looks = 0;

  /**
   * `kept` is the retention time after an event's last delivery has ended, in milliseconds; null keeps events for ever.
   */
  constructor(store: Store, kept: number | null) {
    this.kept = kept;
    this.forgetDeliveries = store.prepare({ kind: 'system', name: 'forget deliveries' });
    this.oldest = store.prepare({ kind: 'system', name: 'oldest events' });
    this.forgetEvent = store.prepare({ kind: 'system', name: 'forget event' });
    this.forgetCalls = store.prepare({ kind: 'system', name: 'forget calls' });
  }

  /**
   * Deletes at most `most` of each kind; returns the largest number of one kind. `now` is in milliseconds since the
   * epoch.
   */
  *forget(now: number, most: number): Program<number> {
    const calls = yield* call(this.forgetCalls, [most]);
    if (this.kept === null) return calls.length;
    const before = now - this.kept;
    const ended = yield* call(this.forgetDeliveries, [before, most]);
    for (const event of new Set(ended.map(([seq]) => seq!))) yield* call(this.forgetEvent, [event]);
    return Math.max(calls.length, ended.length, yield* this.forgetUntold(before, most));
  }

  /** Removes old events without a delivery. */
  private *forgetUntold(before: number, most: number): Program<number> {
    let looked = 0;
    for (const [seq, at] of yield* call(this.oldest, [this.seen, most])) {
      if ((at as number) > before) break;
      yield* call(this.forgetEvent, [seq!]);
      this.seen = seq as number;
      looked++;
    }
    if (looked < most && ++this.looks % LOOKS_UNTIL_ALL === 0) this.seen = 0;
    return looked;
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
