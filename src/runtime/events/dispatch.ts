import { setTimeout as sleep } from 'node:timers/promises';
import { httpDate } from '../../http/date.ts';
import type { WebhookPlan } from '../../plan/step.ts';
import { within } from '../http/alarm.ts';
import { type Trace, traceparentOf } from '../tracing/trace.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { AnswerStart, type Attempt, attemptsWith } from './attempts.ts';
import { type Lookup, shared } from './guard.ts';
import { type Outcome, type PostRequest, post } from './post.ts';
import { signatures, signedHeaders } from './sign.ts';

/** One delivery that is due: an event for a receiver. */
export interface Due {
  delivery: number;
  /** The webhook id, equal in all attempts, without a full stop. */
  webhookId: string;
  type: string;
  /** When the event happened, in RFC 3339 as stored. */
  timestamp: string;
  /** The payload as JSON text, sent as stored. */
  data: string;
  /** 1 for the first. */
  attempt: number;
  /** The trace of the request that caused the event; null where it is unknown. */
  trace: Trace | null;
  receiver: DueReceiver;
  /** The attempts before this one, as they are stored; null where there are none. */
  earlier: string | null;
}

/** The address of a receiver, and the secrets that sign deliveries to it. */
export interface DueReceiver {
  id: string;
  url: string;
  secret: string;
  /** The previous secret, and the end of its validity in milliseconds since the epoch; null where there is none. */
  old: { readonly secret: string; readonly until: number } | null;
  allowPrivate: boolean;
}

/**
 * The stored outcome of an attempt; `at` and `retryAt` are milliseconds since the epoch, and `retryAt` is null when the
 * delivery is given up. `attempts`: all attempts of the delivery, as they are stored.
 */
export type Settled = { readonly attempts: string } & Ended;

type Ended =
  | { kind: 'delivered'; at: number; status: number }
  /** `gone`: the address that no longer exists. The receiver is removed, unless it has another address by now. */
  | { kind: 'failed'; at: number; retryAt: number | null; reason: string; gone?: GoneReceiver };

interface GoneReceiver {
  readonly id: string;
  readonly url: string;
}

/** `moved`: the receiver has another address than the one that is gone, where the delivery is tried now. */
export type Settling = 'settled' | 'moved' | 'not ours';

/** The store's interface for the dispatcher. Any call may reject: the error is logged, and the call repeated later. */
export interface Outbox {
  /**
   * Leases due deliveries, at most `limit`, except those of receivers in `full`. The store keeps each row's order: only
   * the first delivery of a row's line is ever due. A lease ends by itself after `leaseMs`.
   */
  lease(now: number, leaseMs: number, limit: number, full: ReadonlySet<string>): Promise<Due[]>;
  /**
   * Ends the lease that lasts `until`: the delivery is done, or due again at `retryAt`, or given up. Changes nothing
   * where the delivery has another lease by now, and is not ours.
   */
  settle(delivery: number, until: number, outcome: Settled): Promise<Settling>;
  /**
   * Resolves to the time at which the next delivery that can be leased is due (milliseconds since the epoch), or to
   * null.
   */
  nextDue(): Promise<number | null>;
  /**
   * Makes deliveries due at `now` that are due later than possible: `latest` has the latest time by the number of
   * attempts.
   */
  recall(now: number, latest: readonly number[]): Promise<void>;
}

type Log = (level: 'debug' | 'info' | 'warn' | 'error', event: string, fields: Record<string, unknown>) => void;

export interface DispatcherOptions {
  log: Log;
  /** Ms since the epoch. */
  now?: () => number;
  post?: typeof post;
  /** Replaces the system's resolver in tests. */
  lookup?: Lookup;
  /** Makes the spans of attempts; null where tracing is off. */
  tracing?: Tracing | null;
  /** The most concurrent attempts for one receiver. */
  perReceiver?: number;
  /** The most concurrent attempts. */
  total?: number;
  /** The longest time between two reads of the outbox, to which other processes may add. */
  pollMs?: number;
}

