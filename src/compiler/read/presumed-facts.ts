import type { Condition } from '../../plan/conditions.ts';
import { ENDPOINTS, type Fact, type Facts, memberOf, type Params, RESOURCES, type Scoped } from './open-facts.ts';

const BODIES: readonly Fact[] = ['endpoint', 'request', 'parameter'];

/** The facts that decide whether a condition can arise. */
const RAISED_BY: Readonly<Record<Condition | 'a step says so' | 'a rule says so', readonly Fact[]>> = {
  'a step says so': ['endpoint', 'step code', 'parameter', 'transition', 'stream code', 'allowed values', 'state'],
  'a rule says so': ['rule', 'field', 'resource'],
  'malformed HTTP': ['endpoint'],
  'headers too large': ['endpoint'],
  'address too long': ['endpoint'],
  'host not served': ['endpoint'],
  'no such endpoint': ['endpoint'],
  'method not allowed': ['endpoint'],
  unavailable: ['endpoint'],
  'origin not accepted': ['endpoint', 'caller', 'access', 'step'],
  'credentials missing': ['endpoint', 'caller', 'access'],
  'credentials not accepted': ['endpoint', 'caller'],
  'credentials expired': ['endpoint', 'caller', 'access'],
  'rate exceeded': ['endpoint', 'rate'],
  'scope missing': ['endpoint', 'caller', 'scope', 'access'],
  'version missing': ['endpoint', 'version'],
  'version unknown': ['endpoint', 'version'],
  'version retired': ['endpoint', 'version'],
  'not acceptable': ['endpoint', 'answer'],
  'length missing': BODIES,
  'request too large': [...BODIES, 'unread bodies'],
  'unsupported media type': BODIES,
  'unsupported encoding': BODIES,
  'malformed request': ['endpoint'],
  'invalid request': BODIES,
  'unknown field': [...BODIES, 'unknown fields'],
  'unknown parameter': ['endpoint', 'unknown parameters'],
  'reference unknown': [...BODIES, 'field', 'type'],
  'body not expected': ['endpoint', 'request', 'unread bodies'],
  'page refused': ['endpoint', 'page', 'step', 'limit'],
  'idempotency key missing': ['endpoint', 'idempotency'],
  'idempotency key malformed': ['endpoint', 'idempotency'],
  'idempotency key reused': ['endpoint', 'idempotency'],
  'idempotency key in flight': ['endpoint', 'idempotency'],
  'precondition missing': ['endpoint', 'step', 'conditional requests'],
  'precondition failed': ['endpoint', 'step', 'conditional requests'],
  conflict: ['endpoint', 'step'],
  'time-out': ['endpoint', 'time-out'],
  'storage full': ['endpoint', 'step'],
  'upstream failed': ['endpoint', 'step'],
  failure: ['endpoint'],
};

/** The facts that declare a name of each kind. */
const DECLARED_BY: Readonly<Record<string, readonly Fact[]>> = {
  resource: ['resource'],
  'type or resource': ['resource'],
  field: ['field'],
  'field or view': ['field', 'shown'],
  view: ['shown'],
  state: ['allowed values', 'state'],
  transition: ['transition'],
  moment: ['transition'],
  endpoint: ['endpoint'],
  handler: ['endpoint'],
  parameter: ['parameter'],
  'value to sort by': ['parameter'],
  scheme: ['caller'],
  scope: ['scope'],
  event: ['event'],
  'webhook event': ['event'],
  'error code': ['error code'],
  payload: ['payload'],
  'column of errors': ['payload'],
};

/** The names whose members are parameters. */
const OF_PARAMETERS: ReadonlySet<string> = new Set(['“path”', '“query”', '“header”']);

/** The facts of the resource of an expression's row, or all that may declare a name. */
function ofOwner({ owner = '', found = '', of = '', nearest = '' }: Params): readonly Scoped[] {
  if (found === 'claims' || of === '“claims”') return ['caller', 'parameter'];
  if (found === 'caller' || found === 'scopes') return ['caller'];
  if (of === '“caller”') return ['caller', 'access', ...fieldsOf(owner, nearest)];
  if (found === 'request') return ['request', 'parameter'];
  if (of === '“request”') return [`request of ${found}`, 'parameter', ...fieldsOf(owner, nearest)];
  if (of && OF_PARAMETERS.has(of)) return ['parameter'];
  return ['step', 'resource', ...fieldsOf(owner, nearest)];
}

