import { AUTHENTICATION, SCHEME } from './authentication.ts';
import type { Forms } from './columns.ts';
import { ENDPOINT, ENDPOINTS } from './endpoints.ts';
import { ERRORS } from './errors.ts';
import { EVENTS, HEARS, SEEN, STREAM, WEBHOOK } from './events.ts';
import { HANDLER } from './handlers.ts';
import { LIMIT_BULLETS } from './limits.ts';
import { PURPOSE_BULLETS } from './purpose.ts';
import { RESOURCE, RESOURCES } from './resources.ts';
import { SCHEDULE } from './schedules.ts';
import { formsOf } from './statement.ts';
import { MACHINE, STATES } from './states.ts';
import { VERSIONING } from './versioning.ts';

/**
 * The bullets of the language, by the place to which they belong, with samples of their values. At least one sample of
 * a bullet has every part that the bullet can have. A key that ends in a space is followed by a name.
 */

export const BULLETS = {
  purpose: formsOf(PURPOSE_BULLETS),
  resources: formsOf(RESOURCES),
  resource: formsOf(RESOURCE),
  states: formsOf(STATES),
  machine: formsOf(MACHINE),
  endpoints: formsOf(ENDPOINTS),
  endpoint: formsOf(ENDPOINT),
  handler: formsOf(HANDLER),
  schedule: formsOf(SCHEDULE),
  authentication: formsOf(AUTHENTICATION),
  scheme: formsOf(SCHEME),
  events: formsOf(EVENTS),
  webhook: { ...formsOf(WEBHOOK), 'Hears of ': HEARS.samples },
  stream: { ...formsOf(STREAM), 'Visible of ': SEEN.samples },
  errors: formsOf(ERRORS),
  limits: formsOf(LIMIT_BULLETS),
  versioning: formsOf(VERSIONING),
} as const satisfies Readonly<Record<string, Readonly<Record<string, Forms>>>>;

/** A place that has bullets: a part, or a heading below one. */
export type BulletPlace = keyof typeof BULLETS;

/** The keys of the bullets of a place. */
export type BulletKey<P extends BulletPlace> = keyof (typeof BULLETS)[P] & string;

/** The form of a bullet, for a reader who does not know it: ` · ` separates examples of its values. */
export function bulletLesson<P extends BulletPlace>(place: P, key: BulletKey<P>): string {
  const values: Forms = BULLETS[place][key] as Forms;
  return values.length ? `Such a bullet is written: ${key}${NAMES.get(key) ?? ''}: ${values.join(' · ')}` : '';
}

/** A name for a key that takes one. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['Derived ', RESOURCE['Derived '].named.sample],
  ['Shown as ', RESOURCE['Shown as '].named.sample],
  ['Hears of ', 'Order'],
  ['Visible of ', 'report.ready'],
]);
