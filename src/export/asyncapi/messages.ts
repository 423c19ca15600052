import type { EventContract } from '../../contract/contract.ts';
import { whenText } from '../event-texts.ts';
import { facts, type JsonObject } from '../json.ts';
import { componentName } from '../json-schema.ts';
import { type Exporting, sending } from '../openapi/exporting.ts';
import { markdown } from '../openapi/text.ts';

/** A channel of events with the operation by which the service sends them. */
export interface Sent {
  readonly id: string;
  readonly channel: JsonObject;
  readonly operation: JsonObject;
}

/**
 * The ids of messages in a channel. The name of an event may have characters that are not allowed in the name of a
 * component.
 */
export const messageIds = (events: readonly EventContract[]): ReadonlyMap<EventContract, string> =>
  new Map(events.map((event) => [event, componentName(event.name)]));

/** The members of a message that describe its event. */
export function messageOf(x: Exporting, event: EventContract): JsonObject {
  x.notes.add('event');
  return {
    name: event.name,
    title: event.name,
    summary: markdown(whenText(x, event)),
    ...(event.resource !== null && { tags: [{ name: componentName(event.resource) }] }),
    contentType: 'application/json',
    'x-ninefold-event': facts({
      resource: event.resource,
      when: event.when,
      ...(event.visible !== undefined && { visible: event.visible }),
    }),
  };
}

/** The schema of a message that is the payload itself. */
export const payloadOf = (x: Exporting, event: EventContract): JsonObject =>
  x.schemas.of(event.payload, sending(event.name));

/** The schema of the payload in the envelope of Standard Webhooks. */
export function envelopeOf(x: Exporting, event: EventContract): JsonObject {
  const at = sending(`${event.name} timestamp`);
  return {
    type: 'object',
    properties: {
      type: { type: 'string', enum: [event.name] },
      timestamp: x.schemas.of({ kind: 'timestamp', precision: 'milliseconds', whole: null }, at),
      data: payloadOf(x, event),
    },
    required: ['type', 'timestamp', 'data'],
  };
}

/** References to all messages of a channel, for its operation. */
export const messagesIn = (channel: string, ids: Iterable<string>): JsonObject[] =>
  [...ids].map((id) => ({ $ref: `#/channels/${channel}/messages/${id}` }));
