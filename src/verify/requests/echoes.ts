import type { Json } from '../../export/json.ts';
import type { Base, Mutation, Situation } from './candidate.ts';
import { type Content, Verbatim } from './draft.ts';
import { contentOf, isQuantity } from './kinds.ts';
import type { KnownRow } from './known.ts';
import { remainders, type Slot, slotsOf } from './near-mutations.ts';
import { isFree, otherCase } from './text-values.ts';

/**
 * How likely a value in a body is that of a row, and how likely a parameter has the value of the row that a read looks
 * for.
 */
const OF_BODY = 0.25;
const OF_PARAMETER = 0.5;
/**
 * The probability that a number in a body is the amount that a sum may still grow until its bound, and the offsets from
 * that amount.
 */
const LEFT = 0.3;
const NEAR = [0, 0, 1, -1] as const;
/** The probability that a text of a row is sent in another case. */
const IN_OTHER_CASE = 0.2;

/**
 * Replaces values of the request by values of rows, since rules about uniqueness, order and choice decide among equal
 * values. A read repeats the values of one row, so that it lists that row wherever the row is visible. Null where
 * nothing was replaced.
 */
export function echo(situation: Situation, base: Base): Mutation | null {
  const { random, rows, endpoint } = situation;
  const listed = endpoint.steps.flatMap((step) => step.resource ?? []);
  const sought = endpoint.writes ? null : (random.among(listed.flatMap((one) => rows.of(one))) ?? null);
  const taken = slotsOf(situation, base.draft).flatMap((slot): Array<readonly [Slot, Content]> => {
    const left = endpoint.writes && random.chance(LEFT) ? leftOf(situation, slot, base) : null;
    if (left !== null) return [[slot, left]];
    if (!random.chance(endpoint.writes ? OF_BODY : OF_PARAMETER)) return [];
    const row = sought ?? random.among(rows.of(resourceOf(slot))) ?? null;
    const value = row && (row.resource === resourceOf(slot) ? held(situation, slot, row) : like(situation, slot, row));
    return value === undefined || value === null ? [] : [[slot, value]];
  });
  if (taken.length === 0) return null;
  const words = taken.map(([{ name }, value]) => `${name} is “${value instanceof Verbatim ? value.text : value}”`);
  return {
    aspect: 'echo',
    what: `${words.join(', ')}, as rows have it`,
    valid: true,
    change: (given) => taken.reduce((made, [slot, value]) => slot.write(made, value), given),
  };
}

function leftOf(situation: Situation, slot: Slot, base: Base): Content {
  const { type } = slot;
  if (!isQuantity(type)) return null;
  const { random } = situation;
  const one = random.among(remainders(situation, slot, base));
  return one === undefined ? null : contentOf(type, one[0] + random.pick(NEAR));
}

/**
 * A value for a slot that is no field of the row: a value of the same type of the row, or of a row that it refers to;
 * of a text, a part.
 */
export function like(
  { contract, random, rows }: Situation,
  { type }: Pick<Slot, 'type'>,
  row: KnownRow,
): Content | undefined {
  const values = [row, ...rows.parentsOf(row)].flatMap((one) => {
    const fields = contract.resources.find(({ name }) => name === one.resource)?.fields ?? [];
    return fields.flatMap((field) => (field.type.kind === type.kind ? (rows.value(one, field.name) ?? []) : []));
  });
  const value = random.among(values);
  if (isQuantity(type) || type.kind === 'boolean') return value;
  if (type.kind !== 'text' || type.oneOf !== null || typeof value !== 'string') return undefined;
  const from = isFree(type) ? random.int(0, value.length - 1) : 0;
  const piece = value.slice(from, from + (type.max ?? value.length));
  return (random.chance(IN_OTHER_CASE) ? otherCase(piece) : piece) || undefined;
}

function held({ rows, random }: Situation, { field, type }: Slot, row: KnownRow): Json | undefined {
  const value = rows.value(row, field?.slice(field.indexOf('.') + 1) ?? '');
  const isText = type.kind === 'text' && isFree(type) && typeof value === 'string';
  return isText && random.chance(IN_OTHER_CASE) ? otherCase(value) : value;
}

const resourceOf = ({ field }: Slot): string => field?.slice(0, field.indexOf('.')) ?? '';
