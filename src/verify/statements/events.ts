import { STREAM_FACTS, WEBHOOK_FACTS } from '../../plan/event-facts.ts';
import { type StatementId, statementId } from '../../plan/lines.ts';
import { named } from '../../plan/named.ts';
import { allNested, stepLists } from '../../plan/nested-steps.ts';
import type { PartItem } from '../../plan/parts.ts';
import { type ByHand, eachFact, type Facts, type PlanFacts } from '../../plan/plain-fact.ts';
import type { EventPlan } from '../../plan/rows.ts';
import type { EmittedPlan, InsideStep, Plan } from '../../plan/step.ts';
import { ownMember } from '../../text/own-members.ts';
import { hiddenRows } from '../oracle/hiding-members.ts';
import type { Trace } from '../oracle/trace.ts';
import { type Draft, type Need, need, needAny, type SetupMember, those } from './statement.ts';

/** The statements of the part Events. */
export function eventDrafts(plan: Plan): Draft[] {
  const ofRows = plan.resources.flatMap((one) => one.events);
  const emitted = (plan.emitted ?? []).map((event) => ({ name: event.name, on: 'emitted' as const, to: event.to }));
  const events = [...ofRows, ...emitted];
  const receiver: readonly SetupMember[] = plan.webhook?.receivers ? [] : ['receiver'];
  const drafts = [
    ...ofRows.flatMap((event) => eventOf(event, receiver)),
    ...emitted.flatMap((event) => {
      const untestable = untestableEvent(plan, event.name);
      return eventOf(event, receiver).map((draft) => ({ ...draft, ...(untestable !== null && { untestable }) }));
    }),
    ...(plan.emitted ?? []).flatMap((event) => seenOf(plan, event)),
    ...webhookDrafts(plan, events, receiver),
    ...streamDrafts(plan, events),
  ];
  return drafts.filter((one) => one.needs.length > 0);
}

/** An event of any kind: of a row, or one that a step emits. */
type Told = Pick<EventPlan, 'name' | 'to'> & { readonly on: EventPlan['on'] | 'emitted' };

/** The reason why no request has an event emitted; null where one can. */
function untestableEvent({ schedules: _, ...plan }: Plan, event: string): string | null {
  const emits = (steps: readonly InsideStep[]): boolean =>
    [...allNested(steps)].some((step) => step.do === 'emit' && step.event === event);
  return stepLists(plan).some(emits) ? null : 'Only steps that no request runs emit the event.';
}

/** The statement `Visible of` of an event that steps emit. */
function seenOf(plan: Plan, { name, to, visible }: EmittedPlan): Draft[] {
  if (!to.includes('stream')) return [];
  const id = statementId.seen(name);
  const untestable = untestableEvent(plan, name);
  const needs = those(
    need('a stream tells a reader of it', id, 'shown'),
    visible !== null && need('a stream does not tell another reader of it', id, 'hidden'),
  );
  return [{ id, item: 'events/notification kinds', needs, ...(untestable !== null && { untestable }) }];
}

/** The statement of one event: the event's row in the table states when it happens and its channels. */
function eventOf({ name, on, to }: Told, receiver: readonly SetupMember[]): Draft[] {
  const id = statementId.event(name);
  const clock: readonly SetupMember[] = on === 'at' ? ['clock'] : [];
  const needs = those(
    to.includes('webhook') && need('a receiver is notified of it', id, 'webhook', [...receiver, ...clock]),
    to.includes('stream') && need('a stream tells of it', id, 'stream', clock),
  );
  return (['events/events', 'events/notification kinds'] as const).map((item) => ({ id, item, needs }));
}

const told = (events: readonly Told[], by: 'webhook' | 'stream'): Trace[] =>
  events.filter((one) => one.to.includes(by)).map((one) => ({ statement: statementId.event(one.name), what: by }));

function webhookDrafts(
  { webhook, resources }: Plan,
  events: readonly Told[],
  receiver: readonly SetupMember[],
): Draft[] {
  if (!webhook) return [];
  const id = (fact: string): StatementId => statementId.part('webhook', fact);
  const draft = (fact: string, ...needs: Need[]): Draft => ({ id: id(fact), item: 'events/webhooks', needs });
  const delivered = (name: string): Need => needAny(name, told(events, 'webhook'), receiver);
  const later: readonly SetupMember[] = [...receiver, 'clock'];
  const within = hiddenInPayloads(resources);
  return [
    draft('receivers', delivered('a receiver is notified of an event')),
    ...factDrafts(WEBHOOK_FACTS, webhook, delivered('a receiver is notified of an event'), draft, receiver, {
      signature: draft('signature', need('a delivery is signed', id('signature'), 'verified', receiver)),
      delays: draft(
        'delays',
        ...webhook.delays.map((delay, i) =>
          need(
            `attempt ${i + 2} comes ${delay / 1000} s after the one before it`,
            id('delays'),
            `attempt ${i + 2}`,
            later,
          ),
        ),
        need(`attempt ${webhook.delays.length + 1} is the last`, id('delays'), 'no more', later),
      ),
      delivery: draft(
        'delivery',
        delivered('a receiver is notified of an event'),
        need('a delivery that is refused is made again', id('delivery'), 'again', later),
      ),
    }),
    ...answerDrafts(webhook, draft, later),
    ...(webhook.receivers?.hears ?? []).map(({ name, where }) =>
      hearsOf(name, where !== null, named(resources, name).events, within.has(name)),
    ),
  ];
}

