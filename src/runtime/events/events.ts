import { UuidSource } from '../../expression/values/uuid.ts';
import { emptyFrame, type Row, sameValue, type Value } from '../../expression/values/value.ts';
import type { EventPlan, Plan, ResourcePlan } from '../../plan/step.ts';
import { type Call, call, type Program, type Statement, type Store } from '../../store/store.ts';
import type { ApiVersion } from '../context/request-context.ts';
import type { Skeletons } from '../packing/skeletons.ts';
import type { CachedJson } from '../resources/cached-json.ts';
import type { RemovalReader, Resource } from '../resources/rules.ts';
import { type ShowContext, View } from '../resources/shown.ts';
import type { Addressed, EmittedEvent, Happened, UnitOfWork } from '../resources/unit-of-work.ts';
import { RecentTraces } from '../tracing/trace.ts';
import { type Columns, columnsOf, columnsOfEvent, packed } from './event-visibility.ts';
import type { Payloads } from './payloads.ts';
import type { ReaderPayloads } from './reader-payloads.ts';
import { ReceiverLookup } from './receiver-lookup.ts';

/** The payload and receivers of an event, which must be read before its row is removed. */
interface RemovedRowEvent {
  readonly data: string;
  readonly receivers: readonly RowReceiver[];
}

/** A receiver that is a row, and its own payload of an event, as JSON; null where it gets the event's payload. */
interface RowReceiver {
  readonly row: Row;
  readonly data: string | null;
}

/** The dependencies of payloads. */
interface RecorderContext {
  /** Its queries see every row, without a caller. */
  readonly show: ShowContext;
  /** Whether the payloads of an event differ per reader of the stream. */
  readonly differ: (event: string) => boolean;
  readonly payloads: Payloads;
  readonly skeletons: Skeletons;
  /** The values of other rows that receivers which are rows see; null where the operator registers receivers. */
  readonly toReceivers: ReaderPayloads | null;
}

/** An event of a row that is to be recorded. */
interface RowEvent {
  readonly event: EventPlan;
  readonly happened: Happened;
}

type Recorded = RowEvent | EmittedEvent;

/** The values of an event that is inserted. */
interface EventValues {
  readonly id: string;
  readonly data: string;
  readonly values: Value[];
}

/** The least number of events that are recorded together. */
const MANY = 16;
const MOST_AT_ONCE = 200;

/** Writes events into the outbox, in the transaction of the change that they tell of. */
export class Recorder {
  private readonly insertEvent: Statement;
  /** Gives the number of the next event, where calls travel: an event with a number is inserted without waiting. */
  private readonly numbered: { readonly next: Statement; readonly insert: Statement } | null;
  private readonly insertEvents: Statement;
  private readonly insertDeliveries: Statement;
  private readonly insertStreamed: Statement;
  private readonly receivers: Statement;
  private readonly insertDelivery: Statement;
  /** The view of the row, by event. */
  private readonly views = new Map<string, View>();
  private readonly store: Store;
  private readonly current: ApiVersion;
  private readonly receiverLookup: ReceiverLookup | null;
  private readonly ids: UuidSource;
  private readonly c: RecorderContext;
  private news = false;
  /** Whether a receiver gets the events of a row in order. */
  private readonly inOrder: boolean;
  /** The columns that are stored for the visibility of events to readers of the stream. */
  private readonly kept = new Map<Resource, Columns>();
  /** The traces of the requests that caused recent events. */
  readonly traces = new RecentTraces();
  /** Payloads that were read before their row was removed, by what happened to the row. */
  private readonly taken = new WeakMap<Happened, ReadonlyMap<string, RemovedRowEvent>>();

