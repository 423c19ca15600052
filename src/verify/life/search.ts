import type { VersionContract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import { type Expr, some } from '../../expression/tree/expression.ts';
import { isSuccess } from '../../plan/status.ts';
import type { EndpointPlan, Plan } from '../../plan/step.ts';
import { duesOf } from '../oracle/dues.ts';
import type { Prediction } from '../oracle/oracle.ts';
import type { Trace } from '../oracle/trace.ts';
import { requestsByChance, requestsLike } from '../requests/by-chance.ts';
import type { Candidate } from '../requests/candidate.ts';
import { Random } from '../requests/random.ts';
import { byRemoval, candidatesAt, removesRows } from '../run/candidates.ts';
import { converse } from '../run/conversations.ts';
import { decidersOf, stepsAt } from '../run/deciding.ts';
import type { Exploration } from '../run/exploration.ts';
import { type LooksLeft, reach, stepsOf } from '../run/goal-requests.ts';
import { reachState, reachTransitions } from '../run/state-walk.ts';
import { endpointsOf, reachSuccess } from '../run/step-goals.ts';
import { isOfRows, TraceCoverage } from '../run/trace-coverage.ts';
import { Session } from '../session/session.ts';
import type { Subject } from '../session/subject.ts';
import { type Goal, OpenGoals } from './goals.ts';

/** The result of a search. */
interface Life {
  /** The goals to which no request was found, in the order of the goals. */
  readonly missing: readonly Goal[];
  readonly requests: number;
  /** Whether the search reached its bound before it had tried everything. */
  readonly cut: boolean;
}

/** The seed of all choices: the same document gives the same result. */
const SEED = 1;
/** The number of sessions, each with other rows and credentials. */
const SESSIONS = 3;
/** The number of candidates that are considered to find an accepted request to an endpoint. */
const LOOKED_AT = 60;
/** The number of candidates in one session for endpoints that have accepted none, and for codes. */
const LOOKED_AT_OF_ALL = 4000;
/** The number of invalid candidates that are considered for the codes of one endpoint. */
const SPOILT = 160;
/** The number of similar requests that are tried to reach a limit on the number of rows. */
const REPEATED = 240;
/** The number of conversations (series of random requests) in one session, after everything else was tried. */
const CONVERSATIONS = 3;

/**
 * Searches for requests that reach some goals, as `test` does: each answer is predicted from the document before the
 * request is sent. `budget`: the largest amount of work, in milliseconds of a slow machine (`Work`). The work is
 * counted and not measured, so that the same document gives the same result on every machine.
 */
export async function searchForLife(subject: Subject, goals: readonly Goal[], budget: number): Promise<Life> {
  const search = new Search(subject, goals, budget);
  await search.run();
  return { missing: search.open.all, requests: subject.target.sent, cut: search.isCut };
}

class Search {
  private readonly subject: Subject;
  private readonly budget: number;
  readonly open: OpenGoals;
  private readonly coverage = new TraceCoverage();
  private random = Random.of(SEED, 0);
  private session: Session | null = null;
  /** The endpoints that have accepted a request in the session. */
  private succeeded = new Set<string>();
  private names = 0;
  private readonly streams: ReadonlySet<string>;
  private readonly plans: ReadonlyMap<string, EndpointPlan>;
  private readonly contracts: ReadonlyMap<string, EndpointContract>;

  constructor(subject: Subject, goals: readonly Goal[], budget: number) {
    this.subject = subject;
    this.budget = budget;
    this.open = new OpenGoals(goals, subject.plan);
    const { endpoints } = subject.plan;
    this.plans = new Map(endpoints.map((one) => [one.name, one]));
    const [version] = subject.contract.versions;
    this.contracts = new Map((version?.endpoints ?? []).map((one) => [one.name, one]));
    this.streams = new Set(endpoints.flatMap(({ name, after }) => (after?.body?.kind === 'stream' ? [name] : [])));
  }

  get isCut(): boolean {
    return !this.open.isEmpty && this.isSpent;
  }

  private get isSpent(): boolean {
    const { work, target } = this.subject;
    return work.milliseconds(target.sent) > this.budget;
  }

  private get isOver(): boolean {
    return this.open.isEmpty || this.isSpent;
  }

  async run(): Promise<void> {
    for (let i = 0; i < SESSIONS && !this.isOver; i++) {
      this.random = Random.of(SEED, i + 1);
      await this.begin(i);
      await this.runSession(i === SESSIONS - 1);
    }
  }

  private async begin(i: number): Promise<void> {
    this.succeeded = new Set();
    this.session = await Session.begin(this.subject, Random.of(SEED, 100 + i));
    this.session.oracle.state.events = [];
  }

  private async runSession(isLast: boolean): Promise<void> {
    const run = this.exploration;
    await this.takeEach();
    if (this.isOver) return;
    await reachSuccess(run, { left: LOOKED_AT_OF_ALL });
    await this.spoilEach();
    await reachTransitions(run, this.open.statements, this.coverage);
    await this.waitForDues();
    await this.reachCodes({ left: LOOKED_AT_OF_ALL });
    await this.spoilEach();
    // Other requests may need the row that was removed last.
    await this.takeEach();
    if (isLast || this.open.all.every(({ kind }) => kind === 'code')) await this.repeatEach();
    for (let i = 0; i < CONVERSATIONS && !this.isOver && this.session; i++) await converse(run);
  }

  /**
   * Sends each endpoint the first of many requests that it accepts. Endpoints that remove rows come last, and only
   * until a request to them was accepted.
   */
  private async takeEach(): Promise<void> {
    const [version] = this.subject.contract.versions;
    if (!version) return;
    for (const endpoint of [...version.endpoints].sort(byRemoval(this.subject.plan))) {
      if (this.isOver || !this.session) return;
      const { name } = endpoint;
      const plan = this.plans.get(name);
      const isNeeded = this.open.has('endpoint', name) || (endpoint.writes && !(plan && removesRows(plan)));
      if (isNeeded && !this.succeeded.has(name)) await this.take(version, endpoint, this.session);
    }
  }

  private async take(version: VersionContract, endpoint: EndpointContract, session: Session): Promise<void> {
    const one = await this.firstTaken(version, endpoint, session);
    if (one) return this.dispatch(one);
    if (!this.open.has('endpoint', endpoint.name)) return;
    // Answers of handlers, and answers that depend on unknown values, cannot be predicted: the request is sent without
    // a prediction.
    const { contract, plan } = this.subject;
    const known = session.known(await session.now());
    const [first] = requestsByChance({ contract, version, endpoint, known, random: this.random, plan }, 1);
    if (first && !(await this.predicted(first))) await this.dispatch(first);
  }

  /**
   * Sends requests with one fault where a transition or an untried code may result: another password, a stale entity
   * tag.
   */
  private async spoilEach(): Promise<void> {
    const [version] = this.subject.contract.versions;
    for (const endpoint of version?.endpoints ?? []) {
      if (!version || this.isOver || !this.session) return;
      if (!this.open.hasCodeAt(endpoint)) continue;
      let looked = 0;
      const { session } = this;
      for (const one of await candidatesAt(session, version, endpoint, this.random, () => `request${this.names + 1}`)) {
        if (++looked > SPOILT || this.isOver || this.session !== session || !this.open.hasCodeAt(endpoint)) break;
        const prediction = await this.predicted(one);
        if (prediction && this.open.isLedTo(prediction)) await this.dispatch(one);
      }
    }
  }

  /** Advances the clock to timed transitions and events that have not happened yet. */
  private async waitForDues(): Promise<void> {
    for (const resource of this.subject.plan.resources)
      for (const machine of resource.machines)
        for (const { name, from, timed } of machine.transitions) {
          if (!timed || this.isOver || !this.session) continue;
          for (const state of from)
            if (this.open.has('transition', `${resource.name}.${name}`))
              if (await reachState(this.exploration, resource, machine, state)) await this.waitFor(resource.name, name);
        }
    for (const { name: resource, events } of this.subject.plan.resources)
      for (const { name } of events) if (this.open.has('event', name)) await this.waitFor(resource, name);
  }

  private async waitFor(resource: string, name: string): Promise<void> {
    const { session } = this;
    if (!session || this.isOver) return;
    const now = await session.now();
    const due = duesOf(session.oracle, now).find((one) => one.name === name && one.row.resource === resource);
    if (!due) return;
    await session.pass(due.at - now);
    const trace: Trace[] = [];
    session.oracle.passTime(await session.now(), `wait${++this.names}`, trace);
    this.takeIn(session, trace);
  }

  /** Sends one request repeatedly, with other values, if a limit on the number of rows may refuse it. */
  private async repeatEach(): Promise<void> {
    const { contract, plan } = this.subject;
    const [version] = contract.versions;
    for (const endpoint of version?.endpoints ?? []) {
      const { session } = this;
      if (!version || !session || this.isOver) return;
      if (!endpoint.writes || !this.open.hasCodeAt(endpoint) || !countsRows(plan, endpoint.name)) continue;
      const first = await this.firstTaken(version, endpoint, session);
      if (!first) continue;
      const known = session.known(await session.now());
      const given = { contract, version, endpoint, known, random: this.random, plan };
      for (const one of requestsLike(given, first.request, REPEATED)) {
        if (!this.open.hasCodeAt(endpoint) || this.isOver || this.session !== session) break;
        const prediction = await this.predicted(one);
        if (prediction && (isSuccess(prediction.expected.status) || this.open.isLedTo(prediction)))
          await this.dispatch(one);
      }
    }
  }

  /** The first of several valid requests that an endpoint accepts. */
  private async firstTaken(
    version: VersionContract,
    endpoint: EndpointContract,
    session: Session,
  ): Promise<Candidate | null> {
    const { contract, plan } = this.subject;
    const known = session.known(await session.now());
    for (const one of requestsByChance({ contract, version, endpoint, known, random: this.random, plan }, LOOKED_AT)) {
      if (this.isSpent) return null;
      const prediction = await this.predicted(one);
      if (prediction && isSuccess(prediction.expected.status)) return one;
    }
    return null;
  }

  /** Searches for requests that are refused with codes that no answer has had yet. */
  private async reachCodes(look: LooksLeft): Promise<void> {
    const run = this.exploration;
    for (const endpoint of endpointsOf(run))
      for (const { status, code } of endpoint.answers.filter(isOfRows)) {
        if (code === null || this.isOver || !this.session) continue;
        if (!this.open.has('code', code)) continue;
        const { name } = endpoint;
        const progress = (prediction: Prediction): number =>
          prediction.expected.status === status && prediction.expected.code === code
            ? Number.POSITIVE_INFINITY
            : stepsOf(prediction).size;
        const decidedBy = decidersOf(this.subject.plan, name);
        const isReached = (): boolean => !this.open.has('code', code);
        await reach(run, { name: `${name} ${status} ${code}`, endpoint, progress, isReached, decidedBy }, look);
      }
  }

  private get exploration(): Exploration {
    return {
      subject: this.subject,
      random: this.random,
      attempts: this.attempts,
      isOver: () => this.isOver,
      hasSucceeded: (endpoint) => this.succeeded.has(endpoint) || !this.open.has('endpoint', endpoint),
      concerns: () => true,
      session: async () => this.session ?? this.renewed(),
      isOn: (session) => this.session === session,
      pass: async (session, milliseconds) => {
        await session.pass(milliseconds);
      },
      predicted: (one) => this.predicted(one),
      tells: async (_, prediction) => this.open.isLedTo(prediction),
      rivals: () => [],
      openAt: (name) => {
        const endpoint = this.contracts.get(name);
        return endpoint ? this.open.countAt(endpoint) : 0;
      },
      goThrough: async () => {},
      dispatch: (one) => this.dispatch(one),
    };
  }

  private readonly attempts = new Map<string, number>();

  private async renewed(): Promise<Session> {
    await this.begin(this.names);
    if (!this.session) throw new Error('A session that was begun is there.');
    return this.session;
  }

  /**
   * The predicted answer to a candidate. If a rate would refuse the request, the clock is moved to the rate's next
   * window.
   */
  private async predicted(one: Candidate): Promise<Prediction | null> {
    const session = this.session;
    if (!session) return null;
    const name = `request${this.names + 1}`;
    const first = session.predict(one.request, await session.now(), name);
    const isRated = first?.trace.some(({ statement, what }) => statement.kind === 'rate' && what === 'refused');
    if (!first || !isRated) return first;
    await session.pass(Math.max(0, ...this.subject.plan.rates.map(({ milliseconds }) => milliseconds)));
    return session.predict(one.request, await session.now(), name);
  }

  private async dispatch(one: Candidate): Promise<void> {
    const session = await (this.session ?? this.renewed());
    await session.pass(this.random.int(1, PAUSE_MS));
    const name = `request${++this.names}`;
    if (one.endpoint !== null && this.streams.has(one.endpoint)) return this.openStream(one, session, name);
    const { exchange, verdict } = await session.send(one.request, name);
    const { outcome } = exchange;
    if ('failed' in outcome) {
      this.session = null;
      return;
    }
    if (one.endpoint !== null && isSuccess(outcome.status)) this.succeededAt(one.endpoint);
    if (verdict.kind !== 'kept') {
      const writes = one.endpoint !== null && this.plans.get(one.endpoint)?.writes;
      // If the answer is not the predicted one, the rows that the request has written are unknown.
      if (writes && isSuccess(outcome.status)) this.session = null;
      return;
    }
    const { trace, expected } = verdict.prediction;
    if (expected.code !== null) this.open.found('code', expected.code);
    this.takeIn(session, trace);
  }

  /** Records the traces of an answer, and the events that it has caused. */
  private takeIn({ oracle: { state } }: Session, trace: readonly Trace[]): void {
    for (const each of trace) this.coverage.add(each);
    this.open.takeIn(trace);
    for (const { type } of state.events ?? []) this.open.found('event', type);
    state.events = [];
  }

  private succeededAt(endpoint: string): void {
    this.succeeded.add(endpoint);
    this.open.found('endpoint', endpoint);
  }

  /** The answer of a stream has no end, so that only its status is examined. */
  private async openStream(one: Candidate, session: Session, name: string): Promise<void> {
    const { outcome } = await this.subject.target.send(one.request);
    await session.counted(one.request, name);
    if (one.endpoint !== null && !('failed' in outcome) && isSuccess(outcome.status)) this.succeededAt(one.endpoint);
  }
}

/**
 * Whether the answer of an endpoint may depend on the number of rows: by a condition of a step, or by a rule of the
 * rows that the endpoint writes.
 */
function countsRows(plan: Plan, endpoint: string): boolean {
  const isCount = (part: Expr): boolean =>
    part.op === 'query' || (part.op === 'call' && (part.fn === 'size' || part.fn === 'sum'));
  return stepsAt(plan, endpoint).some((step) => {
    if ('test' in step && some(step.test, isCount)) return true;
    const resource = 'resource' in step ? plan.resources.find(({ name }) => name === step.resource) : undefined;
    return (resource?.holds.length ?? 0) > 0;
  });
}

/** The longest pause between two requests, in milliseconds: a pause gives the rows of lists a definite order. */
const PAUSE_MS = 40;
