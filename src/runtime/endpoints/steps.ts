import type { InsideStep } from '../../plan/step.ts';
import {
  compileMatch,
  compilePreconditions,
  compileRefuseParameters,
  compileRequire,
  compileValidate,
} from './steps/conditions.ts';
import type { CompileStep, Of, Step, StepContext } from './steps/context.ts';
import { compileIssue, compileIssueSecret, compileRevoke, compileVerify } from './steps/credentials.ts';
import { compileEmit } from './steps/emit.ts';
import { compileFind } from './steps/find.ts';
import { compileGroup } from './steps/group.ts';
import { compileList, compileStreamed } from './steps/list.ts';
import { compileMove, compileMoveTo } from './steps/moves.ts';
import { compileBranchAnswer, compileForEach, compileIf } from './steps/nested.ts';
import { compileReferences } from './steps/references.ts';
import { compileRun } from './steps/run.ts';
import { compileChange, compileCreate, compileEnsure, compileRemove, compileRemoveEvery } from './steps/writes.ts';

/** Compiles one kind of step. The method type lets an executor of any kind be used as an executor of all kinds. */
type Executor<D extends InsideStep['do']> = {
  compile(step: Of<D>, c: StepContext, each: CompileStep): Step;
}['compile'];

/** The executors by kind of step: a missing kind is a type error. */
const EXECUTORS: { readonly [D in InsideStep['do']]: Executor<D> } = {
  'find references': compileReferences,
  'refuse parameters': compileRefuseParameters,
  validate: compileValidate,
  find: compileFind,
  list: compileList,
  group: compileGroup,
  'list streamed': compileStreamed,
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
  emit: compileEmit,
  issue: compileIssue,
  'issue secret': compileIssueSecret,
  revoke: compileRevoke,
  answer: compileBranchAnswer,
  if: compileIf,
  'for each': compileForEach,
};

/** Compiles a step of the plan. */
export function compileStep(step: InsideStep, c: StepContext): Step {
  const compile: Executor<InsideStep['do']> = EXECUTORS[step.do];
  return compile(step, c, compileStep);
}
