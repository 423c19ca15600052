import * as t from '../expression/tree/types.ts';
/** The general conditions, by stages, in the order in which a request is checked for them. */
export const STAGES = {
  Wire: ['malformed HTTP', 'headers too large', 'address too long', 'host not served'],
  Routing: ['no such endpoint', 'method not allowed'],
  Pressure: ['unavailable'],
  Caller: [
    'origin not accepted',
    'credentials missing',
    'credentials not accepted',
    'credentials expired',
    'rate exceeded',
    'scope missing',
  ],
  Version: ['version missing', 'version unknown', 'version retired'],
  Form: [
    'not acceptable',
    'length missing',
    'request too large',
    'unsupported media type',
    'unsupported encoding',
    'malformed request',
  ],
  Content: [
    'invalid request',
    'unknown field',
    'unknown parameter',
    'reference unknown',
    'body not expected',
    'page refused',
  ],
  Replay: [
    'idempotency key missing',
    'idempotency key malformed',
    'idempotency key reused',
    'idempotency key in flight',
  ],
  Steps: ['precondition missing', 'precondition failed', 'range not satisfiable'],
  End: ['conflict', 'time-out', 'storage full', 'upstream failed', 'failure'],
} as const;

export type Condition = (typeof STAGES)[keyof typeof STAGES][number];

export const CONDITIONS: readonly Condition[] = Object.values(STAGES).flat();

/** The conditions that HTTP answers where a document does not: they arise before there is a request. */
export const WIRE: ReadonlySet<Condition> = new Set(STAGES.Wire);

/** The wire conditions that can arise at any address: HTTP alone answers them where a document states no outcome. */
export const UNROUTED_CONDITIONS: readonly Condition[] = ['malformed HTTP', 'headers too large', 'host not served'];

/** The statuses by which HTTP answers where a document states no outcome (RFC 9110; RFC 6585, section 5). */
export const HTTP_STATUS: Readonly<Partial<Record<Condition, number>>> = {
  'no such endpoint': 404,
  'method not allowed': 405,
  unavailable: 503,
  'malformed HTTP': 400,
  'headers too large': 431,
};

/** One entry of a published list. */
export interface Outcome {
  readonly code: string;
  readonly status: number;
  readonly title: string;
}

const common = (status: number, condition: Condition, title: string): [Condition, Outcome] => [
  condition,
  { code: condition.replaceAll(/[ -]/g, '_'), status, title },
];

/**
 * The list that `Conditions: Ninefold common 1` adopts, published in `docs/common-1.md`. A published list never
 * changes; a later list has the next number.
 */
export const COMMON_1: ReadonlyMap<Condition, Outcome> = new Map([
  common(404, 'no such endpoint', 'There is no endpoint at this address'),
  common(405, 'method not allowed', 'The endpoint at this address does not allow this method'),
  common(503, 'unavailable', 'The service is temporarily unavailable'),
  common(401, 'credentials missing', 'Credentials are required'),
  common(401, 'credentials not accepted', 'The credentials are not valid'),
  common(401, 'credentials expired', 'The credentials have expired'),
  common(429, 'rate exceeded', 'Too many requests'),
  common(403, 'scope missing', 'The credentials lack a scope that this request needs'),
  common(400, 'version missing', 'The request must name a version'),
  common(400, 'version unknown', 'The version is unknown'),
  common(410, 'version retired', 'The version is retired'),
  common(406, 'not acceptable', 'The answer is not available in an accepted media type'),
  common(411, 'length missing', 'The request must state the length of its body'),
  common(413, 'request too large', 'The request is too large'),
  common(415, 'unsupported media type', 'The media type of the body is not supported'),
  common(415, 'unsupported encoding', 'The encoding of the body is not supported'),
  common(400, 'malformed request', 'The request is malformed'),
  common(422, 'invalid request', 'The request has values that are not allowed'),
  common(422, 'unknown field', 'The request has an unknown field'),
  common(400, 'unknown parameter', 'The request has an unknown parameter'),
  common(422, 'reference unknown', 'The request refers to something that does not exist'),
  common(400, 'body not expected', 'The request must have no body'),
  common(400, 'page refused', 'The page parameters are not valid'),
  common(400, 'idempotency key missing', 'An idempotency key is required'),
  common(400, 'idempotency key malformed', 'The idempotency key is malformed'),
  common(422, 'idempotency key reused', 'The idempotency key was used for another request'),
  common(409, 'idempotency key in flight', 'A request with this idempotency key is in progress'),
  common(428, 'precondition missing', 'A precondition is required'),
  common(412, 'precondition failed', 'The precondition failed'),
  common(409, 'conflict', 'The request conflicted with another request: send it again'),
  common(503, 'time-out', 'The request took too long'),
  common(507, 'storage full', 'The service has no room to store the change'),
  common(502, 'upstream failed', 'A service that this one depends on failed'),
  common(500, 'failure', 'The service failed because of an internal error'),
]);