/** The facts by which a resource has a field of some name, where `owner` is `field of Order`. */
function fieldsOf(owner: string, nearest: string): readonly Scoped[] {
  const [, resource] = /^field of (.+)$/.exec(owner) ?? [];
  if (resource === undefined) return [];
  return [`field of ${resource}`, ...(nearest ? [] : [`derived field of ${resource}` as const])];
}

/** The facts that decide whether endpoints use a statement. */
const USED_BY_ENDPOINTS: readonly Fact[] = ['endpoint', 'step', 'answer', 'request', 'parameter'];

/** The steps of the endpoint of a finding; those of any endpoint where it names none. */
function stepsOf({ endpoint }: Params): readonly Scoped[] {
  return endpoint === undefined ? ['step', 'answer'] : ['step', `answer of ${endpoint}`];
}

/** The facts that a finding presumes to be absent, by its code: while one is open, the finding may be wrong. */
export const PRESUMED: Readonly<Record<string, Facts>> = {
  'language/unknown-name': ({ kind = '', nearest = '' }) => {
    const [, name = '', resource] = /^(.+?)(?: of (.+))?$/.exec(kind) ?? [];
    const facts = DECLARED_BY[kind] ?? DECLARED_BY[name] ?? [];
    if (name !== 'field' && name !== 'field or view' && name !== 'view') return facts;
    return [...facts.map((fact): Scoped => `${fact} of ${resource}`), ...fieldsOf(`field of ${resource}`, nearest)];
  },
  'language/unexpected': ({ where = '' }) =>
    where.startsWith('as a whole answer') ? ['access', 'caller', 'presence', 'type'] : [],
  'expression/unknown-name': ofOwner,
  'expression/unknown-member': ofOwner,
  'expression/not-one-of': ({ of }) => (of === 'a scope' ? ['scope'] : ['allowed values']),
  'expression/none-like': ['allowed values'],
  'expression/never-null': ['presence', 'access', 'caller', 'visible'],
  'expression/every-anyway': ['visible'],
  'expression/maybe-null': ['presence', 'type', 'access', 'caller'],
  'expression/mismatch': ({ found = '', expected = '' }) => [
    ...(found.includes('with the members') ? (['access', 'caller'] as const) : []),
    ...(/time zone|password/.test(expected) ? (['type'] as const) : []),
    ...(found === 'null' ? (['presence', 'type'] as const) : []),
  ],
  'resources/rule-unused': [...USED_BY_ENDPOINTS, ...RESOURCES, 'page'],
  'resources/given-unused': ({ field = '' }) => [
    'endpoint',
    'step',
    'parameter',
    `request of ${memberOf(field)}`,
    `source of ${field}`,
  ],
  'resources/unused-resource': [...USED_BY_ENDPOINTS, 'event', 'caller', 'field', 'type'],
  'resources/derived-unused': [...USED_BY_ENDPOINTS, 'event', 'shown', 'visible', 'access'],
  'resources/view-unused': [...USED_BY_ENDPOINTS, 'event', 'shown', 'field', 'type'],
  'resources/transitions-field': ['state', 'transition'],
  'resources/blank-unused': ['field', 'resource', 'blank cell'],
  'resources/password-length': ['allowed values'],
  'resources/shown-never': ['shown'],
  'resources/given-beyond': ['allowed values'],
  'states/never-made': [...USED_BY_ENDPOINTS],
  'states/never-reached': ['state'],
  'states/never-left': ['state'],
  'states/state-apart': ['state'],
  'states/not-an-enumeration': ['allowed values', 'source'],
  'endpoints/move-unknown': ['state', 'transition'],
  'endpoints/move-nowhere': ['state', 'transition'],
  'endpoints/move-to': ['state', 'transition', 'allowed values'],
  'endpoints/unknown-scope': ['scope', 'caller'],
  'endpoints/access-uncalled': ['caller'],
  'endpoints/access-of-another': ['caller'],
  'endpoints/idempotency-caller': ['caller', 'access'],
  'endpoints/find-not-unique': ['identity', 'rule'],
  'endpoints/ensure-unique': ['identity', 'rule', 'request'],
  'endpoints/ensure-while': ['rule'],
  'endpoints/ensure-outside': ['presence', 'source'],
  'endpoints/ignores-nothing': ['identity', 'rule'],
  'endpoints/no-password': ['field', 'type'],
  'endpoints/issue-unused': ['answer'],
  'endpoints/list-answered': ['page'],
  'endpoints/issue-no-scopes': ['scope'],
  'endpoints/issued-elsewhere': ['caller'],
  'endpoints/from-request': ({ of }) => (of === 'request' ? ['request'] : []),
  'endpoints/parameter-unused': (params) => [...stepsOf(params), 'page'],
  'endpoints/filter-unused': stepsOf,
  'endpoints/request-unread': stepsOf,
  'endpoints/filter-missing': ['parameter'],
  'endpoints/filter-unread': ['parameter'],
  'endpoints/not-separated': ['parameter'],
  'endpoints/not-given-by': ({ field = '' }) => ['parameter', 'type', 'presence', `source of ${field}`],
  'endpoints/change-nothing': ['field', 'request', 'parameter', 'source'],
  'endpoints/sort-choice': ['parameter', 'allowed values'],
  'endpoints/sort-way': ['parameter', 'allowed values'],
  'endpoints/sort-unused': ['parameter', 'step'],
  'endpoints/not-a-row': ['step', 'resource'],
  'endpoints/under-unused': ['endpoint'],
  'endpoints/form-unused': ['endpoint', 'request', 'parameter'],
  'endpoints/setting-unused': ['endpoint', 'request', 'caller', 'conditional requests'],
  'endpoints/handler-unused': [...USED_BY_ENDPOINTS],
  'endpoints/idempotency-unsafe': ['step'],
  'endpoints/group-value': ['field', 'type', 'identity', 'presence'],
  'endpoints/order-by': ['presence', 'field'],
  'endpoints/order-never-null': ['type', 'presence', 'field'],
  'endpoints/order-idle': ['identity', 'rule'],
  'authentication/scope-unused': ['access', 'step', 'endpoint', 'rate'],
  'authentication/claim-unused': [...USED_BY_ENDPOINTS, 'visible', 'derived field', 'source', 'rate'],
  'authentication/unaccepted-unused': ['access', 'endpoint'],
  'authentication/never-issued': ['endpoint', 'step'],
  'authentication/subject-unique': ['identity', 'rule', 'type', 'presence'],
  'authentication/user-name-unique': ['identity', 'rule', 'type', 'presence'],
  'authentication/user-name-case': ['rule'],
  'authentication/password-of-basic': ['field', 'type'],
  'authentication/caller-differs': ['caller'],
  'authentication/origins-shown': [
    'endpoint',
    'answer',
    'rate headers',
    'rate',
    'page',
    'conditional requests',
    'caller',
    'version',
  ],
  'events/webhook-unused': ['event'],
  'events/stream-unused': ['event', 'answer'],
  'events/not-in-stream': ['answer', 'endpoint'],
  'events/order-resource': ['event', 'resource'],
  'events/hears-nothing': ['event'],
  'events/hears-unused': ['event'],
  'events/never-changes': [...USED_BY_ENDPOINTS, 'source', 'transition'],
  'events/version-unused': ['version'],
  'events/at-once-uncalled': ['caller'],
  'events/at-once-nobody-unused': ['access', 'caller', 'endpoint'],
  'errors/unreachable': ({ condition = '' }) => RAISED_BY[condition as keyof typeof RAISED_BY] ?? [],
  'errors/not-said': ['condition'],
  'errors/common-unused': ['condition', ...ENDPOINTS, 'caller', 'rate', 'version', 'time-out', 'limit'],
  'errors/payload-unused': ['payload'],
  'errors/column-unused': ['payload'],
  'errors/blank-unused': ['payload', 'error code'],
  'limits/caller-rate': ['caller'],
  'limits/rate-number-low': ['allowed values', 'type', 'derived field', 'caller'],
  'limits/rate-number-high': ['allowed values', 'type', 'derived field', 'caller'],
  'limits/rowless-unused': ['presence', 'type', 'access', 'endpoint', 'caller'],
  'limits/uncounted-rowless': ['rate', 'presence', 'type', 'access', 'endpoint', 'caller'],
  'limits/uncounted-unused': ['rate', 'access', 'endpoint', 'caller'],
  'limits/rate-headers-unused': ['rate'],
  'limits/pages-unused': ['endpoint', 'step', 'page'],
  'limits/limit-unused': ['endpoint', 'request', 'step', 'page', 'unread bodies'],
  'limits/below-nothing': ['endpoint'],
  'limits/method-nowhere': ['endpoint'],
  'limits/target-unused': [
    'endpoint',
    'request',
    'step',
    'page',
    'unread bodies',
    'rate',
    'access',
    'caller',
    'presence',
  ],
  'limits/rate-unreached': ['allowed values', 'type', 'endpoint'],
  'versioning/scheme-none': ['version'],
  'versioning/absent-needed': ['source', 'presence'],
  'versioning/unseen': [...USED_BY_ENDPOINTS, 'shown', 'event'],
};
