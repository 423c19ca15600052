import { showIsoDuration } from '../../expression/values/duration.ts';
import type { TextType } from '../types.ts';
import { FORMS } from './forms.ts';
import { matching } from './matching.ts';

const HOUR_MS = 3_600_000;

/** A text that a type allows: another one for each `n`, or of allowed values the one at `choice`. */
export function sampleText(
  { min, max, pattern, format, oneOf }: TextType,
  name: string,
  n: number,
  choice: number,
): string {
  if (oneOf) return oneOf[choice % oneOf.length] ?? '';
  if (format !== null) return FORMS[format](n);
  const matched = pattern === null ? null : matching(pattern, n);
  if (matched !== null) return matched;
  const most = max ?? Number.POSITIVE_INFINITY;
  const words = `${name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' ')} ${n}`;
  const fit = words.length <= most ? words : String(n).slice(-most);
  return fit.padEnd(min ?? 0, 'x');
}

/** A duration within bounds: an hour, if they allow it. */
export const sampleDuration = ({ min, max }: Readonly<Record<'min' | 'max', number | null>>): string =>
  showIsoDuration(Math.min(max ?? HOUR_MS, Math.max(min ?? HOUR_MS, HOUR_MS)));
