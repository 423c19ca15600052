import type { EventContract, WebhookContract } from '../../contract/contract.ts';
import { deliveryHeaders, patternOf, type SigningPlan, signingText } from '../../plan/webhook-signing.ts';
import { addressText, deliveryText } from '../event-texts.ts';
import { facts, type JsonObject } from '../json.ts';
import { componentName } from '../json-schema.ts';
import type { Exporting } from '../openapi/exporting.ts';
import { markdown } from '../openapi/text.ts';
import { envelopeOf, messageIds, messageOf, messagesIn, type Sent } from './messages.ts';

const ID = 'webhooks';

/** The channel of webhooks; null if no event is sent by webhook. */
export function webhooksOf(x: Exporting): Sent | null {
  const { webhook } = x.contract;
  const events = x.version.events.filter((one) => one.notifiedBy.includes('webhook'));
  if (!webhook || events.length === 0) return null;
  const ids = messageIds(events);
  const messages = events.map((event): [string, JsonObject] => [
    ids.get(event) ?? event.name,
    deliveryOf(x, webhook, event),
  ]);
  x.notes.add('receivers');
  x.notes.add('signature');
  const { lines: _lines, envelope: _envelope, method, mediaType: _type, ...rest } = webhook;
  return {
    id: ID,
    channel: {
      address: null,
      title: 'Webhooks',
      description: markdown(addressText(webhook)),
      messages: Object.fromEntries(messages),
    },
    operation: {
      action: 'send',
      channel: { $ref: `#/channels/${ID}` },
      title: 'Webhooks',
      summary: 'The service posts each event to its receivers.',
      description: markdown(deliveryText(webhook)),
      bindings: { http: { method, bindingVersion: '0.3.0' } },
      messages: messagesIn(ID, ids.values()),
      'x-ninefold-webhook': facts(rest),
    },
  };
}

function deliveryOf(x: Exporting, { signature }: WebhookContract, event: EventContract): JsonObject {
  return {
    ...messageOf(x, event),
    traits: [{ $ref: `#/components/messageTraits/${componentName(signature.scheme)}` }],
    payload: envelopeOf(x, event),
  };
}

/** The headers of the signature, as a message trait. */
export function signatureOf({ signature }: WebhookContract): JsonObject {
  const properties = Object.fromEntries(
    signature.headers.map((name) => [
      name,
      signature.form ? stated(signature.form, name) : (HEADERS[name] ?? { type: 'string' }),
    ]),
  );
  const headers = { type: 'object', properties, required: signature.headers };
  const description = signature.form && signingText(signature.form);
  return { [componentName(signature.scheme)]: { ...(description && { description }), headers } };
}

/** Schemas of the headers of Standard Webhooks, in the form that the service writes. */
const HEADERS: Readonly<Record<string, JsonObject>> = {
  'webhook-id': {
    type: 'string',
    pattern: '^[^.]+$',
    description:
      'The id of the event, the same in every attempt: a receiver that has seen it already has the event. An id that begins with test_ is that of a test event, which the operator has sent: nothing has happened.',
  },
  'webhook-timestamp': {
    type: 'string',
    pattern: '^\\d+$',
    description: 'The time of the attempt, in whole seconds since 1970-01-01 UTC.',
  },
  'webhook-signature': {
    type: 'string',
    pattern: '^v1,[A-Za-z0-9+/]{43}=$',
    description:
      'v1, and the base64 of the HMAC-SHA256, by the receiver’s secret, of the id, the timestamp and the body with full stops between them.',
  },
};

/** The schema of a header in a form of the document. */
const stated = (form: SigningPlan, name: string): JsonObject => {
  const header = deliveryHeaders(form).find((one) => one.name === name);
  return { type: 'string', ...(header && { pattern: unnamed(patternOf(header, form)), description: header.value }) };
};

/** A pattern without the names of its groups. */
const unnamed = (pattern: string): string => pattern.replace(/\(\?<\w+>/g, '(');
