import * as t from '../../expression/tree/types.ts';
import { factsOf, isScalarType, scalarOf } from '../../expression/values/kinds.ts';
import type { Allowed, FieldType } from '../../language/values.ts';
import type { Name } from '../../syntax/names.ts';
import type { Field } from '../statements/resources.ts';

/** The type of a field as expressions see it. */
export function fieldType(field: Field, owner: string): t.Type {
  const type = field.type?.value;
  // Without a type or a presence, the field has a question of its own.
  if (!type || !field.presence) return t.UNKNOWN;
  const optional = field.presence.value !== 'always';
  const allowed = field.allowed?.value ?? null;
  const stated = field.format?.value;
  if (stated === 'password') return { kind: 'password', nullable: optional };
  if (stated === 'secret') return { kind: 'password', nullable: optional, secret: true };
  const format = stated === 'uuid' || stated === 'time zone' ? stated : null;
  return t.nullable(valueType(type, allowed, format, `${owner}.${field.name.text}`), optional);
}

/** The type of a value that is not null. For a list, `format` is the format of its items. */
function valueType(
  type: FieldType,
  allowed: Allowed | null,
  format: t.StringType['format'],
  owner: string | null,
): t.Type {
  switch (type.kind) {
    case 'reference':
      return t.rowOf(type.resource.text);
    case 'list':
    case 'set': {
      const each = allowed?.kind === 'items' ? allowed.each : null;
      return { kind: 'list', of: valueType(type.of, each, format, owner), nullable: false };
    }
    case 'map': {
      const each = allowed?.kind === 'items' ? allowed.each : null;
      return { kind: 'map', of: valueType(type.of, each, format, owner), nullable: false };
    }
    case 'string': {
      const oneOf = allowed?.kind === 'one of' ? allowed.values.map((value) => value.text) : null;
      return { kind: 'string', nullable: false, oneOf, owner, format };
    }
    case 'decimal':
      return { kind: 'decimal', scale: allowed?.kind === 'decimals' ? allowed.scale : 0, nullable: false };
    default:
      return { kind: type.kind, nullable: false };
  }
}

/** The resource that a reference, or each item of a list or set of references, points at. */
export const targetOf = (type: FieldType | undefined): Name | null => {
  if (type?.kind === 'reference') return type.resource;
  return type && 'of' in type && type.of.kind === 'reference' ? type.of.resource : null;
};

/** The stated type of a derived field. */
export const derivedType = (type: FieldType): t.Type => valueType(type, null, null, null);

/** The forms of allowed values that fit a type. */
export function fitting(kind: FieldType['kind']): ReadonlyArray<Allowed['kind']> {
  if (isScalarType(kind)) return ['any', ...factsOf(scalarOf(kind)).allowed];
  return kind === 'reference' ? ['any'] : ['any', 'items'];
}

/** Whether the allowed values of a field fit its type. If not, either of the two may be the mistake. */
export const fitsItsType = ({ type, allowed }: Pick<Field, 'type' | 'allowed'>): boolean =>
  !type || !allowed || fitting(type.value.kind).includes(allowed.value.kind);
