import { listed } from '../../text/suggest.ts';
import { factsOf, isScalarType, type ScalarKind, type ScalarType } from '../values/kinds.ts';
import { memberText } from './member-text.ts';

/** The types of expressions. `nullable` says that the value may be null. */
export type Type =
  | StringType
  | IntegerType
  | { readonly kind: Exclude<ScalarType, 'string' | 'integer' | 'decimal'>; readonly nullable: boolean }
  /** A password, which only the steps that hash or verify it may read. `secret`: one that the service draws. */
  | { readonly kind: 'password'; readonly nullable: boolean; readonly secret?: true }
  /** `scale`: the number of decimal places. */
  | { readonly kind: 'decimal'; readonly scale: number; readonly nullable: boolean }
  | { readonly kind: 'null'; readonly nullable: true }
  /** `otherwise`: the text of an expression that is not null where this one is. */
  | {
      readonly kind: 'row';
      readonly resource: string;
      readonly nullable: boolean;
      readonly otherwise?: string;
      /** True for a caller that may be null only where the expression is never evaluated. */
      readonly unreached?: true;
    }
  /** A list or a set. A set has no repetitions, and an order of its own. */
  | {
      readonly kind: 'list';
      readonly of: Type;
      readonly nullable: boolean;
      /** The largest number of items of a parameter, or of groups; that of a field is in its rule. */
      readonly most?: number;
    }
  /** A map from strings to values. */
  | { readonly kind: 'map'; readonly of: Type; readonly nullable: boolean }
  /** A tuple of values, for a row in a view. */
  | { readonly kind: 'tuple'; readonly of: readonly Type[]; readonly nullable: boolean }
  | ObjectType
  | { readonly kind: 'unknown'; readonly nullable: false };

/** Values by name, in the order of their places in a frame. */
export interface ObjectType {
  readonly kind: 'object';
  readonly members: Readonly<Record<string, Type>>;
  /** True for the common beginning of several fields’ names. */
  readonly nested?: true;
  /** True for the claims of the caller’s token. */
  readonly ofToken?: true;
  /** True for a group of rows, which a step Group has made. */
  readonly ofGroup?: true;
  /** The members that a request may send as null; other members are never null when sent. */
  readonly nulls?: readonly string[];
  /** The fields of a resource that a request holds here. */
  readonly payload?: {
    readonly resource: string;
    readonly fields: readonly string[];
    /** True for a merge patch: a field that was not sent stays as it is. */
    readonly optional: boolean;
  };
  readonly nullable: false;
}

export interface StringType {
  readonly kind: 'string';
  readonly nullable: boolean;
  /** The allowed values, if the document lists them. */
  readonly oneOf: readonly string[] | null;
  /** The owner of the values, for messages: a field, or “scope”. */
  readonly owner: string | null;
  /** A UUID is stored as 16 bytes, which comparisons have to know; a `time zone` is always valid. */
  readonly format: 'uuid' | 'time zone' | null;
  /** True for a credential that a step has issued: only the answer may contain it. */
  readonly credential?: true;
}

export interface IntegerType {
  readonly kind: 'integer';
  readonly nullable: boolean;
  /** The allowed numbers, if the document lists them: the statuses of errors. */
  readonly oneOf?: readonly number[];
  /** The owner of the numbers, for messages. */
  readonly owner?: string;
}

/** The listed values of a type as text; null if any value is allowed. */
export function valuesOf(type: Type): readonly string[] | null {
  if (type.kind === 'string') return type.oneOf;
  return type.kind === 'integer' ? (type.oneOf?.map(String) ?? null) : null;
}

export const STRING: StringType = { kind: 'string', nullable: false, oneOf: null, owner: null, format: null };
/** The result of a step that issues a credential. */
export const CREDENTIAL: StringType = { ...STRING, credential: true };
export const BOOLEAN: Type = { kind: 'boolean', nullable: false };
export const INTEGER: Type = { kind: 'integer', nullable: false };
export const TIMESTAMP: Type = { kind: 'timestamp', nullable: false };
/** The type of `service`: the URL of the service and, where it has versions, the API version of the request. */
export const service = (versions: readonly string[] | null): Type => ({
  kind: 'object',
  members: versions ? { url: STRING, version: { ...STRING, oneOf: versions, owner: 'the versions' } } : { url: STRING },
  nullable: false,
});
export const DATE: Type = { kind: 'date', nullable: false };
export const DURATION: Type = { kind: 'duration', nullable: false };
export const NULL: Type = { kind: 'null', nullable: true };
/** The type of an expression with a reported error: it fits everywhere, so that one mistake is one finding. */
export const UNKNOWN: Type = { kind: 'unknown', nullable: false };

/** The type of the values of a kind. `scale`: the number of decimal places of a decimal. */
export function scalarType(kind: ScalarKind, scale: number | null, nullable: boolean): Type {
  const { type } = factsOf(kind);
  if (type === 'string') return { ...STRING, format: kind === 'uuid' ? kind : null, nullable };
  return type === 'decimal' ? { kind: type, scale: scale ?? 0, nullable } : { kind: type, nullable };
}

