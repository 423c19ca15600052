import { Numeral } from '../expression/values/decimal.ts';
import type { Value } from '../expression/values/value.ts';
import type { Fault } from '../plan/conditions.ts';

/** A refused value: its fault, and the faults of its items where only some are refused. */
export interface Refused {
  readonly fault: Fault;
  readonly items?: readonly ItemFault[];
}

/** The fault of an item; `at` is the JSON Pointer from the value to the item (RFC 6901). */
export interface ItemFault {
  readonly at: string;
  readonly code: Fault;
}

/** The result of checking a value: the value in the form in which it is stored, or its faults. */
export type Validated = { readonly value: Value } | Refused;

/** Checks one value that is not null. */
export type Validator = (raw: unknown) => Validated;

/** Whether a value that was read from JSON is an object. */
export const isObject = (raw: unknown): raw is Record<string, unknown> =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw) && !(raw instanceof Numeral);

/** Returns all faults of a refused value, each with its JSON Pointer. */
export function faultsAt(refused: Refused, at: string): ItemFault[] {
  if (!refused.items) return [{ at, code: refused.fault }];
  return refused.items.map((one) => ({ at: at + one.at, code: one.code }));
}
