import { Numeral } from '../expression/values/decimal.ts';
import type { Value } from '../expression/values/value.ts';
import type { Fault } from '../plan/conditions.ts';

/** A value that isn’t allowed: why, or, where only some of its items are at fault, why each of those is. */
export interface Refused {
  readonly fault: Fault;
  readonly items?: readonly ItemFault[];
}

/** `at`: a JSON Pointer from the value to what is at fault in it (RFC 6901). */
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

/** Every fault in a refused value, each with the JSON Pointer at which it stands. */
export function faultsAt(refused: Refused, at: string): ItemFault[] {
  if (!refused.items) return [{ at, code: refused.fault }];
  return refused.items.map((one) => ({ at: at + one.at, code: one.code }));
}
