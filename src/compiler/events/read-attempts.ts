import type { Notes, Phrase } from '../syntax/phrase.ts';
import { takeDuration } from '../syntax/units.ts';
import { eventsDiagnostics as d } from './messages.ts';

/** `8, after 5 seconds, 5 minutes, …`: as many delays as there are attempts after the first. */
export function readAttempts(value: Phrase, notes: Notes): readonly number[] | null {
  const attempts = value.positive('a number of attempts, from 1');
  const delays: number[] = [];
  if (attempts !== null && attempts > 1) {
    if (!value.expect(', after')) return null;
    do {
      const delay = takeDuration(value);
      if (delay === null) return null;
      delays.push(delay);
    } while (value.mark(','));
  }
  if (attempts === null) return null;
  if (delays.length === attempts - 1) return delays;
  notes.findings.push(d.report.attempts(value.span, { attempts: `${attempts}`, delays: `${delays.length}` }));
  return null;
}