/** The time by which a lease outlasts its attempt, so that even a store under load can store the outcome. */
const LEASE_MARGIN_MS = 10_000;
/** The time that must be left of a lease when a request is sent: the request may take so long to arrive. */
const SENT_MS = 1000;
/** The most reads in which `caughtUp` leases nothing although deliveries are due: then it gives up. */
const MOST_FAILED_LOOKS = 20;
/**
 * If a delivery is due later than any delay allows, by more than this many milliseconds, the clock was set back.
 * Smaller differences come from the clocks of other nodes.
 */
const SET_BACK_MS = 5000;

/** A test event: its name, its payload as JSON, and the time that it has as its own. */
export type TestEvent = Pick<Due, 'webhookId' | 'type' | 'timestamp' | 'data'>;

/** A running attempt, and the time for which its delivery is leased to this process. */
interface Lease {
  readonly due: Due;
  /** The end of the lease, by the store's clock: the lease is identified by it. */
  until: number;
  /**
   * The latest end of the lease, on the monotonic clock: the time between the request for the lease and the grant
   * counts, too.
   */
  ends: number;
}

/** Delivers what the outbox holds, at least once each: leases, signs, posts and settles, until it is stopped. */
export class Dispatcher {
  readonly #outbox: Outbox;
  readonly #webhook: WebhookPlan;
  readonly #leaseMs: number;
  /** The longest wait of a delivery by the number of its attempts, in milliseconds. */
  readonly #waitsMs: readonly number[];
  readonly #log: Log;
  readonly #now: () => number;
  readonly #post: typeof post;
  readonly #lookup: Lookup;
  readonly #perReceiver: number;
  readonly #total: number;
  readonly #pollMs: number;
  readonly #tracing: Tracing | null;

  /** The running attempts by delivery, and their number by receiver. */
  readonly #underWay = new Map<number, { readonly lease: Lease; readonly done: Promise<void> }>();
  readonly #counts = new Map<string, number>();
  #running = false;
  /** The time of the last read of the outbox; infinity before the first. */
  #lookedAt = Number.POSITIVE_INFINITY;
  #abandon = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires, on the monotonic clock. */
  #timerAt = 0;
  #looking: Promise<void> | undefined;
  #lookAgain = false;

