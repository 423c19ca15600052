import { lineKey } from '../plan/lines.ts';
import type { EventContract, StreamContract, WebhookContract } from './contract.ts';
import { TEXT } from './kinds.ts';
import { objectOf, sentMember } from './objects.ts';
import { expressionOrNull, type PlanReader } from './plan-reader.ts';
import type { ObjectContract } from './types.ts';
import { shapeName } from './values.ts';

/** Events that are sent by webhook or stream. */
export function eventContracts(r: PlanReader): EventContract[] {
  return r.plan.resources.flatMap((resource) =>
    resource.events.map(
      ({ name, on, by, fields, timed, to, view }): EventContract => ({
        name,
        resource: resource.name,
        when: {
          kind: on,
          transitions: by,
          fields,
          instant: expressionOrNull(timed?.instant ?? null),
          condition: expressionOrNull(timed?.condition ?? null),
        },
        notifiedBy: to,
        payload: { kind: 'shape', name: shapeName({ resource: resource.name, name: view }) },
        lines: r.lines(lineKey.event(name)),
      }),
    ),
  );
}

/** The envelope around the payload of an event. */
function envelope(r: PlanReader): ObjectContract {
  const { wire } = r.plan;
  const names = r.plan.resources.flatMap(({ events }) => events.map(({ name }) => name));
  return objectOf(
    [
      sentMember('type', { ...TEXT, oneOf: names }, false, wire),
      sentMember('timestamp', { kind: 'timestamp', precision: 'milliseconds', whole: null }, false, wire),
      sentMember('data', { kind: 'object', members: [], unknown: 'none' }, false, wire),
    ],
    'none',
  );
}

/** The contract of webhooks; null if the document has none. */
export function webhookContract(r: PlanReader): WebhookContract | null {
  const { webhook } = r.plan;
  if (!webhook) return null;
  const { receivers, timeout, delays, order, kept } = webhook;
  const facts = ['name', 'receivers', 'signature', 'timeout', 'delays', 'order', 'delivery', 'kept'];
  return {
    receivers: receivers && {
      ...receivers,
      hears: receivers.hears.map(({ name, where }) => ({ resource: name, where: expressionOrNull(where) })),
    },
    method: 'POST',
    mediaType: 'application/json',
    envelope: envelope(r),
    signature: {
      scheme: 'Standard Webhooks',
      headers: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
    },
    timeoutMilliseconds: timeout,
    attempts: delays.length + 1,
    delays,
    orderPer: order,
    delivery: 'at least once',
    keptMilliseconds: kept,
    lines: r.lines(...facts.map((fact) => lineKey.part('webhook', fact))),
  };
}

/** The contract of the event stream; null if the document has none. */
export function streamContract(r: PlanReader): StreamContract | null {
  const { stream } = r.plan;
  if (!stream) return null;
  const facts = ['name', 'format', 'data', 'resumption', 'retry', 'heartbeat', 'patience', 'atOnce'];
  return {
    mediaType: 'text/event-stream',
    ...stream,
    lines: r.lines(...facts.map((fact) => lineKey.part('stream', fact))),
  };
}
