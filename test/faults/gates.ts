import { apart } from './apart.ts';
import { clock } from './clock.ts';
import { crowds } from './crowds.ts';
import { due } from './due.ts';
import { errors } from './errors.ts';
import { failover } from './failover.ts';
import { full } from './full.ts';
import type { Gate } from './gate.ts';
import { hanging } from './hanging.ts';
import { kill } from './kill.ts';
import { locked } from './locked.ts';
import { power } from './power.ts';
import { receivers } from './receivers.ts';
import { refused } from './refused.ts';
import { removal } from './removal.ts';
import { restored } from './restored.ts';
import { saturation } from './saturation.ts';
import { smuggling } from './smuggling.ts';
import { stalled } from './stalled.ts';
import { uploads } from './uploads.ts';

/** All gates, in the order in which they are run. */
export const GATES: readonly Gate[] = [
  kill,
  power,
  uploads,
  refused,
  full,
  due,
  errors,
  locked,
  clock,
  apart,
  stalled,
  failover,
  hanging,
  receivers,
  crowds,
  smuggling,
  removal,
  restored,
  saturation,
];
