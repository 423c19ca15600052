import type { InsideStep } from '../../plan/step.ts';
import type { Program } from '../../store/store.ts';
import { compileRun } from './handlers/handlers.enforce.ts';
import type { Run, Step, StepContext } from './steps/context.ts';
import { compileIssue, compileRevoke } from './steps/credentials.enforce.ts';
import { compileFind } from './steps/find.enforce.ts';
import { compileList } from './steps/list.enforce.ts';
import { compileForEach, compileIf } from './steps/nested.enforce.ts';
import { compileReferences } from './steps/references.enforce.ts';
import { compileMatch, compileRequire } from './steps/require.enforce.ts';
import { compileVerify } from './steps/verify.enforce.ts';
import {
  compileChange,
  compileCreate,
  compileEnsure,
  compileMove,
  compileMoveTo,
  compileRemove,
  compileRemoveEvery,
} from './steps/write.enforce.ts';

/** Compiles a step of the plan. Each kind has to be handled: a forgotten one doesn't compile. */
export function compileStep(step: InsideStep, c: StepContext): Step {
  switch (step.do) {
    case 'find references':
      return compileReferences(step, c);
    case 'refuse parameters':
      return refuseParameters;
    case 'find':
      return compileFind(step, c);
    case 'list':
      return compileList(step, c);
    case 'verify':
      return compileVerify(step, c);
    case 'require':
      return compileRequire(step, c);
    case 'match':
      return compileMatch(step, c);
    case 'create':
      return compileCreate(step, c);
    case 'ensure':
      return compileEnsure(step, c);
    case 'change':
      return compileChange(step, c);
    case 'move':
      return compileMove(step, c);
    case 'move to':
      return compileMoveTo(step, c);
    case 'remove':
      return compileRemove(step, c);
    case 'run':
      return compileRun(step, c);
    case 'remove every':
      return compileRemoveEvery(step, c);
    case 'issue':
      return compileIssue(step, c);
    case 'revoke':
      return compileRevoke(step, c);
    case 'if':
      return compileIf(step, c, compileStep);
    case 'for each':
      return compileForEach(step, c, compileStep);
  }
}

// biome-ignore lint/correctness/useYield: a step is a program even where it makes no call
function* refuseParameters({ x }: Run): Program<void> {
  if (x.refused) throw x.refused;
}
