import type { Condition, Fault } from '../plan/conditions.ts';
import { keysOf } from '../text/own-members.ts';
import { type JsonObject, present } from './json.ts';

/** The facts that a format cannot express, why, and which member holds each instead. */
const REASONS = {
  address: 'The operator decides the address of the service, so the only server is “/”.',
  'no version': 'OpenAPI requires a version. The API has none, so the version is “unversioned”.',
  trimmed:
    'The service trims white space around text before it checks the text: lengths, patterns, formats and allowed values hold for the trimmed text. JSON Schema checks the text as it is sent.',
  characters: 'Text holds no U+0000 and no half of a surrogate pair.',
  'body text':
    'A body is I-JSON (RFC 7493): UTF-8, without a byte order mark, and no object in it has two members of one name.',
  bytes:
    '`x-ninefold-max-bytes` holds the greatest number of bytes, and `x-ninefold-first-bytes` says whether they have to begin as those of their media type do.',
  parts:
    'A form of several parts is as RFC 7578 says: its values are texts in UTF-8, a part that is not a list occurs once, and `filename` has no effect.',
  lines: '`x-ninefold-item` holds the schema of a line.',
  records:
    '`x-ninefold-columns` holds the columns of CSV, each with its schema, and `x-ninefold-formulas` says whether texts that a spreadsheet would compute are escaped.',
  'form text':
    'A form is UTF-8, without a byte order mark and without malformed escapes. A name that is not a list occurs once.',
  'exact numbers': 'The service reads all digits of a number. Most JSON parsers round numbers.',
  format:
    'The service always checks a format, which JSON Schema may treat as a hint: `email` as HTML’s input does, `uri` by RFC 3986, `hostname` by RFC 1123, `ipv6` without a zone, days by the calendar.',
  'own format': '`x-ninefold-format` names a format that JSON Schema does not have.',
  pattern: '`x-ninefold-pattern` holds an RE2 pattern that ECMA-262 cannot express.',
  'decimal bounds': '`x-ninefold-minimum` and `x-ninefold-maximum` bound a decimal that is sent as a string.',
  'decimal digits':
    '`x-ninefold-digits` says how many digits a decimal that is sent as a number may have after the point. `multipleOf` is not used, since most validators compute it in binary and would refuse allowed values.',
  rounding: '`x-ninefold-rounding` says how the service rounds a decimal with too many digits.',
  'duration bounds': '`x-ninefold-minimum` and `x-ninefold-maximum` bound a duration.',
  'duration range': 'A duration, positive or negative, has at most 9007199254740991 milliseconds.',
  'whole times': '`x-ninefold-whole-milliseconds` says that a timestamp must be a multiple of so many milliseconds.',
  'equal items':
    'The service compares the items of a set after it has read them (trimmed text, UUIDs in either case, times with more zeros). JSON Schema compares the items as they are sent.',
  'null items': 'Empty text means null, so it is not allowed as an item of a list or a value of a map.',
  otherwise: '`x-ninefold-otherwise` holds the expression that computes a value that is not sent.',
  'refused with': '`x-ninefold-refused` holds the error code for a value that is not allowed.',
  'refers to': '`x-ninefold-refers-to` names the resource of which a value must be a row.',
  keeps: '`x-ninefold-keeps` says by which condition a parameter filters a list.',
  merge:
    '`x-ninefold-patch` says how a merge patch (RFC 7396) treats members that are not sent. `x-ninefold-entries-when-merged` says how many entries a map may have after the merge.',
  'computed header': '`x-ninefold-value` holds the expression that computes a header.',
  order: '`x-ninefold-answers` lists the answers in the order of the checks, and what leads to each.',
  steps: '`x-ninefold-steps` says what an operation does, in the expressions of the document.',
  deprecation:
    '`x-ninefold-deprecation` says from when an operation is deprecated, from when requests are refused, and which headers say so.',
  audience: '`x-ninefold-audience` names the credentials of the callers to whom descriptions show an operation.',
  'every row':
    '`x-ninefold-every-row` names the resources of which every row counts, also rows that the caller may not see.',
  writes: '`x-ninefold-writes` marks an operation that changes data.',
  'unknown parameters': '`x-ninefold-unknown-parameters` says whether unknown parameters are refused or ignored.',
  'one path':
    'OpenAPI has one path for addresses that differ only in the names of their parameters, so the parameters have the names of another operation here.',
  'unread body': '`x-ninefold-unread-body` says whether a body is refused or ignored where none is expected.',
  limits: '`x-ninefold-limits` and `x-ninefold-rates` hold time-outs, request sizes and rates.',
  idempotency:
    '`x-ninefold-idempotency` says which answers are stored for an idempotency key, for how long, and which header a repeated answer has.',
  preconditions: '`x-ninefold-preconditions` says what If-Match is compared with.',
  pages: '`x-ninefold-page` says how a client reads the next page.',
  credentials:
    '`x-ninefold-scheme` says who issues credentials, which rows they identify, their scopes, and the claims of a token.',
  browsers: '`x-ninefold-browsers` says which browser origins may call the API (CORS).',
  wire: '`x-ninefold-wire` says how text, missing values and empty text are treated everywhere.',
  elsewhere: '`x-ninefold-elsewhere` holds the answers at addresses without an operation.',
  'no request': '`x-ninefold-no-request` holds the answers to data that is not an HTTP request.',
  codes: '`x-ninefold-codes` holds the other columns of the document’s table of errors.',
  resources:
    '`x-ninefold-resources` says who sees which rows, where the values of fields come from, and the rules of rows.',
  states: '`x-ninefold-resources` holds the states, and the transitions with their conditions, times and causes.',
  'this version': '`x-ninefold-version` holds the status of this version, its dates and its media type.',
  versions:
    '`x-ninefold-versions` holds the other versions, their end dates and their names of fields. `x-ninefold-versioning` says what a request without a version gets.',
  events: '`x-ninefold-events` says when an event occurs, and whether it is sent by webhook or stream.',
  webhook: '`x-ninefold-webhook` holds the receivers, attempts, delays, order and signatures of webhooks.',
  stream: '`x-ninefold-stream` says how the stream of events is resumed and limited.',
  query:
    'OpenAPI 3.1 has no member for the method QUERY (RFC 10008). `x-ninefold-query` of a path holds the operation as OpenAPI 3.2 has it under `query`.',
  'stream events': '`x-ninefold-stream-events` lists the events of a stream, which OpenAPI 3.1 cannot express.',
  unsettled: '`x-ninefold-unsettled` lists the endpoints that the document leaves open. They answer 501.',
  'composed examples':
    'These errors did not occur when the examples were recorded (races, outages, rates), so their examples are composed from the contract.',
  'no example': 'No simple request got this answer when the examples were recorded, so it has no example.',
  'error examples': 'An error that is computed from more than its code, its title and its faults has no example.',
  'no server': 'The operator decides the address of the service, so there is no server.',
  'no states': 'Resources without states have no workflow.',
  'not called':
    'No operation makes this transition on an existing row: it happens by itself, or together with another change.',
  guards: 'A workflow makes this transition only when its condition holds. The inputs must satisfy the condition.',
  inputs:
    'Inputs have no formats and no `x-ninefold-` members, since runners refuse unknown members. The OpenAPI export has them.',
  'workflow credentials':
    'Credentials are inputs, one for each scope. The workflow does not say that all calls need the same caller.',
  unversioned: 'The format requires a version. The API has none, so the version is “unversioned”.',
  'no events': 'The API has no webhooks and no streams of events, so there are no channels.',
  requests: 'The OpenAPI export describes requests and their answers.',
  event: '`x-ninefold-event` names the resource of an event, and says when the event occurs.',
  'seen by':
    '`x-ninefold-visible` says who may see the rows that events are about, in the expressions of the document; null means everyone.',
  receivers:
    '`x-ninefold-webhook` holds the receivers, attempts, delays, time-outs, order and signatures of webhooks. The description of the channel says where the addresses of receivers come from.',
  signature:
    'AsyncAPI has no security scheme for signed messages, so the signature is described as headers of the message.',
  'receivers by version':
    'A receiver gets events with the names of the version for which it was registered. `x-ninefold-versions` holds all versions, with their end dates.',
  'event stream':
    '`x-ninefold-stream` says that messages are server-sent events, how a stream is resumed and kept alive, and when it is closed or refused.',
  access: '`x-ninefold-access` names the scope that is needed, and says whether a request needs credentials.',
  path: '`x-ninefold-schema` holds the types of path parameters, which are always strings in AsyncAPI.',
  'request headers': '`x-ninefold-request-headers` holds the request headers of a stream, such as Last-Event-ID.',
  refusals: '`x-ninefold-answers` lists the answers to a request for a stream in the order of the checks.',
  'error values': '`x-ninefold-error-payload` holds the expressions that compute the members of an error.',
} as const;

