import type { EventContract } from '../../contract/contract.ts';
import { facts, type JsonObject } from '../json.ts';
import { componentName } from '../names.ts';
import { type Exporting, sending } from '../openapi/exporting.ts';
import { markdown } from '../openapi/text.ts';

/** A channel of events with the operation by which the service sends them. */
export interface Sent {
  readonly id: string;
  readonly channel: JsonObject;
  readonly operation: JsonObject;
}

/** What the messages of a channel go by: events may be called what no component may be. */
export const messageIds = (events: readonly EventContract[]): ReadonlyMap<EventContract, string> =>
  new Map(events.map((event) => [event, componentName(event.name)]));

/** What every message says of its event. */
export function messageOf(x: Exporting, event: EventContract): JsonObject {
  x.notes.add('event');
  return {
    name: event.name,
    title: event.name,
    summary: markdown(whenText(event)),
    tags: [{ name: componentName(event.resource) }],
    contentType: 'application/json',
    'x-ninefold-event': facts({ resource: event.resource, when: event.when }),
  };
}

/** When an event arises, as a sentence. */
function whenText({ resource, when }: EventContract): string {
  switch (when.kind) {
    case 'created':
      return `${resource} is created.`;
    case 'removed':
      return `${resource} is removed.`;
    case 'moves':
      return `${resource} moves by ${when.transitions.join(', ')}.`;
    case 'changed':
      return `${resource} is changed in ${when.fields.join(', ')}.`;
    case 'at': {
      const condition = when.condition ? ` while ${when.condition.text}` : '';
      return `${resource} is at ${when.instant?.text ?? ''}${condition}.`;
    }
  }
}

/** The payload alone. */
export const payloadOf = (x: Exporting, event: EventContract): JsonObject =>
  x.schemas.of(event.payload, sending(event.name));

/** The payload in the form that Standard Webhooks has. */
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

/** References to the messages of a channel, which are all that its operation sends. */
export const messagesIn = (channel: string, ids: Iterable<string>): JsonObject[] =>
  [...ids].map((id) => ({ $ref: `#/channels/${channel}/messages/${id}` }));
