import { comparedValue, layoutOf } from '../expression/javascript.ts';
import { emptyFrame, type Value } from '../expression/values/value.ts';
import { named } from '../plan/named.ts';
import type { Plan } from '../plan/step.ts';
import type { RowRules } from '../store/migration/upgrade.ts';
import { REVISION, storedColumns } from '../store/tables.ts';
import { computedValidator } from '../validation/validate.ts';
import { dueOf, dueUnder } from './resources/dues.ts';

/**
 * Returns the plan's rules for values and rows, for a store that migrates: the same code runs whenever a row is
 * written.
 */
export function rowRules(plan: Plan): RowRules {
  const places = new Map(
    plan.resources.map((resource) => [
      resource.name,
      new Map(storedColumns(resource).map(({ name }, place) => [name, place])),
    ]),
  );
  const place = (resource: string, column: string): number => places.get(resource)!.get(column)!;
  const of = (name: string) => named(plan.resources, name);
  const layout = layoutOf('An expression of a migration depends on its row alone', {
    column: place,
    identity: (resource) => place(resource, of(resource).identity),
    revision: (resource) => place(resource, REVISION),
  });
  return {
    allows: (rule) => {
      const check = computedValidator(rule);
      return (value) => 'value' in check(value);
    },
    computed: (_resource, expr) => {
      const value = comparedValue(expr, layout);
      const frame = emptyFrame(0, '');
      return (row) => {
        frame.row = row;
        return (value(frame) ?? null) as Value;
      };
    },
    due: (name, timed, before, now) => {
      const resource = of(name);
      const due = dueOf(
        resource,
        timed,
        (column) => place(name, column),
        (expr) => comparedValue(expr, layout),
      );
      const frame = emptyFrame(now, '');
      return (row, held) => {
        frame.row = row;
        return dueUnder(due, before, frame, held);
      };
    },
  };
}
