import { call, type Program, type Statement, type Store } from '../../store/store.ts';

/** Forgets events of webhooks, and their deliveries, once the time is over that the document has them kept. */
export class Retention {
  private readonly kept: number;
  private readonly forgetDeliveries: Statement;
  private readonly oldest: Statement;
  private readonly forgetEvent: Statement;
  /**
   * The last event that has been looked at since this process began. Those before it that are still there wait for a
   * delivery, whose own end has them forgotten.
   */
  private seen = 0;

  /** `kept` is in milliseconds: how long an event is kept once its last delivery has ended. */
  constructor(store: Store, kept: number) {
    this.kept = kept;
    this.forgetDeliveries = store.prepare({ kind: 'system', name: 'forget deliveries' });
    this.oldest = store.prepare({ kind: 'system', name: 'oldest events' });
    this.forgetEvent = store.prepare({ kind: 'system', name: 'forget event' });
  }

  /**
   * Forgets deliveries that ended long enough ago, with events that have no other, and events as old that nobody was told
   * of. At most `most` of each; gives how many of the larger there were. `now` is in milliseconds since the epoch.
   */
  *forget(now: number, most: number): Program<number> {
    const before = now - this.kept;
    const ended = yield* call(this.forgetDeliveries, [before, most]);
    for (const event of new Set(ended.map(([seq]) => seq!))) yield* call(this.forgetEvent, [event]);
    const rows = yield* call(this.oldest, [this.seen, most]);
    let looked = 0;
    for (const [seq, at] of rows) {
      if ((at as number) > before) break;
      yield* call(this.forgetEvent, [seq!]);
      this.seen = seq as number;
      looked++;
    }
    return Math.max(ended.length, looked);
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
