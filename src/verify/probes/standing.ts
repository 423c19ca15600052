import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from '../session/session.ts';

/** How long a clock is watched to see whether it runs, in milliseconds. */
const WATCHED_MS = 20;

/** Whether the service’s clock moves only where it is moved, so that instants are known to the millisecond. */
export async function isStanding(session: Session): Promise<boolean> {
  const { clock } = session.subject.setup;
  if (!clock) return false;
  const before = await clock.now();
  await sleep(WATCHED_MS);
  return (await clock.now()) === before;
}
