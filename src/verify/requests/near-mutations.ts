import type { ParameterContract } from '../../contract/endpoint.ts';
import type { ContractType, MemberContract, ObjectContract } from '../../contract/types.ts';
import { civil, isZone } from '../../expression/library/zones.ts';
import { monthsAfter } from '../../expression/values/days.ts';
import { withParameter } from './bases.ts';
import type { Base, Mutation, Situation } from './candidate.ts';
import type { Constant } from './constants.ts';
import { type BodyPath, type Content, contentAt, type Draft, isList, isObject, withContent } from './draft.ts';
import { contentOf, isQuantity, isWithin, type QuantityType, quantityOf, unitOf } from './kinds.ts';
import type { KnownRow } from './known.ts';
import { written } from './samples.ts';

/** The number of rows that are considered besides those of the request. */
const ROWS = 4;
/** The number of rows among which related rows are searched. */
const LOOKED_AT = 60;
/** The number of quantities with which one value is compared. */
const MOST_NEAR = 16;
/** With how many remainders of sums a value is compared. */
const MOST_LEFT = 4;
const DAY_MS = 86_400_000;

/** A place for a value in a request: a member of the body, or a parameter. */
export interface Slot {
  readonly name: string;
  readonly type: ContractType;
  /** The field that it is, by the names of the current version. */
  readonly field: string | null;
  /** The resource whose row it names; null for any other. */
  readonly refersTo: string | null;
  readonly read: (draft: Draft) => Content | undefined;
  readonly write: (draft: Draft, value: Content) => Draft;
}

/** The places of a request whose values rules compare with other values. */
export function slotsOf({ endpoint }: Situation, draft: Draft): Slot[] {
  const asked = endpoint.parameters.filter((one) => one.role === 'stated' && one.in !== 'path').map(parameterSlot);
  return [...asked, ...(endpoint.body ? memberSlots(endpoint.body.type, [], draft) : [])];
}

const parameterSlot = (one: ParameterContract): Slot => ({
  name: one.name,
  type: one.type,
  field: one.field,
  refersTo: one.refersTo,
  read: (draft) => (one.in === 'query' ? draft.query : draft.headers).find(([name]) => name === one.name)?.[1],
  write: (draft, value) => withParameter(draft, one, written(value)),
});

function memberSlots(type: ObjectContract, path: BodyPath, draft: Draft): Slot[] {
  return type.members.flatMap((member: MemberContract): Slot[] => {
    const at = [...path, member.name];
    const held = contentAt(draft.body, at);
    if (member.type.kind === 'object' && isObject(held)) return memberSlots(member.type, at, draft);
    if (member.type.kind === 'list' && member.type.of.kind === 'object' && isList(held) && held.length)
      return memberSlots(member.type.of, [...at, 0], draft);
    const read = (one: Draft): Content | undefined => contentAt(one.body, at);
    const write = (one: Draft, value: Content): Draft => withContent(one, at, value);
    const { field, refersTo } = member;
    const slot: Slot = { name: at.join('.'), type: member.type, field, refersTo, read, write };
    return [slot, ...itemSlots(slot)];
  });
}

/** The items of a list or a map of quantities are compared too. */
function itemSlots({ name, type, read, write }: Slot): Slot[] {
  if (type.kind !== 'list' && type.kind !== 'set' && type.kind !== 'map') return [];
  if (!isQuantity(type.of)) return [];
  const key = (draft: Draft): string => {
    const held = read(draft);
    return (isObject(held) && Object.keys(held)[0]) || 'key';
  };
  return [
    {
      name: `an item of ${name}`,
      type: type.of,
      field: null,
      refersTo: null,
      read: () => undefined,
      write: (draft, value) => write(draft, type.kind === 'map' ? { [key(draft)]: value } : [value]),
    },
  ];
}

/**
 * Values equal to, just below and just above the constants of the document’s expressions, values of rows, and the
 * current time.
 */
