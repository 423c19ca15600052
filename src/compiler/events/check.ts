import { alwaysTrue } from '../../expression/tree/always.ts';
import { nullable, TIMESTAMP } from '../../expression/tree/types.ts';
import { type Happening, WEBHOOK } from '../../language/events.ts';
import { unstated } from '../../language/statement.ts';
import type { EmittedPlan, EventPlan, StreamPlan, WebhookPlan } from '../../plan/step.ts';
import { refuseLookalikes, refuseRepeats } from '../../syntax/names.ts';
import { listed } from '../../text/suggest.ts';
import { checkCondition } from '../document/conditions.ts';
import type { Resolved } from '../document/resolve.ts';
import { hashedUse, isSecret } from '../resources/check-passwords.ts';
import type { Event, Webhook } from '../statements/events.ts';
import type { Field, Resource } from '../statements/resources.ts';
import { checkAttempts } from './check-attempts.ts';
import { checkEmitted, planEmitted } from './check-emitted.ts';
import { checkPayload } from './check-payload.ts';
import { checkReceivers } from './check-receivers.ts';
import { checkSignature } from './check-signature.ts';
import { checkStream } from './check-stream.ts';
import { eventsDiagnostics as d } from './messages.ts';
import { planEvents, planStream, planWebhook } from './plan.ts';

/** The plans of the part Events: null where the document has none, undefined while unsettled. */
export interface CheckedEvents {
  readonly events: ReadonlyMap<string, readonly EventPlan[]> | undefined;
  readonly emitted: readonly EmittedPlan[] | undefined;
  readonly webhook: WebhookPlan | null | undefined;
  readonly stream: StreamPlan | null | undefined;
}

/** Checks events: each about a resource that is shown, by transitions that exist, with a stated way to arrive. */
export function checkEvents(r: Resolved): CheckedEvents {
  const { events } = r.model;
  const { findings } = r.notes;
  for (const event of events.list) checkEvent(r, event);
  refuseRepeats(
    events.list.map((event) => event.name),
    findings,
    'The event ',
  );
  refuseLookalikes(
    events.list.map((event) => event.name),
    findings,
    'The event ',
  );
  const hooked = events.list.filter((event) => event.notifiedBy?.value.includes('webhook'));
  if (events.webhook) {
    checkWebhook(r, events.webhook);
    if (!hooked.length) findings.push(d.report.webhookUnused(events.webhook.span));
  } else
    for (const event of hooked) findings.push(d.report.webhookMissing(event.notifiedBy, { event: event.name.text }));
  checkStream(r);
  const webhook = events.webhook && planWebhook(r, events.webhook);
  checkEmitted(r);
  return {
    events: planEvents(r),
    emitted: planEmitted(r),
    webhook,
    stream: events.stream && planStream(events.stream),
  };
}

function checkEvent(r: Resolved, event: Event): void {
  const { findings } = r.notes;
  if (!event.when) return;
  if (event.members) {
    const params = { event: event.name.text, resource: event.when.resource.text };
    findings.push(d.report.payloadMembers(event.members[0] ?? null, params));
  }
  const resource = r.resource(event.when.resource);
  if (event.payload) r.resource(event.payload.resource);
  if (!resource) return;
  const name = resource.name.text;
  checkPayload(r, event, resource);
  checkHappening(r, event.when.on, resource);
  const order = r.model.events.webhook?.order?.value;
  if (!order || order === 'none' || !event.notifiedBy?.value.includes('webhook')) return;
  if (order === 'event') {
    findings.push(d.report.orderRow(r.model.events.webhook?.order, { event: event.name.text, resource: name }));
    return;
  }
  const stated = order.resource.text;
  const kept = r.model.events.list.some((one) => one.when?.resource.text === stated);
  if (kept && stated !== name && r.rows.has(stated))
    findings.push(d.report.orderMissing(event.name, { stated, event: event.name.text, resource: name }));
}

/** The transitions and fields that an event names are there, and a field can change. */
function checkHappening(r: Resolved, on: Happening, resource: Resource): void {
  const name = resource.name.text;
  if (on.kind === 'moves') {
    const names = r.transitions(name).map((transition) => transition.name.text);
    for (const by of on.by) if (!names.includes(by.text)) r.unknown(by, `transition of ${name}`, names);
  }
  if (on.kind === 'at') checkInstant(r, on, name);
  if (on.kind !== 'changed') return;
  for (const one of on.fields) {
    const field = r.field(resource, one);
    if (field && isSecret(field)) r.notes.findings.push(hashedUse(one, `${name}.${one.text}`, true, 'cause an event'));
    else if (field && neverChanges(field))
      r.notes.findings.push(d.report.neverChanges(one, { field: `${name}.${one.text}` }));
  }
}

/** An instant, and the condition while it counts, follow from the row’s own fields. */
function checkInstant(r: Resolved, on: Extract<Happening, { kind: 'at' }>, resource: string): void {
  const scope = r.scope(new Map(), resource);
  const instant = r.type(on.instant, scope, nullable(TIMESTAMP, true), 'The instant of an event', 'row');
  if (instant?.type.kind === 'null') r.notes.findings.push(d.report.neverAt(on.instant));
  if (!on.condition) return;
  const condition = checkCondition(r, on.condition, scope, 'The condition of an event', 'row');
  if (condition && alwaysTrue(condition)) r.notes.findings.push(d.report.alwaysWhile(on.condition));
}

/** Whether a field never changes: an identity, or a field that only the creation of a row gives a value. */
function neverChanges(field: Field): boolean {
  const onlyCreated = field.givenBy?.value.every(
    (giving) => giving.from === 'moment' && giving.moment.text === 'create',
  );
  return field.unique?.value.kind === 'identity' || onlyCreated === true;
}

function checkWebhook(r: Resolved, webhook: Webhook): void {
  checkReceivers(r, webhook);
  checkAttempts(webhook.delays, r.notes.findings);
  r.notes.findings.push(...checkSignature(webhook));
  for (const code of unstated(WEBHOOK, webhook)) r.notes.findings.push(d.report[code](webhook.span));
  const order = webhook.order?.value;
  if (!webhook.order || !order || order === 'none' || order === 'event') return;
  const resource = r.resource(order.resource);
  const about = new Set(r.model.events.list.flatMap((event) => event.when?.resource.text ?? []));
  if (resource && !about.has(resource.name.text)) {
    const params = { resource: resource.name.text, resources: listed([...about]) };
    r.notes.findings.push(d.report.orderResource(webhook.order, params));
  }
}
