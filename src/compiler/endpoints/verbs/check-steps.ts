import type * as t from '../../../expression/tree/types.ts';
import type { AnswerStep, InsideStep } from '../../../plan/step.ts';
import { zip } from '../../../text/zip.ts';
import type { Effective } from '../../document/effective.ts';
import type { Resolved } from '../../document/resolve.ts';
import { stores } from '../../document/writes.ts';
import type { Step } from '../../statements/endpoints.ts';
import { Checking } from '../check/checking.ts';
import { checkIssued } from '../check/credentials.ts';
import { checkUnused } from '../check/unused.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { verbOf } from './registry.ts';

/** The planned steps of an endpoint, and its planned answer. */
export interface CheckedSteps {
  readonly inside: readonly InsideStep[];
  readonly after: AnswerStep;
}

/**
 * Checks the steps of one endpoint in order, each against the names that earlier steps declare; null while a step isn't
 * settled.
 */
export function checkSteps(r: Resolved, one: Effective, names: Map<string, t.Type>): CheckedSteps | null {
  const c = new Checking(r, one, names);
  const { steps, endpoint } = one;
  const inside = checkEach(c, steps);
  for (const [step, next] of zip(steps, steps.slice(1)))
    if (step.verb === 'Answer') {
      c.findings.push(d.report.answerLast(next.span));
      break;
    }
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
  return inside && c.answer && { inside, after: c.answer };
}

/** Checks steps in order, and returns their plans; null while one of them isn't settled. */
export function checkEach(c: Checking, steps: readonly Step[]): readonly InsideStep[] | null {
  const out: InsideStep[] = [];
  let settled = true;
  for (const step of steps) {
    if (step.verb === 'Answer' && c.depth > 0) c.findings.push(d.report.answerNested(step.span));
    const checked = verbOf(step.verb).check(c, step, checkEach);
    if (!checked) settled = false;
    else if (checked.do === 'answer') c.answer = checked;
    else out.push(checked);
    if (step.does.writes) c.forget();
  }
  return settled ? out : null;
}
