import type { Row, Value } from '../../expression/values/value.ts';
import { isRegistered } from '../../plan/receiver-versions.ts';
import { call, type Program, type Statement, type Store } from '../../store/store.ts';
import type { Skeletons } from '../packing/skeletons.ts';
import type { RecentTraces } from '../tracing/trace.ts';
import type { Versions } from '../versioning/versions.ts';
import type { Due, DueReceiver, Outbox, Settled, Settling } from './dispatch.ts';
import type { Payloads } from './payloads.ts';
import type { ReceiverRows } from './receiver-rows.ts';

/** The indexes of a due delivery's receiver id, version, and time of pausing. */
const RECEIVER = 7;
const VERSION = 11;
const PAUSED = 12;

/** How long the console shows that a receiver was removed because its address is gone, in milliseconds. */
const GONE_SHOWN_MS = 30 * 86_400_000;
/** How long ended entries of the console are kept: longer than any session lasts. */
const ENTRIES_KEPT_MS = 86_400_000;

/** The parts of an engine from which deliveries are made. */
interface OutboxContext {
  readonly store: Store;
  readonly versions: Versions;
  readonly payloads: Payloads;
  readonly skeletons: Skeletons;
  /** Knows the requests that caused events. */
  readonly recorder: { readonly traces: RecentTraces };
}

/** The dispatcher’s view of the store: deliveries are leased, and settled, each in a transaction. */
export class StoredOutbox implements Outbox {
  private readonly store: Store;
  private readonly versions: Versions;
  private readonly payloads: Payloads;
  private readonly skeletons: Skeletons;
  private readonly due: Statement;
  private readonly dueOfOthers: Statement;
  private readonly leaseOne: Statement;
  private readonly succeeded: Statement;
  private readonly failed: Statement;
  private readonly givenUp: Statement;
  private readonly release: Statement;
  private readonly next: Statement;
  private readonly nextOfOthers: Statement;
  private readonly held: Statement;
  /** The versions that the document describes, as JSON. */
  private readonly described: string;
  private readonly recallAll: Statement;
  private readonly removal: Statement;
  private readonly goneRemoval: Statement;
  private readonly goneEntry: Statement;
  private readonly forgetEntries: Statement;
  private readonly hooks: ReceiverRows | null;
  private readonly traces: RecentTraces;

  /** `hooks` finds receivers that are rows. */
  constructor(
    { store, versions, payloads, skeletons, recorder: { traces } }: OutboxContext,
    hooks: ReceiverRows | null,
  ) {
    this.traces = traces;
    this.skeletons = skeletons;
    this.hooks = hooks;
    this.removal = store.prepare({ kind: 'system', name: 'remove receiver' });
    this.goneRemoval = store.prepare({ kind: 'system', name: 'remove gone receiver' });
    this.forgetEntries = store.prepare({ kind: 'system', name: 'forget console entries' });
    this.goneEntry = store.prepare({ kind: 'system', name: 'insert console entry' });
    this.store = store;
    this.versions = versions;
    this.payloads = payloads;
    this.due = store.prepare({ kind: 'system', name: 'due deliveries' });
    this.dueOfOthers = store.prepare({ kind: 'system', name: 'due deliveries of others' });
    this.leaseOne = store.prepare({ kind: 'system', name: 'lease delivery' });
    this.succeeded = store.prepare({ kind: 'system', name: 'delivery succeeded' });
    this.failed = store.prepare({ kind: 'system', name: 'delivery failed' });
    this.givenUp = store.prepare({ kind: 'system', name: 'delivery given up' });
    this.release = store.prepare({ kind: 'system', name: 'release next' });
    this.next = store.prepare({ kind: 'system', name: 'next delivery' });
    this.nextOfOthers = store.prepare({ kind: 'system', name: 'next delivery of others' });
    this.held = store.prepare({ kind: 'system', name: 'held receivers' });
    this.described = JSON.stringify(versions.described());
    this.recallAll = store.prepare({ kind: 'system', name: 'recall deliveries' });
  }

  async lease(now: number, leaseMs: number, limit: number, full: ReadonlySet<string>): Promise<Due[]> {
    const look = () => this.look(now, limit, [...full]);
    // Looking for due deliveries is a read, so that a look that finds none costs no commit.
    const found = await this.store.read(look);
    if (found.length === 0) return [];
    return this.store.write(() => this.leaseProgram(look, now + leaseMs));
  }

  /**
   * Returns due deliveries, except those of receivers that are skipped or held. Held receivers may have any number of
   * deliveries, so they are read and excluded only when a delivery of one is found.
   */
  private *look(now: number, limit: number, full: readonly string[]): Program<Row[]> {
    const others = (skipped: readonly Value[]): Program<Row[]> =>
      call(this.dueOfOthers, [JSON.stringify(skipped), limit, now, limit, limit]);
    const found = yield* full.length === 0 ? call(this.due, [now, '[]', limit]) : others(full);
    if (!found.some((row) => this.isHeld(row[RECEIVER]!, row[VERSION]!, row[PAUSED]!))) return found;
    return yield* others([...full, ...(yield* this.heldReceivers())]);
  }

  /**
   * Whether deliveries to a receiver wait: the receiver is paused, or its version is one that the document doesn't
   * describe.
   */
  private isHeld(id: Value, version: Value, paused: Value): boolean {
    return isRegistered(id as string) && (paused !== null || !this.versions.find(version as string));
  }

