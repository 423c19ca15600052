import { decodeSegment } from '../../http/query.ts';
import { keyHeaderOf } from '../../plan/idempotency-key.ts';
import { named } from '../../plan/named.ts';
import { whyNotAdded } from '../../plan/rows.ts';
import type { ResourcePlan, SchemePlan } from '../../plan/step.ts';
import type { Exactness } from '../judge/compare.ts';
import type { Verdict, When } from '../judge/judge.ts';
import { isKept } from '../oracle/kept-answers.ts';
import { hasEncodedMark, hasMark } from '../oracle/marks.ts';
import { Oracle, type Prediction } from '../oracle/oracle.ts';
import type { OracleRow } from '../oracle/rows.ts';
import type { OperatorAct } from '../report/report.ts';
import type { Known, KnownRow } from '../requests/known.ts';
import type { Random } from '../requests/random.ts';
import { NotListed, SetupError } from '../setup/failures.ts';
import type { Claims, Fields } from '../setup/setup.ts';
import {
  type Answer,
  type Exchange,
  headerOf,
  isShortEnough,
  type NoAnswer,
  type Request,
} from '../target/exchange.ts';
import { claimSets } from './claim-values.ts';
import { Apart, ServiceClock } from './clock.ts';
import { heldToDocument } from './declared.ts';
import { knownCredentials, knownRow } from './known-row.ts';
import { adopt, operatorFields, Unseen } from './operator-rows.ts';
import { Memory, type RecordedExchange } from './replayable.ts';
import type { Subject } from './subject.ts';
import { Numbers, Symbols } from './symbols.ts';
import { Windows } from './windows.ts';

/** The predicted effect of a request. */
export interface Foreseen {
  readonly prediction: Prediction;
  readonly oracle: Oracle;
}

/** The number of rows of a resource that the operator adds. */
const ROWS = 3;
/** The number of attempts to add a row that the service does not refuse. */
const ATTEMPTS = 5;
/** By how much the service’s clock may differ from the tester’s where it can’t be read, in milliseconds. */
const SKEW_MS = 2000;

/** A session with the tested service: it begins without any rows, and the oracle follows each exchange. */
export class Session {
  readonly subject: Subject;
  oracle: Oracle;
  readonly numbers: Numbers;
  private readonly tags: Array<{ target: string; tag: string }> = [];
  private readonly places: Array<Known['places'][number] & { name: string }> = [];
  private readonly keys: Array<Known['keys'][number]> = [];
  private readonly removedIdentities = new Map<string, Set<string>>();
  /** The acts of the operator, with their results. */
  readonly operatorActs: OperatorAct[] = [];
  /** All exchanges that were judged, in the order of their judgement. */
  readonly exchanges: RecordedExchange[] = [];
  /** The reasons why rows of some resources could not be added, by resource. */
  readonly refusals = new Map<string, string>();
  /** The service’s clock, where the setup can move it. */
  private readonly clock: ServiceClock | null;
  /** The longest time within which a request was answered that is judged, by the service’s clock. */
  private longestLatency = 0;
  private readonly windows = new Windows();
  private readonly memory = new Memory();
  private readonly apart = new Apart();
  private readonly unseen = new Unseen();
  /** The random source of its rows and credentials. */
  private readonly drawn: Random;
  private began = 0;
  /** By how much the clock was moved since the last exchange. */
  private moved = 0;

  private constructor(subject: Subject, clock: ServiceClock | null, drawn: Random) {
    this.subject = subject;
    this.clock = clock;
    this.drawn = drawn;
    this.oracle = Oracle.of(subject.plan, subject.serviceUrl);
    this.numbers = new Numbers(subject);
  }

  /** Begins anew, with rows and credentials of the operator. */
  static async begin(subject: Subject, random: Random): Promise<Session> {
    const { reset, clock } = subject.setup;
    await reset?.();
    const session = new Session(subject, clock ? await ServiceClock.of(clock) : null, random.copy());
    await session.seedOperatorRows(random);
    session.began = await session.now();
    return session;
  }

  /** By how much the clock was moved since the last exchange, in milliseconds. */
  get movedSince(): number {
    return this.moved;
  }

