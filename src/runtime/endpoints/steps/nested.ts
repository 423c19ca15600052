import { type Expr, some } from '../../../expression/tree/expression.ts';
import { answersIn } from '../../../plan/answered.ts';
import { transitionIn } from '../../../plan/machines.ts';
import { issuedIn } from '../../../plan/nested-steps.ts';
import type { InsideStep, OverPlan } from '../../../plan/step.ts';
import { call, type Program } from '../../../store/store.ts';
import { evaluate, mustBe } from '../../expressions/layout.ts';
import { canDefer, DeferredWrites } from '../../resources/deferred-writes.ts';
import type { Resource } from '../../resources/rules.ts';
import type { Answering, CompileStep, Of, Step, StepContext, StepRun } from './context.ts';
import { ordering } from './order.ts';

/** Compiles steps that run one after the other; those after an answer do not run. */
export function compileSteps(steps: readonly InsideStep[], c: StepContext, each: CompileStep): readonly Step[] {
  const all = steps.map((step) => each(step, c));
  if (answersIn(steps).length === 0) return all;
  return [
    function* untilAnswered(run) {
      for (const step of all) {
        yield* step(run);
        if (run.answered) return;
      }
    },
  ];
}

/** Answer in a branch: the request is answered once the steps have ended. */
export function compileBranchAnswer(step: Of<'answer'>, c: StepContext): Step {
  const answering = c.answering(step);
  // biome-ignore lint/correctness/useYield: it asks the store nothing
  return function* answer(run) {
    run.answered = answering;
  };
}

/** The answer that the steps have ended in; otherwise the last one. */
export function answerOf(last: Answering | null): Answering {
  return function* answer(run) {
    const answering = run.answered ?? last;
    if (!answering) throw new Error('The steps have ended without an answer');
    return yield* answering(run);
  };
}

/** If: runs the steps of one branch. A credential that the branch does not issue is null. */
export function compileIf(step: Of<'if'>, c: StepContext, each: CompileStep): Step {
  const test = c.expressions.compile(step.test, c.names);
  const yes = compileSteps(step.then, c, each);
  const no = compileSteps(step.else, c, each);
  const issued = issuedIn(step).map((name) => c.names.vars.indexOf(name));
  return function* either(run) {
    for (const slot of issued) run.work.frame.vars[slot] = null;
    const taken = (yield* evaluate(test, run.work.frame)) === true ? yes : no;
    for (const one of taken) yield* one(run);
  };
}

/**
 * For each: runs its steps once for each member. Afterwards, each name made in the steps holds the list of its values.
 */
export function compileForEach(step: Of<'for each'>, c: StepContext, each: CompileStep): Step {
  const members = compileOver(step.over, c);
  const slot = c.names.vars.indexOf(step.as);
  const made = step.makes.map((name) => c.names.vars.indexOf(name));
  const steps = step.steps.map((one) => each(one, c));
  const written = writtenTogether(step, c);
  return function* forEach(run) {
    const { work } = run;
    const { vars } = work.frame;
    const lists: unknown[][] = made.map(() => []);
    const all = yield* members(run);
    const deferred = written && all.length >= MANY ? new DeferredWrites(written) : null;
    work.deferred = deferred;
    try {
      for (const member of all) {
        vars[slot] = member;
        for (const one of steps) yield* one(run);
        for (let i = 0; i < made.length; i++) lists[i]!.push(vars[made[i]!]);
      }
      if (deferred) yield* deferred.flush();
    } finally {
      work.deferred = null;
    }
    for (let i = 0; i < made.length; i++) vars[made[i]!] = lists[i];
  };
}

/** The number of rows from which a statement for all of them costs less than one for each. */
const MANY = 32;

/**
 * The resource of a loop that only changes or moves each of its rows, by values that need no query: the rows of a loop
 * are written together. Null for any other loop.
 */
function writtenTogether({ as, over, steps }: Of<'for each'>, c: StepContext): Resource | null {
  const [one, ...more] = steps;
  if (over.kind !== 'rows' || more.length > 0 || (one?.do !== 'change' && one?.do !== 'move')) return null;
  if (one.row !== as || (one.do === 'change' && one.from)) return null;
  const resource = c.resource(one.resource);
  const asks = (expr: Expr): boolean => some(expr, (part) => part.op === 'query');
  if (one.with.some(({ value }) => asks(c.expressions.lowering().lower(value)))) return null;
  const fields = one.with.map(({ field }) => field);
  if (one.do === 'change') return canDefer(resource.plan, ['change'], fields) ? resource : null;
  const { field, guard, then } = transitionIn(resource.plan.machines, one.by);
  if (then.length > 0 || (guard && asks(c.expressions.seeingAll().lowering().lower(guard)))) return null;
  return canDefer(resource.plan, ['change', one.by], [field, ...fields]) ? resource : null;
}

function compileOver(over: OverPlan, c: StepContext): (run: StepRun) => Program<readonly unknown[]> {
  if (over.kind === 'list') {
    const compiled = c.expressions.compile(over.list, c.names);
    const list = { ...compiled, evaluate: mustBe(compiled.evaluate, over.list) };
    return function* members({ work }) {
      return (yield* evaluate(list, work.frame)) as unknown as readonly unknown[];
    };
  }
  const { resource } = over;
  const order = ordering(over.order, c);
  const where = c.expressions.where(resource, over.where);
  const prepared = order.each.map((one) => {
    const statement = c.store.prepare({ kind: 'select', resource, where, order: one, after: false, limit: false });
    return { statement, args: c.expressions.parameters(statement, c.names) };
  });
  const known = c.resource(resource);
  return function* rows({ work }) {
    const { statement, args } = prepared[order.pick(work.frame)]!;
    return (yield* call(statement, args(work.frame))).map((row) => known.known(work, row));
  };
}
