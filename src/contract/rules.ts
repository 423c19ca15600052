import { show } from '../expression/tree/expression.ts';
import { statementId } from '../plan/lines.ts';
import type { ResourcePlan } from '../plan/step.ts';
import type { RuleContract } from './contract.ts';
import { expression, expressionOrNull, type PlanReader } from './plan-reader.ts';

/** The rules that all rows of a resource satisfy. */
export function rulesOf(r: PlanReader, resource: ResourcePlan): RuleContract[] {
  const { name } = resource;
  const uniques = resource.uniques.map((rule, i): RuleContract => {
    const fields = rule.fields.map((field) => (rule.ignoringCase.includes(field) ? `${field} ignoring case` : field));
    return {
      kind: 'unique',
      text: `${name}: ${fields.join(' and ')} unique${rule.condition ? ` while ${show(rule.condition)}` : ''}`,
      fields: rule.fields,
      condition: expressionOrNull(rule.condition),
      code: rule.code,
      lines: r.lines(statementId.rule(name, 'unique', i)),
    };
  });
  const holds = resource.holds.map(
    ({ test, code }, i): RuleContract => ({
      kind: 'holds',
      text: `${name}: ${show(test)} holds`,
      fields: [],
      condition: expression(test),
      code,
      lines: r.lines(statementId.rule(name, 'holds', i)),
    }),
  );
  const overlaps = resource.overlaps.map((rule, i): RuleContract => {
    const by = rule.by.length ? ` by ${rule.by.join(' and ')}` : '';
    const condition = rule.condition ? ` while ${show(rule.condition)}` : '';
    return {
      kind: 'no overlap',
      text: `${name}: no overlap from ${show(rule.start)} to ${show(rule.end)}${by}${condition}`,
      fields: rule.by,
      condition: expressionOrNull(rule.condition),
      code: rule.code,
      lines: r.lines(statementId.rule(name, 'overlap', i)),
    };
  });
  return [...uniques, ...holds, ...overlaps, ...removalRules(r, resource)];
}

/** Rules for the removal of a row with references to it: it is refused, cascades, or clears the references. */
function removalRules(r: PlanReader, { name, keptBy, takes, clears }: ResourcePlan): RuleContract[] {
  const rule = (
    kind: RuleContract['kind'],
    one: { readonly resource: string; readonly field: string },
    text: string,
    code: string | null,
  ): RuleContract => ({
    kind,
    text,
    fields: [`${one.resource}.${one.field}`],
    condition: null,
    code,
    lines: r.lines(statementId.reference(one.resource, one.field)),
  });
  return [
    ...keptBy.map((one) => rule('keeps', one, `${name}: kept by ${one.resource}.${one.field}`, one.code)),
    ...takes.map((one) => rule('removed with', one, `${one.resource}: removed with its ${one.field}`, null)),
    ...clears.map((one) => {
      const path = `${one.resource}.${one.field}`;
      const many = r.column(one.resource, one.field)?.references !== undefined;
      const what = many ? `an item leaves ${path} when its` : `${path}: cleared when its`;
      return rule('cleared', one, `${what} ${name} is removed`, null);
    }),
  ];
}
