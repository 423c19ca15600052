import type { EventContract, VersionContract, WebhookContract } from '../contract/contract.ts';
import { showDuration } from '../text/units.ts';

/**
 * Describes the cause of an event in a sentence. Without `internals`, fields that callers do not see and conditions are
 * left out.
 */
export function whenText(version: VersionContract, { resource, when }: EventContract, internals: boolean): string {
  const isShown = (field: string): boolean =>
    internals ||
    version.shapes.some((one) => one.resource === resource && one.type.members.some(({ name }) => name === field));
  switch (when.kind) {
    case 'created':
      return `${resource} is created.`;
    case 'removed':
      return `${resource} is removed.`;
    case 'moves':
      return `${resource} changes its state by ${when.transitions.join(' or ')}.`;
    case 'changed': {
      const fields = when.fields.filter(isShown);
      return fields.length ? `${resource} is changed in ${fields.join(' or ')}.` : `${resource} is changed.`;
    }
    case 'at': {
      const instant = when.instant?.text ?? '';
      if (internals) return `${resource} is at ${instant}${when.condition ? ` while ${when.condition.text}` : ''}.`;
      const field = instant.replace(/^this\./, '');
      return isShown(field)
        ? `${resource} reaches the time in its field ${field}.`
        : `${resource} reaches a certain time.`;
    }
  }
}

/** Describes where the addresses of receivers come from. */
export function addressText({ receivers }: WebhookContract): string {
  if (!receivers) return 'The addresses that the operator registered.';
  return `The address that each row of ${receivers.resource} has in its field ${receivers.url}.`;
}

/** Describes the attempts of webhooks, and the answers of receivers. */
export function deliveryText(webhook: WebhookContract): string {
  const { delivery, attempts, delays, timeoutMilliseconds, orderPer, gone, retryAfterMilliseconds } = webhook;
  const pauses = delays.length ? `, after ${delays.map(showDuration).join(', ')}` : '';
  const tries = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}${pauses}`;
  const order = orderPer === null ? 'in no order' : `in order for each ${orderPer}`;
  return `Sent ${delivery}, ${order}: ${tries}. A receiver has ${showDuration(timeoutMilliseconds)} to answer. A status from 200 to 299 is a success; ${attempts === 1 ? 'after any other answer, the event is not sent again' : 'any other answer is retried'}.${gone ? ' The status 410 removes the receiver.' : ''}${retryAfterMilliseconds === undefined ? '' : ` Retry-After is heeded, at most ${showDuration(retryAfterMilliseconds)}.`}`;
}