/** The statements about what receivers answer. */
function answerDrafts(
  { gone, retryAfter }: NonNullable<Plan['webhook']>,
  draft: (fact: string, ...needs: Need[]) => Draft,
  later: readonly SetupMember[],
): Draft[] {
  const of = (fact: string, name: string, what: string): Need =>
    need(name, statementId.part('webhook', fact), what, later);
  return [
    ...(gone ? [draft('gone', of('gone', 'a receiver that answers 410 gets nothing more', 'removed'))] : []),
    ...(retryAfter === undefined
      ? []
      : [
          draft(
            'retryAfter',
            of('retryAfter', 'the next attempt waits for Retry-After in seconds', 'seconds'),
            of('retryAfter', 'the next attempt waits for the date in Retry-After', 'date'),
            of('retryAfter', 'the next attempt waits no longer than is stated', 'beyond'),
            of('retryAfter', 'Retry-After makes no attempt earlier', 'shorter'),
          ),
        ]),
  ];
}

/** The resources of whose rows payloads of webhooks show something that not everyone may see. */
function hiddenInPayloads(resources: Plan['resources']): ReadonlySet<string> {
  const shown = resources.flatMap(({ name, events }) =>
    events.flatMap(({ to, view }) => (to.includes('webhook') ? [...hiddenRows({ resources }, name, view)] : [])),
  );
  return new Set(shown);
}

/** The statement `Hears of` of a resource. `isWithin`: whether payloads show its rows to receivers that are rows. */
function hearsOf(resource: string, isSome: boolean, events: readonly EventPlan[], isWithin: boolean): Draft {
  const id = statementId.hears(resource);
  const heard = told(events, 'webhook');
  const needs = those(
    heard.length > 0 && needAny(`a receiver is notified of an event of a ${resource}`, heard),
    heard.length > 0 && isSome && need(`a receiver is not told of an event of another ${resource}`, id, 'not told'),
    isWithin && need(`a payload shows a receiver a ${resource}`, id, 'shown'),
    isWithin && isSome && need(`a payload does not show a receiver another ${resource}`, id, 'not shown'),
  );
  return { id, item: 'events/webhooks', needs };
}

function streamDrafts({ stream }: Plan, events: readonly Told[]): Draft[] {
  if (!stream) return [];
  const item: PartItem = 'events/notification kinds';
  const id = (fact: string): StatementId => statementId.part('stream', fact);
  const draft = (fact: string, ...needs: Need[]): Draft => ({ id: id(fact), item, needs });
  const read = needAny('a stream tells of an event', told(events, 'stream'));
  return [
    draft('name', read),
    ...factDrafts(STREAM_FACTS, stream, read, draft, [], {
      format: draft('format', read),
      resumption: stream.resumption
        ? draft('resumption', need('a reader comes back to where it was', id('resumption'), 'resumed'))
        : null,
      atOnce: stream.atOnce
        ? draft('atOnce', need('one stream more than may be open is refused', id('atOnce'), 'refused'))
        : null,
    }),
  ];
}

/**
 * The statements of the plain facts of a part, by `draft`, and of the irregular ones. `event`: the need of a fact that
 * every event shows. `setup`: the members of the setup for all needs.
 */
function factDrafts<F extends Facts>(
  facts: F,
  of: PlanFacts<F>,
  event: Need,
  draft: (fact: string, ...needs: Need[]) => Draft,
  setup: readonly SetupMember[],
  byHand: ByHand<F, Draft | null>,
): Draft[] {
  const drafts = eachFact<F, Draft | null>(
    facts,
    ({ member, fact: { tries, untestable } }) => {
      if (tries === 'an event') return draft(member, event);
      const { id } = draft(member);
      const needs = (typeof tries === 'function' ? tries(ownMember(of, member)) : tries).map(({ name, what, clock }) =>
        need(name, id, what, clock ? [...setup, 'clock'] : setup),
      );
      return { ...draft(member, ...needs), ...(untestable !== undefined && { untestable }) };
    },
    byHand,
  );
  return drafts.filter((one) => one !== null);
}
