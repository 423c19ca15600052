import type { Contract } from '../../contract/contract.ts';
import type { Plan } from '../../plan/step.ts';
import { ContractJudge } from '../contract/answers.ts';
import type { Setup } from '../setup/setup.ts';
import type { Target } from '../target/target.ts';

/** A service that is tested, with its document. */
export interface Subject {
  readonly plan: Plan;
  readonly contract: Contract;
  /** Judges every answer by the contract alone. */
  readonly declared: ContractJudge;
  readonly target: Target;
  readonly setup: Setup;
  /** The value of `service.url`. */
  readonly serviceUrl: string;
  /** Counts the work of testing the service. */
  readonly work: Work;
}

/** The subject of a test that has not begun. */
export const subjectAt = (
  { plan, contract }: Pick<Subject, 'plan' | 'contract'>,
  target: Target,
  { setup, serviceUrl }: Pick<Subject, 'setup' | 'serviceUrl'>,
): Subject => ({
  plan,
  contract,
  declared: new ContractJudge(contract, 'others allowed'),
  target,
  setup,
  serviceUrl,
  work: new Work(plan),
});

/** The costs of a prediction and of a request on a slow machine, in milliseconds. */
const LOOK_MS = 0.25;
const SEND_MS = 1.8;
/**
 * The number of statements of a document to which these costs apply. With more statements, rows and answers are larger,
 * though not in proportion.
 */
const STATEMENTS = 300;

/**
 * The work of a run. It is counted, not measured, so that decisions based on it are equal for the same seed on any
 * machine.
 */
export class Work {
  private looks = 0;
  private readonly size: number;

  constructor({ lines }: Plan) {
    this.size = Math.sqrt(Object.keys(lines).length / STATEMENTS);
  }

  /** Counts one prediction, by the document or by an altered one. */
  looked(): void {
    this.looks += 1;
  }

  /** The time for all this work on a slow machine, in milliseconds. `sent`: the number of requests that were sent. */
  milliseconds(sent: number): number {
    return this.size * (LOOK_MS * this.looks + SEND_MS * sent);
  }
}
