import type { Expr } from '../expression/tree/expression.ts';
import type { Type } from '../expression/tree/types.ts';
import { isScalarKind } from '../expression/values/kinds.ts';
import type { ValueRule, ViewMember, WirePlan } from '../plan/step.ts';
import { FREE } from '../plan/value-forms.ts';
import { type FieldWords, wordsText } from '../plan/words.ts';
import { scalarOfRule, TEXT } from './kinds.ts';
import { CURRENT_NAMES, type FieldNames, type PlanReader } from './plan-reader.ts';
import type { ContractType, MemberContract } from './types.ts';

/** The type of a value with validation rules. `password`: the value is write-only. */
export function typeOfRule(rule: ValueRule, wire: WirePlan, password = false): ContractType {
  const { kind, min, max } = rule;
  if (isScalarKind(kind)) {
    const type = scalarOfRule(kind, rule, wire);
    return password && type.kind === 'text' ? { ...type, format: 'password' } : type;
  }
  const items = { of: rule.items ? typeOfRule(rule.items, wire) : ({ kind: 'null' } as const), nullable: false };
  if (kind === 'map') return { kind, keys: rule.keys && typeOfRule(rule.keys, wire), ...items, min, max };
  return { kind, ...items, min, max };
}

/** A type in the words of a version; `inBody`: those that the body of a request may have. */
export const inWords = (type: ContractType, words: FieldWords | null, inBody = false): ContractType =>
  words && type.kind === 'text' && type.oneOf ? { ...type, oneOf: wordsText(words, inBody) } : type;

/** The name of a shape; the name of the resource alone for its default shown form. */
export const shapeName = ({ resource, name }: { readonly resource: string; readonly name: string }): string =>
  resource === name ? resource : `${resource} as ${name}`;

/** The type of an expression in an answer. A field keeps its bounds; other expressions have none. */
export function typeOfShown(
  value: Expr,
  view: ViewMember['view'],
  r: PlanReader,
  names: FieldNames = CURRENT_NAMES,
): ContractType {
  const { wire } = r.plan;
  if (value.op === 'get' && value.of.type.kind === 'row' && !value.derived && value.type.kind !== 'row') {
    const column = r.column(value.of.type.resource, value.member);
    if (column?.references !== undefined)
      return { ...listOf(typeOf(itemType(value.type), view, wire, names)), ...mostOf(value, r) };
    if (column) return inWords(typeOfRule(column.rule, wire), names.words(`${value.of.type.resource}.${column.name}`));
  }
  if (value.op === 'each' && value.macro === 'map' && value.type.kind === 'list')
    return {
      ...listOf(typeOfShown(value.body, view, r, names)),
      nullable: mayBeMissing(value.body.type, wire),
      ...mostOf(value.list, r),
    };
  const stated = constantType(value, r);
  if (stated) return stated;
  if (value.op === 'if') {
    const [one, other] = [value.then, value.else].map((part) => typeOfShown(part, view, r, names));
    if (one && JSON.stringify(one) === JSON.stringify(other)) return one;
  }
  return typeOf(value.type, view, wire, names);
}

type ListType = Extract<ContractType, { kind: 'list' | 'set' }>;
const listOf = (of: ContractType): ListType => ({ kind: 'list', of, nullable: false, min: null, max: null });
const itemType = (type: Type): Type => (type.kind === 'list' ? type.of : type);

/** The most items of a stored list of references. Rows that the caller may not see are left out, so no least is known. */
function mostOf(list: Expr, r: PlanReader): Pick<ListType, 'max'> | null {
  if (list.op === 'each' && list.macro === 'filter') return mostOf(list.list, r);
  if (list.op !== 'get' || list.of.type.kind !== 'row') return null;
  const column = r.column(list.of.type.resource, list.member);
  return column?.references === undefined ? null : { max: column.rule.max };
}

/**
 * The type of an expression that gives only constants, directly or through a derived field. Null if it may give another
 * value.
 */
function constantType(value: Expr, r: PlanReader): ContractType | null {
  const values = constantsOf(value, r);
  if (!values || values.length === 0) return null;
  const texts = values.filter((one) => typeof one === 'string');
  if (texts.length === values.length) return { ...TEXT, oneOf: texts };
  const [only] = values;
  if (values.length > 1) return null;
  if (typeof only === 'boolean') return { kind: 'boolean', only };
  return typeof only === 'number' && value.type.kind === 'integer' ? { kind: 'integer', min: only, max: only } : null;
}

/** The constants that an expression can return, without null; null if it can return another value. */
function constantsOf(expr: Expr, r: PlanReader): ReadonlyArray<string | number | boolean> | null {
  switch (expr.op) {
    case 'const':
      return expr.value === null ? [] : [expr.value];
    case 'if': {
      const [yes, no] = [constantsOf(expr.then, r), constantsOf(expr.else, r)];
      return yes && no && [...new Set([...yes, ...no])];
    }
    case 'get': {
      if (!expr.derived || expr.of.type.kind !== 'row') return null;
      const derived = r.resource(expr.of.type.resource).derived.find(({ name }) => name === expr.member);
      return derived ? constantsOf(derived.value, r) : null;
    }
    default:
      return null;
  }
}

/** Whether an item may be null in a list. A row that the caller can't see is omitted; other missing values are null. */
const mayBeMissing = (type: Type, wire: WirePlan): boolean =>
  type.nullable && type.kind !== 'row' && type.kind !== 'tuple' && wire.missing === 'null';

/** A member of a payload that the service sends. A missing value is omitted or null, as the document states. */
export function sentMember(
  name: string,
  type: ContractType,
  mayBeMissing: boolean,
  wire: WirePlan,
  more: Partial<Pick<MemberContract, 'expression' | 'field' | 'lines'>> = {},
): MemberContract {
  return {
    name,
    type,
    presence: mayBeMissing && wire.missing !== 'null' ? 'optional' : 'always',
    nullable: mayBeMissing && wire.missing === 'null',
    otherwise: null,
    refused: null,
    refersTo: null,
    expression: null,
    field: null,
    lines: [],
    ...more,
  };
}

/** The type of a value that is known by the type of its expression only. */
function typeOf(type: Type, view: ViewMember['view'], wire: WirePlan, names: FieldNames): ContractType {
  switch (type.kind) {
    case 'list': {
      const nullable = mayBeMissing(type.of, wire);
      return { kind: 'list', of: typeOf(type.of, view, wire, names), nullable, min: null, max: type.most ?? null };
    }
    case 'map': {
      const nullable = mayBeMissing(type.of, wire);
      return { kind: 'map', keys: null, of: typeOf(type.of, view, wire, names), nullable, min: null, max: null };
    }
    case 'row':
      return view ? { kind: 'shape', name: shapeName(view) } : { ...TEXT };
    case 'null':
      return { kind: 'null' };
    case 'object':
      return {
        kind: 'object',
        members: Object.entries(type.members).map(([name, of]) =>
          sentMember(name, typeOf(of, null, wire, names), of.nullable, wire),
        ),
        unknown: 'none',
      };
    case 'password':
    case 'tuple':
    case 'unknown':
      return { ...TEXT };
    case 'string': {
      const { format, oneOf, owner } = type;
      return inWords({ ...TEXT, format, oneOf }, names.words(owner));
    }
    default: {
      const scale = type.kind === 'decimal' ? type.scale : null;
      return scalarOfRule(type.kind, { ...FREE, kind: type.kind, scale }, wire);
    }
  }
}
