import type { StatementId } from '../../plan/lines.ts';
import type { EndpointPlan, Plan } from '../../plan/step.ts';
import type { Verdict } from '../judge/judge.ts';
import type { Trace } from '../oracle/trace.ts';
import type { ReportedStep } from '../report/report.ts';
import type { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import type { SetupMember } from '../statements/statement.ts';
import type { Exchange, Request } from '../target/exchange.ts';

/** A difference from the document that a probe has found. */
export interface ProbeBreak {
  /** The statement that is broken; null where none is known. */
  readonly statement: StatementId | null;
  /** Other statements that the difference may break instead. */
  readonly others?: readonly StatementId[];
  /** The name of the endpoint; null for a break without one, such as in a webhook. */
  readonly endpoint: string | null;
  /** A sentence: the document's statement, and why it requires another behaviour. */
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
  /** A text that contains identities of the rows concerned: the expected payload, or the actual one. */
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
  /** The number of exchanges of the session before them. */
  readonly before: number;
  /** The time from the beginning of the session until they were sent, by the service’s clock, in milliseconds. */
  readonly at: number;
}

/** Why a statement was not tried. */
export interface NotTried {
  readonly statement: StatementId;
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
  /** The shortest duration of the probe, in milliseconds, if it waits for the service. */
  readonly lasts?: (plan: Plan) => number;
  /** Whether the probe tests a statement. */
  tries(id: StatementId, plan: Plan): boolean;
  /**
   * Runs the probe in a new session. Closes everything that it has opened before it resolves. Once `isLate` returns
   * true, the probe starts nothing new. `left`: the time that it may wait, in milliseconds.
   */
  run(session: Session, random: Random, isLate?: () => boolean, left?: number): Promise<ProbeResult>;
}