/** The outcomes that `check` proposes for conditions of requests that no published list has. */
export const UNPUBLISHED: ReadonlyMap<Condition, Outcome> = new Map([
  common(403, 'origin not accepted', 'Pages of this origin may not send this request'),
  common(416, 'range not satisfiable', 'The file has no bytes in this range'),
]);

/** The faults of single fields and parameters in `Ninefold common 1`, with their messages. */
export const FAULTS = {
  missing: 'It is required',
  null_refused: 'It cannot be null',
  not_text: 'It has to be text',
  not_integer: 'It has to be a whole number',
  not_boolean: 'It has to be true or false',
  not_decimal: 'It has to be a decimal in the form that this API describes',
  not_timestamp: 'It has to be a timestamp (RFC 3339) in UTC',
  not_whole_minutes: 'It has to be at a whole minute',
  not_date: 'It has to be a date',
  not_duration: 'It has to be a duration (ISO 8601)',
  not_list: 'It has to be a list',
  not_an_object: 'It has to be an object',
  not_uuid: 'It has to be a UUID',
  not_email: 'It has to be an email address',
  not_uri: 'It has to be a URI',
  not_hostname: 'It has to be a host name',
  not_ipv4: 'It has to be an IPv4 address',
  not_ipv6: 'It has to be an IPv6 address',
  not_webhook_secret: 'It has to be a webhook secret: whsec_ and the base64 of 24 to 64 bytes',
  not_time_zone: 'It has to be the name of a time zone',
  too_small: 'It is smaller than allowed',
  too_large: 'It is larger than allowed',
  too_short: 'It is shorter than allowed',
  too_long: 'It is longer than allowed',
  too_few: 'It holds fewer items than allowed',
  too_many: 'It holds more items than allowed',
  not_matching: 'It does not match the allowed form',
  not_one_of: 'It is not one of the allowed values',
  unknown_field: 'It is not a field of this request',
  unknown_parameter: 'It is not a parameter of this request',
  repeated: 'It is present more than once',
  reference_unknown: 'It refers to something that does not exist',
} as const;

export type Fault = keyof typeof FAULTS;

/** The messages of faults in a service, by the form of its timestamps. */
export const faultTexts = ({ timestamps }: { readonly timestamps: string | null }): Readonly<Record<Fault, string>> =>
  timestamps === 'Unix seconds'
    ? { ...FAULTS, not_timestamp: 'It has to be a number of whole seconds since 1970 (Unix time)' }
    : FAULTS;

/** A member of a fault that may be absent. */
export const TEXT = { ...t.STRING, nullable: true } as const;

/** The members of a fault in a payload, in the order of `faultValues`. */
export const FAULT = {
  field: t.STRING,
  rule: { ...t.STRING, oneOf: Object.keys(FAULTS), owner: 'the faults' },
  message: t.STRING,
  pointer: TEXT,
  parameter: TEXT,
  header: TEXT,
} as const;
