import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../http/alarm.ts';
import { type Trace, traceparentOf } from '../tracing/trace.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { type Lookup, shared } from './guard.ts';
import { type Outcome, post } from './post.ts';
import { signatures } from './sign.ts';

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
  /** The request for which the event happened; null where that isn’t known. */
  trace: Trace | null;
  receiver: DueReceiver;
}

/** Where a delivery goes, and with which secrets it is signed. */
interface DueReceiver {
  id: string;
  url: string;
  secret: string;
  /** The secret before, and until when it is valid, in ms since the epoch; null where the receiver has had no other. */
  old: { readonly secret: string; readonly until: number } | null;
  allowPrivate: boolean;
}

/**
 * The stored outcome of an attempt; `at` and `retryAt` are milliseconds since the epoch, and `retryAt` is null when the
 * delivery is given up.
 */
export type Settled =
  | { kind: 'delivered'; at: number; status: number }
  | { kind: 'failed'; at: number; retryAt: number | null; reason: string };

/** The store's interface for the dispatcher. Any call may reject: the error is logged, and the call repeated later. */
export interface Outbox {
  /**
   * Leases due deliveries (the store keeps each row's order: only the head of a row's line is ever due), at most
   * `limit`, skipping receivers named in `full`. A lease ends by itself after `leaseMs`.
   */
  lease(now: number, leaseMs: number, limit: number, full: ReadonlySet<string>): Promise<Due[]>;
  /**
   * Ends the lease that lasts `until`: the delivery is done, or due again at `retryAt`, or given up. False, and nothing
   * is changed, where it is leased otherwise by now.
   */
  settle(delivery: number, until: number, outcome: Settled): Promise<boolean>;
  /** When the next delivery that can be leased falls due (ms since the epoch), or null. */
  nextDue(): Promise<number | null>;
  /** Makes due at `now` what is due later than it can be: `latest` says when that is, by how many attempts it has had. */
  recall(now: number, latest: readonly number[]): Promise<void>;
}

export interface Schedule {
  timeoutMs: number;
  /** Delay before attempt 2, 3, … in ms; attempts = delays.length + 1. */
  delays: readonly number[];
}

type Log = (level: 'debug' | 'info' | 'warn' | 'error', event: string, fields: Record<string, unknown>) => void;

export interface DispatcherOptions {
  log: Log;
  /** Ms since the epoch. */
  now?: () => number;
  post?: typeof post;
  /** Stands in for the system's resolver. */
  lookup?: Lookup;
  /** Makes a span of each attempt; null where nothing does. */
  tracing?: Tracing | null;
  /** How many attempts at one receiver may be under way at once. */
  perReceiver?: number;
  /** How many attempts may be under way at once. */
  total?: number;
  /** The longest time between two looks at the outbox, which finds what other processes have added. */
  pollMs?: number;
}

/** How much longer than an attempt a lease lasts, so that its outcome can be written even by a store under load. */
const LEASE_MARGIN_MS = 10_000;
/** How much of a lease has to be left when an attempt is about to be sent: so long it may be on its way. */
const SENT_MS = 1000;
/** How often what is due is looked for in vain before a moved clock goes on. */
const MOST_FAILED_LOOKS = 20;
/** How much later than it can be something has to be due for the clock to have gone back: other nodes know the time as well as this one, and no better. */
const SET_BACK_MS = 5000;

/** A delivery that is under way, and for how long it is this process’s to deliver. */
interface Lease {
  readonly due: Due;
  /** When it ends, by the clock of the store: what it is known by there. */
  until: number;
  /** When it ends at the latest, on the monotonic clock: it may have been asked for long before it was given. */
  ends: number;
}