  constructor(outbox: Outbox, webhook: WebhookPlan, options: DispatcherOptions) {
    this.#outbox = outbox;
    this.#webhook = webhook;
    this.#leaseMs = webhook.timeout + LEASE_MARGIN_MS;
    const { delays, retryAfter = 0 } = webhook;
    this.#waitsMs = [0, ...delays.map((delay) => Math.max(delay, retryAfter))].map((wait) =>
      Math.max(wait, this.#leaseMs),
    );
    this.#log = (level, event, fields) => {
      try {
        options.log(level, event, fields);
      } catch {
        // A failing log can't be logged, and must not stop deliveries.
      }
    };
    this.#now = options.now ?? Date.now;
    this.#post = options.post ?? post;
    this.#lookup = shared(options.lookup);
    this.#perReceiver = options.perReceiver ?? 8;
    this.#total = options.total ?? 64;
    this.#pollMs = options.pollMs ?? 1000;
    this.#tracing = options.tracing ?? null;
  }

  /** Begins to deliver. Does nothing if it has begun. */
  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#abandon = new AbortController();
    this.#lookIn(0);
  }

  /** Reads the outbox now, since something was committed. Cheap; may be called for every commit. */
  wake(): void {
    this.#lookIn(0);
  }

  /** Resolves once every delivery that is due now has been attempted, and its outcome is stored. */
  async caughtUp(): Promise<void> {
    // A read in progress may use an earlier time.
    await this.#looking;
    // A read fails where the store is busy: due deliveries are looked for again.
    for (let failed = 0; failed < MOST_FAILED_LOOKS && this.#running; ) {
      this.#looking ??= this.#look();
      await this.#looking;
      const underWay = [...this.#underWay.values()].map(({ done }) => done);
      await Promise.all(underWay);
      if (underWay.length > 0) continue;
      const next = await this.#outbox.nextDue();
      if (next === null || next > this.#now()) return;
      failed++;
    }
  }

  /** When the next delivery is due, or null. */
  nextDue(): Promise<number | null> {
    return this.#outbox.nextDue();
  }

  /**
   * Stops leasing, and resolves when the running attempts are settled, or after `graceMs`. Attempts that still run then
   * are aborted without an outcome: their leases end, and they are repeated later with the same attempt number.
   */
  async stop(graceMs: number = this.#webhook.timeout): Promise<void> {
    this.#running = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await within(this.#drained(), graceMs);
    if (this.#underWay.size > 0) this.#log('warn', 'webhook.abandoned', { deliveries: this.#underWay.size });
    this.#abandon.abort();
  }

  async #drained(): Promise<void> {
    // A read in progress may still lease deliveries, which are attempted instead of waiting for the end of their
    // leases.
    await this.#looking;
    await Promise.all([...this.#underWay.values()].map(({ done }) => done));
  }

  /** Reads the outbox after `delayMs`, unless an earlier read is scheduled. */
  #lookIn(delayMs: number): void {
    if (!this.#running) return;
    const at = performance.now() + delayMs;
    if (this.#timer !== undefined && this.#timerAt <= at) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#looking === undefined) this.#looking = this.#look();
      else this.#lookAgain = true;
    }, delayMs).unref();
  }

  /** Leases all deliveries that can be leased now, and schedules the next read. Never rejects. */
  async #look(): Promise<void> {
    let delayMs = this.#pollMs;
    try {
      await this.#recall();
      let asked: number;
      do {
        this.#lookAgain = false;
        asked = await this.#fill();
      } while (this.#lookAgain);
      const next = this.#running ? await this.#outbox.nextDue() : null;
      // A delivery that was due but not leased has a full receiver: the next settled attempt looks for it again.
      if (next !== null && next > asked) delayMs = Math.min(delayMs, Math.max(0, next - this.#now()));
    } catch (error) {
      this.#log('error', 'webhook.lease_failed', { error: messageOf(error) });
    }
    this.#looking = undefined;
    this.#lookIn(this.#lookAgain ? 0 : delayMs);
  }

  /**
   * Makes deliveries due that were scheduled before the clock went back: they would wait until the clock has caught up.
   */
  async #recall(): Promise<void> {
    const now = this.#now();
    if (now < this.#lookedAt) {
      const latest = this.#waitsMs.map((wait) => now + wait + SET_BACK_MS);
      await this.#outbox.recall(now, latest);
      // Attempts that run here continue. Their leases now end at `now`, and are found by that end.
      for (const { lease } of this.#underWay.values())
        if (lease.until > (latest[lease.due.attempt - 1] ?? 0)) lease.until = now;
    }
    this.#lookedAt = now;
  }

  /** Leases until there is no room or nothing due; resolves to the time of the last lease. */
  async #fill(): Promise<number> {
    for (;;) {
      const asked = this.#now();
      const ends = performance.now() + this.#leaseMs;
      const { limit, full } = this.#room();
      if (!this.#running || limit <= 0) return asked;
      const due = await this.#outbox.lease(asked, this.#leaseMs, limit, full);
      let taken = 0;
      for (const one of due) if (this.#take({ due: one, until: asked + this.#leaseMs, ends })) taken += 1;
      if (taken === 0) return asked;
    }
  }

  /**
   * Returns the receivers to skip, and how many deliveries can be leased even if all are for the busiest other
   * receiver. With all places in use, a receiver without a running attempt still gets one: slow receivers don't block
   * others.
   */
  #room(): { limit: number; full: ReadonlySet<string> } {
    const full = new Set<string>();
    let busiest = 0;
    const crowded = this.#underWay.size >= this.#total;
    for (const [receiver, count] of this.#counts) {
      if (crowded || count >= this.#perReceiver) full.add(receiver);
      else busiest = Math.max(busiest, count);
    }
    return { limit: crowded ? 1 : Math.min(this.#total - this.#underWay.size, this.#perReceiver - busiest), full };
  }

  /** Starts an attempt, unless one is running: its lease may have ended while its outcome could not be stored. */
  #take(lease: Lease): boolean {
    const { delivery, receiver: to } = lease.due;
    const held = this.#underWay.get(delivery)?.lease;
    if (held) {
      held.until = lease.until;
      held.ends = lease.ends;
      return false;
    }
    const receiver = to.id;
    const over = () => {
      this.#underWay.delete(delivery);
      const left = (this.#counts.get(receiver) ?? 1) - 1;
      if (left === 0) this.#counts.delete(receiver);
      else this.#counts.set(receiver, left);
      this.#lookIn(0);
    };
    this.#counts.set(receiver, (this.#counts.get(receiver) ?? 0) + 1);
    this.#underWay.set(delivery, { lease, done: this.#deliver(lease, this.#abandon.signal).then(over, over) });
    return true;
  }

  /** Whether a lease lasts for so long, by the store's clock and by the monotonic clock. */
  #lasts(lease: Lease, forMs: number): boolean {
    return performance.now() + forMs < lease.ends && this.#now() + forMs < lease.until;
  }

  /** Attempts a delivery, and stores and logs the outcome. Never rejects. */
  async #deliver(lease: Lease, abandon: AbortSignal): Promise<void> {
    const { delivery, webhookId, type, attempt, receiver } = lease.due;
    // A lease with too little time left is not used: another node may lease the delivery before the attempt ends.
    const begun = this.#lasts(lease, this.#webhook.timeout);
    const span = begun && this.#tracing ? this.#tracing.delivery(lease.due) : null;
    const id = (span?.trace ?? lease.due.trace)?.id;
    const fields = { ...(id && { id }), delivery, webhookId, type, receiver: receiver.id, attempt };
    if (!begun) {
      if (!abandon.aborted) this.#log('warn', 'webhook.lease_ended', { ...fields, reason: 'lease given too late' });
      return;
    }
    const still = () => this.#lasts(lease, SENT_MS);
    const [outcome, attempted] = await this.#attempt(lease.due, span?.traceparent, { signal: abandon, still });
    span?.delivered(outcome);
    if (abandon.aborted) return;
    const settled = this.#settledBy(outcome, lease.due, attempted);
    // Once the lease has ended, another node may have delivered the event: this failure must not overwrite its outcome.
    if (settled.kind === 'failed' && !this.#lasts(lease, 0)) {
      this.#log('warn', 'webhook.lease_ended', { ...fields, reason: reasonOf(outcome) });
      return;
    }
    const written = await this.#settle(lease, settled, abandon);
    if (written === 'not ours') this.#log('warn', 'webhook.lease_ended', { ...fields, reason: reasonOf(outcome) });
    if (written === 'not ours' || written === 'not written') return;
    if (settled.kind === 'delivered') this.#log('info', 'webhook.delivered', { ...fields, status: settled.status });
    else if (written === 'moved')
      this.#log('warn', 'webhook.failed', { ...fields, reason: settled.reason, retryAt: settled.at });
    else if (settled.gone !== undefined)
      this.#log('error', 'webhook.receiver_gone', { ...fields, reason: settled.reason });
    else if (settled.retryAt === null) this.#log('error', 'webhook.given_up', { ...fields, reason: settled.reason });
    else this.#log('warn', 'webhook.failed', { ...fields, reason: settled.reason, retryAt: settled.retryAt });
  }

  /**
   * Sends a test event to a receiver, once, signed and posted as any delivery is. Nothing is stored of it, and an
   * answer has no effect. Never rejects.
   */
  async test(event: TestEvent, receiver: DueReceiver): Promise<Attempt> {
    const due = { ...event, delivery: 0, attempt: 1, trace: null, receiver, earlier: null };
    const [, attempted] = await this.#attempt(due, undefined, { signal: this.#abandon.signal, still: () => true });
    const { webhookId, type } = event;
    this.#log('info', 'webhook.tested', { webhookId, type, receiver: receiver.id, result: attempted.result });
    return attempted;
  }

  /** Makes one attempt. Never rejects: a request that can't be sent counts as a failed attempt. */
  async #attempt(
    due: Due,
    traced: string | undefined,
    limits: Pick<PostRequest, 'signal' | 'still'>,
  ): Promise<[outcome: Outcome, attempted: Attempt]> {
    const { secret, old } = due.receiver;
    const at = this.#now();
    const begun = performance.now();
    const secrets: [string, ...string[]] = old && at < old.until ? [secret, old.secret] : [secret];
    const answer = new AnswerStart();
    const outcome = await this.#posted(due, secrets, at, traced, { ...limits, read: answer.read });
    const took = Math.round(performance.now() - begun);
    const { status = null } = outcome;
    return [outcome, { at, took, status, result: reasonOf(outcome), ...answer.kept(secrets) }];
  }

  /** Signs and posts an event. */
  async #posted(
    due: Due,
    secrets: readonly [secret: string, ...old: string[]],
    now: number,
    traced: string | undefined,
    limits: Pick<PostRequest, 'signal' | 'still' | 'read'>,
  ): Promise<Outcome> {
    const traceparent = traced ?? (due.trace && traceparentOf(due.trace));
    const { url, allowPrivate } = due.receiver;
    const seconds = Math.floor(now / 1000);
    const body = `{"type":${JSON.stringify(due.type)},"timestamp":${JSON.stringify(due.timestamp)},"data":${due.data}}`;
    try {
      const headers = {
        'content-type': 'application/json',
        ...this.#signed(due, secrets, seconds, body),
        ...(traceparent && { traceparent }),
      };
      const { timeout: timeoutMs } = this.#webhook;
      return await this.#post({ url, body, headers, timeoutMs, allowPrivate, lookup: this.#lookup, ...limits });
    } catch (error) {
      this.#log('error', 'webhook.not_sent', { delivery: due.delivery, error: messageOf(error) });
      return { kind: 'failed', reason: 'not sent' };
    }
  }

  /** The headers that tell which event a delivery is of, and who sends it. */
  #signed(
    { webhookId: id, type, timestamp }: Due,
    secrets: readonly [secret: string, ...old: string[]],
    seconds: number,
    body: string,
  ): Record<string, string> {
    const { signing } = this.#webhook;
    if (signing) return signedHeaders(signing, secrets, { id, type, timestamp, seconds: String(seconds), body });
    return {
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signatures(secrets, id, seconds, body),
    };
  }

  #settledBy(outcome: Outcome, { attempt, receiver: { id, url }, earlier }: Due, attempted: Attempt): Settled {
    const at = this.#now();
    const attempts = attemptsWith(earlier, attempted);
    if (outcome.kind === 'delivered') return { ...outcome, at, attempts };
    const { reason, status, retryAfter } = outcome;
    const { gone, delays, retryAfter: most } = this.#webhook;
    const failed = { kind: 'failed', at, reason, attempts } as const;
    if (gone && status === GONE) return { ...failed, retryAt: null, gone: { id, url } };
    const delay = delays[attempt - 1];
    if (delay === undefined) return { ...failed, retryAt: null };
    const asked = most === undefined || retryAfter === undefined ? 0 : Math.min(most, waitOf(retryAfter, at));
    return { ...failed, retryAt: at + Math.max(delay, asked) };
  }

  /** Stores the outcome, with retries while the lease lasts: a success that is not stored means a repeated delivery. */
  async #settle(lease: Lease, settled: Settled, abandon: AbortSignal): Promise<Settling | 'not written'> {
    const { delivery } = lease.due;
    for (;;) {
      const { until } = lease;
      try {
        const written = await this.#outbox.settle(delivery, until, settled);
        // This process may have leased the delivery again meanwhile.
        if (written !== 'not ours' || lease.until === until) return written;
        continue;
      } catch (error) {
        this.#log('error', 'webhook.settle_failed', { delivery, error: messageOf(error) });
      }
      if (abandon.aborted || !this.#lasts(lease, this.#pollMs)) return 'not written';
      await sleep(this.#pollMs, undefined, { ref: false, signal: abandon }).catch(() => undefined);
    }
  }
}

/** The status by which a receiver says that it is no longer there (RFC 9110, section 15.5.11). */
const GONE = 410;

/** The wait in Retry-After (RFC 9110, section 10.2.3), in milliseconds from `now`; 0 where the header is malformed. */
function waitOf(retryAfter: string, now: number): number {
  if (/^[0-9]+$/.test(retryAfter)) return Number(retryAfter) * 1000;
  return Math.max(0, (httpDate(retryAfter) ?? 0) - now);
}

const reasonOf = (outcome: Outcome): string =>
  outcome.kind === 'delivered' ? `status ${outcome.status}` : outcome.reason;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}
