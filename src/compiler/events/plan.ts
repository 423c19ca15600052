import type { AtOnce, Signed } from '../../language/events.ts';
import { STREAM_FACTS, WEBHOOK_FACTS } from '../../plan/event-facts.ts';
import type { EventPlan, ReceiversPlan, StreamPlan, WebhookPlan } from '../../plan/step.ts';
import { headerIn, type SigningPlan } from '../../plan/webhook-signing.ts';
import { addTo } from '../../text/lists.ts';
import { planFacts } from '../document/plain-facts.ts';
import type { Resolved } from '../document/resolve.ts';
import { settled, settledList, withStated } from '../document/settled.ts';
import type { Event, Stream, Webhook } from '../statements/events.ts';

/** The events about the rows of each resource; undefined while one isn't settled. */
export function planEvents(r: Resolved): ReadonlyMap<string, readonly EventPlan[]> | undefined {
  const out = new Map<string, EventPlan[]>();
  for (const event of r.model.events.list) {
    if (event.emitted) continue;
    const planned = planEvent(r, event);
    if (!planned) return undefined;
    addTo(out, planned.resource, planned.event);
  }
  return out;
}

function planEvent(r: Resolved, said: Event): { resource: string; event: EventPlan } | undefined {
  const event = withStated(said, 'when', 'notifiedBy', 'payload');
  if (!event) return undefined;
  const { on, resource } = event.when;
  const by = on.kind === 'moves' ? on.by.map((name) => name.text) : [];
  const fields = on.kind === 'changed' ? on.fields.map((name) => name.text) : [];
  const instant = on.kind === 'at' ? r.expr(on.instant) : null;
  const condition = on.kind === 'at' && on.condition ? r.expr(on.condition) : null;
  if (instant === undefined || condition === undefined) return undefined;
  const timed = instant && { instant, condition };
  const view = event.payload.view?.text ?? resource.text;
  const told = { timed, to: event.notifiedBy.value, view };
  return { resource: resource.text, event: { name: event.name.text, on: on.kind, by, fields, ...told } };
}

/** The plan of webhook deliveries; undefined while unsettled. */
export function planWebhook(r: Resolved, said: Webhook): WebhookPlan | undefined {
  const { receivers, delays } = said;
  const order = said.order && { value: orderOf(said.order.value) };
  const facts = planFacts(
    WEBHOOK_FACTS,
    { ...said, order },
    {
      signature: {},
      delays: delays ? { delays: delays.value.delays ?? [] } : undefined,
      delivery: {},
    },
  );
  if (!receivers || !facts) return undefined;
  // The order of the members is that of the printed plan.
  const { timeout, kept, delays: waits, ...others } = facts;
  const { gone, retryAfter, signature } = said;
  return settled<WebhookPlan>({
    receivers: planReceivers(r, receivers.value, said.hears),
    timeout,
    kept,
    delays: waits,
    ...others,
    ...(signature && signature.value !== 'Standard Webhooks' && { signing: planSigning(signature.value) }),
    ...(gone && { gone: gone.value }),
    ...(retryAfter && { retryAfter: retryAfter.value }),
  });
}

/** The order of deliveries, in the words after “per”. */
function orderOf(order: NonNullable<Webhook['order']>['value']): string {
  if (typeof order === 'string') return order;
  return order.others ? `${order.resource.text}, others per event` : order.resource.text;
}

function planSigning({ header, others, ...said }: Signed): SigningPlan | undefined {
  const [first, ...more] = [header, ...(others ?? [])].flatMap((text) => headerIn(text) ?? []);
  if (!first || more.length < (others ?? []).length) return undefined;
  return { content: said.content, encoding: said.encoding, header: first, others: more, rotation: said.rotation };
}

type Heard = ReceiversPlan['hears'][number];

function planReceivers(
  r: Resolved,
  said: NonNullable<Webhook['receivers']>['value'],
  hears: Webhook['hears'],
): ReceiversPlan | null | undefined {
  if (said === 'operator') return null;
  const heard = hears.map(({ resource, condition }) =>
    settled<Heard>({ name: resource.text, where: condition === 'everything' ? null : r.expr(condition) }),
  );
  return settled<ReceiversPlan>({
    resource: said.resource.text,
    url: said.url.text,
    events: said.events?.text ?? null,
    secret: said.secret.text,
    hears: settledList(heard),
  });
}

function planAtOnce({ caller, nobody, code }: AtOnce): StreamPlan['atOnce'] | undefined {
  return code ? { caller, nobody: nobody === 'any number' ? null : nobody, code: code.text } : undefined;
}

/** The plan of the event stream; undefined while unsettled. */
export function planStream(said: Stream): StreamPlan | undefined {
  const resumption = said.resumption && planResumption(said.resumption.value);
  const atOnce = said.atOnce && (said.atOnce.value === 'any number' ? null : planAtOnce(said.atOnce.value));
  return planFacts(STREAM_FACTS, said, {
    format: {},
    resumption: said.resumption && resumption !== undefined ? { resumption } : undefined,
    atOnce: said.atOnce && atOnce !== undefined ? { atOnce } : undefined,
  });
}

function planResumption(said: NonNullable<Stream['resumption']>['value']): StreamPlan['resumption'] | undefined {
  if (said === 'none') return null;
  const { milliseconds, code } = said;
  return code ? { milliseconds, code: code.text } : undefined;
}
