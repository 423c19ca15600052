import { sortedMap } from '../expression/values/json.ts';
import type { Value } from '../expression/values/value.ts';
import type { ValueRule } from '../plan/step.ts';
import { allowedBy, type Check } from './allowed.ts';
import { faultsAt, type ItemFault, isObject, type Validator } from './validated.ts';

/** Options of a map's reader: which values count as null, and whether null removes a key (RFC 7396) or is refused. */
interface MapReading {
  readonly isNull: (raw: unknown) => boolean;
  readonly patch: boolean;
}

/** Reads a map, an object in JSON, value by value. Its keys are kept as they are sent. */
export function mapReader(rule: ValueRule, item: Validator, how: MapReading): Validator {
  const most = rule.max ?? Number.POSITIVE_INFINITY;
  const allowedKey = allowedBy(rule.keys!);
  return (raw) => {
    const entries = entriesOf(raw);
    if (!entries) return { fault: 'not_an_object' };
    if (!how.patch && entries.length > most) return { fault: 'too_many' };
    const values: Array<readonly [string, Value]> = [];
    const faults: ItemFault[] = [];
    for (const [key, one] of entries) {
      // An answer must not contain a lone surrogate (RFC 7493, section 2.1).
      const at = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`.toWellFormed();
      const fault = keyFault(key, allowedKey);
      const got = how.isNull(one) ? (how.patch ? { value: null } : ({ fault: 'null_refused' } as const)) : item(one);
      if (fault) faults.push({ at, code: fault });
      else if ('fault' in got) for (const inner of faultsAt(got, at)) faults.push(inner);
      else values.push([key, got.value]);
    }
    if (faults.length) return { fault: faults[0]!.code, items: faults };
    return { value: sortedMap(values) };
  };
}

function entriesOf(raw: unknown): Array<[string, unknown]> | null {
  if (raw instanceof Map) return [...raw];
  return isObject(raw) ? Object.entries(raw) : null;
}

function keyFault(key: string, allowed: Check) {
  return key.isWellFormed() && !key.includes('\0') ? allowed(key) : 'not_text';
}

/**
 * Applies a merge patch to a map (RFC 7396): null removes a key, maps are merged, and other values replace the old
 * ones.
 */
export function merged(map: ReadonlyMap<string, Value> | null, patch: ReadonlyMap<string, Value>): Value {
  const out = new Map(map ?? []);
  for (const [key, value] of patch) {
    const known = out.get(key);
    if (value === null) out.delete(key);
    else if (value instanceof Map) out.set(key, merged(known instanceof Map ? known : null, value));
    else out.set(key, value);
  }
  return sortedMap([...out]);
}
