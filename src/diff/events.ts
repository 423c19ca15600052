import type { EventContract, StreamContract, WebhookContract } from '../contract/contract.ts';
import { STREAM_FACTS, WEBHOOK_FACTS } from '../plan/event-facts.ts';
import { statementId } from '../plan/lines.ts';
import { whereLower } from '../plan/plain-fact.ts';
import { type SigningPlan, signingText } from '../plan/webhook-signing.ts';
import { showDuration } from '../text/units.ts';
import { type Compare, follows, listed, members, on, optional, value, words } from './compare.ts';
import { BREAKS, type Here, KEEPS, VERDICTS, type Verdict } from './difference.ts';
import { factComparisons } from './facts.ts';
import { otherMakers } from './makers.ts';
import { holder, type Values } from './values.ts';

const duration = (one: number | null): string => (one === null ? 'none' : showDuration(one));

/** The verdict on a lower bound, or a bound where there was none. */
const fewer = (old: number | null, next: number | null): Verdict => VERDICTS[whereLower('refused')(old, next)];

/** Compares the causes of an event. */
const when =
  (at: Here): Compare<EventContract['when']> =>
  (old, next) => {
    const kind = value<string>('its kind', BREAKS.otherwise)(old.kind, next.kind, at);
    if (kind.length) return kind;
    return members<EventContract['when']>({
      kind: follows('it is the same'),
      transitions: words('the transition', { added: BREAKS.otherwise, removed: BREAKS.untold }),
      fields: words('the field', { added: BREAKS.otherwise, removed: BREAKS.untold }),
      instant: value('the instant at which it is told', BREAKS.otherwise),
      condition: value('the condition under which it is told', BREAKS.otherwise),
    })(old, next, at);
  };

/** The readers who see an event that a step emits, in words. */
const seenBy = (visible: EventContract['visible']): string => {
  if (visible === undefined) return 'those of its row, or none';
  return visible === null ? 'everyone' : `those where ${visible.text}`;
};

/** The verdict on other readers of an event that a step emits: where everyone sees it now, each sees what it saw. */
const fewerReaders = (_was: EventContract['visible'], is: EventContract['visible']): Verdict =>
  is === null ? BREAKS.unknown : BREAKS.untold;

/** Compares events. Their payloads are sent to clients, and judged like answers. */
export function events(values: Values): Compare<readonly EventContract[]> {
  return listed<EventContract>({
    what: 'the event',
    all: 'the events',
    name: (one) => one.name,
    compare: (old, next, here) =>
      members<EventContract>({
        name: follows('events are compared by their names'),
        resource: value('the resource that it tells of', BREAKS.otherwise, (one) => one ?? 'none'),
        when: (was, is, at) => when(at)(was, is, at),
        madeBy: (was, is, at) => otherMakers(was, is, at),
        notifiedBy: words('the notification by', { added: BREAKS.unknown, removed: BREAKS.untold }),
        visible: (was, is, at) =>
          value<EventContract['visible']>('the readers that see it', fewerReaders, seenBy)(was, is, at),
        payload: (was, is, at) =>
          values.types(was, is, 'answer', { ...at, place: next.name }, '', holder('the payload')),
      })(old, next, here),
    // Receivers and subscribers know only the old names of events.
    added: BREAKS.unknown,
    removed: BREAKS.untold,
    here: (here, one) => ({ ...here, of: one.name }),
  });
}

type Receivers = NonNullable<WebhookContract['receivers']>;

const receivers: Compare<Receivers> = members<Receivers>({
  resource: value('the resource whose rows are receivers', BREAKS.untold),
  url: value('the field with the address of a receiver', BREAKS.untold),
  events: value('the events that a receiver is notified of', BREAKS.otherwise, (one) =>
    one === null ? 'every event' : `the events in its field ${one}`,
  ),
  secret: value('the field with the secret of a receiver', BREAKS.otherwise),
  hears: listed<Receivers['hears'][number]>({
    what: 'receivers are told of',
    name: (one) => one.resource,
    compare: members<Receivers['hears'][number]>({
      resource: follows('they are compared by their resources'),
      where: (old, next, here) =>
        value<Receivers['hears'][number]['where']>('the rows that receivers are told of', BREAKS.untold)(
          old,
          next,
          here,
        ),
    }),
    added: BREAKS.unknown,
    removed: BREAKS.untold,
  }),
});

