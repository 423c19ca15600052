import type { EventPlan, Plan } from '../../plan/step.ts';
import { type ExpectedEvent, eventKey } from '../oracle/events.ts';
import { type Drive, newEvents } from './drive.ts';

/** Something that has to happen for an event to be tried. */
export interface Goal {
  readonly event: EventPlan;
  readonly words: string;
  readonly isMet: (event: ExpectedEvent) => boolean;
}

/** How often the clock is moved to what is due next, for one goal. */
const MOST_DUES = 4;

/** What has to happen for the events by webhook or by stream: each transition of `moves`, each field of `changed`. */
export function goalsOf(plan: Plan, by: 'webhook' | 'stream'): Goal[] {
  const events = plan.resources.flatMap((one) => one.events).filter(({ to }) => to.includes(by));
  return events.flatMap((event): Goal[] => {
    const causes = event.on === 'moves' ? event.by : event.on === 'changed' ? event.fields : [''];
    return causes.map((cause) => ({
      event,
      words: cause ? `${event.name} by ${cause}` : event.name,
      isMet: ({ type, cause: made }) => type === event.name && made === cause,
    }));
  });
}

/** Has an event happen; gives whether it has. Where only time brings it about, the clock is moved. */
export async function reach(drive: Drive, { event, isMet, words }: Goal): Promise<boolean> {
  const { session, findings } = drive;
  const happened = (): boolean => (session.oracle.state.events ?? []).some(isMet);
  if (happened()) return true;
  const option = await drive.find((one) => newEvents(session, one).some(isMet));
  if (option) return (await drive.send(option.request)) !== null && happened();
  for (let i = 0; i < MOST_DUES && !happened() && !findings.isBroken; i++) if (!(await drive.toNextDue())) break;
  if (!happened()) findings.notTried(eventKey({ type: event.name }), `No request was found that has ${words} happen.`);
  return happened();
}
