import type { EndpointPlan, Plan } from '../../plan/step.ts';
import type { Verdict } from '../judge/judge.ts';
import type { Trace } from '../oracle/trace.ts';
import type { ReportedStep } from '../report/report.ts';
import type { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import type { SetupMember } from '../statements/statement.ts';
import type { Exchange, Request } from '../target/exchange.ts';

/** Something that a probe has found to be another way than the document says. */
export interface ProbeBreak {
  /** The key of the statement that is broken. */
  readonly statement: string;
  /** The keys of others that could be meant. */
  readonly others?: readonly string[];
  /** The endpoint’s name; null for what is of none, such as a webhook. */
  readonly endpoint: string | null;
  /** A sentence: what the document says, and why what came had to be another. */
  readonly why: string;
  readonly expected: string;
  readonly actual: string;
  /** The steps that lead to the break, as far as they are known; the last step shows it. */
  readonly sequence: readonly ReportedStep[];
  /** The session that it was found in; null where that is the one of the probe. */
  readonly session?: Session | null | undefined;
  /** The answer to a single request that is another one than the document says. */
  readonly wrong?: WrongAnswer | undefined;
  /** Requests at the same time that have shown it. */
  readonly race?: Race | undefined;
  /** Text that names the rows that it is about: a payload that was to come, or that came. */
  readonly about?: string | undefined;
}

/** An answer to a single request that is another one than the document says. */
export interface WrongAnswer {
  readonly exchange: Exchange;
  readonly verdict: Extract<Verdict, { kind: 'broken' }>;
}

/** Requests that are sent at the same time. */
export interface Race {
  readonly requests: readonly Request[];
  /** To which endpoints they are. */
  readonly endpoints: readonly EndpointPlan[];
  /** How many exchanges of the session came before them. */
  readonly before: number;
  /** How long after the beginning of the session they were sent, by the service’s clock, in milliseconds. */
  readonly at: number;
}

/** Why a statement was not tried. */
export interface NotTried {
  readonly statement: string;
  /** A sentence. */
  readonly because: string;
}

export interface ProbeResult {
  readonly traces: readonly Trace[];
  readonly breaks: readonly ProbeBreak[];
  readonly untested: readonly NotTried[];
}

/** A test that single requests cannot do: requests at the same time, many requests, or messages without a request. */
export interface Probe {
  readonly name: string;
  /** Without these members of the setup, the probe can’t be run. */
  readonly needs: (plan: Plan) => readonly SetupMember[];
  /** Whether the document states anything that the probe tries. */
  applies(plan: Plan): boolean;
  /** How long it waits for the service at least, in milliseconds; absent where it does not. */
  readonly lasts?: (plan: Plan) => number;
  /** Whether it tries a statement, by its key. */
  tries(key: string, plan: Plan): boolean;
  /**
   * Runs in a session of its own, which nothing else has been sent in. Ends what it has begun before it resolves. Once
   * `isLate` says so, it looks for nothing more. `left`: how long it may wait, in milliseconds.
   */
  run(session: Session, random: Random, isLate?: () => boolean, left?: number): Promise<ProbeResult>;
}
