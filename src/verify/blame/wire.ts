import type { Plan } from '../../plan/step.ts';
import type { Difference } from '../judge/compare.ts';

/** A fact of the part Resources about the form of values in requests and answers. */
type WireFact = 'timestamps' | 'durations' | 'decimals' | 'text' | 'emptyText';

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** The fact in which two values differ that are equal besides their form. */
export function ofWire({ wire }: Plan, { expected, actual }: Difference): WireFact | null {
  const [ours, theirs] = [expected, actual].map((text) => (text === null ? null : parsed(text)));
  if (typeof ours === 'string' && typeof theirs === 'string') {
    const [own, other] = [TIMESTAMP.exec(ours), TIMESTAMP.exec(theirs)];
    if (own && other && (own[1] === undefined) !== (other[1] === undefined)) return 'timestamps';
    if (own && other && own[1]?.length !== other[1]?.length) return 'timestamps';
    if (/^-?P/.test(ours) && /^-?P/.test(theirs) && /\.\d+S/.test(ours) !== /\.\d+S/.test(theirs)) return 'durations';
    if (ours.trim() === theirs.trim()) return 'text';
  }
  if ((ours === '' || theirs === '') && (ours === null || theirs === null)) return wire.emptyText ? 'emptyText' : null;
  const isNumber = typeof ours === 'number' || typeof theirs === 'number';
  if (isNumber && typeof ours !== typeof theirs && Number(ours) === Number(theirs)) return 'decimals';
  return null;
}

/** Whether two decimals differ by one in their last digit, as the results of different rounding do. */
export function isRounding({ wire }: Plan, { expected, actual }: Difference): boolean {
  if (!wire.decimals || wire.decimals.rounding === 'refused') return false;
  const [ours, theirs] = [expected, actual].map((text) => /^"?(-?\d+)(?:\.(\d+))?"?$/.exec(text ?? ''));
  if (!ours || !theirs) return false;
  const digits = Math.max(ours[2]?.length ?? 0, theirs[2]?.length ?? 0);
  const units = ([, whole = '', rest = '']: RegExpExecArray): bigint => BigInt(whole + rest.padEnd(digits, '0'));
  const by = units(ours) - units(theirs);
  return by === 1n || by === -1n;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
