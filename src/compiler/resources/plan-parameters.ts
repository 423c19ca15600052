import type { HandlerField, ParameterPlan } from '../../plan/step.ts';
import type { Resolved } from '../document/resolve.ts';
import { settled, withStated } from '../document/settled.ts';
import type { Parameter } from '../statements/endpoints.ts';
import { hasWords } from '../versioning/words.ts';
import { isHashed } from './check-passwords.ts';
import { ruleOf } from './plan.ts';

/** The plan of a parameter, with the rule for its values; undefined while it isn't settled. */
export function planParameter(r: Resolved, said: Parameter): ParameterPlan | undefined {
  const parameter = withStated(said, 'type', 'presence');
  if (!parameter) return undefined;
  const type = parameter.type.value;
  const shared = {
    name: parameter.name.text,
    required: parameter.presence.value === 'always',
    otherwise: parameter.fallback && r.expr(parameter.fallback),
    code: parameter.otherwise?.text ?? null,
  };
  if (type.kind === 'plain') {
    const { allowed } = parameter;
    const rule = ruleOf(r, { type: { ...parameter.type, value: type.type }, format: null, allowed, givenBy: null });
    return settled<ParameterPlan>({ ...shared, rule, password: false, field: null });
  }
  const { resource, field: of } = type;
  const field = r.resourceNamed(resource.text)?.fields.find((one) => one.name.text === of.text);
  if (!field) return undefined;
  const named = of.text === parameter.name.text && ['query', 'body'].includes(parameter.in?.value ?? '');
  return settled<ParameterPlan>({
    ...shared,
    rule: ruleOf(r, field),
    password: isHashed(field),
    field: named ? `${resource.text}.${of.text}` : null,
    ...(hasWords(r.model, resource.text, of.text) && { words: `${resource.text}.${of.text}` }),
  });
}

/** The plan of an input or output of a handler, or of a claim; undefined while it isn't settled. */
export function planArgument(r: Resolved, field: Parameter): HandlerField | undefined {
  const planned = planParameter(r, field);
  const presence = field.presence?.value;
  return planned && presence && { name: planned.name, rule: planned.rule, nullable: presence === 'optional' };
}
