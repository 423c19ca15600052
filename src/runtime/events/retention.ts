import { call, type Program, type Statement, type Store } from '../../store/store.ts';

/** After how many looks without a remainder all old events are looked at again: with one each 30 seconds, in an hour. */
const LOOKS_UNTIL_ALL = 120;

/**
 * Removes events of webhooks and their deliveries once the time is over for which the document has them kept, and calls
 * of handlers that ended under a version of Ninefold which kept them.
 */
export class Retention {
  private readonly kept: number | null;
  private readonly forgetDeliveries: Statement;
  private readonly oldest: Statement;
  private readonly forgetEvent: Statement;
  private readonly forgetCalls: Statement;
  /**
   * The last event that has been looked at. Older ones that are still there wait for a delivery or a stream, whose own end
   * removes them; or their last delivery went with its receiver, which is why all are looked at again now and then.
   */
  private seen = 0;
  private looks = 0;

  /** `kept` is in milliseconds: how long an event is kept once its last delivery has ended; null for ever. */
  constructor(store: Store, kept: number | null) {
    this.kept = kept;
    this.forgetDeliveries = store.prepare({ kind: 'system', name: 'forget deliveries' });
    this.oldest = store.prepare({ kind: 'system', name: 'oldest events' });
    this.forgetEvent = store.prepare({ kind: 'system', name: 'forget event' });
    this.forgetCalls = store.prepare({ kind: 'system', name: 'forget calls' });
  }

  /** Removes at most `most` of each kind, and gives how many of the largest there were. `now` is in milliseconds since the epoch. */
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

/** Forgets secrets of receivers that another has replaced, once they are no longer valid. */
export function* forgetOldSecrets(store: Store, now: number): Program<void> {
  const [ended, forget] = (['ended old secrets', 'forget old secrets'] as const).map((name) =>
    store.prepare({ kind: 'system', name }),
  );
  // Nearly always there is none, and whoever writes makes others read again.
  if ((yield* call(ended!, [now])).length > 0) yield* call(forget!, [now]);
}
