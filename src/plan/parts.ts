import { keysOf } from '../text/own-members.ts';

/** The nine parts in the order of the document, with their headings. */
export const PART_HEADINGS = {
  purpose: 'What the service does',
  resources: 'Resources and their fields',
  states: 'States and transitions',
  endpoints: 'Endpoints',
  authentication: 'Authentication',
  events: 'Events',
  errors: 'Errors',
  limits: 'Limits',
  versioning: 'Versioning',
} as const;

export type PartName = keyof typeof PART_HEADINGS;

export const PARTS = keysOf(PART_HEADINGS).map((part) => [part, PART_HEADINGS[part]] as const);

/** The 31 items of the nine parts, in document order. */
export const PART_ITEMS = [
  'purpose/purpose',
  'purpose/domain',
  'resources/resources',
  'resources/fields',
  'resources/types',
  'resources/formats',
  'resources/allowed values',
  'states/states',
  'states/transitions',
  'endpoints/methods',
  'endpoints/path shapes',
  'endpoints/request payloads',
  'endpoints/response payloads',
  'authentication/scheme',
  'authentication/credentials',
  'authentication/headers',
  'authentication/scopes',
  'events/events',
  'events/webhooks',
  'events/notification kinds',
  'errors/error codes',
  'errors/status codes',
  'errors/error payload shape',
  'limits/rate limits',
  'limits/size limits',
  'limits/time-outs',
  'limits/pagination bounds',
  'limits/defaults',
  'versioning/scheme',
  'versioning/current version',
  'versioning/deprecation policy',
] as const satisfies ReadonlyArray<`${PartName}/${string}`>;

/** An item with its part, since two parts have an item `scheme`. */
export type PartItem = (typeof PART_ITEMS)[number];

/** The name of an item without its part. */
export type ItemName = PartItem extends infer I ? (I extends `${string}/${infer N}` ? N : never) : never;

/** The part and the name of an item. */
export function partAndItem(item: PartItem): readonly [PartName, ItemName] {
  const [part, name] = item.split('/');
  return [part as PartName, name as ItemName];
}
