import type { Finding } from '../../syntax/diagnostic.ts';

/**
 * A kind of statement that a document may have or not. A question leaves a fact open; a finding that depends on the
 * absence of such statements presumes it.
 * `field of Order` is the fact `field` of one resource.
 */
export type Fact =
  // Resources
  | 'resource'
  | 'field'
  /** A name that comes near another is a misspelt one, and never that of a derived field which is not stated. */
  | 'derived field'
  | 'identity'
  | 'type'
  | 'allowed values'
  | 'presence'
  | 'source'
  | 'blank cell'
  | 'shown'
  | 'visible'
  | 'rule'
  | 'search'
  // States
  | 'state'
  | 'transition'
  // Endpoints
  | 'endpoint'
  | 'access'
  | 'request'
  | 'parameter'
  | 'step'
  | 'answer'
  | 'step code'
  | 'unread bodies'
  | 'unknown parameters'
  | 'conditional requests'
  | 'idempotency'
  | 'page'
  // The other parts
  | 'caller'
  | 'scope'
  | 'event'
  | 'stream code'
  | 'error code'
  | 'condition'
  | 'payload'
  | 'rate'
  | 'rate headers'
  | 'limit'
  | 'time-out'
  /** The zone of a schedule, which decides whether its clocks change. */
  | 'zone'
  | 'version'
  | 'unknown fields';

export type Params = Finding['params'];
export type Scoped = Fact | `${Fact} of ${string}`;
export type Facts = readonly Fact[] | ((params: Params) => readonly Scoped[]);

/** Everything that the endpoints of a document may state. */
export const ENDPOINTS: readonly Fact[] = [
  'endpoint',
  'access',
  'request',
  'parameter',
  'step',
  'answer',
  'step code',
  'unread bodies',
  'unknown parameters',
  'conditional requests',
  'idempotency',
  'page',
  'stream code',
];
/** Everything that steps may state. */
const STEPS: readonly Fact[] = ['step', 'answer', 'step code', 'page', 'stream code'];
const FIELDS: readonly Fact[] = ['field', 'identity', 'type', 'allowed values', 'presence', 'source', 'blank cell'];
export const RESOURCES: readonly Fact[] = ['resource', ...FIELDS, 'shown', 'visible', 'rule'];
const STATES: readonly Fact[] = ['state', 'transition', 'step code', 'step'];

/** The facts of one resource where a finding names it. */
const ofResource =
  (...facts: readonly Fact[]): Facts =>
  ({ resource }) =>
    resource === undefined ? facts : facts.map((fact): Scoped => `${fact} of ${resource}`);

/** The member of a request that gives a field, such as `location` for `Apiary.location.latitude`. */
export const memberOf = (path: string): string => path.split('.')[1] ?? '';

const byColumn =
  (columns: Readonly<Record<string, readonly Fact[]>>, others: readonly Fact[] = []): Facts =>
  ({ column = '' }) =>
    columns[column] ?? others;

/** The facts that each bullet of an endpoint states. */
const SETTINGS: Readonly<Record<string, readonly Fact[]>> = {
  Access: ['access'],
  Request: ['request'],
  'Unread bodies': ['unread bodies'],
  'Unknown parameters': ['unknown parameters'],
  'Conditional requests': ['conditional requests'],
  'Preconditions on writes': ['conditional requests'],
  Idempotency: ['idempotency'],
};

/** The facts that each bullet of the part of resources states. */
const ASKED_OF_PART: readonly Fact[] = ['unknown fields'];

