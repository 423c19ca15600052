import { show } from '../../../expression/tree/expression.ts';
import { exact, NoResult } from '../../../expression/values/overflow.ts';
import type { Row, Value } from '../../../expression/values/value.ts';
import { call } from '../../../store/store.ts';
import { BEYOND } from '../../expressions/layout.ts';
import type { Of, Step, StepContext } from './context.ts';

/** Group: one statement makes the groups of the rows that the caller may see, with their values, in their order. */
export function compileGroup(step: Of<'group'>, c: StepContext): Step {
  const { resource, by, with: values, all } = step;
  const members = [...by, ...values];
  const lowering = c.expressions.lowering();
  const { name } = step.order.by as Extract<typeof step.order.by, { op: 'name' }>;
  const statement = c.store.prepare({
    kind: 'groups',
    resource,
    where: step.every ? step.where && lowering.lower(step.where) : c.expressions.where(resource, step.where),
    keys: by.map(({ value }) => lowering.lower(value)),
    values: values.map(({ value }) => lowering.lower(value)),
    order: { member: members.findIndex((one) => one.name === name), descending: step.order.descending },
  });
  const args = c.expressions.parameters(statement, c.names);
  const slot = c.names.vars.indexOf(step.as);
  const most = all.refused ? all.most + 1 : all.most;
  return function* group({ work }) {
    const rows = yield* call(statement, [...args(work.frame), most]);
    if (rows.length > all.most) throw c.errors.condition('page refused');
    work.frame.vars[slot] = rows.map((row) => members.map(({ value }, i) => known(row, i, value)));
  };

  /** The value of a member. One without a result ends the request, as in an answer. */
  function known(row: Row, i: number, { type }: (typeof members)[number]['value']): Value {
    const value = row[i]!;
    const given = typeof value === 'number' ? exact(value) : value;
    if (given !== null || type.nullable) return given;
    throw new NoResult(`Line ${step.line}: “${show(members[i]!.value)}” has no result: ${BEYOND}`);
  }
}
