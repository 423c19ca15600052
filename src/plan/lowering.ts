import { Lowering } from '../expression/lower.ts';
import { rowOf, scalarType, type Type } from '../expression/tree/types.ts';
import { isScalarKind } from '../expression/values/kinds.ts';
import { named } from './named.ts';
import type { ResourcePlan } from './rows.ts';
import type { ValueRule } from './value-forms.ts';

/**
 * The reader of rows. A caller sees the rows that are visible to it, and a receiver that is a row sees the rows that
 * `Hears of` allows; rules, timers, reactions and the operator see all rows.
 */
export type Visibility = 'caller' | 'receiver' | 'all';

/** Creates the lowering of expressions over the rows of resources. */
export function loweringOf(
  of: (resource: string) => ResourcePlan,
  eyes: Visibility,
  visible = (resource: string) => of(resource).visible,
): Lowering {
  return new Lowering(
    {
      identity: (resource) => ({ name: of(resource).identity, type: columnType(of(resource), of(resource).identity) }),
      derived: (resource, field) => named(of(resource).derived, field).value,
      visible,
      unique: (resource, field) =>
        of(resource).identity === field ||
        of(resource).uniques.some((rule) => !rule.condition && rule.fields.length === 1 && rule.fields[0] === field),
    },
    eyes !== 'all',
  );
}

/** The type of a stored field, as far as a store needs it. */
export function columnType(plan: ResourcePlan, name: string): Type {
  const { rule, reference, references, nullable } = named(plan.columns, name);
  if (references !== undefined) return { kind: 'list', of: rowOf(references), nullable };
  return reference === null ? ruleType(rule, nullable) : { kind: 'row', resource: reference, nullable };
}

/** The type of the items of a list or a map. */
function itemType({ kind, items }: ValueRule): Type {
  if (!items) throw new Error(`The plan does not say what is in a ${kind}`);
  return ruleType(items, false);
}

/** The type of the values of a rule. */
export function ruleType(rule: ValueRule, nullable: boolean): Type {
  const { kind, scale } = rule;
  if (isScalarKind(kind)) return scalarType(kind, scale, nullable);
  return { kind: kind === 'map' ? kind : 'list', of: itemType(rule), nullable };
}
