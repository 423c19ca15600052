import type { Json } from '../../export/json.ts';
import { isTextTooDeep } from '../judge/depth.ts';

/**
 * The faults that one of two refusals lists and the other does not, as JSON, where only one of them lists more: their
 * places in the lists tell nothing, since one fault more moves those behind it.
 */
export function faultsOfOne(expected: Json | undefined, body: Buffer): string[] {
  if (expected === undefined || isTextTooDeep(body)) return [];
  let actual: unknown;
  try {
    actual = JSON.parse(body.toString());
  } catch {
    return [];
  }
  const [ours, theirs] = [itemsOf(expected), itemsOf(actual)];
  const missing = [...ours].filter((one) => !theirs.has(one));
  const added = [...theirs].filter((one) => !ours.has(one));
  return missing.length > 0 && added.length > 0 ? [] : [...missing, ...added];
}

/** The items of all lists within a value, as JSON. */
function itemsOf(value: unknown): Set<string> {
  const out = new Set<string>();
  const walk = (one: unknown): void => {
    if (Array.isArray(one)) for (const item of one) out.add(JSON.stringify(item));
    if (typeof one === 'object' && one !== null) for (const part of Object.values(one)) walk(part);
  };
  walk(value);
  return out;
}
