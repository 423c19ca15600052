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

/** `traceparent` of version 00, and of later ones as far as this one knows them. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** The bytes of an id, and how many ids are drawn at once: each by itself would cost a multiple. */
const BYTES = 16;
const DRAWN = 1024;

/** The trace that a request came with, by its `traceparent`; null where that is missing or malformed. */
export function sentTrace(sent: string | undefined): Trace | null {
  const match = sent === undefined ? null : TRACEPARENT.exec(sent);
  if (!match || (match[0].startsWith('00') && match[0].length > 55)) return null;
  return { id: match[1]!, span: match[2]!, flags: match[3]! };
}

/** Begins the traces of requests that came with none. */
export class Traces {
  /** Ids that have been drawn, one after the other. */
  private drawn = '';
  private at = 0;

  /** A new trace. */
  begun(): Trace {
    if (this.at === this.drawn.length) [this.drawn, this.at] = [randomBytes(BYTES * DRAWN).toString('hex'), 0];
    const from = this.at;
    this.at += 2 * BYTES;
    return { id: this.drawn.slice(from, this.at), span: null, flags: '00' };
  }
}

/** The `traceparent` of what is done on behalf of a trace, with an id of its own. */
export const traceparentOf = ({ id, flags }: Trace): string => `00-${id}-${randomBytes(8).toString('hex')}-${flags}`;