export function nearMutations(situation: Situation, base: Base): Mutation[] {
  const { constants } = situation;
  const rows = rowsAbout(situation, base);
  return slotsOf(situation, base.draft).flatMap((slot) => {
    if (isQuantity(slot.type)) return nearQuantities(situation, slot, slot.type, base, rows);
    return nearTexts(slot, constants);
  });
}

/** Whether a mutation, or a candidate, has a value at a constant of the document, or beside it. */
export const isAtConstant = (what: string): boolean => what.includes('the constant');

/** The rows that a request is about, and some others of the resources that it is about. */
export function rowsAbout(situation: Situation, { rows, draft }: Base): KnownRow[] {
  const known = situation.rows;
  const slots = slotsOf(situation, draft);
  const named = slots.flatMap((slot) => {
    const row = slot.refersTo === null ? undefined : known.withIdentity(slot.refersTo, slot.read(draft));
    return row ? [row] : [];
  });
  const listed = situation.endpoint.steps.flatMap((step) => step.resource ?? []);
  const resources = new Set([...listed, ...slots.flatMap((slot) => slot.field?.split('.')[0] ?? [])]);
  const others = [...resources].flatMap((one) => akin(situation, one, [...rows.values(), ...named]));
  return [...new Set([...rows.values(), ...named, ...others])];
}

/** Some rows of a resource, first those that refer to the same rows: rules read rows that belong together. */
function akin({ random, rows }: Situation, resource: string, about: readonly KnownRow[]): KnownRow[] {
  const some = random.some(rows.of(resource), LOOKED_AT);
  const kinship = (row: KnownRow): number => Math.max(0, ...about.map((one) => rows.kinship(row, one)));
  return some.sort((a, b) => kinship(b) - kinship(a)).slice(0, ROWS);
}

/** So far from the day of a request, in days, an end of a month is looked for. */
const MOST_DAYS = 800;

/**
 * The next day, and the last one, from which some months lead to a shorter month; and the day from which they lead to
 * today. Instants are at noon in UTC, which is the same day in most zones.
 */
function monthEnds(now: number, months: number): Array<readonly [at: number, what: string]> {
  const noon = Math.floor(now / DAY_MS) * DAY_MS + DAY_MS / 2;
  const dayAt = (days: number): string => new Date(noon + days * DAY_MS).toISOString().slice(0, 10);
  const isShorter = (days: number): boolean => {
    const day = dayAt(days);
    return (monthsAfter(day, months) ?? day).slice(-2) < day.slice(-2);
  };
  const steps = [...Array(MOST_DAYS).keys()];
  const found = [steps.find(isShorter), steps.map((days) => -days).find(isShorter)];
  const before = monthsAfter(dayAt(0), -months);
  return [
    ...found.flatMap((days) => (days === undefined ? [] : [[noon + days * DAY_MS, 'the end of a month'] as const])),
    ...(before === null ? [] : [[Date.parse(before) + DAY_MS / 2, 'a time of the calendar before now'] as const]),
  ];
}

/** A few days before the next change of the clocks of a zone. */
function beforeChange(now: number, zone: string): number[] {
  const offsetAt = (days: number): number | undefined => civil(now + days * DAY_MS, zone)?.offset;
  const days = [...Array(MOST_DAYS).keys()].find((one) => offsetAt(one) !== offsetAt(one + 1));
  return days === undefined ? [] : [now + (days - 5) * DAY_MS];
}