  constructor(plan: Plan, current: ApiVersion, store: Store, c: RecorderContext) {
    this.store = store;
    this.ids = new UuidSource(store.random);
    this.current = current;
    this.c = c;
    const { show } = c;
    const receivers = plan.webhook?.receivers;
    this.receiverLookup = receivers ? new ReceiverLookup(receivers, plan, show.expressions, store) : null;
    this.insertEvent = store.prepare({ kind: 'system', name: 'insert event' });
    this.numbered = store.travels
      ? {
          next: store.prepare({ kind: 'system', name: 'next event' }),
          insert: store.prepare({ kind: 'system', name: 'insert event at' }),
        }
      : null;
    this.insertEvents = store.prepare({ kind: 'system', name: 'insert events' });
    this.insertDeliveries = store.prepare({ kind: 'system', name: 'insert deliveries' });
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

  /** Whether events for receivers or readers have been recorded since the last call. */
  takeNews(): boolean {
    const { news } = this;
    this.news = false;
    return news;
  }

  /**
   * Records the events of all changes, with the rows as they are at the end of the transaction, and then the events that
   * steps have emitted. Returns their number.
   */
  *record(work: UnitOfWork): Program<number> {
    const all: Recorded[] = [];
    for (const happened of work.happened) {
      // For a removed row, only its removal is recorded.
      if (happened.what === 'changed' && this.taken.has(happened)) continue;
      for (const event of happened.resource.plan.events) if (tells(event, happened)) all.push({ event, happened });
    }
    all.push(...work.emitted);
    if (all.length < MANY) for (const one of all) yield* this.one(work, one);
    else for (let at = 0; at < all.length; at += MOST_AT_ONCE) yield* this.many(work, all.slice(at, at + MOST_AT_ONCE));
    return all.length;
  }

  private columns(resource: Resource): Columns {
    const known = this.kept.get(resource) ?? columnsOf(resource);
    this.kept.set(resource, known);
    return known;
  }

  /** Returns the reader of payloads of rows that are about to be removed; null where no payload depends on them. */
  removalsOf({ name, events }: ResourcePlan, cachedJson: CachedJson | null): RemovalReader | null {
    if (!events.length && this.receiverLookup?.plan.resource !== name) return null;
    return {
      read: (work, resource, row) => this.leave(work, resource, row),
      alone: !this.receiverLookup && cachedJson !== null && events.every((event) => event.view === name),
    };
  }

  /**
   * Reads the payloads of a row that is about to be removed: of its removal, and of its earlier changes in this
   * transaction.
   */
  private *leave(work: UnitOfWork, resource: Resource, row: Row): Program<void> {
    work.happened.push({ what: 'removed', resource, row, by: null, before: null });
    for (const happened of work.happenedTo(row)) {
      const data = new Map<string, RemovedRowEvent>();
      for (const event of resource.plan.events)
        if (tells(event, happened)) {
          const shown = yield* this.payload(work, event, row);
          const receivers = event.to.includes('webhook') ? yield* this.rowReceiversOf(work, event, row, shown) : [];
          data.set(event.name, { data: shown, receivers });
        }
      this.taken.set(happened, data);
    }
    if (this.receiverLookup?.plan.resource === resource.plan.name) yield* this.receiverLookup.leave(row);
  }

  /** Returns the receivers that may hear of an event's row; `data` is the payload in which every row is visible. */
  private *rowReceiversOf(work: UnitOfWork, event: EventPlan, row: Row, data: string): Program<RowReceiver[]> {
    const out: RowReceiver[] = [];
    for (const receiver of this.receiverLookup ? yield* this.receiverLookup.of(event.name, row, work.frame) : [])
      out.push({ row: receiver, data: yield* this.ownPayload(work, event.name, row, data, receiver) });
    return out;
  }

  /**
   * Returns the payload of an event for one receiver, with the rows that it may see; null where the payload is the
   * event's.
   */
  private *ownPayload(work: UnitOfWork, event: string, row: Row, data: string, receiver: Row): Program<string | null> {
    const { toReceivers, payloads } = this.c;
    if (!toReceivers?.differ(event)) return null;
    const { now, version, drawn } = work.frame;
    const frame = { ...emptyFrame(now, version, drawn), caller: receiver };
    const own = payloads.inVersion(event, data, this.current, yield* toReceivers.of(event, row, frame, this.current));
    return own === data ? null : own;
  }

  /** Returns the receivers of an event: those that the operator registered for it, or the rows that may hear of it. */
  private *receiversOf(work: UnitOfWork, recorded: Recorded, data: string): Program<readonly Addressed[]> {
    const { event } = recorded;
    if (!event.to.includes('webhook')) return [];
    const { receiverLookup } = this;
    // `check` refuses webhooks of events without a row where receivers are rows.
    if (!receiverLookup || isEmitted(recorded)) return yield* this.registered(work, event.name);
    const { happened } = recorded;
    const taken = this.taken.get(happened)?.get(event.name)?.receivers;
    const out: Addressed[] = [];
    for (const one of taken ?? (yield* this.rowReceiversOf(work, recorded.event, happened.row, data)))
      if (!taken || (yield* receiverLookup.isThere(one.row)))
        out.push([yield* receiverLookup.known(one.row, work.frame.now), one.data]);
    return out;
  }

  private *registered(work: UnitOfWork, event: string): Program<readonly Addressed[]> {
    const known =
      work.receivers.get(event) ??
      (yield* call(this.receivers, [event])).map(([receiver]): Addressed => [receiver!, null]);
    work.receivers.set(event, known);
    return known;
  }

  private *payload(work: UnitOfWork, event: EventPlan, row: Row): Program<string> {
    return yield* this.views.get(event.name)!.write(row, work.frame, this.current);
  }

  private *one(work: UnitOfWork, one: Recorded): Program<void> {
    const { id, data, values } = yield* this.valuesOf(work, one);
    const seq = yield* this.insert(values);
    work.recorded.push({ seq, data });
    yield* this.stream(one, seq);
    for (const [receiver, own] of yield* this.receiversOf(work, one, data)) {
      yield* call(this.insertDelivery, [seq, receiver, this.lineOf(one, id), work.frame.now, own]);
      this.sent(work, id);
    }
  }

  /** Inserts an event; returns its number. */
  private *insert(values: Value[]): Program<number> {
    const { numbered } = this;
    if (!numbered) return (yield* call(this.insertEvent, values))[0]![0] as number;
    const [next] = yield* call(numbered.next, []);
    yield* call(numbered.insert, [next![0]!, ...values]);
    return next![0] as number;
  }

  /** The calls that record a change of a row and that depend on no other call, where calls travel. */
  ahead(change: Pick<Happened, 'what' | 'by'>, { events }: ResourcePlan): Call[] {
    const { numbered } = this;
    if (!numbered) return [];
    return events
      .filter((event) => mayTell(event, change))
      .flatMap((event): Call[] => {
        const asks = event.to.includes('webhook') && !this.receiverLookup;
        return asks
          ? [
              [numbered.next, []],
              [this.receivers, [event.name]],
            ]
          : [[numbered.next, []]];
      });
  }

  /** Records many events, with one statement for all of them. */
  private *many(work: UnitOfWork, all: readonly Recorded[]): Program<void> {
    const { now } = work.frame;
    const events: EventValues[] = [];
    for (const one of all) events.push(yield* this.valuesOf(work, one));
    const inserted = yield* call(this.insertEvents, [JSON.stringify(events.map(({ values }) => values))]);
    const seqs = inserted.map(([seq]) => seq as number).sort((a, b) => a - b);
    const deliveries: Value[][] = [];
    /** Only the first delivery of a line is due; the others wait for it. */
    const lines = new Set<string>();
    for (const [i, one] of all.entries()) {
      yield* this.stream(one, seqs[i]!);
      for (const [receiver, data] of yield* this.receiversOf(work, one, events[i]!.data)) {
        const line = this.lineOf(one, events[i]!.id);
        const own = `${receiver} ${line}`;
        deliveries.push([seqs[i]!, receiver, line, lines.has(own) ? null : now, data]);
        lines.add(own);
        this.sent(work, events[i]!.id);
      }
    }
    for (let at = 0; at < deliveries.length; at += MOST_AT_ONCE)
      yield* call(this.insertDeliveries, [JSON.stringify(deliveries.slice(at, at + MOST_AT_ONCE))]);
  }

  private *valuesOf(work: UnitOfWork, recorded: Recorded): Program<EventValues> {
    const { now } = work.frame;
    const { name } = recorded.event;
    const data = isEmitted(recorded) ? recorded.data : yield* this.dataOf(work, recorded);
    const id = `evt_${this.ids.next(now)}`;
    const packed = this.c.skeletons.pack(data, true, name);
    const [resource, identity] = isEmitted(recorded) ? NO_ROW : placeOf(recorded);
    return { id, data, values: [id, name, resource, identity, now, packed] };
  }

  private *dataOf(work: UnitOfWork, { event, happened }: RowEvent): Program<string> {
    return this.taken.get(happened)?.get(event.name)?.data ?? (yield* this.payload(work, event, happened.row));
  }

  private *stream(recorded: Recorded, seq: number): Program<void> {
    if (!recorded.event.to.includes('stream')) return;
    yield* call(this.insertStreamed, [seq, this.store.now(), this.glimpseOf(recorded)]);
    this.news = true;
  }

  /** The values from which the visibility of an event is decided; null where all readers get the same. */
  private glimpseOf(recorded: Recorded): string | null {
    if (isEmitted(recorded)) {
      const { event, values } = recorded;
      return event.visible && packed(columnsOfEvent(event), values);
    }
    const { event, happened } = recorded;
    const { resource, row } = happened;
    // The row is stored only where visibility or payloads differ per reader.
    const same = resource.plan.visible === null && !this.c.differ(event.name);
    return same ? null : packed(this.columns(resource), row);
  }

  /** Returns the line of a delivery: deliveries of one line are made in order. */
  private lineOf(recorded: Recorded, id: string): string {
    if (!this.inOrder) return id;
    return isEmitted(recorded) ? `event ${recorded.event.name}` : placeOf(recorded).join(' ');
  }

  private sent({ trace }: UnitOfWork, id: string): void {
    if (trace) this.traces.note(id, trace);
    this.news = true;
  }
}

/** The place of an event that is about no row. */
const NO_ROW = ['', ''] as const;

/** The resource and the identity of the row that an event is about. */
const placeOf = ({ happened: { resource, row } }: RowEvent): readonly [resource: string, identity: string] => [
  resource.plan.name,
  String(row[resource.identity]),
];

const isEmitted = (recorded: Recorded): recorded is EmittedEvent => 'values' in recorded;

/** Whether a change of this kind may be one that the event records: a changed row may have other fields. */
function mayTell(event: EventPlan, { what, by }: Pick<Happened, 'what' | 'by'>): boolean {
  if (what === 'moved') return event.on === 'moves' && event.by.includes(by!);
  return what === 'at' ? event.name === by : what === event.on;
}

/** Whether a change of a row is one that the event records. */
function tells(event: EventPlan, happened: Happened): boolean {
  const { what, before, row, resource } = happened;
  if (!mayTell(event, happened)) return false;
  return what !== 'changed' || event.fields.some((field) => differ(resource.plan, field, before!, row));
}

function differ({ columns }: ResourcePlan, field: string, before: Row, after: Row): boolean {
  const column = columns.findIndex((one) => one.name === field);
  return !sameValue(before[column], after[column]);
}
