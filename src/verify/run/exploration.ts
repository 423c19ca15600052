import type { VersionContract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import type { StatementId } from '../../plan/lines.ts';
import type { Plan } from '../../plan/step.ts';
import type { Prediction } from '../oracle/oracle.ts';
import type { Candidate } from '../requests/candidate.ts';
import type { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import type { Subject } from '../session/subject.ts';

/**
 * The interface of a run for the modules that search for requests. The run decides which requests are sent, and judges
 * the answers.
 */
export interface Exploration {
  readonly subject: Subject;
  readonly random: Random;
  /** The number of attempts in this pass at each goal that takes several requests, by the name of the goal. */
  readonly attempts: Map<string, number>;
  isOver(): boolean;
  /** Whether an endpoint has answered a request of the session with success. */
  hasSucceeded(endpoint: string): boolean;
  /** Whether the run tests an endpoint, or the effects of the endpoint. */
  concerns(endpoint: EndpointContract): boolean;
  session(): Promise<Session>;
  /** Whether a session has not ended: a break ends it. */
  isOn(session: Session): boolean;
  /** Lets time pass, so that the next request arrives at that instant. */
  pass(session: Session, milliseconds: number): Promise<void>;
  /** The predicted answer to a candidate; null where the candidate must not be sent. */
  predicted(one: Candidate): Promise<Prediction | null>;
  /** Whether the answer to a candidate would show anything that is not known yet. */
  tells(one: Candidate, prediction: Prediction): Promise<boolean>;
  /** The documents that differ from the tested one in a statement, and that no answer has ruled out yet. */
  rivals(statement: StatementId): readonly Plan[];
  /** A weight for the untested behaviour of an endpoint. */
  openAt(endpoint: string): number;
  /** Sends those of the first candidates of an endpoint that try something new. */
  goThrough(version: VersionContract, endpoint: EndpointContract, most: number): Promise<void>;
  dispatch(one: Candidate): Promise<void>;
}
