/** Status and title of each problem, by its code. */
const PROBLEMS = {
  no_such_endpoint: [404, 'There is no endpoint at this address'],
  method_not_allowed: [405, 'The endpoint at this address does not allow this method'],
  unavailable: [503, 'The service is temporarily unavailable'],
  credentials_missing: [401, 'Credentials are required'],
  credentials_not_accepted: [401, 'The credentials are not valid'],
  rate_exceeded: [429, 'Too many requests'],
  not_acceptable: [406, 'The answer is not available in an accepted media type'],
  length_missing: [411, 'The request must state the length of its body'],
  request_too_large: [413, 'The request is too large'],
  unsupported_media_type: [415, 'The media type of the body is not supported'],
  unsupported_encoding: [415, 'The encoding of the body is not supported'],
  malformed_request: [400, 'The request is malformed'],
  invalid_request: [422, 'The request has values that are not allowed'],
  unknown_field: [422, 'The request has an unknown field'],
  unknown_parameter: [400, 'The request has an unknown parameter'],
  reference_unknown: [422, 'The request refers to something that does not exist'],
  body_not_expected: [400, 'The request must have no body'],
  page_refused: [400, 'The page parameters are not valid'],
  idempotency_key_malformed: [400, 'The idempotency key is malformed'],
  idempotency_key_reused: [422, 'The idempotency key was used for another request'],
  idempotency_key_in_flight: [409, 'A request with this idempotency key is in progress'],
  failure: [500, 'The service failed because of an internal error'],
  not_known: [401, 'The address or the password is wrong'],
  not_permitted: [403, 'Your role does not allow this'],
  no_ticket: [404, 'There is no such ticket'],
  no_person: [404, 'There is no such person'],
  no_invitation: [404, 'There is no such invitation'],
  no_attachment: [404, 'There is no such attachment'],
  no_hook: [404, 'There is no such receiver'],
  no_tag: [404, 'There is no such tag'],
  no_priority: [404, 'There is no such priority'],
  email_taken: [409, 'This address has an account'],
  invited_already: [409, 'This address is invited already'],
  tag_taken: [409, 'There is a tag of this name'],
  not_yourself: [409, 'Another owner has to remove you'],
  not_possible: [409, 'The ticket is not in a state that allows this'],
  ticket_closed: [409, 'The ticket is closed'],
  not_an_agent: [409, 'Only owners and agents take tickets'],
  too_many_agents: [409, 'The plan of the organisation has no more agents'],
  link_over: [410, 'This invitation is used or over'],
  report_gone: [410, 'Ask for /counts'],
  out_of_range: [416, 'The file has no such bytes'],
} as const satisfies Record<string, readonly [number, string]>;

export type ProblemCode = keyof typeof PROBLEMS;

/** The words of each fault of a field or parameter. */
const FAULTS = {
  missing: 'It is required',
  null_refused: 'It cannot be null',
  not_text: 'It has to be text',
  not_integer: 'It has to be a whole number',
  not_boolean: 'It has to be true or false',
  not_duration: 'It has to be a duration (ISO 8601)',
  not_list: 'It has to be a list',
  not_an_object: 'It has to be an object',
  not_uuid: 'It has to be a UUID',
  not_email: 'It has to be an email address',
  not_uri: 'It has to be a URI',
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

export type FaultCode = keyof typeof FAULTS;

/** A value that is not allowed: at a pointer into the body, or in a parameter. */
export interface Fault {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly code: FaultCode;
}

/** A refusal (RFC 9457). It is thrown, and takes no stack: nothing has failed. */
export class Problem {
  readonly code: ProblemCode;
  readonly status: number;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, headers: Readonly<Record<string, string>> = {}, faults?: readonly Fault[]) {
    const [status, title] = PROBLEMS[code];
    const errors = faults?.map((fault) => ({ ...fault, detail: FAULTS[fault.code] }));
    this.code = code;
    this.status = status;
    this.body = { title, status, code, ...(errors && { errors }) };
    this.headers = headers;
  }
}

export const PROBLEM_TYPE = 'application/problem+json';

export const problem = (code: ProblemCode, headers?: Readonly<Record<string, string>>): Problem =>
  new Problem(code, headers);

/** The problem of faults, which are told together. */
export function faulty(faults: readonly Fault[]): Problem {
  const isAll = (code: FaultCode): boolean => faults.every((fault) => fault.code === code);
  if (isAll('reference_unknown')) return new Problem('reference_unknown', {}, faults);
  const onlyUnknown = faults.every(({ code }) => code === 'unknown_field' || code === 'unknown_parameter');
  if (!onlyUnknown) return new Problem('invalid_request', {}, faults);
  return new Problem(isAll('unknown_parameter') ? 'unknown_parameter' : 'unknown_field', {}, faults);
}

/** A value, or the refusal of a request for what is not there. */
export function found<T>(value: T | undefined | null, otherwise: ProblemCode): T {
  if (value === undefined || value === null) throw problem(otherwise);
  return value;
}

/** Refuses unless a condition holds. */
export function must(holds: boolean, otherwise: ProblemCode): void {
  if (!holds) throw problem(otherwise);
}
