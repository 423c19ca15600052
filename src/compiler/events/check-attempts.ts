import type { Attempts } from '../../language/events.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Located } from '../../syntax/names.ts';
import { eventsDiagnostics as d } from './messages.ts';

/** There are as many delays as attempts after the first. */
export function checkAttempts(stated: Located<Attempts> | null, findings: Finding[]): void {
  if (!stated) return;
  const { attempts, delays } = stated.value;
  const stand = delays?.length ?? 0;
  if (stand !== attempts - 1) findings.push(d.report.attempts(stated, { attempts: `${attempts}`, delays: `${stand}` }));
}
