import { UuidSource } from '../../expression/uuid.ts';
import type { Row } from '../../expression/value.ts';
import type { ResourcePlan, WirePlan } from '../../plan/step.ts';
import { call, type Program, type Statement, type Store } from '../../store/store.ts';
import type { Work } from '../resources/enforce.ts';
import { rowWriter } from '../resources/shown.ts';
import type { Speech } from '../versioning/enforce.ts';

interface EventRule {
  readonly name: string;
  readonly on: 'created' | 'moves';
  readonly by: readonly string[];
}

/** Writes events into the outbox, in the transaction of the change that they tell of. */
export class Recorder {
  private readonly insertEvent: Statement;
  private readonly receivers: Statement;
  private readonly insertDelivery: Statement;
  private readonly writers = new Map<string, (row: Row) => string>();
  private readonly ids = new UuidSource();

  constructor(resources: readonly ResourcePlan[], current: Speech, wire: WirePlan, store: Store) {
    this.insertEvent = store.prepare({ kind: 'system', name: 'insert event' });
    this.receivers = store.prepare({ kind: 'system', name: 'receivers of event' });
    this.insertDelivery = store.prepare({ kind: 'system', name: 'insert delivery' });
    for (const resource of resources)
      if (resource.events.length) this.writers.set(resource.name, rowWriter(resource, current, wire));
  }

  /** Records the events of what has happened, with the rows as the transaction leaves them. Returns how many. */
  *record(work: Work): Program<number> {
    let recorded = 0;
    for (const { resource, row, by } of work.happened) {
      for (const rule of resource.plan.events) {
        if (!tells(rule, by)) continue;
        yield* this.one(work, rule, resource.plan.name, row, String(row[resource.identity]));
        recorded++;
      }
    }
    return recorded;
  }

  private *one(work: Work, rule: EventRule, resource: string, row: Row, identity: string): Program<void> {
    const { now } = work.frame;
    const data = this.writers.get(resource)!(row);
    const inserted = yield* call(this.insertEvent, [
      `evt_${this.ids.next(now)}`,
      rule.name,
      resource,
      identity,
      now,
      data,
    ]);
    const event = inserted[0]![0]!;
    const receivers = yield* call(this.receivers, [rule.name]);
    for (const [receiver] of receivers)
      yield* call(this.insertDelivery, [event, receiver!, `${resource} ${identity}`, now]);
  }
}

function tells(rule: EventRule, by: string | null): boolean {
  return rule.on === 'created' ? by === null : by !== null && rule.by.includes(by);
}