  private *heldReceivers(): Program<Value[]> {
    return (yield* call(this.held, [this.described])).map(([id]) => id!);
  }

  private *leaseProgram(look: () => Program<Row[]>, until: number): Program<Due[]> {
    const rows = yield* look();
    const out: Due[] = [];
    for (const row of rows) {
      yield* call(this.leaseOne, [until, row[0]!]);
      const addressed = yield* this.addressed(row);
      if (addressed && this.versions.find(addressed[VERSION] as string)) out.push(yield* this.dueOf(addressed));
    }
    return out;
  }

  /** Returns a delivery with the URL and secret that its receiver, if it is a row, has now. */
  private *addressed(row: readonly Value[]): Program<readonly Value[] | null> {
    const id = row[RECEIVER] as string;
    const { hooks } = this;
    if (!hooks?.has(id)) return row;
    const hook = yield* hooks.find(id);
    if (hook)
      return [...row.slice(0, RECEIVER + 1), hook.url, hook.secret, hooks.allowPrivate, this.versions.current.version];
    yield* call(this.removal, [id]);
    return null;
  }

  async settle(delivery: number, until: number, outcome: Settled): Promise<Settling> {
    return this.store.write(() => this.settleProgram(delivery, until, outcome));
  }

  /**
   * Settles a delivery, and releases the next one of its row's line once this one is delivered or given up. A delivery
   * whose due time differs from the lease's end has been leased by another node, which settles it.
   */
  private *settleProgram(delivery: number, until: number, outcome: Settled): Program<Settling> {
    const { at } = outcome;
    const held = [delivery, until];
    const gone = outcome.kind === 'failed' && outcome.gone;
    const retryAt = outcome.kind === 'failed' && (gone ? at : outcome.retryAt);
    if (outcome.kind === 'failed' && typeof retryAt === 'number') {
      const failed = yield* call(this.failed, [at, outcome.reason, outcome.attempts, retryAt, ...held]);
      if (failed.length === 0) return 'not ours';
      // All its deliveries go with the receiver; the operator may have moved it meanwhile.
      if (!gone) return 'settled';
      if ((yield* call(this.goneRemoval, [gone.id, gone.url])).length === 0) return 'moved';
      yield* call(this.forgetEntries, [at - ENTRIES_KEPT_MS]);
      yield* call(this.goneEntry, [`${gone.id} ${at}`, 'gone', gone.url, at + GONE_SHOWN_MS]);
      return 'settled';
    }
    const settled =
      outcome.kind === 'delivered'
        ? yield* call(this.succeeded, [at, `status ${outcome.status}`, outcome.attempts, ...held])
        : yield* call(this.givenUp, [at, outcome.reason, outcome.attempts, ...held]);
    if (settled.length === 0) return 'not ours';
    yield* call(this.release, [at, delivery]);
    return 'settled';
  }

  async nextDue(): Promise<number | null> {
    return this.store.read(() => this.nextProgram());
  }

  private *nextProgram(): Program<number | null> {
    const [next] = yield* call(this.next, []);
    if (!next) return null;
    const [due, receiver, version, paused] = next as [number, Value, Value, Value];
    if (!this.isHeld(receiver, version, paused)) return due;
    const [[other] = []] = yield* call(this.nextOfOthers, [JSON.stringify(yield* this.heldReceivers())]);
    return (other as number | null | undefined) ?? null;
  }

  async recall(now: number, latest: readonly number[]): Promise<void> {
    const { store, recallAll } = this;
    await store.write(function* (): Program<void> {
      for (const [attempts, due] of latest.entries()) yield* call(recallAll, [now, due, attempts]);
    });
  }

  private *dueOf(row: readonly Value[]): Program<Due> {
    const [delivery, webhookId, type, at, packed, attempt, earlier, ...to] = row;
    const [, , , , version] = to;
    const data = yield* this.skeletons.unpack(packed as string);
    return {
      delivery: delivery as number,
      webhookId: webhookId as string,
      type: type as string,
      timestamp: new Date(at as number).toISOString(),
      data: this.payloads.inVersion(type as string, data, this.versions.find(version as string)!),
      attempt: attempt as number,
      trace: this.traces.of(webhookId as string),
      receiver: receiverOf(to),
      earlier: earlier as string | null,
    };
  }

  /** Returns a receiver with its present address and secrets, and the version of its payloads; null where there is none. */
  async receiver(id: string): Promise<{ readonly receiver: DueReceiver; readonly version: string } | null> {
    const found = this.store.prepare({ kind: 'system', name: 'find receiver' });
    const { hooks, versions } = this;
    return this.store.read(function* program() {
      if (hooks?.has(id)) {
        const hook = yield* hooks.find(id);
        const { version } = versions.current;
        return hook && { receiver: receiverOf([id, hook.url, hook.secret, hooks.allowPrivate]), version };
      }
      const [row] = yield* call(found, [id]);
      return row ? { receiver: receiverOf(row), version: row[4] as string } : null;
    });
  }
}

/** A receiver from columns of the store; one that is a row has only the first four. */
function receiverOf([id, url, secret, allowPrivate, , , old, until]: readonly Value[]): DueReceiver {
  return {
    id: id as string,
    url: url as string,
    secret: secret as string,
    old: typeof old === 'string' ? { secret: old, until: until as number } : null,
    allowPrivate: Boolean(allowPrivate),
  };
}
