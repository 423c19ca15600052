import type { STREAM_FACTS, WEBHOOK_FACTS } from '../plan/event-facts.ts';
import type { Name } from '../syntax/names.ts';
import type { Phrase } from '../syntax/phrase.ts';
import { article } from './common-values.ts';
import {
  choice,
  code,
  constant,
  count,
  duration,
  either,
  elseCode,
  flag,
  followed,
  type Grammar,
  led,
  list,
  maybe,
  name,
  names,
  oneOf,
  optional,
  quoted,
  sequence,
  shown,
  type ValueOf,
  words,
} from './grammar.ts';
import type { BulletStatements, FactStatements, Stated } from './statement.ts';
import { joined } from './written.ts';

/** The channels by which events are notified. */
const CHANNELS = ['webhook', 'stream'] as const;
export type Channel = (typeof CHANNELS)[number];

/** The row that happens to be there or gone, moves, has other values, or whose time has come. */
const HAPPENING = either(
  sequence({ kind: constant('is created', 'created') }),
  sequence({ kind: constant('is removed', 'removed') }),
  sequence({ kind: constant('is changed in', 'changed') }, { fields: names('a field', 'quantity, note') }),
  sequence(
    { kind: constant('is at', 'at') },
    { instant: code('expression', 'an instant in inline code', 'starts') },
    { condition: optional('while', code('expression', 'a condition in inline code', 'status == "confirmed"')) },
  ),
  sequence({ kind: constant('moves by', 'moves') }, { by: names('a transition', 'place, cancel') }),
);
export type Happening = ValueOf<typeof HAPPENING>;

/** `an Order moves by place, cancel` */
export const TRIGGER = article(sequence({ resource: name('a resource', 'Order') }, { on: HAPPENING }));
export type Trigger = ValueOf<typeof TRIGGER>;

/** `a step emits it`, or a change of a row. */
export const WHEN = either(constant('a step emits it', 'emitted'), TRIGGER);

/** `Order`, `Order as Short`: the row in its shown form, or in one of its views. */
export const PAYLOAD = sequence(
  { resource: name('a resource', 'Order') },
  { view: optional('as', name('a view', 'Short')) },
);
export type Payload = ValueOf<typeof PAYLOAD>;

/** `with day, open`: the members that a step gives values. */
const MEMBERS = sequence({ members: led('with', names('a member', 'day, open')) });

/** The content of an event: of one about a row, or of one that a step emits. */
export const CONTENT = either(MEMBERS, PAYLOAD);

/** A number of attempts, and the delay in milliseconds before each attempt after the first. */
export const ATTEMPTS = shown(
  sequence(
    { attempts: count('a number of attempts', '3') },
    { delays: optional(', after', list(duration('5 seconds, 5 minutes'))) },
  ),
  // Each attempt after the first has a delay.
  '1',
  '3, after 5 seconds, 5 minutes',
);

export type Attempts = ValueOf<typeof ATTEMPTS>;

/** Receivers that are rows of a resource, and their fields: where, of what and how they are notified. */
const ROWS = sequence(
  'the rows of',
  { resource: name('a resource', 'Hook') },
  ', at',
  { url: name('a field', 'url') },
  { events: either(constant(', for every event', null), led(', for', name('a field', 'events'))) },
  ', signed with',
  { secret: name('a field', 'secret') },
  { current: flag(', in the current version') },
);
export type Managed = ValueOf<typeof ROWS>;

export const HEARS = either(
  words('everything'),
  code('expression', 'everything, or a condition in inline code', 'customer == receiver.owner'),
);

/** ``HMAC-SHA256 of `{seconds}.{body}` in hexadecimal, in `X-Signature: t={seconds},v1={signature}`, …`` */
const SIGNED = sequence(
  'HMAC-SHA256 of',
  { content: quoted('the signed text in inline code', '{seconds}.{body}') },
  'in',
  { encoding: oneOf('hexadecimal', 'base64') },
  ', in',
  { header: quoted('the header of the signature in inline code', 'X-Signature: t={seconds},v1={signature}') },
  {
    others: either(
      constant(', no other headers', null),
      led(', other headers', list(quoted('a header in inline code', 'X-Delivery: {id}'))),
    ),
  },
  {
    rotation: maybe(
      either(
        constant('; of two secrets the new one signs', 'new'),
        constant('; of two secrets the old one signs', 'old'),
        sequence({ between: led('; two secrets sign, between them', quoted('a text in inline code', ',v1=')) }),
      ),
    ),
  },
);

