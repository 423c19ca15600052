/** What orders.md states, for the peers: the values, the codes and the words. */

/** The numbers of the two rates that orders.md states. */
export const STATED_RATES = { address: 6000, caller: 600 } as const;

/** The number of both rates, in the peers as in the bench's copy of the document: high enough that none is refused. */
export const RATE = 100_000_000;
export const RATE_SECONDS = 60;

export const SKU = /^[A-Z]{3}-[0-9]{4}$/;
export const QUANTITY = { least: 1, most: 1000 } as const;
export const NOTE_CHARACTERS = 500;
export const STATUSES = ['draft', 'placed', 'shipped', 'delivered', 'cancelled'] as const;
export const BODY_BYTES = 64 * 1024;
/** What answers of a GET depend on (RFC 9110, section 12.5.5). */
export const VARY = 'Accept, Authorization, Orders-Version';

export const PAGE = { standard: 20, most: 100 } as const;
export const PLACED_WITHOUT_NOTE = 100;
export const DRAFT_LASTS = 24 * 60 * 60 * 1000;
export const KEY_LASTS = 24 * 60 * 60 * 1000;
export const VERSION = '2026-11-01';
export const RETIRED_VERSION = '2024-12-01';
export const DEPRECATED_VERSION = {
  name: '2025-06-01',
  deprecated: Date.UTC(2026, 10, 1),
  sunset: Date.UTC(2027, 10, 1),
} as const;

/** The entity tag of an order: the number of its last change, and the version that it is shown in. */
export const tagOf = (revision: number, older: boolean): string =>
  `"${revision}-${older ? DEPRECATED_VERSION.name : VERSION}"`;

/** How long one attempt at a webhook may take, and how long after each failed one the next is made. */
export const ATTEMPT_LASTS = 15_000;
export const ATTEMPT_DELAYS: readonly number[] = [5, 300, 1800, 7200, 18_000, 36_000, 50_400].map((s) => s * 1000);

export type Scope = 'orders:read' | 'orders:write' | 'orders:fulfil';

/** Status and title of each problem, by its code. */
export const PROBLEMS = {
  invalid_request: [422, 'Some fields are not allowed as given'],
  unknown_field: [422, 'The request has an unknown field'],
  unknown_parameter: [400, 'The request has an unknown parameter'],
  key_missing: [401, 'Send an API key'],
  key_unknown: [401, 'This API key is not known'],
  scope_missing: [403, 'This API key may not do this'],
  order_not_found: [404, 'No such order'],
  order_already_open: [409, 'This product is already on an open draft'],
  order_not_placeable: [409, 'This order cannot be placed'],
  order_not_shippable: [409, 'This order cannot be shipped'],
  order_not_shipped: [409, 'This order is not on its way'],
  order_not_open: [409, 'This order is no longer open'],
  order_still_open: [409, 'Cancel this order before removing it'],
  changed_meanwhile: [412, 'The order has changed meanwhile'],
  match_required: [428, 'Send If-Match'],
  version_unknown: [400, 'No such version'],
  version_retired: [410, 'This version is no longer served'],
  rate_exceeded: [429, 'Too many requests'],
  not_acceptable: [406, 'The answer is not available in an accepted media type'],
  length_missing: [411, 'The request must state the length of its body'],
  unsupported_encoding: [415, 'The encoding of the body is not supported'],
  request_too_large: [413, 'The request is too large'],
  unsupported_media_type: [415, 'The media type of the body is not supported'],
  malformed_request: [400, 'The request is malformed'],
  body_not_expected: [400, 'The request must have no body'],
  page_refused: [400, 'The page parameters are not valid'],
  idempotency_key_missing: [400, 'An idempotency key is required'],
  idempotency_key_malformed: [400, 'The idempotency key is malformed'],
  idempotency_key_reused: [422, 'The idempotency key was used for another request'],
  idempotency_key_in_flight: [409, 'A request with this idempotency key is in progress'],
  no_such_endpoint: [404, 'There is no endpoint at this address'],
  method_not_allowed: [405, 'The endpoint at this address does not allow this method'],
  failure: [500, 'The service failed because of an internal error'],
  time_out: [503, 'The request took too long'],
} as const satisfies Record<string, readonly [number, string]>;

export type ProblemCode = keyof typeof PROBLEMS;

/** The words of each fault of a field or parameter. */
export const FAULTS = {
  missing: 'It is required',
  null_refused: 'It cannot be null',
  not_text: 'It has to be text',
  not_integer: 'It has to be a whole number',
  not_an_object: 'It has to be an object',
  too_small: 'It is smaller than allowed',
  too_large: 'It is larger than allowed',
  too_long: 'It is longer than allowed',
  not_matching: 'It does not match the allowed form',
  not_one_of: 'It is not one of the allowed values',
  unknown_field: 'It is not a field of this request',
  unknown_parameter: 'It is not a parameter of this request',
  repeated: 'It is present more than once',
} as const;

export type FaultCode = keyof typeof FAULTS;

export interface Order {
  readonly id: string;
  readonly customer: string;
  readonly sku: string;
  readonly quantity: number;
  readonly note?: string | undefined;
  readonly status: string;
  readonly created: string;
}

/** The body of `PATCH /orders/{id}`, validated. */
export interface Patch {
  readonly quantity?: number | undefined;
  readonly note?: string | null | undefined;
}

/** The body of `POST /orders`, validated. */
export interface Draft {
  readonly sku: string;
  readonly quantity: number;
  readonly note?: string | null | undefined;
}