export type Reason = keyof typeof REASONS;

/**
 * A rule by which the service's validation differs from that of the schemas. The difference exists at the listed
 * places, or everywhere if no place is listed.
 */
interface Difference {
  /** The rules or the condition with which the service refuses bodies that the schemas allow. */
  readonly refuses?: ReadonlyArray<Fault | Condition>;
  /**
   * The value that the service validates instead of the sent one, so that it may accept bodies that the schemas refuse.
   */
  readonly reads?: 'trimmed text' | 'exact numbers';
}

const DIFFERENCES: Readonly<Partial<Record<Reason, Difference>>> = {
  trimmed: { reads: 'trimmed text' },
  characters: { refuses: ['not_text'] },
  'body text': { refuses: ['malformed request'] },
  parts: { refuses: ['malformed request', 'repeated'] },
  'form text': { refuses: ['malformed request', 'repeated'] },
  'exact numbers': { reads: 'exact numbers' },
  'own format': { refuses: ['not_time_zone', 'not_webhook_secret'] },
  pattern: { refuses: ['not_matching'] },
  'decimal bounds': { refuses: ['too_small', 'too_large'] },
  'decimal digits': { refuses: ['not_decimal'] },
  'duration bounds': { refuses: ['too_small', 'too_large'] },
  'duration range': { refuses: ['not_duration'] },
  'whole times': { refuses: ['not_whole_minutes'] },
  'equal items': { refuses: ['repeated'] },
};

/** Collects the facts that an export cannot express, so that the export can list them. */
export class NotExpressed {
  private readonly found = new Map<Reason, Set<string>>();

  add(reason: Reason, at = ''): void {
    const places = this.found.get(reason) ?? new Set();
    if (at) places.add(at);
    this.found.set(reason, places);
  }

  /** Whether a fact of this kind has been noted. */
  has(reason: Reason): boolean {
    return this.found.has(reason);
  }

  /** Each reason once, in a fixed order, with its places in the order in which they were added. */
  list(): JsonObject[] {
    return keysOf(REASONS).flatMap((what) => {
      const places = this.found.get(what);
      if (!places) return [];
      const { refuses, reads } = DIFFERENCES[what] ?? {};
      return [present({ what, why: REASONS[what], at: places.size ? [...places] : undefined, refuses, reads })];
    });
  }
}
