import type { Contract, EventContract, VersionContract, WebhookContract } from '../contract/contract.ts';
import { machinesOf } from '../contract/machines.ts';
import { orText } from '../text/lists.ts';
import { showDuration } from '../text/units.ts';

/** The version that an export describes, for callers or with internals. */
interface Described {
  readonly contract: Contract;
  readonly version: VersionContract;
  readonly internals: boolean;
}

/**
 * Describes the cause of an event in a sentence. Without `internals`, conditions, fields that callers do not see and
 * transitions of such fields are left out.
 */
export function whenText({ contract, version, internals }: Described, { resource, when }: EventContract): string {
  const isShown = (field: string): boolean =>
    internals ||
    version.shapes.some((one) => one.resource === resource && one.type.members.some(({ name }) => name === field));
  switch (when.kind) {
    case 'created':
      return `${resource} is created.`;
    case 'emitted':
      return 'Steps of the service emit the event.';
    case 'removed':
      return `${resource} is removed.`;
    case 'moves': {
      const isSeen = contract.resources
        .flatMap((one) => (one.name === resource ? machinesOf(one) : []))
        .filter(({ transitions }) => transitions.some(({ name }) => when.transitions.includes(name)))
        .every(({ field }) => isMember(version, `${resource}.${field}`));
      const by = internals || isSeen ? ` by ${orText(when.transitions)}` : '';
      return `${resource} changes its state${by}.`;
    }
    case 'changed': {
      const fields = when.fields.filter(isShown);
      return fields.length ? `${resource} is changed in ${orText(fields)}.` : `${resource} is changed.`;
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

/** Whether a shown form of a version has a member for a field, by the names of the current version. */
const isMember = ({ shapes }: VersionContract, name: string): boolean =>
  shapes.some(({ type }) => type.members.some(({ field }) => field === name));

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
  const order =
    orderPer === null ? 'in no order' : `in order for each ${orderPer.replace('others per', 'others for each')}`;
  return `Sent ${delivery}, ${order}: ${tries}. A receiver has ${showDuration(timeoutMilliseconds)} to answer. A status from 200 to 299 is a success; ${attempts === 1 ? 'after any other answer, the event is not sent again' : 'any other answer is retried'}.${gone ? ' The status 410 removes the receiver.' : ''}${retryAfterMilliseconds === undefined ? '' : ` The service waits for \`Retry-After\`, at most ${showDuration(retryAfterMilliseconds)}.`}`;
}