  /** Begins anew, with the same rows and credentials. */
  anew(): Promise<Session> {
    return Session.begin(this.subject, this.drawn.copy());
  }

  /** The service’s time, as exactly as the test knows it. */
  async now(): Promise<number> {
    return this.clock ? this.clock.now() : Date.now();
  }

  /** Whether the service’s clock moves only where it is moved. */
  async hasStandingClock(): Promise<boolean> {
    return (await this.clock?.isStanding()) ?? false;
  }

  /** By how many milliseconds the time of a change in the service is uncertain: 0 for a standing clock. */
  get slack(): number {
    return this.longestLatency;
  }

  /** Moves the service’s clock forward. Returns false if the clock can’t be moved. */
  async pass(milliseconds: number): Promise<boolean> {
    if (!this.clock) return false;
    if (milliseconds > 0) {
      await this.clock.pass(milliseconds);
      this.moved += milliseconds;
    }
    return true;
  }

  /** The duration of the session by the service’s clock; 0 if that can’t be moved. */
  async elapsed(): Promise<number> {
    return this.clock ? (await this.now()) - this.began : 0;
  }

  private async seedOperatorRows(random: Random): Promise<void> {
    const { plan, setup } = this.subject;
    const added = plan.resources.filter(({ columns }) => setup.row && columns.some(({ from }) => from.operator));
    for (const resource of added) for (let i = 0; i < ROWS; i++) await this.tryRow(resource, random, i);
    // Rows that the operator describes and cannot add leave their credentials without anybody to call.
    for (const resource of setup.caller ? added : []) {
      const why = whyNotAdded(resource);
      const hasCallers = plan.schemes.some(
        (one) => one.resource === resource.name && one.issuedBy.includes('operator'),
      );
      if (why !== null && hasCallers) this.refusals.set(resource.name, why);
    }
    // Values that are made up may break a rule of some resource; where nothing is added at all, the setup itself fails.
    const [refusal] = this.refusals.values();
    if (refusal !== undefined && this.operatorActs.length === 0) throw new SetupError(refusal);
    for (const scheme of plan.schemes) {
      if (!setup.caller || scheme.issuedBy.every((one) => one === 'steps')) continue;
      const [first, ...others] = this.oracle.state.rows.all(scheme.resource);
      const all = scheme.scopes;
      const less = all.length > 1 ? [...all.map((scope) => [scope]), []] : all.length ? [[]] : [];
      if (!first) continue;
      const { allowed, refused } = await this.claimsOf(scheme, random);
      const [usual = {}, ...varied] = allowed;
      for (const scopes of [all, ...less]) await this.addCaller(scheme.name, first, scopes, usual);
      for (const [i, row] of others.entries())
        await this.addCaller(scheme.name, row, all, allowed[(i + 1) % allowed.length] ?? {});
      for (const claims of [...varied, ...refused]) await this.addCaller(scheme.name, first, all, claims);
    }
  }

  /** The claims with which tokens of a scheme are tried: those that the setup has, or ones that are made up. */
  private async claimsOf(scheme: SchemePlan, random: Random): Promise<ReturnType<typeof claimSets>> {
    const listed = this.subject.setup.claims?.(scheme.name);
    if (listed) return { allowed: listed, refused: [] };
    return claimSets(this.oracle, scheme, random.copy(), await this.now());
  }

  /** Adds another row as the operator, with some of its values given; null where that can’t be, or is refused. */
  async addRow(resource: ResourcePlan, own: Fields): Promise<OracleRow | null> {
    const isGiven = resource.columns.every(({ name, from }) => from.operator || !Object.hasOwn(own, name));
    return isGiven ? this.tryRow(resource, this.drawn.copy(), ROWS, own) : null;
  }

  /** Adds a row as the operator, with some of its values given, and credentials with which it calls. */
  async addCallerWith(scheme: SchemePlan, own: Fields): Promise<void> {
    const { plan } = this.subject;
    const row = await this.addRow(named(plan.resources, scheme.resource), own);
    const { allowed } = await this.claimsOf(scheme, this.drawn);
    if (row) await this.addCaller(scheme.name, row, scheme.scopes, allowed[0] ?? {});
  }

