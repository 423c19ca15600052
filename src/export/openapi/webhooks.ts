import type { EventContract, WebhookContract } from '../../contract/contract.ts';
import type { JsonObject } from '../json.ts';
import { componentName } from '../names.ts';
import { type Exporting, sending } from './exporting.ts';

/** The webhooks that the service sends to receivers. */
export function webhooksOf(x: Exporting): JsonObject {
  const { webhook } = x.contract;
  if (!webhook) return {};
  const events = x.version.events.filter((one) => one.notifiedBy.includes('webhook'));
  return Object.fromEntries(events.map((event) => [event.name, { post: deliveryOf(x, webhook, event) }]));
}

function deliveryOf(x: Exporting, webhook: WebhookContract, event: EventContract): JsonObject {
  const { signature, envelope, mediaType } = webhook;
  const type = { ...envelope, members: envelope.members.filter((one) => one.name !== 'data' && one.name !== 'type') };
  const around = x.schemas.object(type, sending(`${event.name} `));
  const data = x.schemas.of(event.payload, sending(`${event.name} data`));
  const properties = envelope.members.map((one): [string, JsonObject] => {
    if (one.name === 'data') return [one.name, data];
    if (one.name === 'type') return [one.name, { type: 'string', enum: [event.name] }];
    return [one.name, x.schemas.member(one, sending(`${event.name} `))];
  });
  const required = envelope.members.filter((one) => one.presence === 'always').map((one) => one.name);
  const schema = { ...around, properties: Object.fromEntries(properties), required };
  return {
    tags: [x.tag(event.resource)],
    summary: event.name,
    description: `Sent ${webhook.delivery}, signed by ${signature.scheme}.`,
    operationId: x.operationName(`on-${componentName(event.name)}`),
    parameters: signature.headers.map((name) => ({ name, in: 'header', required: true, schema: { type: 'string' } })),
    requestBody: { required: true, content: { [mediaType]: { schema } } },
    responses: { '2XX': { description: 'The delivery succeeded. Any other answer is retried.' } },
    security: [],
  };
}
