import { createHmac, timingSafeEqual } from 'node:crypto';
import { type StatementId, statementId } from '../../plan/lines.ts';
import {
  type DeliveryHeader,
  deliveryHeaders,
  filled,
  patternOf,
  type SigningPlan,
} from '../../plan/webhook-signing.ts';
import type { Delivery } from './receiver.ts';

/** A difference of a delivery from the document. */
export interface Fault {
  readonly statement: StatementId;
  /** Other statements that could be meant. */
  readonly others?: readonly StatementId[];
  readonly why: string;
  readonly expected: string;
  readonly actual: string;
  /** The body of the delivery. */
  readonly about?: string;
  /** Whether the signature alone is wrong: another secret makes the same difference. */
  readonly isOfSignature?: true;
}

/** The content of a delivery, in the form of Standard Webhooks. */
export interface Envelope {
  readonly id: string;
  readonly type: string;
  readonly timestamp: number;
  readonly data: unknown;
}

/** When a delivery was made, in milliseconds since the epoch, by the clock of the service. */
interface Period {
  readonly from: number;
  readonly to: number;
}

const SIGNATURE = statementId.part('webhook', 'signature');
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Reads a delivery, and checks its headers, its signature and the form of its body by Standard Webhooks 1.0.0. The
 * signature must be made with one of the secrets; without secrets, the signature is not checked.
 */
export function readDelivery(
  delivery: Delivery,
  secrets: readonly string[] | null,
  period: Period,
  signing?: SigningPlan,
): Envelope | Fault {
  const { method, header, body } = delivery;
  const fault = (why: string, expected: string, actual: string | null): Fault => ({
    statement: SIGNATURE,
    why,
    expected,
    actual: actual ?? 'nothing',
  });
  if (method !== 'POST') return fault('A webhook is sent by POST.', 'POST', method);
  const type = header('content-type');
  if (type === null || !/^application\/json\s*(?:;|$)/i.test(type))
    return fault('The body of a webhook is JSON.', 'content-type: application/json', type);
  if (signing) return readSigned(delivery, secrets, period, signing);
  const id = header('webhook-id');
  if (!id) return fault('A webhook has an id (Standard Webhooks).', 'the header webhook-id', id);
  const sent = header('webhook-timestamp') ?? '';
  const [from, to] = secondsOf(period);
  if (!isWithin(sent, period))
    return fault(
      'The header webhook-timestamp says when the delivery is made, in whole seconds.',
      `from ${from} to ${to}`,
      sent,
    );
  const signature = header('webhook-signature');
  const wanted = secrets?.map((secret) => signatureOf(secret, `${id}.${sent}.${body}`));
  const given = (signature ?? '').split(' ');
  if (wanted && !wanted.some((one) => given.some((other) => isSame(one, other))))
    return {
      ...fault(
        'The signature is made with the secret of the receiver, over id, timestamp and body.',
        wanted.join(' or '),
        signature,
      ),
      isOfSignature: true,
    };
  return (
    envelopeOf(id, body) ??
    fault('The body has type, timestamp and data (Standard Webhooks).', 'those members alone', body.slice(0, 300))
  );
}

const secondsOf = ({ from, to }: Period): [from: number, to: number] => [Math.floor(from / 1000), Math.ceil(to / 1000)];

function isWithin(sent: string, period: Period): boolean {
  const [from, to] = secondsOf(period);
  return /^\d{1,12}$/.test(sent) && Number(sent) >= from && Number(sent) <= to;
}

/** The values that the headers of a delivery carry, or the header that has another form. */
function carriedBy(
  { header }: Pick<Delivery, 'header'>,
  signing: SigningPlan,
): ReadonlyMap<string, string> | DeliveryHeader {
  const carried = new Map<string, string>();
  for (const one of deliveryHeaders(signing)) {
    const match = new RegExp(patternOf(one, signing)).exec(header(one.name) ?? '');
    if (!match) return one;
    for (const [name, value] of Object.entries(match.groups ?? {})) {
      if ((carried.get(name) ?? value) !== value) return one;
      carried.set(name, value);
    }
  }
  return carried;
}

/** The id of the event that a delivery is of; null where no header tells it. */
export function deliveryId(delivery: Pick<Delivery, 'header'>, signing: SigningPlan | undefined): string | null {
  if (!signing) return delivery.header('webhook-id');
  const carried = carriedBy(delivery, signing);
  return 'name' in carried ? null : (carried.get('id') ?? null);
}

/** Reads a delivery whose signature has the form of the document. */
function readSigned(
  delivery: Delivery,
  secrets: readonly string[] | null,
  period: Period,
  signing: SigningPlan,
): Envelope | Fault {
  const { header, body } = delivery;
  const fault = (why: string, expected: string, actual: string | null): Fault => ({
    statement: SIGNATURE,
    why,
    expected,
    actual: actual ?? 'nothing',
  });
  const carried = carriedBy(delivery, signing);
  if ('name' in carried) {
    const { name, value } = carried;
    return fault(`The header ${name} has the form that the document states.`, value, header(name));
  }
  const seconds = carried.get('seconds');
  const [from, to] = secondsOf(period);
  if (seconds !== undefined && !isWithin(seconds, period))
    return fault('The seconds say when the delivery is made.', `from ${from} to ${to}`, seconds);
  const content = filled(signing.content, { ...Object.fromEntries(carried), body });
  const encoding = signing.encoding === 'base64' ? 'base64' : 'hex';
  const wanted = secrets?.map((secret) => createHmac('sha256', secret).update(content).digest(encoding));
  const given = carried.get('signature') ?? '';
  const { rotation } = signing;
  const each = rotation !== null && typeof rotation === 'object' ? given.split(rotation.between) : [given];
  if (wanted && !wanted.some((one) => each.some((other) => isSame(one, other))))
    return {
      ...fault(
        'The signature is the HMAC-SHA256 of the stated text, by the text of the secret.',
        wanted.join(' or '),
        given,
      ),
      isOfSignature: true,
    };
  const envelope = envelopeOf(carried.get('id') ?? '', body);
  if (!envelope) return fault('The body has type, timestamp and data.', 'those members alone', body.slice(0, 300));
  const told = { type: envelope.type, timestamp: (JSON.parse(body) as { timestamp: string }).timestamp };
  for (const name of ['type', 'timestamp'] as const) {
    const sent = carried.get(name);
    if (sent !== undefined && sent !== told[name])
      return fault(`The header has the ${name} of the body.`, told[name], sent);
  }
  return envelope;
}

export const isFault = (read: Envelope | Fault): read is Fault => 'why' in read;

function envelopeOf(id: string, body: string): Envelope | null {
  let read: unknown;
  try {
    read = JSON.parse(body);
  } catch {
    return null;
  }
  if (typeof read !== 'object' || read === null || Object.keys(read).sort().join() !== 'data,timestamp,type')
    return null;
  const { type, timestamp, data } = read as Record<string, unknown>;
  if (typeof type !== 'string' || typeof timestamp !== 'string' || !RFC_3339.test(timestamp)) return null;
  return { id, type, timestamp: Date.parse(timestamp), data };
}

/** The symmetric scheme `v1`: the key is the base64 after `whsec_`. */
function signatureOf(secret: string, content: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
