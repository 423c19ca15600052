import type { Resolved } from '../../model/resolve.ts';
import type { ReceiversPlan, ResourcePlan, StreamPlan, WebhookPlan } from '../../plan/step.ts';
import type { Streamed } from '../endpoints/model.ts';
import type { AtOnce, Webhook } from './model.ts';

/** The events about a resource's rows. */
export function planEvents(r: Resolved, resource: string): ResourcePlan['events'] {
  return r.model.events.list.flatMap((event) => {
    const when = event.when!;
    if (when.resource.text !== resource) return [];
    const by = when.on.kind === 'moves' ? when.on.by.map((name) => name.text) : [];
    const fields = when.on.kind === 'changed' ? when.on.fields.map((name) => name.text) : [];
    const timed =
      when.on.kind === 'at'
        ? { instant: r.expr(when.on.instant), condition: when.on.condition && r.expr(when.on.condition) }
        : null;
    const to = event.notifiedBy!.value;
    const view = event.payload!.view?.text ?? resource;
    return [{ name: event.name.text, on: when.on.kind, by, fields, timed, to, view }];
  });
}

/** How webhooks are delivered. */
export function planWebhook(r: Resolved): WebhookPlan | null {
  const { webhook } = r.model.events;
  if (!webhook) return null;
  const order = webhook.order!.value;
  return {
    receivers: planReceivers(r, webhook),
    timeout: webhook.timeout!.value,
    delays: webhook.delays!.value,
    order: order === 'none' ? null : order.text,
  };
}

function planReceivers(r: Resolved, { receivers, hears }: Webhook): ReceiversPlan | null {
  const said = receivers!.value;
  if (said === 'operator') return null;
  return {
    resource: said.resource.text,
    url: said.url.text,
    events: said.events?.text ?? null,
    secret: said.secret.text,
    hears: hears.map(({ resource, condition }) => ({
      name: resource.text,
      where: condition === 'everything' ? null : r.expr(condition),
    })),
  };
}

/** The events of a stream: those it names, or all that are notified by stream. */
export function planStreamed(r: Resolved, { events }: Streamed): string[] {
  if (events.length) return events.map((name) => name.text);
  return r.model.events.list.flatMap(({ name, notifiedBy }) =>
    notifiedBy!.value.includes('stream') ? [name.text] : [],
  );
}

function planAtOnce({ caller, nobody, code }: AtOnce): StreamPlan['atOnce'] {
  return { caller, nobody: nobody === 'any number' ? null : nobody, code: code!.text };
}

/** What the stream of events is like. */
export function planStream(r: Resolved): StreamPlan | null {
  const { stream } = r.model.events;
  if (!stream) return null;
  const resumption = stream.resumption!.value;
  const atOnce = stream.atOnce!.value;
  return {
    data: stream.data!.value,
    resumption: resumption === 'none' ? null : { milliseconds: resumption.milliseconds, code: resumption.code!.text },
    retry: stream.retry!.value === 'none' ? null : stream.retry!.value,
    heartbeat: stream.heartbeat!.value === 'none' ? null : stream.heartbeat!.value,
    patience: stream.patience!.value,
    atOnce: atOnce === 'any number' ? null : planAtOnce(atOnce),
  };
}
