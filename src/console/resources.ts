import type { Contract, FieldContract } from '../contract/contract.ts';
import { lineKey } from '../plan/lines.ts';
import type { ColumnPlan, Plan, ResourcePlan } from '../plan/step.ts';
import { isOrdered } from '../runtime/operator-rows.ts';
import type { Column, ResourceSummary } from './protocol.ts';

/** The resources of a plan, for lists and forms. */
export function resourceSummaries(plan: Plan, contract: Contract): ResourceSummary[] {
  return plan.resources.map((resource) => {
    const contracted = contract.resources.find((one) => one.name === resource.name);
    return {
      name: resource.name,
      identity: contracted?.identity ?? null,
      columns: resource.columns
        .filter(({ name }) => !name.startsWith(' '))
        .map((column) => columnOf(plan, resource, column, contracted?.fields ?? [])),
      stateField: resource.states?.field ?? null,
      states: contracted?.states?.values ?? [],
      line: plan.lines[lineKey.resource(resource.name, 'name')] ?? null,
    };
  });
}

function columnOf(plan: Plan, resource: ResourcePlan, column: ColumnPlan, fields: readonly FieldContract[]): Column {
  const { name, rule, nullable, reference, from } = column;
  const atCreate = resource.givings.some((giving) => giving.field === name && giving.moment === 'create');
  const byItself = from.transitions || column.sequence !== null || atCreate || column.otherwise !== null;
  return {
    name,
    type: column.password ? 'password' : rule.kind,
    optional: nullable,
    refersTo: reference,
    oneOf: rule.oneOf,
    operator: from.operator,
    required: from.operator && !nullable && !byItself,
    ordered: isOrdered(column),
    given: givenWords(fields.find((field) => field.name === name)),
    line: plan.lines[lineKey.field(resource.name, name)] ?? null,
  };
}

/** Describes the sources of a field's value. */
function givenWords(field: FieldContract | undefined): string {
  const words = (field?.given ?? []).map(({ by, moment, value }) => {
    const what = value ? ` ${value.text}` : '';
    return by === 'moment' ? `on ${moment}${what}` : `${by}${what}`;
  });
  return words.join(', ');
}
