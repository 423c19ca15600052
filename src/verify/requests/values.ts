import { isScalar } from '../../contract/kinds.ts';
import type { ContractType, ObjectContract } from '../../contract/types.ts';
import { type Content, isList, isObject, Verbatim } from './draft.ts';
import { isWrittenAs, scalarVariants } from './kinds.ts';
import type { Random } from './random.ts';
import { distinct, Samples } from './samples.ts';
import { isFree, otherCase } from './text-values.ts';
import { refused, type Variant, type Varying, variant } from './variant.ts';

/** Lists longer than this are not made to find out that they are too long. */
const LONGEST_LIST = 5_000;
/** The number of variants of one item that are tried. */
const ITEM_VARIANTS = 12;
/** Matches the descriptions of variants at the bounds of an item. */
const AT_BOUND = /\bits (?:most|least|maximum|minimum)\b|^is empty$/;

/** Values at the bounds of a type, a step past them, and of other types. */
export function variantsOf(type: ContractType, varying: Varying): Variant[] {
  return [...ownVariants(type, varying), ...otherTypes(type)];
}

function ownVariants(type: ContractType, varying: Varying): readonly Variant[] {
  if (isScalar(type)) return scalarVariants(type, varying);
  switch (type.kind) {
    case 'list':
    case 'set':
      return listVariants(type, varying);
    case 'map':
      return mapVariants(type, varying);
    case 'object':
      return objectVariants(type, varying);
    default:
      return [];
  }
}

/** A value of each type of JSON, and whether a kind of value is written so. */
const JSON_VALUES: ReadonlyArray<readonly [fits: (kind: string) => boolean, value: Content, what: string]> = [
  [(kind) => isWrittenAs(kind, 'string'), 'text', 'is a text'],
  [(kind) => isWrittenAs(kind, 'number'), 12, 'is the number 12'],
  [(kind) => isWrittenAs(kind, 'boolean'), true, 'is true'],
  [(kind) => kind === 'list' || kind === 'set', [], 'is an empty list'],
  [(kind) => kind === 'map' || kind === 'object', {}, 'is an empty object'],
];

function otherTypes({ kind }: ContractType): Variant[] {
  return JSON_VALUES.filter(([fits]) => !fits(kind)).map(([, value, what]) => refused(value, what));
}

function listVariants(type: Extract<ContractType, { kind: 'list' | 'set' }>, varying: Varying): Variant[] {
  const { min, max } = type;
  const samples = new Samples(varying.random, varying.now);
  const make = (count: number): Content[] => distinct(count, () => samples.of(type.of, 'item'));
  const out: Variant[] = [variant([], 'has no items', (min ?? 0) === 0)];
  const counts = (count: number, what: string, valid: boolean): void => {
    const items = count > 0 && count <= LONGEST_LIST ? make(count) : [];
    if (items.length === count) out.push(variant(items, `has ${count} items, ${what}`, valid));
  };
  if (min !== null) counts(min, 'its least', true);
  if (min !== null) counts(min - 1, 'one fewer than its least', false);
  if (max !== null) counts(max, 'its most', true);
  if (max !== null) counts(max + 1, 'one more than its most', false);
  const held = isList(varying.good) && varying.good.length ? varying.good : make(Math.max(1, min ?? 1));
  const [one = null] = held;
  out.push(variant([one, one], 'has the same item twice', type.kind === 'list'));
  const other = type.of.kind === 'text' && isFree(type.of) && typeof one === 'string' ? otherCase(one) : one;
  if (other !== one) out.push(variant([one, other], 'has the same item twice, once in other letters', (max ?? 2) >= 2));
  out.push(variant([...held].reverse(), 'has its items in the opposite order', true));
  out.push(refused([null, ...held.slice(1)], 'has an item that is null'));
  out.push(refused({ 0: one }, 'is an object in the place of a list'));
  for (const each of someOf(variantsOf(type.of, { ...varying, good: one }), varying.random))
    if (each.value !== undefined)
      out.push(variant([...held.slice(1), each.value], `has an item that ${each.what}`, each.valid));
  return out;
}

/** The variants of an item that are tried: those at its bounds, and some others. */
function someOf(all: readonly Variant[], random: Random): readonly Variant[] {
  const atBound = all.filter(({ what }) => AT_BOUND.test(what));
  const others = all.filter((one) => !atBound.includes(one));
  return [...atBound, ...random.some(others, Math.max(0, ITEM_VARIANTS - atBound.length))];
}

function mapVariants(type: Extract<ContractType, { kind: 'map' }>, varying: Varying): Variant[] {
  const { min, max, keys } = type;
  const samples = new Samples(varying.random, varying.now);
  const value = samples.of(type.of, 'value');
  const key = (): string => (keys ? String(samples.of(keys, 'key')) : `key${varying.random.int(1, LONGEST_LIST * 9)}`);
  const make = (count: number): Content =>
    Object.fromEntries(distinct(count, key).map((one) => [String(one), samples.of(type.of, 'value')]));
  const out: Variant[] = [variant({}, 'has no members', (min ?? 0) === 0)];
  const counts = (count: number, what: string, valid: boolean): void => {
    if (count < 1 || count > LONGEST_LIST) return;
    out.push(variant(make(count), `has ${count} members, ${what}`, valid));
  };
  if (min !== null) counts(min, 'its least', true);
  if (min !== null) counts(min - 1, 'one fewer than its least', false);
  if (max !== null) counts(max, 'its most', true);
  if (max !== null) counts(max + 1, 'one more than its most', false);
  out.push(variant({ [key()]: null }, 'has a member that is null', false));
  for (const name of ['', '__proto__', 'constructor', 'a.b'])
    out.push(variant({ [name]: value }, `has the key ${JSON.stringify(name)}`, keys === null));
  if (keys)
    for (const each of variantsOf(keys, { ...varying, good: key() }))
      if (typeof each.value === 'string')
        out.push(variant({ [each.value]: value }, `has a key that ${each.what}`, each.valid));
  for (const each of someOf(variantsOf(type.of, { ...varying, good: value }), varying.random))
    if (each.value !== undefined)
      out.push(variant({ [key()]: each.value }, `has a member that ${each.what}`, each.valid));
  return out;
}

/** Variants of an object within a body; its members are varied separately. */
function objectVariants(type: ObjectContract, { good }: Varying): Variant[] {
  const held = isObject(good) ? good : {};
  return [
    variant(
      {},
      'is an empty object',
      type.members.every((one) => one.presence === 'optional'),
    ),
    refused({ ...held, unexpected: true }, 'has an unknown member'),
    refused([held], 'is a list of one such object'),
    refused(new Verbatim('"{}"'), 'is the text of an object'),
  ];
}
