import { SCOPE } from './authentication.ts';
import { PARAMETER } from './endpoints.ts';
import { PAYLOAD, TRIGGER } from './events.ts';
import { LIMIT } from './limits.ts';
import { formsOf } from './statement.ts';
import { VERSION } from './versioning.ts';

/**
 * The columns of the language's tables, each with how a cell of it is written: cells that are understood, of which one at
 * least has every part that such a cell can have. The first column says what a row is about.
 */

/** How a bullet or a cell is written: values, as a document writes them. There are none where any text is understood. */
export type Forms = readonly string[];

const ALLOWED = [
  'any',
  '1 to 99',
  'at most 200 characters',
  '1 to 50 characters',
  '`/^[A-Z]{3}$/`',
  'one of low, high',
  '1 to 20 items, each 1 to 50 characters',
  'at most 5 items, keys at most 20 characters, each at most 80 characters',
  'whole minutes',
] as const;

/** A value that a handler takes or gives. */
const ARGUMENT = {
  Type: ['string', 'Order', 'Order.status'],
  'Allowed values': ALLOWED,
  Presence: ['always', 'optional'],
} as const;

/** A table by its first column. */
export const TABLES = {
  field: {
    Field: ['quantity', 'address.street'],
    Type: [
      'string',
      'integer',
      'decimal',
      'boolean',
      'timestamp',
      'date',
      'duration',
      'list of string',
      'set of string',
      'map of string',
      'Order',
    ],
    Format: ['none', 'uuid', 'email', 'uri', 'hostname', 'ipv4', 'ipv6', 'time zone', 'webhook secret', 'password'],
    'Allowed values': ALLOWED,
    'Given by': [
      'request',
      'request, else `0`',
      'operator',
      'steps',
      'transitions',
      'sequence',
      'sequence per customer',
      'on create `now()`; on change `now()`; on place `now()`',
    ],
    Presence: ['always', 'optional'],
    Unique: ['no', 'identity', 'yes, ignoring case, else name_taken'],
  },
  transition: {
    Transition: ['place'],
    From: ['draft, placed'],
    To: ['placed'],
    When: ['always', '`quantity > 0`', 'at `starts`', '24 hours after `created`', '1 hour after place'],
    Otherwise: ['order_not_open', 'none'],
  },
  parameter: {
    Parameter: PARAMETER.Parameter.samples,
    In: PARAMETER.In.samples,
    Type: ['string', 'Order', 'Order.status', 'set of string, separated by commas'],
    'Allowed values': ALLOWED,
    Presence: PARAMETER.Presence.samples,
    Otherwise: PARAMETER.Otherwise.samples,
    'Keeps rows where': PARAMETER['Keeps rows where'].samples,
  },
  takes: { Takes: ['quantity'], ...ARGUMENT },
  gives: { Gives: ['price'], ...ARGUMENT },
  scope: { Scope: SCOPE.samples, 'Lets the caller': [] },
  event: {
    Event: ['order.placed'],
    When: TRIGGER.samples,
    Payload: PAYLOAD.samples,
    'Notified by': ['webhook, stream'],
  },
  error: {
    Code: ['order_not_found'],
    Status: ['404'],
    When: ['a step says so, a rule says so', 'invalid request'],
    Title: [],
  },
  payload: {
    Member: ['message'],
    Type: ['string', 'integer', 'boolean', 'Problem', 'list of Problem', 'list of string', 'map of list of string'],
    Value: [
      '`error.title`',
      'each `fault.message`',
      'each `fault.message` by `fault.field`, else `error.title` by `error.code`',
    ],
  },
  limit: { Limit: LIMIT.samples, Value: [], 'Applies to': [] },
  version: formsOf(VERSION),
} as const satisfies Readonly<Record<string, Readonly<Record<string, Forms>>>>;

/** How a cell is written, for a reader who does not know it: ` · ` stands between the values that it can have. */
export const cellLesson = (forms: Forms): string => `Such a cell is written: ${forms.join(' · ')}`;
