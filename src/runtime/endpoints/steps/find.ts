import { isChanging, some, uses } from '../../../expression/tree/expression.ts';
import type { Row } from '../../../expression/values/value.ts';
import type { Call, Statement } from '../../../store/store.ts';
import type { Of, Step, StepContext, StepRun } from './context.ts';
import { ordering } from './order.ts';
import { projectionOf } from './projection.ts';

/** Find: reads one row; without one, throws the step's refusal or sets null. */
export function compileFind(step: Of<'find'>, c: StepContext): Step {
  const where = c.expressions.where(step.resource, step.where);
  const { resource } = step;
  const order = step.order && ordering(step.order, c);
  const first = order !== null;
  const projection = projectionOf(step, [], c);
  const selecting = (columns: { readonly columns?: readonly string[] }) =>
    (order?.each ?? [null]).map((one) => {
      const spec = { kind: 'select', resource, ...columns, where, order: one, after: false, limit: first } as const;
      const statement = c.store.prepare(spec);
      return { statement, args: c.expressions.parameters(statement, c.names) };
    });
  const whole = selecting({});
  const projected = projection && selecting({ columns: projection.columns });
  const slot = c.names.vars.indexOf(step.as);
  const refusal = step.code === null ? null : c.errors.code(step.code);
  const known = c.resource(resource);
  const made = ({ statement, args }: (typeof whole)[number], { work: { frame } }: StepRun): Call => {
    const values = args(frame);
    return [statement, first ? [...values, 1] : values];
  };
  const find: Step = function* find(run) {
    const { work } = run;
    const at = order ? order.pick(work.frame) : 0;
    const active = projection?.fits(run) ? projection : null;
    let rows: Row[] = yield made((active ? projected! : whole)[at]!, run);
    if (active && !active.suffices(rows)) rows = yield made(whole[at]!, run);
    const [row] = rows;
    if (!row && refusal) throw refusal;
    // A row that was read in part is not shared with other steps.
    work.frame.vars[slot] = !row ? null : c.writes && !active ? known.known(work, row) : row;
  };
  if (!c.store.travels || !whole.every(({ statement }) => isOfRequest(statement, c))) return find;
  const ahead = (run: StepRun): Call[] => {
    const at = order ? order.pick(run.work.frame) : 0;
    return [made((projected && projection!.fits(run) ? projected : whole)[at]!, run)];
  };
  return Object.assign(find, { ahead });
}

/** Whether the values of a statement depend on the request and its caller alone, and not on the steps before. */
const isOfRequest = ({ parameters }: Statement, { names }: StepContext): boolean =>
  parameters.every(({ expr }) => !names.vars.some((name) => uses(expr, name)) && !some(expr, isChanging));
