import { UuidSource } from '../../expression/values/uuid.ts';
import { type Row, sameValue, type Value } from '../../expression/values/value.ts';
import type { EventPlan, Plan, ResourcePlan } from '../../plan/step.ts';
import { call, type Program, type Statement, type Store } from '../../store/store.ts';
import type { ApiVersion } from '../context/api-version.ts';
import type { Resource } from '../resources/rules.ts';
import { type ShowContext, View } from '../resources/shown.ts';
import type { Happened, UnitOfWork } from '../resources/unit-of-work.ts';
import { RecentTraces } from '../tracing/recent-traces.ts';
import { type Columns, columnsOf, packed } from './event-visibility.ts';
import { ReceiverLookup } from './receiver-lookup.ts';

/** What can be said of an event only before its row is removed: its payload, and which receivers hear of it. */
interface RemovedRowEvent {
  readonly data: string;
  readonly hearers: readonly Row[];
}

/** Writes events into the outbox, in the transaction of the change that they tell of. */
export class Recorder {
  private readonly insertEvent: Statement;
  private readonly insertStreamed: Statement;
  private readonly receivers: Statement;
  private readonly insertDelivery: Statement;
  /** How the row is shown, by the event. */
  private readonly views = new Map<string, View>();
  private readonly store: Store;
  private readonly current: ApiVersion;
  private readonly hearers: ReceiverLookup | null;
  private readonly ids: UuidSource;
  private readonly differ: (event: string) => boolean;
  private news = false;
  /** Whether the events of a row stand in one line. */
  private readonly inOrder: boolean;
  /** What is kept of rows for readers of streams to be judged by. */
  private readonly kept = new Map<Resource, Columns>();
  /** For which requests events happened. */
  readonly traces = new RecentTraces();
  /** Payloads that were taken before their row was removed, by what has become of it. */
  private readonly taken = new WeakMap<Happened, ReadonlyMap<string, RemovedRowEvent>>();

  /** `show` sees every row, and knows of no caller; `differ` says of which events readers are given payloads of their own. */
  constructor(plan: Plan, current: ApiVersion, store: Store, show: ShowContext, differ: (event: string) => boolean) {
    this.store = store;
    this.ids = new UuidSource(store.random);
    this.current = current;
    this.differ = differ;
    const receivers = plan.webhook?.receivers;
    this.hearers = receivers ? new ReceiverLookup(receivers, plan, show.expressions, store) : null;
    this.insertEvent = store.prepare({ kind: 'system', name: 'insert event' });
    this.insertStreamed = store.prepare({ kind: 'system', name: 'insert streamed' });
    this.receivers = store.prepare({ kind: 'system', name: 'receivers of event' });
    this.insertDelivery = store.prepare({ kind: 'system', name: 'insert delivery' });
    this.inOrder = plan.webhook?.order !== null;
    const made = new Map<string, View>();
    const viewOnce = (resource: string, view: string): View => {
      const key = `${resource} ${view}`;
      const known = made.get(key) ?? new View(resource, view, show);
      made.set(key, known);
      return known;
    };
    for (const resource of plan.resources)
      for (const { name, view } of resource.events) this.views.set(name, viewOnce(resource.name, view));
  }

  /** Whether anybody is to hear of something since this was last asked. */
  takeNews(): boolean {
    const { news } = this;
    this.news = false;
    return news;
  }

  /** Records the events of what has happened, with the rows as the transaction leaves them. Returns how many. */
  *record(work: UnitOfWork): Program<number> {
    let recorded = 0;
    for (const happened of work.happened) {
      // A row that is gone has not changed: it was removed.
      if (happened.what === 'changed' && this.taken.has(happened)) continue;
      for (const event of happened.resource.plan.events) {
        if (!tells(event, happened)) continue;
        yield* this.one(work, event, happened);
        recorded++;
      }
    }
    return recorded;
  }

  private columns(resource: Resource): Columns {
    const known = this.kept.get(resource) ?? columnsOf(resource);
    this.kept.set(resource, known);
    return known;
  }

  /** Takes the payloads of a row that is about to be removed: of its removal, and of what has become of it before. */
  *leave(work: UnitOfWork, resource: Resource, row: Row): Program<void> {
    work.happened.push({ what: 'removed', resource, row, by: null, before: null });
    for (const happened of work.happened) {
      if (happened.row !== row) continue;
      const data = new Map<string, RemovedRowEvent>();
      for (const event of resource.plan.events)
        if (tells(event, happened))
          data.set(event.name, {
            data: yield* this.payload(work, event, row),
            hearers: event.to.includes('webhook') ? yield* this.hearersOf(work, event, row) : [],
          });
      this.taken.set(happened, data);
    }
    if (this.hearers?.plan.resource === resource.plan.name) yield* this.hearers.leave(row);
  }

  private *hearersOf(work: UnitOfWork, event: EventPlan, row: Row): Program<Row[]> {
    return this.hearers ? yield* this.hearers.of(event.name, row, work.frame) : [];
  }

  /** The receivers of an event: those that the operator registered for it, or the rows that hear of its row. */
  private *receiversOf(work: UnitOfWork, event: EventPlan, happened: Happened): Program<Value[]> {
    const { hearers } = this;
    if (!hearers) return (yield* call(this.receivers, [event.name])).map(([receiver]) => receiver!);
    const taken = this.taken.get(happened)?.get(event.name)?.hearers;
    const out: Value[] = [];
    for (const receiver of taken ?? (yield* this.hearersOf(work, event, happened.row)))
      if (!taken || (yield* hearers.isThere(receiver))) out.push(yield* hearers.known(receiver, work.frame.now));
    return out;
  }

  private *payload(work: UnitOfWork, event: EventPlan, row: Row): Program<string> {
    return yield* this.views.get(event.name)!.write(row, work.frame, this.current);
  }

  private *one(work: UnitOfWork, event: EventPlan, happened: Happened): Program<void> {
    const { now } = work.frame;
    const { resource, row } = happened;
    const { name } = resource.plan;
    const identity = row[resource.identity] as Value;
    const data = this.taken.get(happened)?.get(event.name)?.data ?? (yield* this.payload(work, event, row));
    const id = `evt_${this.ids.next(now)}`;
    const inserted = yield* call(this.insertEvent, [id, event.name, name, String(identity), now, data]);
    const seq = inserted[0]![0] as number;
    if (event.to.includes('stream')) {
      // What a reader is judged by later, and told, has to be kept only where not all are told the same.
      const same = resource.plan.visible === null && !this.differ(event.name);
      const glimpse = same ? null : packed(this.columns(resource), row);
      yield* call(this.insertStreamed, [seq, this.store.now(), glimpse]);
      this.news = true;
    }
    if (!event.to.includes('webhook')) return;
    const line = this.inOrder ? `${name} ${identity}` : id;
    for (const receiver of yield* this.receiversOf(work, event, happened)) {
      yield* call(this.insertDelivery, [seq, receiver, line, now]);
      if (work.trace) this.traces.note(id, work.trace);
      this.news = true;
    }
  }
}

/** Whether something that has become of a row is what an event tells of. */
function tells(event: EventPlan, { what, by, before, row, resource }: Happened): boolean {
  if (what === 'moved') return event.on === 'moves' && event.by.includes(by!);
  if (what === 'at') return event.name === by;
  if (what !== event.on) return false;
  return what !== 'changed' || event.fields.some((field) => differ(resource.plan, field, before!, row));
}

function differ({ columns }: ResourcePlan, field: string, before: Row, after: Row): boolean {
  const column = columns.findIndex((one) => one.name === field);
  return !sameValue(before[column], after[column]);
}