/** The facts that a question leaves open, by its code: an answer to the question may state them. */
export const LEFT_OPEN: Readonly<Record<string, Facts>> = {
  'resources/resources': RESOURCES,
  'resources/fields': RESOURCES,
  'resources/types': ['type', 'blank cell'],
  'resources/formats': ['type', 'blank cell'],
  'resources/allowed-values': ['allowed values', 'blank cell'],
  'resources/no-fields': ofResource(...FIELDS, 'derived field', 'rule'),
  'resources/field-unnamed': [...FIELDS, 'rule'],
  'resources/no-identity': ofResource('identity', 'field'),
  'resources/blank-cell': byColumn({
    Type: ['type', 'field'],
    Format: ['type'],
    'Allowed values': ['allowed values'],
    'Given by': ['source', 'state'],
    Presence: ['presence'],
    Unique: ['identity', 'rule'],
  }),
  'resources/shown': ofResource('shown', 'derived field'),
  'resources/visible': ofResource('visible', 'derived field'),
  'resources/part': ASKED_OF_PART,
  'resources/never-given': ({ field = '' }) => [`request of ${memberOf(field)}`, `source of ${field}`, 'presence'],
  'resources/string-bound': ['allowed values', 'type'],
  'resources/integer-bounds': ['allowed values', 'type'],
  'resources/bytes-bounds': ['allowed values', 'type'],
  'resources/first-bytes': ['allowed values'],
  'resources/decimal-scale': ['allowed values', 'type'],
  'resources/item-bounds': ['allowed values', 'type'],
  'resources/item-count': ['allowed values', 'type'],
  'resources/key-bounds': ['allowed values', 'type'],
  'resources/reference-kept': ['rule'],
  'resources/item-kept': ['rule'],
  'resources/keeps-code': ['rule'],
  'resources/holds-code': ['rule'],
  'resources/overlap-code': ['rule'],
  'resources/unique-code': ['rule'],
  'resources/search-weights': [],
  'resources/audit-row': ofEntries,
  'resources/audit-action': ofEntries,
  'resources/audit-value': ofEntries,
  'states/states': STATES,
  'states/transitions': STATES,
  'states/no-transitions': STATES,
  'states/initial': ['state'],
  'states/final': ['state'],
  'states/blank-cell': byColumn({ Transition: STATES, Otherwise: ['step code'] }, ['state', 'transition']),
  'states/refusal-missing': ['step code'],
  'states/reaction-empty': STEPS,
  'endpoints/methods': ENDPOINTS,
  'endpoints/path-shapes': ENDPOINTS,
  'endpoints/request-payloads': ['request'],
  'endpoints/response-payloads': STEPS,
  'endpoints/none': ENDPOINTS,
  'endpoints/setting': ({ key = '' }) => SETTINGS[key] ?? [],
  'endpoints/blank-cell': byColumn(
    {
      Otherwise: ['step code', 'parameter'],
      Type: ['parameter', 'type'],
      'Allowed values': ['parameter', 'allowed values'],
      Presence: ['parameter', 'presence'],
    },
    ['parameter'],
  ),
  'endpoints/path-parameter': ['parameter', 'step code'],
  'endpoints/request-missing': ['request'],
  'endpoints/no-answer': STEPS,
  'endpoints/steps-missing': STEPS,
  'endpoints/under-empty': STEPS,
  'endpoints/handler-empty': STEPS,
  'endpoints/handler-says': STEPS,
  'endpoints/handler-takes': ['step'],
  'endpoints/schedule-empty': STEPS,
  'endpoints/schedule-zone': ['zone'],
  'endpoints/schedule-says': ({ bullet }) => (bullet === 'When' ? ['zone'] : []),
  'endpoints/find-where': ['step'],
  'endpoints/password-unsaid': ['step'],
  'endpoints/find-code': ['step code'],
  'endpoints/require-code': ['step code'],
  'endpoints/list-order': ['step'],
  'endpoints/over-order': ['step'],
  'endpoints/list-bound': ['page'],
  'endpoints/search-fields': ['search'],
  'endpoints/sort-missing': ['parameter'],
  'endpoints/issue-scopes': ['step'],
  'authentication/scheme': ['caller', 'scope'],
  'authentication/credentials': ['caller', 'scope'],
  'authentication/scopes': ['scope'],
  'authentication/scheme-unsaid': ['caller', 'scope'],
  'authentication/scope-unnamed': ['scope'],
  'authentication/caller': ['caller'],
  'events/events': ['event', 'stream code'],
  'events/webhooks': ['event'],
  'events/notification-kinds': ['event'],
  'events/blank-cell': ['event'],
  'events/webhook-missing': ['event'],
  'events/stream-missing': ['stream code'],
  'events/stream-unanswered': ['answer', 'stream code'],
  'events/resumption': ['stream code'],
  'events/at-once': ['stream code'],
  'events/at-once-nobody': ['stream code'],
  'events/code-missing': ['stream code'],
  'errors/error-codes': ['error code', 'condition', 'payload'],
  'errors/status-codes': ['error code', 'condition', 'payload'],
  // A table that there is not may be to come, with its codes.
  'errors/own-outcome': ({ codes = '' }) => (codes === '' ? ['error code'] : []),
  'errors/error-payload-shape': ['payload'],
  'errors/blank-cell': byColumn({
    Code: ['error code', 'condition'],
    When: ['condition'],
    Payload: ['payload'],
    Type: ['payload'],
    Value: ['payload'],
  }),
  'limits/rate-limits': ['rate', 'limit'],
  'limits/size-limits': ['limit'],
  'limits/time-outs': ['limit', 'time-out'],
  'limits/pagination-bounds': ['limit', 'page'],
  'limits/defaults': ['limit', 'page'],
  'limits/blank-cell': ['rate', 'limit', 'time-out'],
  'limits/limit-open': ['limit', 'time-out'],
  'limits/pages': ['page'],
  'limits/rate-headers': ['rate headers'],
  'versioning/scheme': ['version'],
  'versioning/current-version': ['version'],
  'versioning/deprecation-policy': ['version'],
  'versioning/blank-cell': ['version'],
  'versioning/without': ['version'],
  'versioning/word-sent': ['version'],
  'language/no-column': [...RESOURCES, ...STATES, ...ENDPOINTS, 'error code', 'payload', 'event', 'limit', 'version'],
};

/** The facts of a change that entries of an audit may still hold. */
function ofEntries({ entries = '' }: Params): readonly Scoped[] {
  return ['source', `field of ${entries}`];
}
