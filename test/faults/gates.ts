import { clock } from './clock.ts';
import { errors } from './errors.ts';
import { full } from './full.ts';
import type { Gate } from './gate.ts';
import { kill } from './kill.ts';
import { locked } from './locked.ts';
import { power } from './power.ts';
import { receivers } from './receivers.ts';

/** All gates, in the order in which they are run. */
export const GATES: readonly Gate[] = [kill, power, full, errors, locked, clock, receivers];
