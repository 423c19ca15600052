import { type StatementId, statementId } from '../../plan/lines.ts';
import { transitionsIn } from '../../plan/machines.ts';
import { allNested } from '../../plan/nested-steps.ts';
import type { EventPlan, TransitionPlan } from '../../plan/rows.ts';
import type { EmittedPlan, InsideStep, Plan } from '../../plan/step.ts';
import type { ExpectedEvent } from '../oracle/events.ts';
import type { Oracle } from '../oracle/oracle.ts';
import type { OracleRow } from '../oracle/rows.ts';
import { type Drive, newEvents, type Option } from './drive.ts';

/** Something that has to happen for an event to be tried. */
export interface Goal {
  readonly event: Pick<EventPlan, 'name'>;
  readonly words: string;
  /** The statement that is not tried where the goal is not reached; absent: that of the event. */
  readonly statement?: StatementId;
  /**
   * The name under which rows store the instant of the timed event or transition; null where requests bring it about.
   */
  readonly due: string | null;
  readonly isMet: (event: ExpectedEvent) => boolean;
  /** Whether timed work on a row may help to reach the goal. */
  readonly concerns: (row: OracleRow) => boolean;
}

/** The number of times that the clock is moved to the next due instant, for one goal. */
const MOST_DUES = 8;
/** The number of candidates to each endpoint in the last attempt. */
const LOOKED_AT = 400;
/** An instant later than every due instant. */
const NEVER = 2 ** 50;

/** The changes that cause the events by webhook or by stream: each transition of `moves`, each field of `changed`. */
export function goalsOf(plan: Plan, by: 'webhook' | 'stream'): Goal[] {
  const emitted = (plan.emitted ?? []).filter(({ to }) => to.includes(by)).map((event) => emitting(plan, event));
  const ofRows = plan.resources.flatMap(({ events, machines }) =>
    events.flatMap((event): Goal[] => {
      if (!event.to.includes(by)) return [];
      const causes = event.on === 'moves' ? event.by : event.on === 'changed' ? event.fields : [''];
      return causes.map((cause) => ({
        event,
        words: cause ? `${event.name} by ${cause}` : event.name,
        due: event.on === 'at' ? event.name : transitionsIn(machines).some(isTimed(cause)) ? cause : null,
        isMet: ({ type, cause: made }) => type === event.name && made === cause,
        concerns: () => true,
      }));
    }),
  );
  return [...ofRows, ...emitted];
}

/** The goal that a step emits an event. */
export function emitting(plan: Plan, event: Pick<EmittedPlan, 'name'>): Goal {
  const { name } = event;
  const emits = (steps: readonly InsideStep[]): boolean =>
    [...allNested(steps)].some((step) => step.do === 'emit' && step.event === name);
  const timed = plan.resources
    .flatMap(({ machines }) => transitionsIn(machines))
    .find((transition) => transition.timed !== null && emits(transition.then));
  const isRequested = plan.endpoints.some(({ inside }) => emits(inside));
  return {
    event,
    words: name,
    due: isRequested || !timed ? null : timed.name,
    isMet: ({ type }) => type === name,
    concerns: () => true,
  };
}

const isTimed =
  (transition: string) =>
  ({ name, timed }: TransitionPlan): boolean =>
    name === transition && timed !== null;

/**
 * Makes an event happen, by requests, or by moving the clock if the event is timed. Returns whether the event happened.
 */
export async function reach(drive: Drive, goal: Goal): Promise<boolean> {
  const { session, findings } = drive;
  const { isMet, due, event, words, concerns, statement = statementId.event(event.name) } = goal;
  const happened = (): boolean => (session.oracle.state.events ?? []).some(isMet);
  if (happened()) return true;
  if (due === null) {
    const wanted = (one: Option): boolean => newEvents(session, one).some(isMet);
    const option = (await drive.find(wanted)) ?? (await drive.atOnce(wanted, { most: LOOKED_AT }));
    if (option) return (await drive.send(option.request)) !== null && happened();
  } else await reachInTime(drive, due, concerns, happened);
  if (!happened()) findings.notTried(statement, `No request was found that has ${words} happen.`);
  return happened();
}

async function reachInTime(
  drive: Drive,
  due: string,
  concerns: Goal['concerns'],
  happened: () => boolean,
): Promise<void> {
  const { session, findings } = drive;
  const isDue = ({ state }: Oracle): boolean =>
    session.subject.plan.resources.some(({ name }) =>
      state.rows
        .all(name)
        .some((row) => concerns(row) && (row.due.get(due) ?? 0) > 0 && (row.due.get(due) ?? 0) < NEVER),
    );
  for (let i = 0; i < MOST_DUES && !happened() && isDue(session.oracle); i++) if (!(await drive.toNextDue())) break;
  if (!happened() && !isDue(session.oracle)) {
    const option = await drive.find(({ foreseen }) => isDue(foreseen.oracle));
    if (option) await drive.send(option.request);
  }
  for (let i = 0; i < MOST_DUES && !happened() && !findings.isBroken; i++) if (!(await drive.toNextDue())) return;
}
