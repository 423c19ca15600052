import * as t from '../../expression/tree/types.ts';
import type { Allowed } from '../../language/values.ts';
import type { Parameter } from '../statements/endpoints.ts';
import { fieldType } from './field-types.ts';
import type { Resolved } from './resolve.ts';

/** The type of a parameter in expressions. */
export function parameterType(r: Resolved, parameter: Parameter): t.Type {
  const optional = parameter.presence?.value === 'optional';
  const place = parameter.in?.value ?? 'query';
  if (!parameter.type) return t.UNKNOWN;
  const { value: type, ...span } = parameter.type;
  if (type.kind === 'field') {
    const known = r.rows.get(type.resource.text)?.fields.get(type.field.text);
    const field = r.resourceNamed(type.resource.text)?.fields.find(({ name }) => name.text === type.field.text);
    return known ? t.nullable(withMost(known, field?.allowed?.value), optional) : t.UNKNOWN;
  }
  const name = { ...parameter.name, text: `query.${parameter.name.text}` };
  const { allowed, span: at } = parameter;
  const presence = { value: optional ? ('optional' as const) : ('always' as const), ...at };
  const field = { name, span: parameter.span, type: { ...span, value: type.type }, allowed, presence };
  const own = fieldType({ ...field, format: null, givenBy: null, unique: null }, place === 'body' ? 'request' : place);
  return withMost(own, allowed?.value);
}

/** The type, in expressions, of the inputs or the outputs of a handler. */
export function objectOf(r: Resolved, fields: readonly Parameter[]): t.ObjectType {
  const members = Object.fromEntries(fields.map((field) => [field.name.text, parameterType(r, field)]));
  return { kind: 'object', members, nulls: [], nullable: false };
}

/** Returns the type of a list with the stated maximum of items. */
function withMost(type: t.Type, allowed: Allowed | undefined): t.Type {
  return type.kind === 'list' && allowed?.kind === 'items' ? { ...type, most: allowed.max } : type;
}