const webhookOf: Compare<WebhookContract> = members<WebhookContract>({
  receivers: on(
    statementId.part('webhook', 'receivers'),
    optional('receivers that are rows:', receivers, { added: BREAKS.untold, removed: BREAKS.untold }),
  ),
  method: value('the method of deliveries', BREAKS.unreadable),
  mediaType: value('the media type of deliveries', BREAKS.unreadable),
  envelope: follows('it is the same for all events but for their names, which are compared there'),
  ...factComparisons('webhook', WEBHOOK_FACTS, {
    signature: {
      signature: members<WebhookContract['signature']>({
        scheme: value('the signature of deliveries', BREAKS.unreadable),
        headers: words('the headers of the signature:', { added: KEEPS.unused, removed: BREAKS.missing }),
        form: (old, next, here) =>
          old && next
            ? value<SigningPlan>('the form of the signature', BREAKS.unreadable, signingText)(old, next, here)
            : [],
      }),
    },
    delays: {
      attempts: value<number>(
        'the number of attempts',
        (old, next) => (next < old ? BREAKS.untold : KEEPS.unused),
        String,
      ),
      // A changed number of attempts changes the schedule, which is reported only if the attempts end sooner.
      delays: (old: WebhookContract['delays'], next: WebhookContract['delays'], here: Here) => {
        const told = old.length === next.length || (next.length > old.length && sum(next) < sum(old));
        const show = (all: WebhookContract['delays']): string => all.map(showDuration).join(', ') || 'none';
        const verdict = sum(next) < sum(old) ? BREAKS.untold : KEEPS.unused;
        return told ? value<WebhookContract['delays']>('the schedule of attempts', verdict, show)(old, next, here) : [];
      },
    },
    delivery: { delivery: value<string>('the guarantee of delivery', BREAKS.otherwise) },
  }),
  gone: on(
    statementId.part('webhook', 'gone'),
    value(
      'the status 410 of a receiver',
      (_old, next) => (next ? BREAKS.untold : KEEPS.unused),
      (one) => (one ? 'the end of the receiver' : 'a failure like any other'),
    ),
  ),
  retryAfterMilliseconds: on(
    statementId.part('webhook', 'retryAfter'),
    value('the longest delay by Retry-After', KEEPS.unused, (one) => (one === undefined ? 'none' : showDuration(one))),
  ),
});

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

const at =
  (of: string) =>
  (here: Here): Here => ({ ...here, of });

export const webhook: Compare<WebhookContract | null> = (old, next, here) =>
  optional('the webhook', webhookOf, { added: KEEPS.unused, removed: BREAKS.untold })(old, next, at('webhooks')(here));

type Resumption = NonNullable<StreamContract['resumption']>;
type AtOnce = NonNullable<StreamContract['atOnce']>;

const bound = (one: number | null): string => (one === null ? 'any number' : String(one));

const streamOf: Compare<StreamContract> = members<StreamContract>({
  ...factComparisons('stream', STREAM_FACTS, {
    format: { mediaType: value<string>('the media type of the stream', BREAKS.unreadable) },
    resumption: {
      resumption: optional(
        'resumption',
        members<Resumption>({
          milliseconds: value('the time for a resumption', fewer, duration),
          code: value('the code that refuses a late resumption', BREAKS.unknown),
        }),
        { added: KEEPS.unused, removed: BREAKS.untold },
      ),
    },
    atOnce: {
      atOnce: optional(
        'the limit of open streams',
        members<AtOnce>({
          caller: value('the number of streams for each caller', fewer, bound),
          nobody: value('the number of streams for each address without a caller', fewer, bound),
          code: value('the code that refuses another stream', BREAKS.unknown),
        }),
        { added: BREAKS.refused, removed: KEEPS.accepted },
      ),
    },
  }),
});

export const stream: Compare<StreamContract | null> = (old, next, here) =>
  optional('the stream', streamOf, { added: KEEPS.unused, removed: BREAKS.untold })(old, next, at('the stream')(here));
