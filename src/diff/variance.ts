import type { ScalarContract } from '../contract/kinds.ts';
import type { ContractType } from '../contract/types.ts';
import { keysOf } from '../text/own-members.ts';
import { same } from './compare.ts';

/** The change of a set of allowed values: whether values were added, and whether values were removed. */
export interface Variance {
  readonly more: boolean;
  readonly fewer: boolean;
}

const SAME: Variance = { more: false, fewer: false };
const OTHER: Variance = { more: true, fewer: true };
const MORE: Variance = { more: true, fewer: false };
const FEWER: Variance = { more: false, fewer: true };

const union = (...all: readonly Variance[]): Variance => ({
  more: all.some((one) => one.more),
  fewer: all.some((one) => one.fewer),
});

/**
 * Compares the sets of values of two types. The formats of timestamps, durations and decimals belong to the service
 * (`written` in `values.ts`), and members of objects and shown forms are compared separately.
 */
export function variance(old: ContractType, next: ContractType): Variance {
  switch (old.kind) {
    case 'list':
    case 'set':
      return next.kind === 'list' || next.kind === 'set' ? ofList(old, next) : OTHER;
    case 'map':
      return next.kind === old.kind ? ofMap(old, next) : OTHER;
    case 'stream':
      return next.kind === old.kind ? ofValues(old.events, next.events) : OTHER;
    case 'rows':
      return next.kind === old.kind ? SAME : OTHER;
    case 'csv':
      return next.kind === old.kind ? ofCsv(old, next) : OTHER;
    case 'bytes':
      return next.kind === old.kind ? ofBytes(old, next) : OTHER;
    case 'error':
      return next.kind === old.kind && next.faults === old.faults ? SAME : OTHER;
    case 'description':
      return next.kind === old.kind && next.format === old.format && next.content === old.content ? SAME : OTHER;
    case 'object':
    case 'shape':
      return next.kind === 'object' || next.kind === 'shape' ? SAME : OTHER;
    case 'null':
      return next.kind === old.kind ? SAME : OTHER;
    default:
      return next.kind === old.kind ? ofScalar(old, next) : OTHER;
  }
}

/** Compares bytes: first bytes that are checked refuse some. */
function ofBytes(old: Of<'bytes'>, next: Of<'bytes'>): Variance {
  const checked = [old, next].map(({ firstBytes }) => (firstBytes === 'checked' ? firstBytes : null));
  const first = rule(checked[0]!, checked[1]!);
  return union(ofValues(old.mediaTypes, next.mediaTypes), most(old.max, next.max), first);
}

/** Compares the columns of CSV. Readers find a column by its title, or without a header by its place. */
function ofCsv(old: Of<'csv'>, next: Of<'csv'>): Variance {
  if (old.header !== next.header || old.formulas !== next.formulas) return OTHER;
  const [was, is] = [old, next].map(({ columns }) => columns.map(({ name }) => name));
  if (!was || !is) return OTHER;
  const columns = is.filter((one) => was.includes(one));
  if (columns.join('\n') !== was.filter((one) => is.includes(one)).join('\n')) return OTHER;
  if (old.header === 'absent' && !same(was, is.slice(0, was.length))) return OTHER;
  const kept = old.columns.flatMap((one) => {
    const other = next.columns.find(({ name }) => name === one.name);
    if (!other) return [];
    return [variance(one.type, other.type), ofNull(one.nullable, other.nullable)];
  });
  return union(ofValues(was, is), ...kept);
}

const ofNull = (was: boolean, is: boolean): Variance => ({ more: is && !was, fewer: was && !is });

type Of<K extends ContractType['kind']> = Extract<ContractType, { readonly kind: K }>;
type Items = Extract<ContractType, { readonly nullable: boolean; readonly of: ContractType }>;

/** The facts of scalar types, of any kind. */
type Fact = { [K in ScalarContract['kind']]: keyof Omit<ScalarContract<K>, 'kind'> }[ScalarContract['kind']];

// Each fact has the same type in the kinds that have it.
type Compared = (old: never, next: never) => Variance;

/** How each fact limits the values; null for a fact that changes only their form. */
const LIMITS: Readonly<Record<Fact, Compared | null>> = {
  min: (old: Bound | string, next: Bound | string) => least(unitsOf(old), unitsOf(next)),
  max: (old: Bound | string, next: Bound | string) => most(unitsOf(old), unitsOf(next)),
  digits: most,
  pattern: rule,
  format: rule,
  oneOf: (old: readonly string[] | null, next: readonly string[] | null) =>
    old && next ? ofValues(old, next) : rule(old, next),
  only: rule,
  whole: ofWhole,
  precision: null,
  as: null,
  rounding: null,
};

function ofScalar(old: ScalarContract, next: ScalarContract): Variance {
  const facts = keysOf(LIMITS).flatMap((fact) => LIMITS[fact]?.(factOf(old, fact), factOf(next, fact)) ?? []);
  return union(...facts);
}

/** A fact of a type; null where the type does not limit it. The shortest text has no characters. */
function factOf(type: ScalarContract, fact: Fact): never {
  const facts: Readonly<Partial<Record<string, unknown>>> = { ...type };
  return (facts[fact] ?? (type.kind === 'text' && fact === 'min' ? 0 : null)) as never;
}

const ofList = (old: Items, next: Items): Variance =>
  union(
    // A set is a list with unique items.
    old.kind === next.kind ? SAME : old.kind === 'list' ? FEWER : MORE,
    ofItems(old, next),
  );

const ofItems = (old: Items, next: Items): Variance =>
  union(
    least(old.min ?? 0, next.min ?? 0),
    most(old.max, next.max),
    old.nullable === next.nullable ? SAME : next.nullable ? MORE : FEWER,
    variance(old.of, next.of),
  );

const ofMap = (old: Of<'map'>, next: Of<'map'>): Variance =>
  union(ofItems(old, next), old.keys && next.keys ? variance(old.keys, next.keys) : rule(old.keys, next.keys));

function ofValues(old: readonly string[], next: readonly string[]): Variance {
  return {
    more: next.some((one) => !old.includes(one)),
    fewer: old.some((one) => !next.includes(one)),
  };
}

/** Compares an optional constraint. */
function rule<T>(old: T | null, next: T | null): Variance {
  if (same(old, next)) return SAME;
  if (old === null) return FEWER;
  return next === null ? MORE : OTHER;
}

/** Compares units: every multiple of an hour is a multiple of a minute. */
function ofWhole(old: number | null, next: number | null): Variance {
  if (old === null || next === null || old === next) return rule(old, next);
  if (next % old === 0) return FEWER;
  return old % next === 0 ? MORE : OTHER;
}

type Bound = number | bigint | null;

function least(old: Bound, next: Bound): Variance {
  if (old === null || next === null || old === next) return rule(bound(old), bound(next));
  return next > old ? FEWER : MORE;
}

function most(old: Bound, next: Bound): Variance {
  if (old === null || next === null || old === next) return rule(bound(old), bound(next));
  return next < old ? FEWER : MORE;
}

const bound = (one: Bound): string | null => (one === null ? null : String(one));

/** More digits after the point than any decimal has. */
const FINEST = 20;

/** A decimal bound as an integer of the smallest unit, so that bounds of different scales compare exactly. */
function unitsOf(text: Bound | string): Bound {
  if (typeof text !== 'string') return text;
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(FINEST, '0'));
}
