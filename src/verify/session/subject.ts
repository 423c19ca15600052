import type { Contract } from '../../contract/contract.ts';
import type { Plan } from '../../plan/step.ts';
import { ContractJudge } from '../contract/answers.ts';
import type { Setup } from '../setup/setup.ts';
import type { Target } from '../target/target.ts';
import { Work } from './work.ts';

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
