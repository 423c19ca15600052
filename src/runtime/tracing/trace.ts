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

/** The least number of events whose traces are kept. */
const EVENTS = 10_000;

/**
 * The traces of requests that caused events with pending webhooks, in this process's memory and for the newest events:
 * other nodes and later processes deliver without them.
 */
export class RecentTraces {
  private newer = new Map<string, Trace>();
  /**
   * The older half is dropped as a whole: to find the oldest entry of a map, V8 scans all entries that were deleted
   * before it.
   */
  private older = new Map<string, Trace>();

  /** Notes the trace of the request that caused an event. */
  note(event: string, trace: Trace): void {
    if (this.newer.size === EVENTS) [this.older, this.newer] = [this.newer, new Map()];
    this.newer.set(event, trace);
  }

  /** Returns the trace of the request that caused an event; null where it is unknown. */
  of(event: string): Trace | null {
    return this.newer.get(event) ?? this.older.get(event) ?? null;
  }
}
