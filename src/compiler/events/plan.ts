import type { AtOnce } from '../../language/events.ts';
import type { EventPlan, ReceiversPlan, StreamPlan, WebhookPlan } from '../../plan/step.ts';
import { addTo } from '../../text/lists.ts';
import type { Resolved } from '../document/resolve.ts';
import { settled, settledList, withStated } from '../document/settled.ts';
import type { Event, Stream, Webhook } from '../statements/events.ts';

/** The events about the rows of each resource; undefined while one isn't settled. */
export function planEvents(r: Resolved): ReadonlyMap<string, readonly EventPlan[]> | undefined {
  const out = new Map<string, EventPlan[]>();
  for (const event of r.model.events.list) {
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
  const webhook = withStated(said, 'receivers', 'order', 'timeout', 'delays', 'kept');
  if (!webhook) return undefined;
  const receivers = planReceivers(r, webhook.receivers.value, webhook.hears);
  const order = webhook.order.value;
  const kept = webhook.kept.value;
  return settled<WebhookPlan>({
    receivers,
    timeout: webhook.timeout.value,
    kept: kept === 'forever' ? null : kept,
    delays: webhook.delays.value.delays ?? [],
    order: order === 'none' ? null : order.text,
  });
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
  const stream = withStated(said, 'resumption', 'atOnce', 'data', 'retry', 'heartbeat', 'patience');
  if (!stream) return undefined;
  const resumption = stream.resumption.value;
  const code = resumption === 'none' ? null : resumption.code;
  const atOnce = stream.atOnce.value === 'any number' ? null : planAtOnce(stream.atOnce.value);
  if ((resumption !== 'none' && !code) || atOnce === undefined) return undefined;
  return {
    data: stream.data.value,
    resumption: resumption === 'none' || !code ? null : { milliseconds: resumption.milliseconds, code: code.text },
    retry: stream.retry.value === 'none' ? null : stream.retry.value,
    heartbeat: stream.heartbeat.value === 'none' ? null : stream.heartbeat.value,
    patience: stream.patience.value,
    atOnce,
  };
}
