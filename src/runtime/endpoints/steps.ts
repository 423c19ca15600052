import type { InsideStep } from '../../plan/step.ts';
import { compileChange } from './steps/change.ts';
import type { CompileStep, Of, Step, StepContext } from './steps/context.ts';
import { compileCreate } from './steps/create.ts';
import { compileEnsure } from './steps/ensure.ts';
import { compileFind } from './steps/find.ts';
import { compileForEach } from './steps/for-each.ts';
import { compileIf } from './steps/if.ts';
import { compileIssue } from './steps/issue.ts';
import { compileList } from './steps/list.ts';
import { compileMatch } from './steps/match.ts';
import { compileMove } from './steps/move.ts';
import { compileMoveTo } from './steps/move-to.ts';
import { compilePreconditions } from './steps/preconditions.ts';
import { compileReferences } from './steps/references.ts';
import { compileRefuseParameters } from './steps/refuse-parameters.ts';
import { compileRemove } from './steps/remove.ts';
import { compileRemoveEvery } from './steps/remove-every.ts';
import { compileRequire } from './steps/require.ts';
import { compileRevoke } from './steps/revoke.ts';
import { compileRun } from './steps/run.ts';
import { compileVerify } from './steps/verify.ts';

/** Compiles one kind of step. The method type lets an executor of any kind be used as an executor of all kinds. */
type Executor<D extends InsideStep['do']> = {
  compile(step: Of<D>, c: StepContext, each: CompileStep): Step;
}['compile'];

/** The executors by kind of step: a missing kind is a type error. */
const EXECUTORS: { readonly [D in InsideStep['do']]: Executor<D> } = {
  'find references': compileReferences,
  'refuse parameters': compileRefuseParameters,
  find: compileFind,
  list: compileList,
  verify: compileVerify,
  require: compileRequire,
  match: compileMatch,
  preconditions: compilePreconditions,
  create: compileCreate,
  ensure: compileEnsure,
  change: compileChange,
  move: compileMove,
  'move to': compileMoveTo,
  remove: compileRemove,
  'remove every': compileRemoveEvery,
  run: compileRun,
  issue: compileIssue,
  revoke: compileRevoke,
  if: compileIf,
  'for each': compileForEach,
};

/** Compiles a step of the plan. */
export function compileStep(step: InsideStep, c: StepContext): Step {
  const compile: Executor<InsideStep['do']> = EXECUTORS[step.do];
  return compile(step, c, compileStep);
}
