import type { Contract } from '../../contract/contract.ts';
import type { Plan } from '../../plan/step.ts';
import { ContractJudge } from '../contract/answers.ts';
import type { Setup } from '../setup/setup.ts';
import type { Target } from '../target/target.ts';
import { Work } from './work.ts';

/** What is held to a document. */
export interface Subject {
  readonly plan: Plan;
  readonly contract: Contract;
  /** Holds every answer to the contract alone. */
  readonly declared: ContractJudge;
  readonly target: Target;
  readonly setup: Setup;
  /** What `service.url` is. */
  readonly serviceUrl: string;
  /** Counts what is done to test it. */
  readonly work: Work;
}

/** What is held to a document, of which nothing has been tested yet. */
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
