import type { Condition, Fault } from '../plan/conditions.ts';
import { keysOf } from '../text/keys.ts';
import { type JsonObject, present } from './json.ts';

/** What an export can have no word for, why, and where it stands instead. */
const REASONS = {
  address: 'The document leaves the address to the operator, so that the only server is “/”.',
  'no version': 'OpenAPI has to name a version, and the document has none: it says “unversioned”.',
  trimmed:
    'White space around text is taken off before it is looked at: lengths, patterns, formats and allowed values are those of what is left. JSON Schema looks at text as it is sent.',
  characters: 'Text holds no U+0000 and no half of a surrogate pair.',
  'body text':
    'A body is I-JSON (RFC 7493): UTF-8, without a byte order mark, and no object in it has two members of one name.',
  'exact numbers': 'Numbers count with all of their digits, where most readers of JSON round them.',
  format:
    'A format is a hint in JSON Schema, and always checked by the service: `email` as HTML’s input does, `uri` by RFC 3986, `hostname` by RFC 1123, `ipv6` without a zone, days by the calendar.',
  'own format': 'JSON Schema has no such format: it stands in x-ninefold-format.',
  pattern: 'The pattern is RE2’s and has no counterpart in ECMA-262: it stands in x-ninefold-pattern.',
  'decimal bounds':
    'The bounds of an exact number that is sent as text stand in x-ninefold-minimum and x-ninefold-maximum.',
  'decimal digits':
    'How many digits an exact number may have after its point, where it is sent as a number, stands in x-ninefold-digits: most readers compute `multipleOf` in binary and would refuse what is allowed.',
  rounding: 'What becomes of digits that an exact number has too many stands in x-ninefold-rounding.',
  'duration bounds': 'The bounds of a duration stand in x-ninefold-minimum and x-ninefold-maximum.',
  'duration range': 'A duration has at most 9007199254740991 milliseconds, in either direction.',
  'whole times': 'What a timestamp is a whole number of stands in x-ninefold-whole-milliseconds.',
  'equal items':
    'Items of a set are the same where what they are read to is the same (trimmed text, UUIDs in either case, times with more zeros); JSON Schema compares them as they are sent.',
  'null items': 'Empty text stands for null, and so it is no item of a list and no value of a map.',
  otherwise: 'What stands for a value that isn’t sent is computed: the expression stands in x-ninefold-otherwise.',
  'refused with': 'The code that answers a value which isn’t allowed stands in x-ninefold-refused.',
  'refers to': 'A value that has to name a row of a resource says so in x-ninefold-refers-to.',
  keeps: 'Which rows a list keeps by a parameter stands in x-ninefold-keeps.',
  merge:
    'How a merge patch (RFC 7396) and what isn’t sent are told apart stands in x-ninefold-patch; how many entries a map may have once it is merged, in x-ninefold-entries-when-merged.',
  'computed header': 'What a header is computed from stands in x-ninefold-value.',
  order:
    'The order in which a request is checked for its answers, and what has to have happened for each, stand in x-ninefold-answers.',
  steps: 'What an operation does stands in x-ninefold-steps, as expressions of the document.',
  writes: 'An operation that changes anything has x-ninefold-writes.',
  'unknown parameters':
    'What becomes of parameters that the operation doesn’t have stands in x-ninefold-unknown-parameters.',
  'one path':
    'OpenAPI has one path for addresses that differ in the names of their parameters alone: here they are called as at another operation.',
  'unread body': 'What becomes of a body where none is read stands in x-ninefold-unread-body.',
  limits: 'Time-outs, sizes of requests and rates stand in x-ninefold-limits and x-ninefold-rates.',
  idempotency: 'How long answers are kept for an idempotency key, and which, stands in x-ninefold-idempotency.',
  preconditions: 'What If-Match is compared with stands in x-ninefold-preconditions.',
  pages: 'How pages follow each other stands in x-ninefold-page.',
  credentials:
    'Who issues credentials, which rows they are accepted for, their scopes and what a token has to be stand in x-ninefold-scheme.',
  browsers: 'What pages of other origins may do stands in x-ninefold-browsers.',
  wire: 'How text, missing values and empty text are treated everywhere stands in x-ninefold-wire.',
  elsewhere: 'What is answered where no operation is stands in x-ninefold-elsewhere.',
  'no request': 'What is answered to what is no request of HTTP stands in x-ninefold-no-request.',
  codes: 'What the document’s table of codes says besides stands in x-ninefold-codes.',
  resources: 'Who sees which rows, who gives fields their values, and the rules of rows stand in x-ninefold-resources.',
  states: 'States, their transitions with guards and times, and what makes each stand in x-ninefold-resources.',
  'this version': 'The state of this version, its days and its media type stand in x-ninefold-version.',
  versions:
    'The other versions, their ends, and what fields are called in them stand in x-ninefold-versions, and what is answered without a version in x-ninefold-versioning.',
  events: 'When an event arises and by what it is told stand in x-ninefold-events.',
  webhook: 'Receivers, attempts, pauses, order and signatures of webhooks stand in x-ninefold-webhook.',
  stream: 'How the stream of events is resumed and bounded stands in x-ninefold-stream.',
  'stream events': 'OpenAPI 3.1 has no word for the events of a stream: they stand in x-ninefold-stream-events.',
  unsettled: 'Endpoints that the document leaves open answer 501, and stand in x-ninefold-unsettled.',
  'composed examples':
    'These errors were not met when the examples were made (races, outages, rates): their examples are composed from the contract.',
  'no example': 'No simple request was answered with this when the examples were made: it has no example.',
  'error examples':
    'There is no example of an error that is computed of more than its code, its title and what is at fault.',
  'no server': 'The document leaves the address to the operator, so that there is no server.',
  'no states': 'Rows of a resource without states have no life to tell.',
  'not called':
    'No call makes this transition of a row that is there: it happens by itself, or along with something else.',
  guards: 'A workflow makes this transition only if what it says is so, which its inputs have to bring about.',
  inputs:
    'Inputs have no formats and none of the members that begin with x-ninefold-, since runners refuse what they don’t know: the OpenAPI export has them.',
  'workflow credentials':
    'Credentials are inputs, one for each scope. That they may have to be one caller’s, who sees the row, is not told.',
  unversioned: 'The format has to name a version, and the document has none: it says “unversioned”.',
  'no events': 'The document has no webhooks and no streams of events, so that there are no channels.',
  requests: 'Requests that are answered at once are what the OpenAPI export describes.',
  event: 'The resource that an event is about, and when it arises, stand in x-ninefold-event.',
  'seen by':
    'Who may see the rows that events are about stands in x-ninefold-visible, as expressions of the document; null where everyone may.',
  receivers:
    'Receivers, attempts, pauses, time-outs, order and signatures of webhooks stand in x-ninefold-webhook; where receivers are, the channel’s description says.',
  signature:
    'AsyncAPI has no security scheme for signed messages: the headers of a signature are those of the message.',
  'receivers by version':
    'Receivers are told of events in the names of the version that they were registered for. All versions, with their ends, stand in x-ninefold-versions.',
  'event stream':
    'That messages are server-sent events, and how a stream is resumed, kept alive, cut off and counted, stands in x-ninefold-stream.',
  access: 'Which scope is needed, and whether a request without credentials is answered, stands in x-ninefold-access.',
  path: 'The types of what stands in an address stand in x-ninefold-schema: AsyncAPI knows text alone there.',
  'request headers':
    'The headers that a request for a stream may have, such as Last-Event-ID, stand in x-ninefold-request-headers.',
  refusals:
    'What a request for a stream is answered with, in the order in which it is checked, stands in x-ninefold-answers.',
  'error values': 'What the members of an error are computed from stands in x-ninefold-error-payload.',
} as const;

