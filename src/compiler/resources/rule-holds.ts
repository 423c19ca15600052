import { matches } from '../../expression/library/patterns.ts';
import type { ValueRule } from '../../plan/value-forms.ts';
import { mostCharacters } from '../../store/longest-text.ts';

/** Whether a rule allows every value that another one allows. In doubt, it does not. */
export function holdsAll(rule: ValueRule, other: ValueRule): boolean {
  const { kind, format, whole, oneOf, pattern, scale, items, keys } = rule;
  if (kind !== other.kind || scale !== other.scale) return false;
  if (format !== null && format !== other.format) return false;
  if (whole !== null && (other.whole ?? 1) % whole !== 0) return false;
  if (oneOf && !other.oneOf?.every((one) => oneOf.includes(one))) return false;
  if (pattern !== null && pattern !== other.pattern && !other.oneOf?.every((one) => matches(one, pattern)))
    return false;
  if (items && !(other.items && holdsAll(items, other.items))) return false;
  if (keys && !(other.keys && holdsAll(keys, other.keys))) return false;
  const [least, most] = boundsOf(other);
  return (rule.min ?? Number.NEGATIVE_INFINITY) <= least && most <= (rule.max ?? Number.POSITIVE_INFINITY);
}

/** The least and the greatest value, or length of a text. */
function boundsOf(rule: ValueRule): readonly [least: number, most: number] {
  const { kind, min, max, oneOf } = rule;
  if (kind !== 'text') return [min ?? Number.NEGATIVE_INFINITY, max ?? Number.POSITIVE_INFINITY];
  const lengths = oneOf?.map((one) => [...one].length);
  if (lengths) return [Math.min(...lengths), Math.max(...lengths)];
  // The standard of a format bounds a text of which the document states no length.
  return [min ?? 0, max ?? (mostCharacters(rule) || Number.POSITIVE_INFINITY)];
}
