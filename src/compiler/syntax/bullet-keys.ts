import { PART_HEADINGS, PART_ITEMS, type PartName, partAndItem } from '../../plan/parts.ts';
import { keysOf } from '../../text/keys.ts';

/** What an endpoint states, or the part for all of them. */
const SETTINGS = [
  'Payloads',
  'Access',
  'Request',
  'Unread bodies',
  'Unknown parameters',
  'HEAD',
  'Conditional requests',
  'Preconditions on writes',
  'Idempotency',
] as const;

/**
 * The bullets of the language, by what they stand under. A key that ends in a space takes a name after it. The readers of
 * the sections have an entry for each, which the types see to, so that a key is known where it does not belong, too.
 */
export const BULLET_KEYS = {
  purpose: ['Purpose', 'Domain', 'Address'],
  resources: [
    'Timestamps',
    'Dates',
    'Durations',
    'Decimals',
    'Text',
    'Missing values in answers',
    'Null in requests',
    'Empty text in requests',
    'Unknown fields',
    'Passwords',
    'Blank cells',
  ],
  resource: [
    'Derived ',
    'Shown',
    'Shown as ',
    'Visible',
    'Unique',
    'Holds',
    'No overlap',
    'Removed with',
    'Cleared with',
    'Keeps',
  ],
  states: ['States'],
  machine: ['Initial', 'Final'],
  endpoints: [...SETTINGS, 'Description', 'Sort'],
  endpoint: [...SETTINGS, 'Pages', 'Sort'],
  handler: ['Kind', 'File', 'Fails with', 'Within', 'Attempts'],
  authentication: ['Scheme', 'Unaccepted credentials where none are needed', 'Browser origins'],
  scheme: [
    'Scheme',
    'Header',
    'Credentials',
    'Caller',
    'Scopes',
    'Browser origins',
    'Algorithm',
    'Keys',
    'Issuer',
    'Audience',
    'Lifetime',
    'Clock skew',
  ],
  events: ['Events'],
  webhook: ['Receivers', 'Hears of ', 'Signature', 'Time-out', 'Attempts', 'Order', 'Delivery', 'Kept'],
  stream: ['Format', 'Data', 'Resumption', 'Retry', 'Heartbeat', 'Slow readers', 'At once'],
  errors: ['Payload', 'Conditions', 'Blank cells'],
  limits: ['Rate headers', 'Pages'],
  versioning: ['Scheme', 'Current version', 'Without a version', 'Deprecation policy'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** What bullets can stand under: a part, or a heading below one. */
export type BulletPlace = keyof typeof BULLET_KEYS;

/** The keys of the bullets of a place. */
export type BulletKey<P extends BulletPlace> = (typeof BULLET_KEYS)[P][number];

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
export const LIMIT_NAMES = ['Rate', 'Request size', 'Time-out', 'Page size', 'Whole list'] as const;

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