  private async tryRow(
    resource: ResourcePlan,
    random: Random,
    nth: number,
    own: Fields = {},
  ): Promise<OracleRow | null> {
    const { setup } = this.subject;
    const now = await this.now();
    let refused: SetupError | null = null;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const drawn = operatorFields(this.oracle, resource, random, now, nth);
      if (!drawn || !setup.row) return null;
      const fields = { ...drawn, ...own };
      let held: Fields;
      try {
        held = await setup.row(resource.name, fields);
      } catch (error) {
        if (error instanceof NotListed) return null;
        if (!(error instanceof SetupError)) throw error;
        refused = error;
        continue;
      }
      const row = adopt(this.oracle, resource.name, { ...fields, ...held }, now);
      const value = String(this.oracle.state.rows.identity(row));
      const gives = { name: `${resource.name.toLowerCase()}${nth + 1}`, value };
      const given = Object.keys(fields).map((name) => [name, held[name] ?? fields[name] ?? null] as const);
      const operator = `the operator adds a row of ${resource.name}`;
      this.operatorActs.push({ operator, fields: Object.fromEntries(given), gives });
      return row;
    }
    if (refused && this.oracle.state.rows.all(resource.name).length === 0)
      this.refusals.set(resource.name, refused.message);
    return null;
  }

  private async addCaller(scheme: string, row: OracleRow, scopes: readonly string[], claims: Claims): Promise<void> {
    const { setup, plan } = this.subject;
    // Nobody issues a user name and a password: the row has them.
    if (named(plan.schemes, scheme).basic) return;
    const { rows } = this.oracle.state;
    const identity = rows.identity(row);
    const text = await setup.caller?.(scheme, String(identity), scopes, claims).catch((error: unknown) => {
      if (error instanceof NotListed) return null;
      throw error;
    });
    if (typeof text !== 'string') return;
    const tokens = plan.schemes.find(({ name }) => name === scheme)?.tokens;
    const lifetime = tokens ? (tokens.longest ?? tokens.lifetime) : null;
    const skew = tokens?.skew ?? 0;
    const expiresAt = lifetime === null || lifetime === undefined ? null : (await this.now()) + lifetime + skew;
    const of = { scheme, resource: row.resource, identity, scopes, claims };
    this.oracle.state.credentials.set(text, { ...of, revoked: false, expiresAt, issued: false });
    const told = JSON.stringify(claims);
    const whom = `${row.resource} ${String(identity)} with ${scopes.length ? scopes.join(', ') : 'no scopes'}${told === '{}' ? '' : ` and the claims ${told}`}`;
    const name = `credentials${this.oracle.state.credentials.size}`;
    this.operatorActs.push({ operator: `the operator issues credentials of ${whom}`, gives: { name, value: text } });
  }

  /** The newest entity tag that a target had; null where it had none. */
  newestTag(target: string): string | null {
    return this.tags.findLast((one) => one.target === target)?.tag ?? null;
  }

  /** The symbols of values that only the implementation makes. */
  symbols(): Symbols {
    const symbols = new Symbols();
    for (const { gives } of this.operatorActs) if (gives) symbols.add(gives.name, gives.value);
    for (const [key, value] of this.oracle.state.draws.all()) symbols.add(key, value);
    // A cursor depends on a row and its time, which differ in another session; the request that returns the cursor is
    // the same.
    for (const { place, name } of this.places) symbols.add(`the next page of ${name}`, place);
    this.numbers.tell(symbols);
    return symbols;
  }

  /** The predicted answer to a request; null where the document leaves it to code. The state does not change. */
  predict(request: Request, now: number, name: string): Prediction | null {
    return this.foresee(request, now, name)?.prediction ?? null;
  }

  /** The predicted answer to a request, and the state after it. The state of the session does not change. */
  foresee(request: Request, now: number, name: string): Foreseen | null {
    return this.foreseeBy(this.oracle, request, now, name);
  }

  /** The predicted effect of a request in another state. */
  foreseeBy(known: Oracle, request: Request, now: number, name: string): Foreseen | null {
    // No request can contain a value that no answer has shown yet.
    if (isUntold(request) || !isShortEnough(request)) return null;
    const oracle = known.copy();
    this.subject.work.looked();
    const prediction = oracle.handleKnown(request, now, name);
    return prediction && { prediction, oracle };
  }

  /** Counts a request that has been sent and whose answer is not judged: rates have counted it. */
  async counted(request: Request, name: string): Promise<void> {
    this.count(request, await this.now(), name);
  }

  private count(request: Request, now: number, name: string): void {
    const oracle = this.oracle.copy();
    oracle.handleKnown(request, now, name);
    for (const [key, window] of oracle.state.windows) this.oracle.state.windows.set(key, window);
  }

  /** Makes the oracle do the timed work that is due now, without a request. */
  async catchUp(name: string): Promise<void> {
    this.oracle.passTime(await this.now(), name);
  }

  /** Sends a request and judges the answer. */
  async send(request: Request, name: string): Promise<{ exchange: Exchange; verdict: Verdict; when: When }> {
    const at = await this.elapsed();
    if (this.clock) await this.leaveEdges(this.clock);
    if (this.longestLatency > 0) await this.apart.wait();
    const { done: exchange, when } = await this.during(() => this.subject.target.send(request));
    const kept = this.record(exchange, name, at);
    let verdict = this.take(exchange, when, name);
    // A service that gave no answer may not give its time, either.
    const isAnswered = !('failed' in exchange.outcome);
    const other = verdict.kind === 'broken' && isAnswered ? await this.clock?.drift() : null;
    if (other) verdict = this.take(exchange, other, name);
    if (verdict.kind === 'kept') this.oracle = await this.unseen.toldOf(this.oracle, this.subject, verdict.prediction);
    // Rates count the request in any case.
    else this.count(request, Math.floor((when.earliest + when.latest) / 2), name);
    return { exchange: kept, verdict, when: other ?? when };
  }

  /** Executes work, and returns the instants of the service between which it was executed. */
  private async during<T>(work: () => Promise<T>): Promise<{ readonly done: T; readonly when: When }> {
    if (this.clock) return this.clock.during(work);
    const from = Date.now();
    const done = await work();
    return { done, when: { earliest: from - SKEW_MS, latest: Date.now() + SKEW_MS } };
  }

  /** With a running clock, no request is sent so near to the end of a window that it may count in the next. */
  private async leaveEdges(clock: ServiceClock): Promise<void> {
    if (this.longestLatency === 0) return;
    const by = this.windows.until(this.oracle.state, await clock.now(), this.longestLatency);
    if (by === 0) return;
    await clock.pass(by);
    this.windows.begin();
  }

  /** Compares an answer with the oracle's prediction, as if the request arrived now. */
  take(exchange: Exchange, when: When, name: string, rates = this.ratesAt(when)): Verdict {
    const { outcome } = exchange;
    if ('failed' in outcome) return this.unanswered(exchange, outcome, when.earliest, name);
    this.longestLatency = Math.max(this.longestLatency, when.latest - when.earliest);
    const verdict = heldToDocument(this.subject.declared, this.oracle, exchange, outcome, when, name, rates);
    if (verdict.kind === 'kept') {
      if (verdict.prediction.endpoint?.writes) this.apart.note();
      this.numbers.learn(this.oracle, verdict.oracle, name);
      this.remember(exchange, verdict.oracle, verdict.prediction, name);
    }
    return verdict;
  }

  /** Judges the answers to simultaneous requests one after the other, in an order that explains them. */
  takeInOrder(order: readonly Exchange[], when: When, nameOf: (i: number) => string): Verdict[] {
    const before = this.oracle.state.instants;
    const verdicts = order.map((exchange, i) => {
      this.record(exchange, nameOf(i), when.earliest - this.began);
      return this.take(exchange, when, nameOf(i), 'unknown');
    });
    const { rows, instants } = this.oracle.state;
    for (const one of instants.since(before)) rows.raced.add(one);
    return verdicts;
  }

  private record(whole: Exchange, name: string, at: number): Exchange {
    const exchange = this.memory.kept(whole);
    this.exchanges.push({ name, exchange, at: this.clock ? at : 0, moved: this.moved });
    this.moved = 0;
    return exchange;
  }

  /** How exactly the values of the rate headers are known. */
  private ratesAt(when: When): Exactness {
    const isKnown = this.windows.take(this.oracle.state, when);
    if (when.earliest === when.latest) return 'exact';
    return isKnown && this.clock ? 'near' : 'unknown';
  }

  /** Sends requests at the same time. Returns the answers and their time, without judging them. */
  async race(requests: readonly Request[]): Promise<{ exchanges: readonly Exchange[]; when: When }> {
    const { done: exchanges, when } = await this.during(() => this.subject.target.race(requests));
    return { exchanges, when: (await this.clock?.drift()) ?? when };
  }

  /** A missing answer of a reachable service is always a break. */
  private unanswered({ request }: Exchange, { failed, detail }: NoAnswer, at: number, name: string): Verdict {
    const prediction = failed === 'not reached' ? null : this.predict(request, at, name);
    if (!prediction) return { kind: 'not judged', why: detail };
    const expected = String(prediction.expected.status);
    return { kind: 'broken', prediction, differences: [{ at: 'answer', expected, actual: detail }] };
  }

  private remember({ request, outcome }: Exchange, oracle: Oracle, { endpoint }: Prediction, name: string): void {
    const { rows } = this.oracle.state;
    for (const { name: resource } of this.subject.plan.resources)
      for (const row of rows.all(resource)) {
        const identity = rows.identity(row);
        if (oracle.state.rows.byIdentity(resource, identity)) continue;
        this.removedIdentities.set(resource, (this.removedIdentities.get(resource) ?? new Set()).add(String(identity)));
      }
    this.oracle = oracle;
    if ('failed' in outcome) return;
    const tag = headerOf(outcome.headers, 'ETag');
    if (tag !== null) this.tags.push({ target: request.target, tag });
    const { target, headers } = request;
    for (const place of cursorsIn(outcome, oracle)) this.places.push({ target, headers, place, name });
    const header = endpoint && keyHeaderOf(endpoint);
    const key = header ? headerOf(request.headers, header) : null;
    if (!endpoint || key === null) return;
    const { status } = outcome;
    this.keys.push({
      endpoint: endpoint.name,
      key,
      status,
      isKept: isKept(oracle.state, endpoint.name, key, status),
      request,
    });
  }

  known(now: number): Known {
    const work = this.oracle.begin(now, { version: '', name: 'known' }, false);
    const listed = new Map<string, readonly KnownRow[]>();
    const rowsOf = (resource: string): readonly KnownRow[] => {
      const rows = listed.get(resource) ?? work.rows.all(resource).map((row) => knownRow(row, work));
      listed.set(resource, rows);
      return rows;
    };
    return {
      now,
      origin: new URL(this.subject.serviceUrl).origin,
      credentials: knownCredentials(this.oracle, now),
      rows: rowsOf,
      tags: this.tags,
      places: this.places,
      keys: this.keys,
      removed: (resource) => [...(this.removedIdentities.get(resource) ?? [])],
    };
  }
}

/** Whether a request contains the mark of a value that only the implementation knows. */
const isUntold = ({ target, headers, body }: Request): boolean =>
  hasMark(target) ||
  hasEncodedMark(target) ||
  headers.some(([, value]) => hasMark(value)) ||
  hasMark(body?.toString() ?? '');

/** The cursors in an answer. */
function cursorsIn({ body, headers }: Answer, { state }: Oracle): string[] {
  const links = [...(headerOf(headers, 'Link') ?? '').matchAll(/[?&][^=&>]+=([^&>]*)/g)];
  const texts = [
    ...[...body.toString().matchAll(/"([^"\\]{8,})"/g)].map(([, text]) => text ?? ''),
    ...links.map(([, value]) => decodeSegment(value ?? '') ?? ''),
  ];
  return texts.filter((text) => state.draws.meaningOf('cursor', text) !== null);
}
