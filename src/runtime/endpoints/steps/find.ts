import type { Row } from '../../../expression/values/value.ts';
import { call, type Program } from '../../../store/store.ts';
import type { Of, Step, StepContext } from './context.ts';
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
  return function* find(run) {
    const { work } = run;
    const at = order ? order.pick(work.frame) : 0;
    const read = ({ statement, args }: (typeof whole)[number]): Program<Row[]> => {
      const values = args(work.frame);
      return call(statement, first ? [...values, 1] : values);
    };
    const active = projection?.fits(run) ? projection : null;
    let rows = yield* read((active ? projected! : whole)[at]!);
    if (active && !active.suffices(rows)) rows = yield* read(whole[at]!);
    const [row] = rows;
    if (!row && refusal) throw refusal;
    // A row that was read in part is not shared with other steps.
    work.frame.vars[slot] = !row ? null : c.writes && !active ? known.known(work, row) : row;
  };
}