export type Signed = ValueOf<typeof SIGNED>;

/** `per Order` · `per Order, others per event`: others are the events that steps emit. */
const ORDERED = sequence({ resource: led('per', name('a resource', 'Order')) }, { others: flag(', others per event') });

/** `everyone` · `` `team == caller.team` ``: the readers of a stream who see an event that a step emits. */
export const SEEN = either(
  words('everyone'),
  code('expression', '“everyone”, or a condition in inline code', 'team == caller.team'),
);

/** `## Events` */
export const EVENTS = { Events: { member: 'none', value: words('none') } } as const satisfies BulletStatements;

/** `### Webhook` */
export const WEBHOOK = {
  Receivers: {
    member: 'receivers',
    value: either(constant('registered by the operator, each for chosen events', 'operator'), ROWS),
    ask: {
      code: 'receivers',
      what: 'Who registers the addresses that webhooks are sent to: the operator, or callers, as rows?',
      why: 'Ninefold has no defaults.',
      write: 'registered by the operator, each for chosen events',
    },
  },
  Signature: {
    member: 'signature',
    value: either(words('Standard Webhooks'), SIGNED),
    ask: {
      code: 'signature',
      what: 'How does a receiver verify that a webhook comes from this service?',
      why: 'Ninefold has no defaults.',
      write: 'Standard Webhooks',
    },
  },
  'Time-out': {
    member: 'timeout',
    value: duration('10 seconds'),
    ask: {
      code: 'timeout',
      what: 'After which time does the service give up an attempt whose receiver does not answer?',
      why: 'Ninefold has no defaults.',
      write: '15 seconds',
    },
  },
  Attempts: {
    member: 'delays',
    value: ATTEMPTS,
    ask: {
      code: 'delays',
      what: 'A receiver fails. How often does the service try again, and after which delays?',
      why: 'Ninefold has no defaults.',
      write: '3, after 5 seconds, 5 minutes',
    },
  },
  Order: {
    member: 'order',
    value: either(words('none'), constant('per event', 'event'), ORDERED),
    ask: {
      code: 'order',
      what: 'Does a receiver get the events of one row in their order, or in any order?',
      why: 'In order, an event that fails delays the later events of its row. Write “none” for any order.',
      write: 'per Order',
    },
  },
  Delivery: {
    member: 'delivery',
    value: oneOf('at least once'),
    ask: {
      code: 'delivery',
      what: 'May a receiver get the same event twice?',
      why: 'After a failed attempt, the service does not know whether the receiver has the event, so it repeats the attempt.',
      write: 'at least once',
    },
  },
  Kept: {
    member: 'kept',
    value: either(words('forever'), followed(duration('30 days', ', or “forever”'), 'after delivery')),
    ask: {
      code: 'kept',
      what: 'How long does the service store an event after its last delivery?',
      why: 'Stored events need more disk space each day; the operator can replay them. Write “forever” to keep all events.',
      write: '30 days after delivery',
    },
  },
  /** Without the bullet, the status 410 is a failure like any other. */
  Gone: { member: 'gone', value: constant('410 removes the receiver', 'removed') },
  /** Without the bullet, the header of a receiver's answer has no effect. */
  'Retry-After': { member: 'retryAfter', value: led('heeded, at most', duration('24 hours')) },
} as const satisfies FactStatements<typeof WEBHOOK_FACTS, 'receivers' | 'gone' | 'retryAfter'>;

/** The largest numbers of open streams for each caller and for each address; null where the document states none. */
export interface AtOnce {
  readonly caller: number | null;
  /** For each address without a caller. */
  readonly nobody: number | 'any number' | null;
  readonly code: Name | null;
}

const NOBODY = 'for each address without a caller';
const ELSE = elseCode('too_many_streams');

