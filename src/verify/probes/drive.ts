import type { ExpectedEvent } from '../oracle/events.ts';
import { candidatesFor } from '../requests/candidates.ts';
import type { Random } from '../requests/random.ts';
import type { Foreseen, Session } from '../run/session.ts';
import type { Exchange, Request } from '../target/exchange.ts';
import type { Findings } from './findings.ts';

/** How many requests to one endpoint are looked at, the most telling first. */
const LOOKED_AT = 16;
/** How many requests may be sent on the way to something that is wanted. */
const MOST_STEPS = 40;
/** How far the clock is moved for something that is due, at most. */
const MOST_AHEAD_MS = 400 * 86_400_000;

/** A request that could be sent, with what would come of it. */
export interface Option {
  readonly request: Request;
  readonly endpoint: string;
  readonly foreseen: Foreseen;
}

/** What is wanted of a request: told by what would come of it. */
type Wanted = (option: Option) => boolean;

/** Sends requests of which it is known what comes of them, to bring the service where a probe wants it. */
export class Drive {
  readonly session: Session;
  readonly findings: Findings;
  private readonly random: Random;
  private readonly seen = new Set<string>();
  private count = 0;

  constructor(session: Session, findings: Findings, random: Random) {
    this.session = session;
    this.findings = findings;
    this.random = random;
  }

  /** Moves the clock, and makes happen what is due until then. False where there is no clock. */
  async pass(milliseconds: number): Promise<boolean> {
    const { clock } = this.session.subject.setup;
    if (!clock) return false;
    await clock.pass(milliseconds);
    await this.session.catchUp(this.name());
    return true;
  }

  /** A name that no request has had. */
  name(): string {
    this.count += 1;
    return `p${this.count}`;
  }

  /** Sends a request and holds its answer to the document; gives null where the answer is another or was not judged. */
  async send(request: Request, name = this.name()): Promise<Exchange | null> {
    const { exchange, verdict } = await this.session.send(request, name);
    this.findings.acts.push(exchange);
    if (verdict.kind === 'broken') this.findings.wrongAnswer(verdict, exchange);
    if (verdict.kind !== 'kept') return null;
    this.findings.meetAll(verdict.prediction.trace);
    return exchange;
  }

  /** Finds a request of which something comes, sends others that lead there where there is none yet; null where that leads nowhere. */
  async find(wanted: Wanted, by: (option: Option) => boolean = () => true): Promise<Option | null> {
    for (let step = 0; step < MOST_STEPS; step++) {
      await this.makeRoom();
      const options: Option[] = [];
      for (const option of await this.options()) {
        if (wanted(option)) return option;
        if (option.foreseen.prediction.expected.status < 400 && by(option)) options.push(option);
      }
      const isNew = (option: Option): boolean => this.newsOf(option).length > 0;
      const next = this.random.among(options.filter(isNew)) ?? this.random.among(options);
      if (!next) return null;
      for (const key of this.newsOf(next)) this.seen.add(key);
      if ((await this.send(next.request)) === null && this.findings.isBroken) return null;
    }
    return null;
  }

  /** Moves the clock to the next thing that happens by itself; false where there is none, or no clock. */
  async toNextDue(): Promise<boolean> {
    const { oracle, subject } = this.session;
    const now = await this.session.now();
    const dues = subject.plan.resources.flatMap(({ name }) =>
      oracle.state.rows.all(name).flatMap(({ due }) => [...due.values()]),
    );
    const next = Math.min(...dues.filter((at) => at > now && at < now + MOST_AHEAD_MS));
    return Number.isFinite(next) ? this.pass(next - now) : false;
  }

  private newsOf({ foreseen }: Option): string[] {
    return foreseen.prediction.trace
      .map(({ statement, what }) => `${statement} ${what}`)
      .filter((key) => !this.seen.has(key));
  }

  /** Requests that are right, to each endpoint that changes rows, in a random order of the endpoints. */
  private async options(): Promise<Option[]> {
    const { session, random } = this;
    const { contract, plan } = session.subject;
    const [version] = contract.versions;
    if (!version) return [];
    const now = await session.now();
    const known = session.known(now);
    const writing = version.endpoints.filter(({ name }) =>
      plan.endpoints.some((one) => one.name === name && one.writes),
    );
    return random.shuffled(writing).flatMap((endpoint): Option[] => {
      const out: Option[] = [];
      let looked = 0;
      for (const one of candidatesFor(contract, version, endpoint, known, random, plan)) {
        if (!one.valid || ++looked > LOOKED_AT) break;
        const foreseen = session.foresee(one.request, now, 'foreseen');
        if (foreseen) out.push({ request: one.request, endpoint: endpoint.name, foreseen });
      }
      return out;
    });
  }

  /** Lets rates begin anew where most of one is used up. */
  private async makeRoom(): Promise<void> {
    const { oracle, subject } = this.session;
    const now = await this.session.now();
    const { rates } = subject.plan;
    for (const [key, { count, end }] of oracle.state.windows) {
      const rate = rates.find(({ name }) => key.startsWith(`${name} `));
      if (rate && end > now && count > rate.count / 2) await this.pass(end - now);
    }
  }
}

/** The events that an option would cause. */
export const newEvents = (session: Session, { foreseen }: Option): readonly ExpectedEvent[] =>
  (foreseen.oracle.state.events ?? []).slice(session.oracle.state.events?.length ?? 0);
