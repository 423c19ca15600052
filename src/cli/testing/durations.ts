import { MILLISECONDS } from '../../text/units.ts';

const SHORT: Readonly<Record<string, string>> = {
  ms: 'millisecond',
  s: 'second',
  m: 'minute',
  min: 'minute',
  h: 'hour',
};

/** The longest, in milliseconds: a week. */
const MOST = 7 * 86_400_000;

/** Reads a length of time such as `30s`, `5m` or `2 minutes`, in milliseconds; null where it is none, or too long. */
export function readDuration(text: string): number | null {
  const found = /^(\d{1,9})\s*([a-z]{1,12})$/i.exec(text.trim());
  if (!found) return null;
  const [, count = '', word = ''] = found;
  const lower = word.toLowerCase();
  const unit = MILLISECONDS[SHORT[lower] ?? lower.replace(/s$/, '')];
  const milliseconds = unit === undefined ? 0 : Number(count) * unit;
  return milliseconds > 0 && milliseconds <= MOST ? milliseconds : null;
}
