import type { Resolved } from '../../model/resolve.ts';
import type { ResourcePlan, WebhookPlan } from '../../plan/step.ts';

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
    return [{ name: event.name.text, on: when.on.kind, by, fields, timed }];
  });
}

/** How webhooks are delivered. */
export function planWebhook(r: Resolved): WebhookPlan | null {
  const { webhook } = r.model.events;
  if (!webhook) return null;
  const order = webhook.order!.value;
  return {
    timeout: webhook.timeout!.value,
    delays: webhook.delays!.value,
    order: order === 'none' ? null : order.text,
  };
}
