import { Lowering } from '../expression/lower.ts';
import { STRING, type Type } from '../expression/types.ts';
import type { ResourcePlan, ValueRule } from './rows.ts';

/** Who looks: a caller sees the rows that are visible to it; rules, timers, reactions and the operator see all. */
export type Eyes = 'caller' | 'all';

/** Turns expressions over the rows of these resources into rows at hand and what the store is asked. */
export function loweringOf(of: (resource: string) => ResourcePlan, eyes: Eyes): Lowering {
  return new Lowering(
    {
      identity: (resource) => ({ name: of(resource).identity, type: columnType(of(resource), of(resource).identity) }),
      derived: (resource, field) => of(resource).derived.find((one) => one.name === field)!.value,
      visible: (resource) => of(resource).visible,
      unique: (resource, field) =>
        of(resource).identity === field ||
        of(resource).uniques.some((rule) => !rule.condition && rule.fields.length === 1 && rule.fields[0] === field),
    },
    eyes === 'caller',
  );
}

/** The type of a stored field, as far as the store has to know it. */
export function columnType(plan: ResourcePlan, name: string): Type {
  const { rule, reference, nullable } = plan.columns.find((column) => column.name === name)!;
  return reference === null ? ruleType(rule, nullable) : { kind: 'row', resource: reference, nullable };
}

function ruleType(rule: ValueRule, nullable: boolean): Type {
  switch (rule.kind) {
    case 'text':
      return { ...STRING, nullable };
    case 'uuid':
      return { ...STRING, format: 'uuid', nullable };
    case 'decimal':
      return { kind: 'decimal', scale: rule.scale ?? 0, nullable };
    case 'list':
    case 'set':
      return { kind: 'list', of: ruleType(rule.items!, false), nullable };
    case 'map':
      return { kind: 'map', of: ruleType(rule.items!, false), nullable };
    default:
      return { kind: rule.kind, nullable };
  }
}
