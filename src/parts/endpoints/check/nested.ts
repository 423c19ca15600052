import { alwaysTrue } from '../../../expression/always.ts';
import * as t from '../../../expression/types.ts';
import { language } from '../../../source/language.ts';
import { endpointsDiagnostics as d } from '../diagnostics.ts';
import { everyStep, type Over, type Step } from '../model.ts';
import { isWrite } from '../written.ts';
import { type Checking, type Of, row } from './checking.ts';
import { checkOrder } from './orders.ts';

/** The verbs that hold other steps. */

type CheckEach = (c: Checking, steps: readonly Step[]) => void;

/** What the test settles holds in the steps; what its contrary settles, under Otherwise. Names end with each. */
export function checkIf(c: Checking, step: Of<'If'>, checkEach: CheckEach): void {
  const test = c.type(step.test, t.BOOLEAN, 'If');
  if (test && alwaysTrue(test)) c.findings.push(d.report.cannotFail(step.test));
  const before = c.removed;
  let removed = before;
  for (const [steps, truth] of [
    [step.steps, true],
    [step.otherwise ?? [], false],
  ] as const) {
    c.removed = before;
    c.within(() => {
      c.assume(test, truth);
      checkEach(c, steps);
    });
    removed = new Set([...removed, ...c.removed]);
  }
  c.removed = removed;
  if ([...everyStep([step])].some(isWrite)) c.forget();
}

/** After it, a name made inside it is the list of what it was. */
export function checkForEach(c: Checking, step: Of<'For each'>, checkEach: CheckEach): void {
  const item = checkOver(c, step.over, step);
  // What one round changes, the next finds changed; what it removes, the next doesn't find.
  for (const one of everyStep(step.steps)) {
    if (isWrite(one)) c.forget();
    if (one.verb === 'Remove every') c.removeEvery(one.resource.text);
    if (one.verb === 'Remove' && c.names.has(one.row.text)) c.removed = new Set([...c.removed, one.row.text]);
  }
  const made = c.within(() => {
    c.nameRow(step.as, item);
    checkEach(c, step.steps);
  });
  for (const [name, of] of made) if (name !== step.as.text) c.names.set(name, { kind: 'list', of, nullable: false });
}

/** The type of what each round is for. */
function checkOver(c: Checking, over: Over, step: Of<'For each'>): t.Type {
  if (over.kind === 'list') {
    const list = c.type(over.list, null, 'For each');
    if (list?.type.kind === 'list') {
      // Rows stand behind a step's name; an expression gives their identities alone.
      if (list.type.of.kind === 'row' && list.op !== 'name')
        c.findings.push(language.report.notYet(over.list, { what: 'For each through rows that an expression gives' }));
      return list.type.of;
    }
    if (list) c.findings.push(d.report.overList(over.list, { found: t.describe(list.type) }));
    return t.UNKNOWN;
  }
  const resource = c.r.resource(over.resource);
  if (!resource) return t.UNKNOWN;
  const name = resource.name.text;
  if (over.where) c.type(over.where, t.BOOLEAN, '“where”', name);
  if (over.order) checkOrder(c, over.order, resource);
  else c.findings.push(d.report.overOrder(step.span, { resource: name }, [c.endpoint]));
  return row(name);
}
