import type { Value } from '../../expression/values/value.ts';
import type { Fault } from '../../plan/conditions.ts';
import type { StatementId } from '../../plan/lines.ts';
import type { ParameterPlan } from '../../plan/step.ts';
import { note, type Transaction } from './scope.ts';

type Rule = ParameterPlan['rule'];

/**
 * Notes that a value is at a bound of its rule, and so are its items and keys. `of`: the prefix of the bound’s name.
 */
export function noteBounds(work: Transaction, key: StatementId, rule: Rule, value: Value, of = ''): void {
  const { min, max, kind, items, keys } = rule;
  for (const [each, one, name] of partsOf(value, items, keys)) noteBounds(work, key, each, one, name);
  const size = sizeOf(value);
  if (size === null || kind === 'timestamp' || kind === 'date') return;
  if (size === min) note(work, key, `${of}least`);
  if (size === max) note(work, key, `${of}most`);
}

const TOO_LITTLE: ReadonlySet<Fault> = new Set(['too_small', 'too_short', 'too_few']);
const TOO_MUCH: ReadonlySet<Fault> = new Set(['too_large', 'too_long', 'too_many']);
const SECOND_MS = 1000;

/**
 * Notes that a refused value, or an item or a key of it, is one step past a bound of its rule. `value`: the value as a
 * rule without bounds reads it.
 */
export function noteBeyond(work: Transaction, key: StatementId, rule: Rule, fault: Fault, value: Value, of = ''): void {
  const { min, max, kind, items, keys } = rule;
  for (const [each, one, name] of partsOf(value, items, keys)) noteBeyond(work, key, each, fault, one, name);
  const size = sizeOf(value);
  if (size === null) return;
  const step = kind === 'duration' && work.plan.wire.durations === 'whole seconds' ? SECOND_MS : 1;
  if (min !== null && size === min - step && TOO_LITTLE.has(fault)) note(work, key, `${of}below least`);
  if (max !== null && size === max + step && TOO_MUCH.has(fault)) note(work, key, `${of}above most`);
}

/** The items and keys of a value with their rules. */
function partsOf(
  value: Value,
  items: Rule | null,
  keys: Rule | null,
): Array<readonly [rule: Rule, value: Value, name: string]> {
  const members: readonly Value[] = value instanceof Map ? [...value.values()] : Array.isArray(value) ? value : [];
  const named: readonly Value[] = value instanceof Map ? [...value.keys()] : [];
  return [
    ...(items ? [...new Set(members)].map((one) => [items, one, 'item '] as const) : []),
    ...(keys ? named.map((one) => [keys, one, 'key '] as const) : []),
  ];
}

/** The unit in which the bounds of a value count. */
function sizeOf(value: Value): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return [...value].length;
  if (Array.isArray(value)) return value.length;
  return value instanceof Map ? value.size : null;
}
