import { randomBytes } from 'node:crypto';

/** The context that links a request, its log lines and its webhooks (W3C Trace Context, level 1). */
export interface Trace {
  /** The trace id: 32 hexadecimal digits. */
  readonly id: string;
  /** The id of the parent span: 16 hexadecimal digits; null where there is none. */
  readonly span: string | null;
  /** The trace flags, which say whether the parent is recorded: two hexadecimal digits. */
  readonly flags: string;
}

/** `traceparent` of version 00, and the known part of later versions. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/**
 * The bytes of an id, and the number of ids that are drawn together: drawing each alone takes several times as long.
 */
const BYTES = 16;
const DRAWN = 1024;

/** Returns the trace of a request's `traceparent`; null where the header is missing or malformed. */
export function sentTrace(sent: string | undefined): Trace | null {
  const match = sent === undefined ? null : TRACEPARENT.exec(sent);
  if (!match || (match[0].startsWith('00') && match[0].length > 55)) return null;
  return { id: match[1]!, span: match[2]!, flags: match[3]! };
}

/** Begins the traces of requests without one. */
export class Traces {
  /** Drawn ids, one after the other. */
  private drawn = '';
  private at = 0;

  /** Returns a new trace. */
  begun(): Trace {
    if (this.at === this.drawn.length) [this.drawn, this.at] = [randomBytes(BYTES * DRAWN).toString('hex'), 0];
    const from = this.at;
    this.at += 2 * BYTES;
    return { id: this.drawn.slice(from, this.at), span: null, flags: '00' };
  }
}

/** Returns the `traceparent` of work within a trace, with a span id of its own. */
export const traceparentOf = ({ id, flags }: Trace): string => `00-${id}-${randomBytes(8).toString('hex')}-${flags}`;
