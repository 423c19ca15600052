import type { Value } from '../../expression/value.ts';
import { call, type Program, type Statement, type Store } from '../../store/store.ts';
import type { Versions } from '../versioning/enforce.ts';
import type { Due, Outbox, Settled } from './dispatch.ts';
import type { Payloads } from './payloads.ts';

/** The dispatcher’s view of the store: deliveries are leased, and settled, each in a transaction. */
export class StoredOutbox implements Outbox {
  private readonly store: Store;
  private readonly versions: Versions;
  private readonly payloads: Payloads;
  private readonly due: Statement;
  private readonly leaseOne: Statement;
  private readonly succeeded: Statement;
  private readonly failed: Statement;
  private readonly givenUp: Statement;
  private readonly release: Statement;
  private readonly next: Statement;
  private readonly receivers: Statement;

  constructor(store: Store, versions: Versions, payloads: Payloads) {
    this.store = store;
    this.versions = versions;
    this.payloads = payloads;
    this.due = store.prepare({ kind: 'system', name: 'due deliveries' });
    this.leaseOne = store.prepare({ kind: 'system', name: 'lease delivery' });
    this.succeeded = store.prepare({ kind: 'system', name: 'delivery succeeded' });
    this.failed = store.prepare({ kind: 'system', name: 'delivery failed' });
    this.givenUp = store.prepare({ kind: 'system', name: 'delivery given up' });
    this.release = store.prepare({ kind: 'system', name: 'release next' });
    this.next = store.prepare({ kind: 'system', name: 'next delivery' });
    this.receivers = store.prepare({ kind: 'system', name: 'list receivers' });
  }

  async lease(now: number, leaseMs: number, limit: number, full: ReadonlySet<string>): Promise<Due[]> {
    const skip = JSON.stringify([...full]);
    // Looking is a read: a lease that finds nothing costs no commit.
    const found = await this.store.read(() => call(this.due, [now, skip, limit]));
    if (found.length === 0) return [];
    return this.store.write(() => this.leaseProgram(now, now + leaseMs, limit, skip));
  }

  private *leaseProgram(now: number, until: number, limit: number, skip: string): Program<Due[]> {
    const rows = yield* call(this.due, [now, skip, limit]);
    for (const row of rows) yield* call(this.leaseOne, [until, row[0]!]);
    // A receiver waits whose version the document no longer describes: no other version was agreed with it.
    return rows.filter((row) => this.versions.find(row.at(-1) as string) !== null).map((row) => this.dueOf(row));
  }

  async settle(delivery: number, outcome: Settled): Promise<void> {
    await this.store.write(() => this.settleProgram(delivery, outcome));
  }

  /** The next of a row’s line is let go once the one before is delivered or given up. */
  private *settleProgram(delivery: number, outcome: Settled): Program<void> {
    const { at } = outcome;
    if (outcome.kind === 'failed' && outcome.retryAt !== null) {
      yield* call(this.failed, [at, outcome.reason, outcome.retryAt, delivery]);
      return;
    }
    if (outcome.kind === 'delivered') yield* call(this.succeeded, [at, `status ${outcome.status}`, delivery]);
    else yield* call(this.givenUp, [at, outcome.reason, delivery]);
    yield* call(this.release, [at, delivery]);
  }

  /** The receivers that wait for a document that describes their version, with that version. */
  async waiting(): Promise<Array<{ receiver: string; version: string }>> {
    const rows = await this.store.read(() => call(this.receivers, []));
    return rows.flatMap(([id, , version]) =>
      this.versions.find(version as string) ? [] : [{ receiver: id as string, version: version as string }],
    );
  }

  async nextDue(): Promise<number | null> {
    const rows = await this.store.read(() => call(this.next, []));
    return (rows[0]?.[0] as number | null | undefined) ?? null;
  }

  private dueOf(row: readonly Value[]): Due {
    const [delivery, webhookId, type, at, data, attempt, id, url, secret, allowPrivate, version] = row;
    return {
      delivery: delivery as number,
      webhookId: webhookId as string,
      type: type as string,
      timestamp: new Date(at as number).toISOString(),
      data: this.payloads.inVersion(type as string, data as string, this.versions.find(version as string)!),
      attempt: attempt as number,
      receiver: { id: id as string, url: url as string, secret: secret as string, allowPrivate: allowPrivate === 1 },
    };
  }
}
