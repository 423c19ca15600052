import type { Json } from '../../export/json.ts';
import { isObject } from '../../text/own-member.ts';
import { isTextTooDeep } from '../judge/depth.ts';

/**
 * The faults that only one of two refusals lists, as JSON, where only one refusal has additional faults. The places of
 * faults in the lists do not matter, since an additional fault moves the faults behind it.
 */
export function faultsOfOne(expected: Json | undefined, body: Buffer): string[] {
  if (expected === undefined || isTextTooDeep(body)) return [];
  let actual: unknown;
  try {
    actual = JSON.parse(body.toString());
  } catch {
    return [];
  }
  const found: Found = { missing: [], added: [] };
  compare(expected, actual, found, 0);
  const { missing, added } = found;
  return missing.length > 0 && added.length > 0 ? [] : [...missing, ...added];
}

/** The items that only the expected payload has, and those that only the actual one has, as JSON. */
interface Found {
  readonly missing: string[];
  readonly added: string[];
}

/**
 * Compares lists by their items in any order, and objects by their members. The members of the payload itself are no
 * faults.
 */
function compare(ours: unknown, theirs: unknown, found: Found, depth: number): void {
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    const [one, other] = [ours, theirs].map((list) => new Set(list.map((item: unknown) => JSON.stringify(item))));
    for (const item of one ?? []) if (!other?.has(item)) found.missing.push(item);
    for (const item of other ?? []) if (!one?.has(item)) found.added.push(item);
  } else if (isObject(ours) && isObject(theirs)) {
    for (const [name, value] of Object.entries(ours))
      if (Object.hasOwn(theirs, name)) compare(value, theirs[name], found, depth + 1);
      else if (depth > 0) found.missing.push(JSON.stringify({ [name]: value }));
    for (const [name, value] of Object.entries(theirs))
      if (depth > 0 && !Object.hasOwn(ours, name)) found.added.push(JSON.stringify({ [name]: value }));
  } else if (ours !== theirs) {
    found.missing.push(JSON.stringify(ours));
    found.added.push(JSON.stringify(theirs));
  }
}