/** The kind of the values of a type; null for a type with parts, and for passwords. */
export function scalarKindOf(type: Type): ScalarKind | null {
  if (type.kind === 'string') return type.format === 'uuid' ? 'uuid' : 'text';
  return isScalarType(type.kind) ? type.kind : null;
}

/** Returns a type with null added or removed. */
export function nullable(type: Type, allowed: boolean): Type {
  if (type.kind === 'null' || type.nullable === allowed) return type;
  if (type.kind === 'object' || type.kind === 'unknown') return type;
  return { ...type, nullable: allowed };
}

/** Whether values of two types can be compared with `==` or replace one another, null aside. */
export function comparable(a: Type, b: Type): boolean {
  if (a.kind === 'unknown' || b.kind === 'unknown' || a.kind === 'null' || b.kind === 'null') return true;
  if (a.kind === 'row' && b.kind === 'row') return a.resource === b.resource;
  if (a.kind === 'list' && b.kind === 'list') return comparable(a.of, b.of);
  if (a.kind === 'map' && b.kind === 'map') return comparable(a.of, b.of);
  if (a.kind === 'decimal' && b.kind === 'decimal') return a.scale === b.scale;
  if (a.kind === 'password' && b.kind === 'password') return a.secret === b.secret;
  return a.kind === b.kind && a.kind !== 'tuple' && a.kind !== 'object';
}

/** The common type of two comparable types. */
export function either(a: Type, b: Type): Type {
  const one = a.kind === 'null' || a.kind === 'unknown' ? b : a;
  const may = nullable(one, a.nullable || b.nullable);
  if (may.kind === 'list' && a.kind === 'list' && b.kind === 'list') return { ...may, of: either(a.of, b.of) };
  if (may.kind === 'map' && a.kind === 'map' && b.kind === 'map') return { ...may, of: either(a.of, b.of) };
  if (may.kind === 'integer' && a.kind === 'integer' && b.kind === 'integer') {
    const oneOf = both(a.oneOf, b.oneOf);
    const owner = ownerOf(a, b);
    return { kind: 'integer', nullable: may.nullable, ...(oneOf && { oneOf }), ...(oneOf && owner && { owner }) };
  }
  if (may.kind !== 'string' || a.kind !== 'string' || b.kind !== 'string') return may;
  const oneOf = both(a.oneOf, b.oneOf);
  return { ...may, format: a.format === b.format ? a.format : null, oneOf, owner: oneOf && ownerOf(a, b) };
}

/** The union of two lists of values; null if one of them is not listed. */
function both<T>(a: readonly T[] | null | undefined, b: readonly T[] | null | undefined): readonly T[] | null {
  return a && b ? [...new Set([...a, ...b])] : null;
}

/** The owner of such values. */
function ownerOf(a: StringType | IntegerType, b: StringType | IntegerType): string | null {
  return a.owner && b.owner && a.owner !== b.owner ? `${a.owner} or ${b.owner}` : (a.owner ?? b.owner ?? null);
}

/** Describes the type of the items of a list or map, in brackets if they may be null, unlike the list itself. */
function item(type: Type): string {
  const text = describe(type).replace(/^an? /, '');
  return text.endsWith(' or null') ? `(${text})` : text;
}

/** Describes a type in words. */
export function describe(type: Type): string {
  const or = type.nullable && type.kind !== 'null' ? ' or null' : '';
  switch (type.kind) {
    case 'row':
      return `${article(type.resource)} ${type.resource}${or}`;
    case 'list':
      return `a list of ${item(type.of)}${or}`;
    case 'map':
      return `a map of ${item(type.of)}${or}`;
    case 'tuple':
      return 'several values';
    case 'object': {
      const members = listed(Object.keys(type.members));
      return members === '' ? 'an object without members' : `an object with the members ${members}`;
    }
    case 'decimal':
      return `a decimal of ${type.scale} digits after the point${or}`;
    case 'null':
      return 'null';
    case 'password':
      return `a ${type.secret ? 'secret' : 'password'}${or}`;
    default:
      return `${article(type.kind)} ${type.kind}${or}`;
  }
}

/** The type of a row that is never absent. */
export const rowOf = (resource: string): Extract<Type, { kind: 'row' }> => ({ kind: 'row', resource, nullable: false });

/** “a” or “an”, by the first letter. */
export function article(word: string): string {
  return /^[aeiou]/i.test(word) ? 'an' : 'a';
}

/**
 * The only member of an object whose type fits an expected one, with the text before it; empty where several or none
 * fit.
 */
export function fittingMember(source: string, found: Type, expected: Type): string {
  const members = found.kind === 'object' ? Object.entries(found.members) : [];
  const fitting = members.filter(([, type]) => comparable(type, expected));
  const [[name] = ['']] = fitting;
  return fitting.length === 1 ? memberText(source, name) : '';
}
