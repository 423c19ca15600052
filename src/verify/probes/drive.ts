import type { EndpointContract } from '../../contract/endpoint.ts';
import { isSuccess } from '../../plan/status.ts';
import { duesOf } from '../oracle/dues.ts';
import type { ExpectedEvent } from '../oracle/events.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { traceKey } from '../oracle/trace.ts';
import { requestsLike } from '../requests/by-chance.ts';
import { candidatesFor, firstOfEach } from '../requests/candidates.ts';
import type { Random } from '../requests/random.ts';
import type { Foreseen, Session } from '../session/session.ts';
import { endsOfCrowded } from '../session/windows.ts';
import type { Exchange, Request } from '../target/exchange.ts';
import type { Findings } from './findings.ts';

/** The number of candidates to one endpoint that are considered first: the candidates that test the most come first. */
const LOOKED_AT = 16;
/** The number that are considered if the first ones try nothing new. */
const LOOKED_AT_LONGER = 60;
/** The largest number of requests that prepare one wanted request. */
const MOST_STEPS = 15;
/** The largest number of such requests in one probe. */
const MOST_STEPS_OF_ALL = 60;
/** The largest number of candidates that one probe considers. */
const MOST_FORESEEN = 8000;
/**
 * The time by which a running clock is moved past a due instant, in milliseconds, so that later changes have different
 * instants.
 */
const RUNNING_MS = 2000;

/** A request that could be sent, with its predicted effect. */
export interface Option {
  readonly request: Request;
  readonly endpoint: string;
  readonly foreseen: Foreseen;
}

/** Whether a request is wanted, by its predicted effect. */
type Wanted = (option: Option) => boolean;

/**
 * The limits of a search for a request: the number of candidates for each endpoint, the endpoints, the version, and a
 * request to imitate.
 */
interface Where {
  readonly most?: number;
  readonly at?: string | null;
  /** Null: at every endpoint that changes rows. */
  readonly among?: ReadonlySet<string> | null;
  /** Null: the current version. */
  readonly version?: string | null;
  /** A request whose target and credentials the request must have. */
  readonly like?: Option | null;
}

/** Sends requests with known effects, to bring the service into the state that a probe needs. */
export class Drive {
  readonly session: Session;
  readonly findings: Findings;
  /** Called after each answer and after each pause, before anything else happens. */
  afterwards: (() => Promise<void>) | null = null;
  /** Whether a preparing request may be sent, judged by the predicted state after it; null if every request may. */
  spares: ((oracle: Oracle, now: number) => boolean) | null = null;
  private readonly random: Random;
  /** Whether the probe should end its searches. */
  private readonly isOver: () => boolean;
  private readonly seen = new Set<string>();
  private count = 0;
  /** Whether an answer that may have changed rows could not be judged. */
  private isLost = false;
  private steps = 0;
  private foreseen = 0;

  private readonly prefix: string;

  /** `isOver`: whether the probe should end. `prefix`: the beginning of the names of its requests. */
  constructor(session: Session, findings: Findings, random: Random, isOver = (): boolean => false, prefix = 'p') {
    this.session = session;
    this.prefix = prefix;
    findings.begin(session);
    this.findings = findings;
    this.random = random;
    this.isOver = isOver;
  }

  /** Whether the probe should end its searches. */
  get isLate(): boolean {
    return this.isLost || this.isOver();
  }

  /**
   * Moves the clock, and makes the service do the work that becomes due. Returns false if the clock cannot be moved.
   */
  async pass(milliseconds: number): Promise<boolean> {
    if (!(await this.session.pass(milliseconds))) return false;
    await this.session.catchUp(this.name());
    await this.afterwards?.();
    return true;
  }

  /** Moves the clock past the current windows of rates, so that new windows begin. */
  async endWindows(): Promise<void> {
    const now = await this.session.now();
    const ends = [...this.session.oracle.state.windows.values()].map(({ end }) => end);
    const last = Math.max(now, ...ends);
    if (last > now) await this.pass(last - now);
  }

  /** Resets the counts of considered and sent requests, for the next part of a probe. */
  renew(): void {
    this.foreseen = 0;
    this.steps = 0;
  }

  /** A new name for a request. */
  name(): string {
    this.count += 1;
    return `${this.prefix}${this.count}`;
  }

  /** Sends a request and judges its answer; returns null where the answer is wrong or was not judged. */
  async send(request: Request, name = this.name()): Promise<Exchange | null> {
    const { exchange, verdict } = await this.session.send(request, name);
    this.findings.acts.push(exchange);
    if (verdict.kind === 'broken') this.findings.wrongAnswer(verdict, exchange);
    // After a successful answer that was not judged, the rows are unknown, so that the probe must end.
    const { outcome } = exchange;
    if (verdict.kind === 'not judged' && !('failed' in outcome) && isSuccess(outcome.status)) this.isLost = true;
    if (verdict.kind !== 'kept') return null;
    this.findings.kept(request, verdict.prediction);
    // Timed changes that are due at the instant of a request happen with it.
    await this.session.catchUp(this.name());
    await this.afterwards?.();
    return exchange;
  }

  /**
   * Finds a wanted request; if there is none yet, sends other requests that may make it possible. Null if none is
   * found. `at`: the only endpoint to search.
   */
  async find(wanted: Wanted, at: string | null = null): Promise<Option | null> {
    for (let step = 0; step < MOST_STEPS && this.steps < MOST_STEPS_OF_ALL && !this.isLate; step++) {
      await this.makeRoom();
      const there = at === null ? null : await this.atOnce(wanted, { at });
      if (there) return there;
      const found = (await this.look(wanted, LOOKED_AT)) ?? (await this.look(wanted, LOOKED_AT_LONGER));
      if (found === null || wanted(found)) return found;
      if (!(await this.take(found))) return null;
    }
    return null;
  }