function nearQuantities(
  situation: Situation,
  slot: Slot,
  type: QuantityType,
  base: Base,
  rows: readonly KnownRow[],
): Mutation[] {
  const { known, random, constants } = situation;
  const unit = unitOf(type);
  const near = new Map<number, string>();
  const add = (at: number, what: string): void => {
    if (!near.has(at)) near.set(at, what);
  };
  for (const { kind, value } of constants) {
    if (typeof value === 'number' && kind === type.kind) add(value, `the constant ${value}`);
    if (typeof value === 'number' && kind === 'duration' && type.kind === 'timestamp')
      for (const sign of [1, -1]) add(known.now + sign * value, 'now and a length of time that the document names');
  }
  const hasMonths = constants.some(({ kind }) => kind === 'months');
  if (type.kind === 'timestamp' || type.kind === 'date')
    for (const { kind, value } of constants)
      if (kind === 'months') for (const [at, what] of monthEnds(known.now, Number(value))) add(at, what);
      else if (kind === 'string' && hasMonths && isZone(String(value)))
        for (const at of beforeChange(known.now, String(value))) add(at, 'a change of clocks');
  if (type.kind === 'timestamp') add(known.now, 'now');
  if (type.kind === 'date') add(Math.floor(known.now / DAY_MS) * DAY_MS, 'today');
  for (const [at, what] of heldQuantities(situation, type, rows)) add(at, what);
  const some = [...random.some([...near], MOST_NEAR), ...random.some(remainders(situation, slot, base), MOST_LEFT)];
  return some.flatMap(([at, what]) => {
    const whole = Math.floor(at / unit) * unit;
    return [whole - unit, whole, whole + unit].flatMap((quantity, i): Mutation[] => {
      const value = contentOf(type, quantity);
      if (value === null) return [];
      const how = ['just below', 'at', 'just above'][i];
      const change = (draft: Draft): Draft => slot.write(draft, value);
      return [{ aspect: 'near', what: `${slot.name} is “${written(value)}”, ${how} ${what}`, valid: true, change }];
    });
  });
}

/** The values of rows in fields of the same kind of type. */
function heldQuantities(
  { contract, rows: reader }: Situation,
  type: QuantityType,
  rows: readonly KnownRow[],
): Array<readonly [number, string]> {
  return rows.flatMap((row) => {
    const fields = contract.resources.find((one) => one.name === row.resource)?.fields ?? [];
    return fields.flatMap((field): Array<readonly [number, string]> => {
      const at = field.type.kind === type.kind ? quantityOf(type, reader.value(row, field.name)) : null;
      return at === null ? [] : [[at, `the ${field.name} of a ${row.resource}`]];
    });
  });
}

/**
 * The remainders of constants after the subtraction of a sum: that of the slot's field in all rows that refer to one
 * row. Many rules limit such a sum.
 */
export function remainders(
  { rows, constants, contract }: Situation,
  { type, field }: Slot,
  base: Base,
): Array<readonly [number, string]> {
  if (type.kind !== 'integer' && type.kind !== 'decimal') return [];
  const [resource = '', name = ''] = field?.split('.') ?? [];
  const fields = contract.resources.find((one) => one.name === resource)?.fields ?? [];
  const limits = constants.flatMap((one) =>
    one.kind === type.kind && typeof one.value === 'number' ? [one.value] : [],
  );
  const about = [...base.rows.values()];
  const of = (row: KnownRow): number => quantityOf(type, rows.value(row, name)) ?? 0;
  return [...about, ...about.flatMap((row) => rows.parentsOf(row))].flatMap((parent) => {
    const referring = fields.filter(({ refersTo }) => refersTo === parent.resource);
    const refers = (row: KnownRow): boolean =>
      referring.some((one) => String(rows.value(row, one.name)) === parent.identity);
    const all = rows.of(resource).filter(refers);
    if (all.length === 0) return [];
    const sum = all.filter((row) => !about.includes(row)).reduce((total, row) => total + of(row), 0);
    const left = limits.map((limit) => limit - sum).filter((quantity) => isWithin(type, quantity));
    return left.map((quantity) => [quantity, `what the ${name} of each ${resource} leaves`] as const);
  });
}

function nearTexts(slot: Slot, constants: readonly Constant[]): Mutation[] {
  if (slot.type.kind !== 'text') return [];
  const texts = constants.flatMap(({ kind, value }) => (kind === 'string' && typeof value === 'string' ? [value] : []));
  return texts
    .filter((text) => text !== '' && text.length <= 40)
    .slice(0, MOST_NEAR)
    .map((text) => ({
      aspect: 'near',
      what: `${slot.name} is ${JSON.stringify(text)}, as an expression names it`,
      valid: true,
      change: (draft) => slot.write(draft, text),
    }));
}
