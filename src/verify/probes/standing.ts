import type { Session } from '../session/session.ts';

/** Whether the service’s clock moves only where it is moved, so that instants are known to the millisecond. */
export const isStanding = (session: Session): Promise<boolean> => session.hasStandingClock();
