import type { Frame, Row, Value } from '../../expression/values/value.ts';
import type { Cause, EmittedPlan } from '../../plan/step.ts';
import { RerunState } from '../context/rerun-state.ts';
import type { Trace } from '../tracing/trace.ts';
import type { DeferredWrites } from './deferred-writes.ts';
import type { Resource } from './rules.ts';

/** Returns the name of a field in the version of the request; null where the version doesn't have it. */
type Wire = (resource: string, field: string) => string | null;

/** One change of a row, or its timed event. */
export interface Happened {
  readonly what: 'created' | 'moved' | 'changed' | 'removed' | 'at';
  readonly resource: Resource;
  readonly row: Row;
  /** The transition that moved the row, or the timed event. */
  readonly by: string | null;
  /** A copy of a changed row before its first change in the unit of work; null for other changes. */
  readonly before: Row | null;
}

/** An event that a step has emitted: the values of its members, and its payload, as JSON. */
export interface EmittedEvent {
  readonly event: EmittedPlan;
  readonly values: readonly Value[];
  readonly data: string;
}

/** A receiver of an event, and its own payload, as JSON; null where it gets the event's payload. */
export type Addressed = readonly [receiver: Value, data: string | null];

/** A recorded event: its number, and its data as JSON. */
export interface RecordedEvent {
  readonly seq: number;
  readonly data: string;
}

/** The most rows that are searched one by one: for a few, it is faster than a map by identity. */
const FEW = 8;

/** The rows of a resource that a unit of work has read by name, each once. */
export class NamedRows {
  private readonly identities: Value[] = [];
  private readonly rows: Row[] = [];
  /** Indexes by identity; null while there are only a few rows. */
  private places: Map<Value, number> | null = null;

  /** Returns the row of an identity, if there is one. */
  get(identity: Value): Row | undefined {
    const place = this.placeOf(identity);
    return place < 0 ? undefined : this.rows[place];
  }

  /** Adds a row, in place of one with the same identity. */
  set(identity: Value, row: Row): void {
    const known = this.placeOf(identity);
    const place = known < 0 ? this.rows.length : known;
    this.identities[place] = identity;
    this.rows[place] = row;
    if (this.places) this.places.set(identity, place);
    else if (this.rows.length > FEW) this.places = new Map(this.identities.map((one, at) => [one, at]));
  }

  private placeOf(identity: Value): number {
    return this.places ? (this.places.get(identity) ?? -1) : this.identities.indexOf(identity);
  }
}

/** The records of one unit of work about its rows. */
class Memory {
  readonly rows = new Map<string, NamedRows>();
  readonly happened: Happened[] = [];
  readonly emitted: EmittedEvent[] = [];
  /** The first `sorted` entries of `happened`, by their rows. */
  readonly ofRow = new Map<Row, Happened[]>();
  sorted = 0;
  readonly recorded: RecordedEvent[] = [];
  readonly receivers = new Map<string, readonly Addressed[]>();
  readonly remembered = new Set<Row>();
  readonly leaving = new Map<string, Set<Value>>();
}

/**
 * The rows of one transaction and what happened to them, from which its events are recorded. A unit of work that only
 * reads keeps nothing.
 */
export class UnitOfWork {
  readonly frame: Frame;
  /** The frame of the transaction, which has its caller; steps after a transition have a frame of their own. */
  outer: Frame;
  readonly wire: Wire;
  /** The cause of the transaction. */
  readonly cause: Cause;
  /** The place in the body of the values that are being written: a JSON Pointer (RFC 6901). */
  place = '';
  /** The trace context of the request; null where no request causes the work. */
  trace: Trace | null = null;
  /** The writes of a loop that are sent together; null where each write is sent at once. */
  deferred: DeferredWrites | null = null;
  private memory: Memory | null;
  private ownRerunState: RerunState | undefined;

  constructor(cause: Cause, frame: Frame, wire: Wire, rerunState?: RerunState, memory: Memory | null = null) {
    this.cause = cause;
    this.frame = frame;
    this.outer = frame;
    this.wire = wire;
    this.ownRerunState = rerunState;
    this.memory = memory;
  }

  /** Returns the same unit of work with another frame. */
  within(frame: Frame): UnitOfWork {
    const same = new UnitOfWork(this.cause, frame, this.wire, this.rerunState, this.held);
    same.outer = this.outer;
    same.trace = this.trace;
    return same;
  }

  /** The rows of a resource that steps have named, each once, by their identities. */
  rowsOf(resource: string): NamedRows {
    const { rows } = this.held;
    const known = rows.get(resource);
    if (known) return known;
    const made = new NamedRows();
    rows.set(resource, made);
    return made;
  }

  /** The changes of rows, in the order in which they happened. */
  get happened(): Happened[] {
    return this.held.happened;
  }

  /** The events that steps have emitted, in their order. */
  get emitted(): EmittedEvent[] {
    return this.held.emitted;
  }

  /** The events that were recorded one by one, as the few events of most changes are. */
  get recorded(): RecordedEvent[] {
    return this.held.recorded;
  }

  /** The registered receivers of recorded events, by event. */
  get receivers(): Map<string, readonly Addressed[]> {
    return this.held.receivers;
  }

  /** Rows that were created here, or whose values before their first change are kept. */
  get remembered(): Set<Row> {
    return this.held.remembered;
  }

  /**
   * Returns the identities of rows of a resource that are being removed, so that rows with references to each other are
   * removed once.
   */
  leavingOf(resource: string): Set<Value> {
    const { leaving } = this.held;
    const known = leaving.get(resource);
    if (known) return known;
    const made = new Set<Value>();
    leaving.set(resource, made);
    return made;
  }

  /** Notes that a row exists whose identity a removed row may have had. */
  isThere(resource: string, identity: Value): void {
    this.held.leaving.get(resource)?.delete(identity);
  }

  /** The changes of one row, in the order in which they happened. */
  happenedTo(row: Row): readonly Happened[] {
    const { happened, ofRow } = this.held;
    for (; this.held.sorted < happened.length; this.held.sorted++) {
      const one = happened[this.held.sorted]!;
      const same = ofRow.get(one.row);
      if (same) same.push(one);
      else ofRow.set(one.row, [one]);
    }
    return ofRow.get(row) ?? [];
  }

  /** Results computed outside the transaction, which a rerun reads. */
  get rerunState(): RerunState {
    this.ownRerunState ??= new RerunState();
    return this.ownRerunState;
  }

  private get held(): Memory {
    this.memory ??= new Memory();
    return this.memory;
  }
}