export type Reason = keyof typeof REASONS;

/** How the service judges bodies otherwise than the schemas do, at the places of the list, or everywhere where there are none. */
interface Difference {
  /** The faults, by their rules, or the condition, that it refuses with what the schemas allow. */
  readonly refuses?: ReadonlyArray<Fault | Condition>;
  /** What it looks at in the place of what was sent, so that it may take what the schemas refuse. */
  readonly reads?: 'trimmed text' | 'exact numbers';
}

const DIFFERENCES: Readonly<Partial<Record<Reason, Difference>>> = {
  trimmed: { reads: 'trimmed text' },
  characters: { refuses: ['not_text'] },
  'body text': { refuses: ['malformed request'] },
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

/** Gathers what an export can’t express, so that nothing is lost silently. */
export class NotExpressed {
  private readonly found = new Map<Reason, Set<string>>();

  add(reason: Reason, at = ''): void {
    const places = this.found.get(reason) ?? new Set();
    if (at) places.add(at);
    this.found.set(reason, places);
  }

  /** Each reason once, in a fixed order, with the places in the order in which they were come by. */
  list(): JsonObject[] {
    return keysOf(REASONS).flatMap((what) => {
      const places = this.found.get(what);
      if (!places) return [];
      const { refuses, reads } = DIFFERENCES[what] ?? {};
      return [present({ what, why: REASONS[what], at: places.size ? [...places] : undefined, refuses, reads })];
    });
  }
}
