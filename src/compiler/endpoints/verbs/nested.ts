import { alwaysTrue } from '../../../expression/tree/always.ts';
import * as t from '../../../expression/tree/types.ts';
import type { Over } from '../../../language/steps.ts';
import { issuedIn } from '../../../plan/nested-steps.ts';
import { declaredBy } from '../../../plan/slots.ts';
import type { InsideStep, OverPlan } from '../../../plan/step.ts';
import { language } from '../../../syntax/messages.ts';
import { alwaysAnswer, everyStep, type Step } from '../../statements/endpoints.ts';
import { checkAbsent } from '../check/absent-parameters.ts';
import type { Checking, Of } from '../check/checking.ts';
import { checkSeen } from '../check/hidden-rows.ts';
import { checkOrder } from '../check/orders.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { NOTHING, type VerbModule } from './verb.ts';

/**
 * If e:
 *
 * In the nested steps `e` counts as true for null checks, under Otherwise as false. Names of a branch end with it, but
 * for those of credentials, which are null where the branch did not run.
 */
export const IF: VerbModule<'If'> = {
  does: () => NOTHING,
  check(c, step, each) {
    const test = c.condition(step.test, 'If');
    if (test && alwaysTrue(test)) c.findings.push(d.report.cannotFail(step.test));
    const before = c.removed;
    const drawn = c.drawn;
    const branch = (steps: readonly Step[], truth: boolean) => {
      c.removed = before;
      c.drawn = drawn;
      const branched = c.within(() => {
        c.assume(test, truth);
        return each(c, steps);
      });
      return { ...branched, steps, truth, removed: c.removed, drawn: c.drawn };
    };
    const yes = branch(step.steps, true);
    const no = branch(step.otherwise ?? [], false);
    // The steps after a branch that ends in an Answer run only where that branch did not.
    const open = [yes, no].filter(({ steps }) => !alwaysAnswer(steps));
    c.removed = new Set([...before, ...open.flatMap(({ removed }) => [...removed])]);
    c.drawn = [...drawn, ...open.flatMap((one) => one.drawn.slice(drawn.length))];
    for (const [name, type] of open.flatMap(({ made }) => [...made]))
      if (type.kind === 'string' && type.credential)
        c.names.set(name, t.nullable(type, type.nullable || open.some(({ made }) => !made.has(name))));
    const [only, ...others] = open;
    if (only && others.length === 0) c.assume(test, only.truth);
    if ([...everyStep(open.flatMap(({ steps }) => steps))].some((one) => one.does.writes)) c.forget();
    const { result: then } = yes;
    const { result: otherwise } = no;
    return test && then && otherwise && { do: 'if', test, then, else: otherwise, line: c.line(step) };
  },
};

/**
 * For each `x` in e: · For each `x`: R where p, earliest `k` first:
 *
 * After the step, a name declared inside it is the list of the values of all rounds.
 */
export const FOR_EACH: VerbModule<'For each'> = {
  does: ({ as, over }) => ({
    ...NOTHING,
    names: { as: as.text, ...(over.kind === 'rows' ? { resource: over.resource.text } : { list: over.list.text }) },
  }),
  check(c, step, each) {
    const { item, over } = checkOver(c, step.over, step);
    // Each round sees the writes and removals of the rounds before it.
    for (const one of everyStep(step.steps)) {
      const { writes } = one.does;
      if (writes) c.forget();
      if (writes?.does !== 'Remove') continue;
      if ('resource' in writes) c.removeEvery(writes.resource);
      else if (c.names.has(writes.row)) c.removed = new Set([...c.removed, writes.row]);
    }
    for (const one of everyStep(step.steps))
      if (one.verb === 'Answer') c.findings.push(d.report.answerNested(one.span));
    const { made, result: steps } = c.within(() => {
      c.nameRow(step.as, item);
      return each(c, step.steps);
    });
    for (const [name, of] of made) if (name !== step.as.text) c.names.set(name, { kind: 'list', of, nullable: false });
    if (!over || !steps) return null;
    return { do: 'for each', as: step.as.text, over, makes: madeBy(steps), steps, line: c.line(step) };
  },
};

/** Checks the list or rows to iterate over; returns the type of one item, and the plan, null while unsettled. */
function checkOver(c: Checking, over: Over, step: Of<'For each'>): { item: t.Type; over: OverPlan | null } {
  if (over.kind === 'list') {
    const list = c.type(over.list, null, 'For each');
    if (list?.type.kind === 'list') {
      // A step's name holds whole rows; another expression yields only identities.
      if (list.type.of.kind === 'row' && list.op !== 'name')
        c.findings.push(language.report.notYet(over.list, { what: 'For each through rows that an expression gives' }));
      return { item: list.type.of, over: { kind: 'list', list } };
    }
    if (list) c.findings.push(d.report.overList(over.list, { found: t.describe(list.type) }));
    return { item: t.UNKNOWN, over: null };
  }
  const resource = c.r.resource(over.resource);
  if (!resource) return { item: t.UNKNOWN, over: null };
  const name = resource.name.text;
  const where = over.where && c.condition(over.where, '“where”', name);
  if (over.where && where) checkAbsent(c, 'For each', where, over.where);
  if (where || !over.where) checkSeen(c, 'For each', resource, where, step.span);
  const order = over.order && checkOrder(c, over.order, { resource, where });
  if (!over.order) c.findings.push(d.report.overOrder(step.span, { resource: name }, [c.endpoint]));
  const settled = order && (where || !over.where);
  return { item: t.rowOf(name), over: settled ? { kind: 'rows', resource: name, where, order } : null };
}

/** The names that steps declare for later steps. Under If or Otherwise, only those of credentials do not end there. */
const madeBy = (steps: readonly InsideStep[]): string[] =>
  steps.flatMap((step) => {
    if (step.do === 'if') return issuedIn(step);
    return step.do === 'for each' ? step.makes : declaredBy(step);
  });