/** `5 for each caller, 20 for each address without a caller, else too_many_streams`, or one of the two. */
const BOUNDS: Grammar<AtOnce> = {
  read: (phrase) => {
    const most = phrase.positive('“any number”, or a number of streams, from 1');
    if (most === null) return undefined;
    const of = phrase.take(NOBODY) ? { caller: null, nobody: most } : ofCallers(phrase, most);
    const code = of && ELSE.read(phrase);
    return of && code !== undefined ? { ...of, code } : undefined;
  },
  print: ({ caller, nobody, code }) =>
    joined([
      caller === null ? '' : `${caller} for each caller`,
      nobody === null ? '' : `${caller === null ? '' : ', '}${nobody} ${NOBODY}`,
      ELSE.print(code),
    ]),
  writes: (given) => typeof given === 'object' && given !== null && 'nobody' in given,
  samples: [`5 for each caller, 20 ${NOBODY}, else too_many_streams`, '5 for each caller, else too_many_streams'],
};

function ofCallers(phrase: Phrase, caller: number): Omit<AtOnce, 'code'> | undefined {
  if (!phrase.expect('for each caller')) return undefined;
  if (phrase.take(`, any number ${NOBODY}`)) return { caller, nobody: 'any number' };
  const more = /^\d/.test(phrase.peek(1)?.text ?? '') && phrase.mark(',');
  if (!more) return { caller, nobody: null };
  const nobody = phrase.positive('a number of streams, from 1');
  return nobody !== null && phrase.expect(NOBODY) ? { caller, nobody } : undefined;
}

/** `### Stream`: the stream of events, wherever an endpoint answers with it. Times are in milliseconds. */
export const STREAM = {
  Format: {
    member: 'format',
    value: constant('server-sent events (WHATWG HTML)', 'server-sent events'),
    ask: {
      code: 'streamFormat',
      what: 'In which format is the stream?',
      why: 'The only format is server-sent events.',
      write: 'server-sent events (WHATWG HTML)',
    },
  },
  Data: {
    member: 'data',
    value: choice({ payload: 'the payload', envelope: 'type, timestamp, data' }),
    ask: {
      code: 'streamData',
      what: 'What is the data of a message: the payload alone, or an object with type, timestamp and data?',
      why: 'A reader parses the data.',
      write: 'the payload',
    },
  },
  Resumption: {
    member: 'resumption',
    value: either(
      words('none'),
      sequence('Last-Event-ID, for', { milliseconds: duration('24 hours') }, { code: elseCode('events_gone') }),
    ),
    ask: {
      code: 'resumption',
      what: 'The connection of a reader breaks. Does it receive the events that it missed, and for how long are they stored?',
      why: 'Ninefold has no defaults.',
      write: 'Last-Event-ID, for 24 hours, else events_gone',
    },
  },
  Retry: {
    member: 'retry',
    value: either(words('none'), led('after', duration('3 seconds'))),
    ask: {
      code: 'retry',
      what: 'The connection of a reader breaks. After which time should it reconnect?',
      why: 'Ninefold has no defaults.',
      write: 'after 3 seconds',
    },
  },
  Heartbeat: {
    member: 'heartbeat',
    value: either(words('none'), led('every', duration('15 seconds'))),
    ask: {
      code: 'heartbeat',
      what: 'No event happens for a while. How often does the service send a heartbeat?',
      why: 'Proxies close connections on which nothing is sent. Write “none” for no heartbeat.',
      write: 'every 15 seconds',
    },
  },
  'Slow readers': {
    member: 'patience',
    value: led('cut off after', duration('30 seconds')),
    ask: {
      code: 'patience',
      what: 'A reader stops receiving. After which time does the service close its stream?',
      why: 'Ninefold has no defaults.',
      write: 'cut off after 30 seconds',
    },
  },
  'At once': {
    member: 'atOnce',
    value: either(words('any number'), BOUNDS),
    ask: {
      code: 'atOnce',
      what: 'How many streams may one caller have open at once?',
      why: 'Each stream holds a connection. Write a number, or “any number”.',
      write: '5 for each caller, else too_many_streams',
    },
  },
} as const satisfies FactStatements<typeof STREAM_FACTS>;

export type WebhookBullets = Stated<typeof WEBHOOK>;
export type StreamBullets = Stated<typeof STREAM>;

/** `webhook, stream` */
export const NOTIFIED_BY = list(oneOf(...CHANNELS));
