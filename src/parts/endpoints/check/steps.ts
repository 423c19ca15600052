import type * as t from '../../../expression/types.ts';
import type { Resolved } from '../../../model/resolve.ts';
import { checkAnswer } from '../checkanswer.ts';
import { endpointsDiagnostics as d } from '../diagnostics.ts';
import type { Effective } from '../effective.ts';
import { checkRun } from '../handlers/check.ts';
import type { Step } from '../model.ts';
import { isWrite, stores } from '../written.ts';
import { Checking, type Of } from './checking.ts';
import { checkIssue, checkIssued, checkRevoke } from './credentials.ts';
import { checkForEach, checkIf } from './nested.ts';
import { checkAuthenticate, checkFind, checkList, checkMatch, checkRequire } from './reads.ts';
import { checkUnused } from './unused.ts';
import { checkChange, checkCreate, checkEnsure, checkMove, checkRemove, checkRemoveEvery } from './writes.ts';

const CHECKS: { readonly [V in Step['verb']]: (c: Checking, step: Of<V>) => void } = {
  Find: checkFind,
  List: checkList,
  Authenticate: checkAuthenticate,
  Require: checkRequire,
  Match: checkMatch,
  Create: checkCreate,
  Ensure: checkEnsure,
  Change: checkChange,
  Move: checkMove,
  Remove: checkRemove,
  'Remove every': checkRemoveEvery,
  Run: checkRun,
  Issue: checkIssue,
  Revoke: checkRevoke,
  If: (c, step) => checkIf(c, step, checkEach),
  'For each': (c, step) => checkForEach(c, step, checkEach),
  Answer: (c, step) => checkAnswer(c.r, step, c.lists, (token, expected, what) => c.typeTold(token, expected, what)),
};

/** Checks the steps of one endpoint in order, each against the names that those before it have given. */
export function checkSteps(r: Resolved, one: Effective, names: Map<string, t.Type>): void {
  const c = new Checking(r, one, names);
  const { steps, endpoint } = one;
  checkEach(c, steps);
  const answer = steps.findIndex((step) => step.verb === 'Answer');
  if (answer >= 0 && answer < steps.length - 1) c.findings.push(d.report.answerLast(steps[answer + 1]!.span));
  if (!one.every.some((step) => step.verb === 'Answer'))
    c.findings.push(d.report.noAnswer(endpoint.span, { endpoint: endpoint.name }, [endpoint.name]));
  const stream = one.every.some((step) => step.verb === 'Answer' && step.stream);
  const writes = one.every.find((step) => stores(step, r.model.authentication.schemes));
  if (stream && writes) c.findings.push(d.report.streamWrites(writes.span));
  const kept = one.settings.idempotency;
  if (stream && kept && kept.value !== 'none') c.findings.push(d.report.streamKept(kept, {}, [endpoint.name]));
  const { sort } = one.settings;
  if (sort && !c.sorted && !c.broken) c.findings.push(d.report.sortUnused(sort));
  checkUnused(c);
  checkIssued(c);
}

/** Checks steps in order. */
export function checkEach(c: Checking, steps: readonly Step[]): void {
  for (const step of steps) {
    if (step.verb === 'Answer' && c.depth > 0) c.findings.push(d.report.answerNested(step.span));
    (CHECKS[step.verb] as (c: Checking, step: Step) => void)(c, step);
    if (isWrite(step)) c.forget();
  }
}