  /** Lets steps of the service issue credentials, since credentials of the operator may belong to no visible caller. */
  async issueCredentials(): Promise<boolean> {
    const known = this.session.oracle.state.credentials.size;
    const option = await this.find(({ foreseen }) => foreseen.oracle.state.credentials.size > known);
    return option !== null && (await this.send(option.request)) !== null;
  }

  /** Sends a request that tries something new. Returns false if there is none, or if its answer is a break. */
  async goOn(): Promise<boolean> {
    if (this.steps >= MOST_STEPS_OF_ALL || this.isLate) return false;
    await this.makeRoom();
    const found = await this.look(() => false, LOOKED_AT);
    return found !== null && this.take(found);
  }

  /** Sends a preparing request. Returns false if its answer is a break. */
  private async take(found: Option): Promise<boolean> {
    this.steps += 1;
    for (const key of this.newsOf(found)) this.seen.add(key);
    return (await this.send(found.request)) !== null || !this.findings.isBroken;
  }

  /** Finds a wanted request that needs no preparation; null if there is none. */
  async atOnce(wanted: Wanted, where: Where = {}): Promise<Option | null> {
    await this.makeRoom();
    for (const option of await this.options({ most: LOOKED_AT_LONGER, ...where })) if (wanted(option)) return option;
    return null;
  }

  /**
   * Returns a wanted request, otherwise one that tries something new. A longer look accepts any request that succeeds.
   */
  private async look(wanted: Wanted, most: number): Promise<Option | null> {
    const good: Option[] = [];
    const news: Option[] = [];
    for (const option of await this.options({ most })) {
      if (wanted(option)) return option;
      if (option.foreseen.prediction.expected.status >= 400) continue;
      good.push(option);
      if (this.newsOf(option).length > 0) news.push(option);
    }
    return this.random.among(news) ?? (most === LOOKED_AT ? null : (this.random.among(good) ?? null));
  }

  /** Reads a row, if some request shows it; a wrong answer is a break. Returns false for a wrong answer. */
  async readOf(identity: string): Promise<boolean> {
    const { session, random } = this;
    const { contract, plan } = session.subject;
    const now = await session.now();
    const isReading = ({ writes }: EndpointContract): boolean => !writes;
    for (const one of firstOfEach(contract, session.known(now), random, plan, LOOKED_AT, isReading)) {
      const expected = one.valid ? session.predict(one.request, now, 'read')?.expected : undefined;
      if (expected?.status !== 200 || !JSON.stringify(expected.body ?? null).includes(identity)) continue;
      return (await this.send(one.request)) !== null || !this.findings.isBroken;
    }
    return true;
  }

  /**
   * Moves the clock to the next timed transition or event. Returns false if there is none, or if the clock cannot be
   * moved.
   */
  async toNextDue(): Promise<boolean> {
    const now = await this.session.now();
    const next = duesOf(this.session.oracle, now)[0]?.at;
    if (next === undefined) return false;
    // The function `afterwards` also runs at the last instant before the next due one.
    if (this.afterwards && (await this.session.hasStandingClock()) && (await this.pass(next - now - 1)))
      return this.pass(1);
    const slack = (await this.session.hasStandingClock()) ? 0 : RUNNING_MS;
    return this.pass(next - now + slack);
  }

  private newsOf({ foreseen }: Option): string[] {
    return foreseen.prediction.trace.map(traceKey).filter((key) => !this.seen.has(key));
  }

  /** Valid requests to each endpoint that changes rows, with the endpoints in random order. */
  private async options({
    most = LOOKED_AT,
    version: spoken = null,
    like = null,
    ...where
  }: Where): Promise<Iterable<Option>> {
    const { session, random } = this;
    const drive = this;
    const { contract, plan } = session.subject;
    const [current] = contract.versions;
    const version = spoken === null ? current : contract.versions.find(({ name }) => name === spoken);
    const now = await session.now();
    const known = session.known(now);
    const at = like?.endpoint ?? where.at ?? null;
    const isWriting = (name: string): boolean => plan.endpoints.some((one) => one.name === name && one.writes);
    const isThere = (name: string): boolean => name === (at ?? name) && (where.among?.has(name) ?? true);
    const writing = random.shuffled((version?.endpoints ?? []).filter(({ name }) => isThere(name) && isWriting(name)));
    return (function* (): Generator<Option> {
      for (const endpoint of writing) {
        let looked = 0;
        if (!version) return;
        const candidates = like
          ? requestsLike({ contract, version, endpoint, known, random, plan }, like.request, most)
          : candidatesFor(contract, version, endpoint, known, random, plan);
        for (const one of candidates) {
          if (++looked > most || ++drive.foreseen > MOST_FORESEEN || drive.isLate) break;
          const foreseen = one.valid ? session.foresee(one.request, now, 'foreseen') : null;
          if (foreseen && (drive.spares?.(foreseen.oracle, now) ?? true))
            yield { request: one.request, endpoint: endpoint.name, foreseen };
        }
      }
    })();
  }

  /** Waits for new windows if a rate is mostly used up. */
  async makeRoom(): Promise<void> {
    const now = await this.session.now();
    for (const end of endsOfCrowded(this.session.oracle.state, now)) await this.pass(end - now);
  }
}

/** The events that a request would cause. */
export const newEvents = (session: Session, { foreseen }: Pick<Option, 'foreseen'>): readonly ExpectedEvent[] =>
  (foreseen.oracle.state.events ?? []).slice(session.oracle.state.events?.length ?? 0);
