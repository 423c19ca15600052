import { randomBytes, randomUUID } from 'node:crypto';
import { header } from '../../http/headers.ts';

/** What a request is followed by, from proxy to log to webhook (W3C Trace Context, level 1). */
export interface Trace {
  /** The trace’s id: 32 hexadecimal digits. */
  readonly id: string;
  /** Whether whoever began it records it, as its flags say: two hexadecimal digits. */
  readonly flags: string;
}

/** `traceparent` of version 00, and of later ones as far as this one knows them. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(?:-.*)?$/;

/** The trace that a request belongs to: that of its `traceparent`, or a new one where that is missing or malformed. */
export function traceOf(rawHeaders: readonly string[]): Trace {
  const match = TRACEPARENT.exec(header(rawHeaders, 'traceparent') ?? '');
  if (match && !(match[0].startsWith('00') && match[0].length > 55)) return { id: match[1]!, flags: match[2]! };
  return { id: randomUUID().replaceAll('-', ''), flags: '00' };
}

/** The `traceparent` of what is done on behalf of a trace, with an id of its own. */
export const traceparentOf = ({ id, flags }: Trace): string => `00-${id}-${randomBytes(8).toString('hex')}-${flags}`;
