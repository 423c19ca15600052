import type { Row, Value } from '../expression/values/value.ts';
import { call, type Program } from '../store/store.ts';
import type { SystemStatement } from '../store/system.ts';
import type { Engine } from './engine/engine.ts';
import { type Attempt, attemptsIn } from './events/attempts.ts';
import type { Delivery, DeliveryState, GoneReceiver, IssuedKey, ReceiverHealth } from './operator-forms.ts';

/** The requested part of a list. */
interface Part {
  readonly offset: number;
  readonly limit: number;
}

/** A part of a list, newest first, and the total number. */
interface ListPage<T> {
  readonly total: number;
  readonly items: readonly T[];
}

/** A recorded event. */
interface StoredEvent {
  readonly type: string;
  readonly at: string;
  /** The payload, as JSON. */
  readonly data: string;
}

/** The number of last deliveries from which the health of receivers is counted. */
export const RECENT_DELIVERIES = 10_000;
const MOST_RECEIVERS = 200;
const MOST_PENDING = 1000;
const MOST_GONE = 50;

/** The filters of deliveries; an empty text matches all. */
interface DeliveriesWanted extends Part {
  readonly state: string;
  readonly type: string;
  readonly receiver: string;
  readonly event: string;
  readonly resource: string;
  readonly row: string;
}

/** Lists of the service's own data, which may be very long. */
export class OperatorLists {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Returns keys; with `valid`, without revoked ones. */
  async keys(valid: boolean, part: Part): Promise<ListPage<IssuedKey>> {
    const { schemes } = this.engine.plan;
    return this.page('page of keys', 'count keys', [valid ? 1 : 0], part, (row): IssuedKey => {
      const [id, mark, holder, scopes, created, revoked] = row;
      const scheme = schemes.find((one) => one.mark === mark);
      return {
        id: String(id),
        holder: String(holder),
        scheme: scheme?.name ?? null,
        resource: scheme?.resource ?? null,
        scopes: JSON.parse(String(scopes)) as readonly string[],
        created: instant(created),
        revoked: instant(revoked),
      };
    });
  }

  /** Deliveries. */
  async deliveries(wanted: DeliveriesWanted): Promise<ListPage<Delivery>> {
    const { state, type, receiver, event, resource, row } = wanted;
    const like = [state, type, receiver, event, resource, row];
    return this.page('page of deliveries', 'count deliveries', like, wanted, (found): Delivery => {
      const one = deliveryOf(found);
      return one.state === 'pending' && one.due === null ? { ...one, state: 'waiting' } : one;
    });
  }

  /** The event of an id, with its payload as JSON; null where it is not stored any more. */
  async event(id: string): Promise<StoredEvent | null> {
    const { store, skeletons } = this.engine;
    const statement = store.prepare({ kind: 'system', name: 'event payload' });
    return store.read(function* program(): Program<StoredEvent | null> {
      const [found] = yield* call(statement, [id]);
      if (!found) return null;
      const [type, at, packed] = found;
      return { type: String(type), at: instant(at) ?? '', data: yield* skeletons.unpack(String(packed)) };
    });
  }

  /** The attempts at a delivery, the last one first; null where it is not stored any more. */
  async attempts(delivery: string): Promise<readonly Attempt[] | null> {
    if (!/^\d{1,15}$/.test(delivery)) return null;
    const { store } = this.engine;
    const statement = store.prepare({ kind: 'system', name: 'attempts of delivery' });
    const [found] = await store.read(() => call(statement, [Number(delivery)]));
    return found ? attemptsIn(found[0] as string | null).toReversed() : null;
  }

  /**
   * The health of receivers: of those given, and of those of the last deliveries. At most so many of the latter, those
   * with the most failures first.
   */
  async health(ids: readonly string[]): Promise<readonly ReceiverHealth[]> {
    const { store } = this.engine;
    const outcomes = store.prepare({ kind: 'system', name: 'recent outcomes' });
    const waiting = store.prepare({ kind: 'system', name: 'waiting for receivers' });
    return store.read(function* program(): Program<ReceiverHealth[]> {
      const last = yield* call(outcomes, [RECENT_DELIVERIES, MOST_RECEIVERS]);
      const recent = new Map(last.map((row) => [String(row[0]), row]));
      const all = [...new Set([...ids, ...recent.keys()])];
      const held = yield* call(waiting, [MOST_PENDING, JSON.stringify(all)]);
      const waits = new Map(held.map((row) => [String(row[0]), row]));
      return all.map((id): ReceiverHealth => {
        const [, url = null, delivered = 0, failed = 0, success = null] = recent.get(id) ?? [];
        const [, pending = 0, next = null] = waits.get(id) ?? [];
        return {
          receiver: id,
          url: url === null ? null : String(url),
          delivered: Number(delivered),
          givenUp: Number(failed),
          lastSuccess: instant(success),
          pending: Number(pending),
          next: instant(next),
        };
      });
    });
  }

  /** Receivers that were removed because their address is gone, the last ones first. */
  async gone(): Promise<readonly GoneReceiver[]> {
    const { store } = this.engine;
    const statement = store.prepare({ kind: 'system', name: 'gone receivers' });
    return (await store.read(() => call(statement, [store.now(), MOST_GONE]))).map(([key, url]) => {
      const [receiver = '', at] = String(key).split(' ');
      return { receiver, url: String(url), at: instant(Number(at)) };
    });
  }

  private async page<T>(
    list: SystemStatement,
    count: SystemStatement,
    like: readonly Value[],
    { offset, limit }: Part,
    shown: (row: Row) => T,
  ): Promise<ListPage<T>> {
    const { store } = this.engine;
    const [listed, counted] = [list, count].map((name) => store.prepare({ kind: 'system', name }));
    if (!listed || !counted) throw new Error('A list has two statements');
    return store.read(function* program(): Program<ListPage<T>> {
      const [number] = yield* call(counted, like);
      const rows = yield* call(listed, [...like, limit, offset]);
      return { total: Number(number?.[0] ?? 0), items: rows.map(shown) };
    });
  }
}

/** A delivery, as `list deliveries` and `page of deliveries` return it. */
export function deliveryOf(found: Row): Delivery {
  const [id, event, type, row, receiver, url, state, attempts, due, lastAt, lastResult, resource] = found;
  return {
    event: String(event),
    type: String(type),
    resource: resource === '' ? null : String(resource),
    row: resource === '' ? null : String(row),
    receiver: String(receiver),
    url: String(url),
    delivery: String(id),
    state: state as DeliveryState,
    attempts: Number(attempts),
    due: instant(due),
    lastAt: instant(lastAt),
    lastResult: (lastResult ?? null) as string | null,
  };
}

const instant = (value: Value | undefined): string | null =>
  typeof value === 'number' ? new Date(value).toISOString() : null;
