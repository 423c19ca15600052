import type { VersionContract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import { keyHeaderOf } from '../../plan/idempotency-key.ts';
import { idText } from '../../plan/lines.ts';
import { isSuccess } from '../../plan/status.ts';
import type { Prediction } from '../oracle/oracle.ts';
import { requestsByChance } from '../requests/by-chance.ts';
import type { Candidate } from '../requests/candidate.ts';
import { isAtConstant } from '../requests/near-mutations.ts';
import { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import type { Statement } from '../statements/statement.ts';
import {
  BY_CHANCE,
  MOST_BY_CHANCE,
  MOST_PAUSE_MS,
  OF_NEEDS,
  OLDER_LESS,
  PASSES,
  PROBING,
  TALK_AFTER_PASS,
  TALK_AT_END,
  WAITING,
} from './bounds.ts';
import { Budget, RunEnd } from './budget.ts';
import { byRemoval, candidatesAt, removesRows } from './candidates.ts';
import { converse } from './conversations.ts';
import { Doubt, LeftBehind } from './doubt.ts';
import { reachReadingEdges } from './edges.ts';
import type { Exploration } from './exploration.ts';
import { FoundBreaks } from './found-breaks.ts';
import { withoutRows } from './lacking.ts';
import type { VerifyOptions } from './options.ts';
import { Probing } from './probing.ts';
import { Reproduction } from './reproduction.ts';
import { Rivals } from './rivals.ts';
import { reachStates } from './state-walk.ts';
import { metBy, openAt, TraceCoverage } from './trace-coverage.ts';
import { type Broken, brokenOf, changesState, lostRows, Trial } from './trial.ts';
import { waitForLandmarks } from './waiting.ts';

/** Tests a document: sends requests that try something new, and collects the breaks. */
export class Explorer {
  readonly breaks: FoundBreaks;
  private readonly end: RunEnd;
  private readonly options: VerifyOptions;
  private readonly tried = new Set<string>();
  readonly coverage = new TraceCoverage();
  readonly budget: Budget;
  private readonly random: Random;
  private sent = 0;
  /**
   * Whether any request was answered: until then, a service that breaks its document cannot be distinguished from no
   * service.
   */
  private isThere = false;
  private trial: Trial | null = null;
  private latest: Session | null = null;
  private readonly doubt = new Doubt();
  private readonly probing: Probing;
  private readonly rivals: Rivals;
  private readonly reproduction: Reproduction;
  private pass = 0;
  /** Whether the last request may have changed rows. */
  private hasWritten = false;
  /** The writes that this session has sent, by endpoint and predicted status. */
  private attemptedWrites = new Set<string>();
  /** The endpoints that have answered a request of this session with success. */
  private succeededEndpoints = new Set<string>();
  /** The latest request of each endpoint that was answered with an idempotency key. */
  private readonly keyed = new Map<string, Candidate>();
  private readonly attempts = new Map<string, number>();
  /** Whether everything that is looked for has been, with time left. */
  isThrough = false;
  /** Why single statements were not tried, by the texts of their ids. */
  readonly reasons = new Map<string, string>();

  constructor(options: VerifyOptions) {
    this.options = options;
    this.breaks = new FoundBreaks(options);
    this.end = new RunEnd(options);
    this.budget = new Budget(options);
    this.random = Random.of(options.seed, 1);
    this.probing = new Probing(options, this.budget);
    this.rivals = new Rivals(options.subject, (trace) => this.coverage.add(trace));
    const isCut = (): boolean => this.end.isStopped || this.budget.isCut;
    this.reproduction = new Reproduction(options, { isCut }, (error) => this.end.bySetup(error));
  }

  /** Why the run ended early; null where it did not. */
  get stopped(): string | null {
    if (this.sent === 0 && this.budget.isUsedUp)
      this.end.stopFor('The budget was used up before a request was sent. Give the run a longer --budget.');
    return this.end.why ?? this.options.subject.target.silence;
  }

  get requests(): number {
    return this.sent;
  }

  /** Rejects with SetupError where the setup fails before anything was sent; later, that ends the run. */
  async explore(): Promise<void> {
    try {
      await this.exploreAll();
    } catch (error) {
      if (this.sent === 0) throw error;
      // Rows that were left behind may explain each difference so far.
      if (error instanceof LeftBehind) this.breaks.forget();
      await this.end.bySetup(error);
    }
  }

  private async exploreAll(): Promise<void> {
    const { subject } = this.options;
    await this.begin();
    const removal = byRemoval(subject.plan);
    let sentInPass = 0;
    for (const [pass, most] of PASSES.entries()) {
      if (this.isOver()) return;
      this.pass = pass;
      if (WAITING.has(pass)) {
        await waitForLandmarks(this.exploration, [...this.keyed.values()], this.coverage);
        if (pass === PROBING) await this.probe();
      }
      if (pass > 0) {
        this.startAfresh();
        await reachStates(this.exploration, this.wanted, this.coverage);
        if (this.probing.isDue) await this.probe();
        await this.converse(TALK_AFTER_PASS * sentInPass);
        this.startAfresh();
      }
      const before = this.sent;
      for (const version of subject.contract.versions) {
        // In the first passes, endpoints that remove rows come last. Later, the order is random, since a change at one
        // endpoint alters the answers of the next.
        const endpoints = [...version.endpoints, null].filter((one) => this.concerns(one));
        for (const endpoint of pass < BY_CHANCE ? endpoints.sort(removal) : this.random.shuffled(endpoints)) {
          await this.goThrough(version, endpoint, version.status === 'current' ? most : most / OLDER_LESS);
          // Cursors of further pages and used idempotency keys are known only from answers.
          const again = pass === OF_NEEDS && (endpoint?.page || endpoint?.idempotency);
          if (again) await this.goThrough(version, endpoint, most);
          if (this.probing.isDue) await this.probe();
        }
      }
      if (!this.isOver()) await reachReadingEdges(this.exploration);
      sentInPass = this.sent - before;
    }
    if (this.options.only === null) await this.converseOn();
    this.isThrough = !this.isOver();
  }

  /** Runs the probes, which try what single requests cannot. */
  private async probe(): Promise<void> {
    if (this.isOver()) return;
    this.startAfresh();
    if (this.latest) this.doubt.over(this.latest);
    for await (const { sent, traces, untested, breaks, session } of this.probing.results()) {
      this.sent += sent;
      // The service is gone, so that the result of the probe says nothing.
      if (this.options.subject.target.gone !== null) return;
      for (const trace of traces) this.coverage.add(trace);
      for (const { statement, because } of untested) this.reasons.set(idText(statement), because);
      for (const one of breaks) await this.breaks.addOfProbe(one, session, this.reproduction, this.doubt);
      if (this.isOver()) return;
    }
  }

  /** The statements that the run is about. */
  private get wanted(): readonly Statement[] {
    const { only, statements } = this.options;
    return statements.filter(({ key }) => only === null || only.statements.has(key));
  }

  private concerns(endpoint: EndpointContract | null): boolean {
    const { only } = this.options;
    return (
      only === null || endpoint === null || only.endpoint === null || only.endpoint === endpoint.name || endpoint.writes
    );
  }

  private async begin(): Promise<Trial> {
    this.attemptedWrites = new Set();
    this.keyed.clear();
    this.succeededEndpoints = new Set();
    if (this.latest) this.doubt.over(this.latest);
    await this.doubt.afterReset(this.options.subject);
    this.trial = await Trial.begin(this.options.subject, Random.of(this.options.seed, 0));
    this.latest = this.trial.session;
    for (const [key, why] of withoutRows(this.options.statements, this.trial.session)) this.reasons.set(key, why);
    return this.trial;
  }

  /** Begins a new session next, without any rows, where the setup can reset the service. */
  private startAfresh(): void {
    if (this.options.subject.setup.reset) this.trial = null;
  }

  private async current(): Promise<Trial> {
    return this.trial ?? this.begin();
  }

  private isOver(): boolean {
    const spent = this.sent >= (this.options.mostRequests ?? Number.POSITIVE_INFINITY);
    return this.end.isStopped || this.budget.isUsedUp || spent || this.breaks.isEnough;
  }

  /** Sends those of the first candidates of an endpoint, or of none, that try something new. */
  private async goThrough(version: VersionContract, endpoint: EndpointContract | null, most: number): Promise<void> {
    const { session } = await this.current();
    if (endpoint && !this.succeededEndpoints.has(endpoint.name)) await this.seekSuccess(version, endpoint, session);
    if (this.trial?.session !== session) return;
    const candidates = await candidatesAt(session, version, endpoint, this.random, () => this.nextName);
    let count = 0;
    for (const one of candidates) {
      if (this.isOver() || this.breaks.isEnoughOf(one.endpoint) || ++count > most) return;
      await this.consider(one);
      if (this.trial?.session !== session) return;
    }
  }

  /** Sends the first of many random requests that is predicted to succeed, since later requests are about its rows. */
  private async seekSuccess(version: VersionContract, endpoint: EndpointContract, session: Session): Promise<void> {
    const { contract, plan } = this.options.subject;
    const known = session.known(await session.now());
    const situation = { contract, version, endpoint, known, random: this.random, plan };
    for (const one of requestsByChance(situation, MOST_BY_CHANCE)) {
      if (this.isOver()) return;
      const prediction = await this.predicted(one);
      if (!prediction || !isSuccess(prediction.expected.status)) continue;
      await this.dispatch(one);
      return;
    }
  }

  /** Holds random conversations, each in a session of its own, until `requests` requests were sent. */
  private async converse(requests: number): Promise<void> {
    const until = this.sent + requests;
    while (this.sent < until && !this.isOver()) {
      const before = this.sent;
      this.startAfresh();
      await converse(this.exploration);
      // A conversation without a request will not have any next time, either.
      if (this.sent === before) return;
    }
  }

  /** Conversations, as long as one in many requests shows anything new. */
  private async converseOn(): Promise<void> {
    for (let before = -1, told = 0; told > before; ) {
      before = this.coverage.count + this.rivals.eliminated;
      await this.converse(TALK_AT_END);
      told = this.coverage.count + this.rivals.eliminated;
    }
  }

  private get exploration(): Exploration {
    return {
      subject: this.options.subject,
      random: this.random,
      attempts: this.attempts,
      isOver: () => this.isOver(),
      hasSucceeded: (endpoint) => this.succeededEndpoints.has(endpoint),
      concerns: (endpoint) => this.concerns(endpoint),
      session: async () => (await this.current()).session,
      isOn: (session) => this.trial?.session === session,
      pass: async (session, milliseconds) => {
        await session.pass(milliseconds);
        this.hasWritten = false;
      },
      predicted: async (one) => (this.breaks.isEnoughOf(one.endpoint) ? null : this.predicted(one)),
      tells: async (one, prediction) => this.hasNews(one, prediction) || this.tells(one, prediction),
      rivals: (statement) => this.rivals.othersOf(statement),
      openAt: (endpoint) => openAt(endpoint, this.options, this.coverage, this.rivals),
      goThrough: (version, endpoint, most) => this.goThrough(version, endpoint, most),
      dispatch: async (one) => {
        await this.dispatch(one);
      },
    };
  }

  /** Sends a candidate if it tries something new. */
  private async consider(one: Candidate): Promise<void> {
    const prediction = await this.predicted(one);
    if (!prediction) return;
    const { status, code } = prediction.expected;
    // Rows at the bounds that the document names are made anew for each pass: others may have changed them.
    const atBound = isSuccess(status) && prediction.endpoint?.writes && isAtConstant(one.kind) ? this.pass : '';
    const what = `${one.endpoint} ${one.version} ${one.kind} ${status} ${code} ${atBound}`;
    const isNew = this.isFirstWrite(one, prediction) || this.hasNews(one, prediction);
    // Few requests meet what statements need, and looking at a request costs less than sending it.
    if (!isNew && this.pass === OF_NEEDS) return;
    if (!isNew && this.tried.has(what) && !(await this.tells(one, prediction))) return;
    this.tried.add(what);
    if (isSuccess(status)) this.attemptedWrites.add(`${one.endpoint} ${status}`);
    await this.dispatch(one);
  }

  /**
   * Whether a candidate is the first accepted write of an endpoint: each session first creates rows. Removals are sent
   * only to try something new.
   */
  private isFirstWrite({ valid, endpoint: name }: Candidate, { endpoint, expected: { status } }: Prediction): boolean {
    if (!valid || !isSuccess(status) || !endpoint?.writes || this.attemptedWrites.has(`${name} ${status}`))
      return false;
    return !removesRows(endpoint) || !this.coverage.statusesOf(endpoint.name).includes(status);
  }

  private hasNews(one: Candidate, prediction: Prediction): boolean {
    return metBy(this.options.subject.plan, one, prediction).some((trace) => !this.coverage.has(trace));
  }

  /** Whether the answer to a request would rule out a rival. */
  private async tells({ request }: Candidate, prediction: Prediction): Promise<boolean> {
    const { session } = await this.current();
    const now = await session.now();
    return this.rivals.tells({ known: session.oracle, request, now, name: this.nextName }, prediction);
  }

  /**
   * The predicted answer to a candidate; null where it must not be sent: the document does not say, or a rate is used
   * up.
   */
  private async predicted(one: Candidate): Promise<Prediction | null> {
    const [{ session }, name] = [await this.current(), this.nextName];
    const first = session.predict(one.request, await session.now(), name);
    const rate = first?.trace.find(({ statement, what }) => statement.kind === 'rate' && what === 'refused');
    if (!first || !rate) return first;
    const windows = this.options.subject.plan.rates.map(({ milliseconds }) => milliseconds);
    if (!(await session.pass(Math.max(0, ...windows)))) {
      this.startAfresh();
      return null;
    }
    return session.predict(one.request, await session.now(), name);
  }

  private get nextName(): string {
    return `request${this.sent + 1}`;
  }

  /** Sends a request, and returns whether the answer was the predicted one. */
  private async dispatch(one: Candidate): Promise<boolean> {
    const [trial, name] = [await this.current(), this.nextName];
    this.sent += 1;
    // Time passes between two writes, so that their rows have different times and lists have one order.
    if (this.hasWritten) await trial.session.pass(this.random.int(1, MOST_PAUSE_MS));
    this.hasWritten = false;
    const asked = { known: trial.session.oracle, request: one.request, now: await trial.session.now(), name };
    const { verdict, exchange } = await trial.send(one.request, name);
    this.tell();
    this.doubt.heard(trial.session, exchange);
    this.isThere ||= !('failed' in exchange.outcome);
    if (!this.isThere) {
      this.tried.clear();
      this.trial = null;
      return false;
    }
    if (verdict.kind === 'broken') {
      await this.keep(trial, one, brokenOf(exchange, verdict));
      return false;
    }
    const { outcome } = exchange;
    const lost = lostRows(this.options.subject.plan, one, outcome, verdict);
    if (lost !== null || 'failed' in outcome) {
      if (lost !== null && !this.options.subject.setup.reset) this.end.stopFor(lost);
      this.startAfresh();
      return false;
    }
    if (one.endpoint !== null) this.coverage.answered(one.endpoint, outcome.status);
    if (verdict.kind !== 'kept') return false;
    const diverged = this.rivals.answered(asked);
    const { prediction } = verdict;
    if (one.endpoint !== null && isSuccess(prediction.expected.status)) this.succeededEndpoints.add(one.endpoint);
    this.hasWritten = prediction.endpoint?.writes ?? false;
    for (const trace of metBy(this.options.subject.plan, one, prediction)) this.coverage.add(trace);
    const takesKey = prediction.endpoint && keyHeaderOf(prediction.endpoint) !== null;
    if (takesKey && one.endpoint !== null && isSuccess(prediction.expected.status)) this.keyed.set(one.endpoint, one);
    const reading = this.isOver() ? null : await this.rivals.reading(trial.session, diverged, this.random);
    if (reading && (await this.dispatch(reading.one))) reading.answered();
    return true;
  }

  private tell(): void {
    const { progress, statements } = this.options;
    progress?.({
      used: this.budget.used,
      requests: this.sent,
      breaks: this.breaks.count,
      tried: this.coverage.count,
      statements: statements.length,
    });
  }

  /** Keeps a break that was not known, with the fewest requests that show it. */
  private async keep(trial: Trial, one: Candidate, broken: Broken): Promise<void> {
    const { setup } = this.options.subject;
    if (setup.reset) this.doubt.mustBeNew(trial.session, broken);
    const known = this.breaks.isKnown(one.endpoint, broken);
    if (!known) {
      const told = await this.reproduction.ofTrial(trial, one, broken);
      this.breaks.add(this.doubt.with(told, trial.session, broken), broken);
    }
    if (!known || changesState(broken)) this.trial = null;
    if (this.trial === null && !setup.reset && changesState(broken))
      this.end.stopFor('After this break the test no longer knows the stored rows, and the setup has no `reset`.');
    else if (!setup.reset) this.trial = trial;
  }
}
