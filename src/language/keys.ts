import { PART_HEADINGS, PART_ITEMS, type PartName, partAndItem } from '../plan/parts.ts';
import { keysOf } from '../text/own-members.ts';
import { BULLETS, type BulletKey, type BulletPlace } from './bullets.ts';
import { LIMITS } from './limits.ts';

/**
 * The keys of the bullets, by the place to which they belong. The types ensure that readers of sections have an entry
 * for each key, so that a misplaced key is recognized, too.
 */
export const BULLET_KEYS = Object.fromEntries(
  keysOf(BULLETS).map((place) => [place, Object.keys(BULLETS[place])]),
) as unknown as { readonly [P in BulletPlace]: ReadonlyArray<BulletKey<P>> };

/** The places as messages name them, after “under”. */
const PLACE_NAMES: Readonly<Record<BulletPlace, string>> = {
  purpose: '“What the service does”',
  resources: '“Resources and their fields”',
  resource: 'a resource in “Resources and their fields”',
  states: '“States and transitions”',
  machine: 'a field in “States and transitions”',
  endpoints: '“Endpoints”',
  endpoint: 'an endpoint in “Endpoints”',
  handler: 'a handler in “Endpoints”',
  schedule: 'a schedule in “Endpoints”',
  authentication: '“Authentication”',
  scheme: 'a scheme in “Authentication”',
  events: '“Events”',
  webhook: '“Webhook” in “Events”',
  stream: '“Stream” in “Events”',
  errors: '“Errors”',
  limits: '“Limits”',
  versioning: '“Versioning”',
};

/** The limits that are rows of the table under “Limits”. */
export const LIMIT_NAMES = keysOf(LIMITS);

/** The places that take a bullet with a key, or with a key and a name after it. */
export const placesOf = (key: string): BulletPlace[] =>
  keysOf(BULLET_KEYS).filter((place) =>
    BULLET_KEYS[place].some((one) => (one.endsWith(' ') ? key.startsWith(one) && key !== one : key === one)),
  );

/** The parts that have an item of a name, such as `Rate limits`. */
export const partsOfItem = (name: string): PartName[] =>
  PART_ITEMS.map(partAndItem).flatMap(([part, item]) => (item === name.toLowerCase() ? part : []));

/** Where a statement with some key belongs, for a message; empty where no statement has the key. */
export function homeOf(key: string, places: readonly BulletPlace[] = placesOf(key)): string {
  const under = places.map((place) => `under ${PLACE_NAMES[place]}`);
  const rows = LIMIT_NAMES.some((name) => name === key) ? ['in the table under “Limits”'] : [];
  const all = [...under, ...rows];
  if (all.length) return all.join(', or ');
  return partsOfItem(key)
    .map((part) => `under “${PART_HEADINGS[part]}”, in a sentence such as “${key}: none.”`)
    .join(', or ');
}