/** Delivers what the outbox holds, at least once each: leases, signs, posts and settles, until it is stopped. */
export class Dispatcher {
  readonly #outbox: Outbox;
  readonly #schedule: Schedule;
  readonly #leaseMs: number;
  /** For how long a delivery can have to wait, in ms, by how many attempts it has had. */
  readonly #waitsMs: readonly number[];
  readonly #log: Log;
  readonly #now: () => number;
  readonly #post: typeof post;
  readonly #lookup: Lookup;
  readonly #perReceiver: number;
  readonly #total: number;
  readonly #pollMs: number;
  readonly #tracing: Tracing | null;

  /** The deliveries under way, by their number, and how many there are for each receiver. */
  readonly #underWay = new Map<number, { readonly lease: Lease; readonly done: Promise<void> }>();
  readonly #counts = new Map<string, number>();
  #running = false;
  /** The time of the last look; none yet is later than any. */
  #lookedAt = Number.POSITIVE_INFINITY;
  #abandon = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires, on the monotonic clock. */
  #timerAt = 0;
  #looking: Promise<void> | undefined;
  #lookAgain = false;

  /** `schedule` is what the document states of time-out and attempts. */
  constructor(outbox: Outbox, schedule: Schedule, options: DispatcherOptions) {
    this.#outbox = outbox;
    this.#schedule = schedule;
    this.#leaseMs = schedule.timeoutMs + LEASE_MARGIN_MS;
    this.#waitsMs = [0, ...schedule.delays].map((delay) => Math.max(delay, this.#leaseMs));
    this.#log = (level, event, fields) => {
      try {
        options.log(level, event, fields);
      } catch {
        // A log that fails has nowhere to say so, and must not end the delivering.
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

  /** Says that something was committed, so that the outbox is looked at now. Cheap; may be called for every commit. */
  wake(): void {
    this.#lookIn(0);
  }

  /** Resolves once everything that is due now has been attempted, and what became of it is written. */
  async caughtUp(): Promise<void> {
    // A look that has begun may go by an earlier time.
    await this.#looking;
    // A look fails where the store is busy: what is still due is looked for again.
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
  async stop(graceMs: number = this.#schedule.timeoutMs): Promise<void> {
    this.#running = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await within(this.#drained(), graceMs);
    if (this.#underWay.size > 0) this.#log('warn', 'webhook.abandoned', { deliveries: this.#underWay.size });
    this.#abandon.abort();
  }

  async #drained(): Promise<void> {
    // A look that has begun may still lease, and what it leases is delivered rather than left to its lease.
    await this.#looking;
    await Promise.all([...this.#underWay.values()].map(({ done }) => done));
  }

  /** Looks after `delayMs`, or sooner if a sooner look is set. */
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

  /** Takes all that can be taken now, and sets the next look. Never rejects. */
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
   * Whom to skip, and how many can be leased even if they are all for the busiest receiver that isn't skipped.
   * Once all places are taken, a receiver that has none may still have one: slow ones, however many, hold up nobody.
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

  /** Sets a delivery under way, unless it is: its lease may have ended while its outcome could not be written. */
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

  /** Whether a lease still lasts for so long, by the store’s clock and by the one that nobody sets. */
  #lasts(lease: Lease, forMs: number): boolean {
    return performance.now() + forMs < lease.ends && this.#now() + forMs < lease.until;
  }

  /** Attempts, settles and logs. Never rejects, as neither does anything it calls. */
  async #deliver(lease: Lease, abandon: AbortSignal): Promise<void> {
    const { delivery, webhookId, type, attempt, receiver } = lease.due;
    // A lease with too little time left is not used: another node may lease the delivery before the attempt ends.
    const begun = this.#lasts(lease, this.#schedule.timeoutMs);
    const span = begun && this.#tracing ? this.#tracing.delivery(lease.due) : null;
    const id = (span?.trace ?? lease.due.trace)?.id;
    const fields = { ...(id && { id }), delivery, webhookId, type, receiver: receiver.id, attempt };
    const outcome = begun ? await this.#attempt(lease, abandon, span?.traceparent) : LATE;
    span?.delivered(outcome);
    if (abandon.aborted) return;
    const settled = this.#settledBy(outcome, attempt);
    // Once the lease has ended, another node may have delivered the event: this failure must not overwrite its outcome.
    if (outcome === LATE || (settled.kind === 'failed' && !this.#lasts(lease, 0))) {
      this.#log('warn', 'webhook.lease_ended', { ...fields, reason: reasonOf(outcome) });
      return;
    }
    const written = await this.#settle(lease, settled, abandon);
    if (written === 'not ours') this.#log('warn', 'webhook.lease_ended', { ...fields, reason: reasonOf(outcome) });
    if (written !== 'settled') return;
    if (settled.kind === 'delivered') this.#log('info', 'webhook.delivered', { ...fields, status: settled.status });
    else if (settled.retryAt === null) this.#log('error', 'webhook.given_up', { ...fields, reason: settled.reason });
    else this.#log('warn', 'webhook.failed', { ...fields, reason: settled.reason, retryAt: settled.retryAt });
  }

  /** One attempt. Never rejects: what cannot be sent is a failure like any other, and uses up the attempts. */
  async #attempt(lease: Lease, signal: AbortSignal, traced: string | undefined): Promise<Outcome> {
    const { due } = lease;
    const traceparent = traced ?? (due.trace && traceparentOf(due.trace));
    const { url, secret, old, allowPrivate } = due.receiver;
    const now = this.#now();
    const seconds = Math.floor(now / 1000);
    const secrets = old && now < old.until ? [secret, old.secret] : [secret];
    const body = `{"type":${JSON.stringify(due.type)},"timestamp":${JSON.stringify(due.timestamp)},"data":${due.data}}`;
    try {
      const headers = {
        'content-type': 'application/json',
        'webhook-id': due.webhookId,
        'webhook-timestamp': String(seconds),
        'webhook-signature': signatures(secrets, due.webhookId, seconds, body),
        ...(traceparent && { traceparent }),
      };
      const { timeoutMs } = this.#schedule;
      const still = () => this.#lasts(lease, SENT_MS);
      return await this.#post({ url, body, headers, timeoutMs, allowPrivate, lookup: this.#lookup, signal, still });
    } catch (error) {
      this.#log('error', 'webhook.not_sent', { delivery: due.delivery, error: messageOf(error) });
      return { kind: 'failed', reason: 'not sent' };
    }
  }

  #settledBy(outcome: Outcome, attempt: number): Settled {
    const at = this.#now();
    if (outcome.kind === 'delivered') return { ...outcome, at };
    const delay = this.#schedule.delays[attempt - 1];
    return { kind: 'failed', at, retryAt: delay === undefined ? null : at + delay, reason: outcome.reason };
  }

  /** Writes the outcome, again and again while the lease lasts, for a success not written is a delivery repeated. */
  async #settle(lease: Lease, settled: Settled, abandon: AbortSignal): Promise<'settled' | 'not ours' | 'not written'> {
    const { delivery } = lease.due;
    for (;;) {
      const { until } = lease;
      try {
        if (await this.#outbox.settle(delivery, until, settled)) return 'settled';
        // This process itself may have leased it anew meanwhile.
        if (lease.until === until) return 'not ours';
        continue;
      } catch (error) {
        this.#log('error', 'webhook.settle_failed', { delivery, error: messageOf(error) });
      }
      if (abandon.aborted || !this.#lasts(lease, this.#pollMs)) return 'not written';
      await sleep(this.#pollMs, undefined, { ref: false, signal: abandon }).catch(() => undefined);
    }
  }
}

/** The outcome of a lease that has too little time left for an attempt. */
const LATE: Outcome = { kind: 'failed', reason: 'lease given too late' };

const reasonOf = (outcome: Outcome): string =>
  outcome.kind === 'delivered' ? `status ${outcome.status}` : outcome.reason;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}
