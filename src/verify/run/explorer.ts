import type { VersionContract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import type { Prediction } from '../oracle/oracle.ts';
import type { Trace } from '../oracle/trace.ts';
import type { ProbeBreak } from '../probes/probe.ts';
import type { Break } from '../report/report.ts';
import type { Candidate } from '../requests/candidate.ts';
import { anyReading, candidatesFor, firstOfEach, randomCandidate } from '../requests/candidates.ts';
import { elsewhere } from '../requests/elsewhere.ts';
import { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import { triedBy } from '../statements/tried.ts';
import { Alike } from './alike.ts';
import { signatureOf, statementOf } from './breaks.ts';
import { Doubt } from './doubt.ts';
import { landmarksOf, telling } from './landmarks.ts';
import type { VerifyOptions } from './options.ts';
import { Probing } from './probing.ts';
import { Reproduction } from './reproduction.ts';
import { RunEnd } from './run-end.ts';
import { type Broken, brokenOf, changesState, Trial } from './trial.ts';

/** How many candidates each endpoint has in one pass after the other: breadth first, then all that there are. */
const PASSES: readonly number[] = [40, 160, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
/** Before which pass probes are run at the latest: what most services get wrong has been tried by then. */
const PROBING = 2;
/** Before which passes time passes, in the session of the pass before. */
const WAITING: ReadonlySet<number> = new Set([1, 2]);
/** How many requests a session sends by chance, after all that was looked for. */
const BY_CHANCE = 600;
/** How many requests are sent at an instant at which rows change by themselves. */
const AT_INSTANT = 4;
/** How many requests to each endpoint are looked at for what tells an instant, and how many are sent. */
const LOOKED_AT = 24;
const MOST_TELLING = 4;
/** How many breaks are looked for before a run ends: whoever mends begins with these. */
const MOST_BREAKS = 25;
/** How many breaks of one endpoint are told. */
const MOST_OF_ENDPOINT = 6;
/** How far from an instant requests are sent where the service’s clock runs, in milliseconds. */
const SLACK_MS = 1500;
/** How much longer than its budget a run may take to make a break shorter: one of hundreds of requests is of little use. */
const MOST_LONGER_MS = 10_000;
/** Time passes between requests by so many milliseconds at most. */
const MOST_PAUSE_MS = 40;

/** Goes through what a document says, sending what tries something that was not tried yet, and keeps what it finds. */
export class Explorer {
  readonly traces: Trace[] = [];
  private readonly told: Break[] = [];
  private readonly alike = new Alike();
  private readonly end: RunEnd;
  private readonly options: VerifyOptions;
  private readonly tried = new Set<string>();
  private readonly met = new Set<string>();
  private readonly found = new Set<string>();
  private readonly statuses = new Map<string, Set<number>>();
  private readonly until: number;
  private readonly random: Random;
  private sent = 0;
  /** Whether any request was answered: until one is, nothing tells a service that breaks its document from none at all. */
  private isThere = false;
  private trial: Trial | null = null;
  private latest: Session | null = null;
  private readonly doubt = new Doubt();
  private readonly probing: Probing;
  private readonly reproduction: Reproduction;
  private pass = 0;
  /** Whether the last request may have changed rows. */
  private hasWritten = false;
  /** What has been sent in this session to make rows. */
  private made = new Set<string>();
  /** The latest request of each endpoint that was answered with an idempotency key. */
  private readonly keyed = new Map<string, Candidate>();
  /** Why single statements were not tried, by their keys. */
  readonly reasons = new Map<string, string>();

  constructor(options: VerifyOptions) {
    this.options = options;
    this.end = new RunEnd(options);
    this.until = performance.now() + options.budget;
    this.random = Random.of(options.seed, 1);
    this.probing = new Probing(options);
    const isCut = (): boolean => this.end.isCome || performance.now() > this.until + MOST_LONGER_MS;
    this.reproduction = new Reproduction(options, { isCut }, (error) => this.end.bySetup(error));
  }

  /** Why the run ended early; null where it did not. */
  get stopped(): string | null {
    if (this.sent === 0 && performance.now() > this.until)
      this.end.come('The budget was used up before a request was sent. Give the run a longer --budget.');
    return this.end.why ?? this.options.subject.target.silence;
  }

  get breaks(): readonly Break[] {
    return this.alike.with(this.told);
  }

  get requests(): number {
    return this.sent;
  }

  statusesOf(endpoint: string): number[] {
    return [...(this.statuses.get(endpoint) ?? [])].sort((a, b) => a - b);
  }

  /** Rejects with SetupError where the setup fails before anything was sent; later, that ends the run. */
  async explore(): Promise<void> {
    try {
      await this.exploreAll();
    } catch (error) {
      if (this.sent === 0) throw error;
      await this.end.bySetup(error);
    }
  }

  private async exploreAll(): Promise<void> {
    const { subject } = this.options;
    await this.begin();
    const whole = this.options.only === null;
    for (const [pass, most] of PASSES.entries()) {
      if (this.isOver()) return;
      this.pass = pass;
      if (whole && WAITING.has(pass)) {
        await this.waitForLandmarks();
        if (pass === PROBING) await this.probe();
        this.trial = null;
      }
      for (const version of subject.contract.versions) {
        // What one endpoint changes, others have not seen: in which order they come must not matter.
        const endpoints = [...version.endpoints, null].filter((one) => this.concerns(one));
        for (const endpoint of pass === 0 ? endpoints : this.random.shuffled(endpoints)) {
          await this.goThrough(version, endpoint, most);
          if (whole && this.probing.isDue) await this.probe();
        }
      }
    }
    if (whole) await this.talk(BY_CHANCE);
  }

  /** Has time pass to each instant at which something changes by itself, and looks on both sides of it. */
  private async waitForLandmarks(): Promise<void> {
    const { contract, plan, setup } = this.options.subject;
    if (!setup.clock || this.isOver()) return;
    const { session } = await this.current();
    const now = await session.now();
    const slack = session.slack === 0 ? 0 : SLACK_MS;
    const reading = (version: string): Candidate | null =>
      anyReading(contract, version, session.known(now), this.random, plan);
    for (const { at, candidate, blur } of landmarksOf(session.oracle, now, [...this.keyed.values()], reading)) {
      const sides = { before: at - Math.max(1, slack) - blur, after: at + slack };
      const isOver = (): boolean => this.isOver() || this.trial?.session !== session;
      if (isOver() || (await session.now()) >= sides.before) continue;
      const { both, later } = candidate
        ? { both: [candidate], later: [] }
        : telling(
            session,
            firstOfEach(contract, session.known(sides.before), this.random, plan, LOOKED_AT),
            sides,
            MOST_TELLING,
          );
      for (const [instant, some] of [
        [sides.before, both],
        [sides.after, [...both, ...later]],
      ] as const) {
        await session.pass(instant - (await session.now()));
        this.hasWritten = false;
        for (const one of some) if (!isOver()) await this.dispatch(one);
        if (!candidate && !isOver()) await this.talk(AT_INSTANT);
      }
    }
    await this.lookAround(session);
  }

  /** Reads what there is, now that all is old: of rows in each state, something may have happened that was not to. */
  private async lookAround(session: Session): Promise<void> {
    const { contract, plan } = this.options.subject;
    for (const one of firstOfEach(contract, session.known(await session.now()), this.random, plan, LOOKED_AT)) {
      if (this.isOver() || this.trial?.session !== session) return;
      const prediction = one.valid ? await this.predicted(one) : null;
      if (prediction && prediction.endpoint?.writes === false) await this.dispatch(one);
    }
    for (const version of contract.versions)
      for (const endpoint of version.endpoints)
        if (this.trial?.session === session) await this.goThrough(version, endpoint, LOOKED_AT);
  }

  /** What single requests do not try. */
  private async probe(): Promise<void> {
    if (this.isOver()) return;
    this.trial = null;
    for await (const { sent, traces, untested, breaks, session } of this.probing.results()) {
      this.sent += sent;
      // What a probe has not seen of a service that is gone tells nothing.
      if (this.options.subject.target.gone !== null) return;
      for (const trace of traces) this.meet(trace);
      for (const { statement, because } of untested) this.reasons.set(statement, because);
      for (const one of breaks) await this.keepProbed(one, one.session ?? session);
      if (this.isOver()) return;
    }
  }

  /** Keeps a break of a probe, but for one that single requests have shown before. */
  private async keepProbed(one: ProbeBreak, session: Session): Promise<void> {
    const { plan } = this.options.subject;
    const signature = one.wrong
      ? signatureOf(plan, one.endpoint, brokenOf(one.wrong.exchange, one.wrong.verdict))
      : `${one.statement} ${one.endpoint} ${one.why} ${one.expected}`;
    if (this.found.has(signature)) return;
    this.found.add(signature);
    // A race adds nothing to what a single request has shown.
    const isShown = this.told.some(
      ({ statement, endpoint }) => statement === one.statement && endpoint === one.endpoint,
    );
    if (one.race && isShown) return;
    this.told.push(await this.reproduction.ofProbe(one, session));
  }

  private concerns(endpoint: EndpointContract | null): boolean {
    const { only } = this.options;
    return (
      only === null || endpoint === null || only.endpoint === null || only.endpoint === endpoint.name || endpoint.writes
    );
  }

  private async begin(): Promise<Trial> {
    this.made = new Set();
    this.keyed.clear();
    if (this.latest) this.doubt.over(this.latest);
    this.trial = await Trial.begin(this.options.subject, Random.of(this.options.seed, 0));
    this.latest = this.trial.session;
    for (const [resource, why] of this.trial.session.refusals) this.withoutRows(resource, why);
    return this.trial;
  }

  /** What the document says of a resource was not tried because no row of it could be added. */
  private withoutRows(resource: string, why: string): void {
    for (const { key } of this.options.statements) {
      const [, named] = /^\S+ ([^.:]+)/.exec(key) ?? [];
      if (named === resource) this.reasons.set(key, `No row of ${resource} could be added: ${why}`);
    }
  }

  private async current(): Promise<Trial> {
    return this.trial ?? this.begin();
  }

  private isOver(): boolean {
    const { mostRequests, mostBreaks } = this.options;
    const spent = this.sent >= (mostRequests ?? Number.POSITIVE_INFINITY);
    return (
      this.end.isCome || performance.now() > this.until || spent || this.told.length >= (mostBreaks ?? MOST_BREAKS)
    );
  }

  /** Sends what tries something new among the first candidates of an endpoint, or of none. */
  private async goThrough(version: VersionContract, endpoint: EndpointContract | null, most: number): Promise<void> {
    const { contract, plan } = this.options.subject;
    const { session } = await this.current();
    const known = session.known(await session.now());
    const candidates = endpoint
      ? candidatesFor(contract, version, endpoint, known, this.random, plan)
      : elsewhere(contract, version, known, this.random);
    let count = 0;
    for (const one of candidates) {
      if (this.isOver() || this.tooMany(one) || ++count > most) return;
      await this.consider(one);
      // What is known is of another session.
      if (this.trial?.session !== session) return;
    }
  }

  private tooMany({ endpoint }: Candidate): boolean {
    return this.told.filter((one) => one.endpoint === endpoint).length >= MOST_OF_ENDPOINT;
  }

  /** A conversation by chance: what comes of several requests together. */
  private async talk(turns: number): Promise<void> {
    const { contract, plan } = this.options.subject;
    for (let i = 0; i < turns && !this.isOver(); i++) {
      const { session } = await this.current();
      const one = randomCandidate(contract, session.known(await session.now()), this.random, plan);
      if (one && !this.tooMany(one) && (await this.predicted(one))) await this.dispatch(one);
    }
  }

  /** Sends a candidate if it tries something new. */
  private async consider(one: Candidate): Promise<void> {
    const prediction = await this.predicted(one);
    if (!prediction) return;
    const tries = triedBy(this.options.subject.plan, one.request, prediction);
    const news = tries.filter((trace) => !this.met.has(keyOf(trace)));
    const { status, code } = prediction.expected;
    // Rows at the bounds that the document names are made anew for each pass: others may have changed them.
    const atBound = status < 300 && prediction.endpoint?.writes && one.kind.includes('the constant') ? this.pass : '';
    const what = `${one.endpoint} ${one.version} ${one.kind} ${status} ${code} ${atBound}`;
    // In each session rows are made before anything is done with them.
    const makes =
      one.valid && status < 300 && prediction.endpoint?.writes && !this.made.has(`${one.endpoint} ${status}`);
    if (news.length === 0 && this.tried.has(what) && !makes) return;
    this.tried.add(what);
    if (status < 300) this.made.add(`${one.endpoint} ${status}`);
    await this.dispatch(one);
  }

  /** What a candidate is to be answered with; null where it is not to be sent: the document does not say, or a rate is used up. */
  private async predicted(one: Candidate): Promise<Prediction | null> {
    const { session } = await this.current();
    const name = this.nextName();
    const first = session.predict(one.request, await session.now(), name);
    const rate = first?.trace.find(({ statement, what }) => statement.startsWith('rate ') && what === 'refused');
    if (!first || !rate) return first;
    if (!(await session.pass(this.longestWindow()))) {
      await this.begin();
      return null;
    }
    return session.predict(one.request, await session.now(), name);
  }

  private longestWindow(): number {
    return Math.max(0, ...this.options.subject.plan.rates.map(({ milliseconds }) => milliseconds));
  }

  private nextName(): string {
    return `request${this.sent + 1}`;
  }

  private async dispatch(one: Candidate): Promise<void> {
    const trial = await this.current();
    const name = this.nextName();
    this.sent += 1;
    // What is made after another is later than that, so that lists have one order.
    if (this.hasWritten) await trial.session.pass(this.random.int(1, MOST_PAUSE_MS));
    this.hasWritten = false;
    const { verdict, exchange } = await trial.send(one.request, name);
    this.tell();
    this.doubt.heard(trial.session, exchange);
    this.isThere ||= !('failed' in exchange.outcome);
    if (!this.isThere) {
      this.tried.clear();
      this.trial = null;
      return;
    }
    if (verdict.kind === 'broken') {
      await this.keep(trial, one, brokenOf(exchange, verdict));
      return;
    }
    if ('failed' in exchange.outcome) {
      this.trial = null;
      return;
    }
    if (one.endpoint !== null)
      this.statuses.set(one.endpoint, (this.statuses.get(one.endpoint) ?? new Set()).add(exchange.outcome.status));
    if (verdict.kind !== 'kept') return;
    const { prediction } = verdict;
    this.hasWritten = prediction.endpoint?.writes ?? false;
    for (const trace of triedBy(this.options.subject.plan, one.request, prediction)) this.meet(trace);
    const claims = prediction.endpoint?.before.some((step) => step.do === 'claim key');
    if (claims && one.endpoint !== null && prediction.expected.status < 300) this.keyed.set(one.endpoint, one);
  }

  private meet(trace: Trace): void {
    const key = keyOf(trace);
    if (this.met.has(key)) return;
    this.met.add(key);
    this.traces.push(trace);
  }

  private tell(): void {
    const { progress, statements } = this.options;
    progress?.({
      requests: this.sent,
      breaks: this.told.length,
      tried: this.met.size,
      statements: statements.length,
    });
  }

  /** Keeps a break that was not known, with the fewest requests that show it. */
  private async keep(trial: Trial, one: Candidate, broken: Broken): Promise<void> {
    const { plan, setup } = this.options.subject;
    const signature = signatureOf(plan, one.endpoint, broken);
    const isFound = this.found.has(signature);
    this.found.add(signature);
    const known = isFound || this.alike.isKnown(statementOf(plan, broken), one.endpoint, broken);
    if (!known) {
      const told = await this.reproduction.ofTrial(trial, one, broken);
      const doubt = this.doubt.about(trial.session, broken);
      this.alike.tell(statementOf(plan, broken), one.endpoint, broken, this.told.length);
      this.told.push({ ...told, why: [told.why, doubt ?? ''].filter((each) => each).join(' ') });
    }
    if (!known || changesState(broken)) this.trial = null;
    if (this.trial === null && !setup.reset && changesState(broken))
      this.end.come('After a break it is not known what the service holds, and the setup has no reset.');
    else if (!setup.reset) this.trial = trial;
  }
}

const keyOf = ({ statement, what }: Trace): string => `${statement}\n${what}`;
