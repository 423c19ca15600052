import { createHmac, timingSafeEqual } from 'node:crypto';
import { type StatementId, statementId } from '../../plan/lines.ts';
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
export function readDelivery(delivery: Delivery, secrets: readonly string[] | null, period: Period): Envelope | Fault {
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
  const id = header('webhook-id');
  if (!id) return fault('A webhook has an id (Standard Webhooks).', 'the header webhook-id', id);
  const sent = header('webhook-timestamp') ?? '';
  const seconds = Number(sent);
  const [from, to] = [Math.floor(period.from / 1000), Math.ceil(period.to / 1000)];
  if (!/^\d{1,12}$/.test(sent) || seconds < from || seconds > to)
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
