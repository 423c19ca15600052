/** A request exactly as it is sent to the tested implementation. */
export interface Request {
  readonly method: string;
  /** The path and the query, as in the request line. */
  readonly target: string;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** Null if the request has neither a body nor a Content-Length. */
  readonly body: Buffer | null;
  /** The delay of the last byte of the body, in milliseconds. */
  readonly late?: number | undefined;
}

/** The longest address that every server is expected to read, in octets (RFC 9110, section 4.1). */
const MOST_OCTETS = 8000;

/** Whether a request is short enough for any server: intermediaries may refuse longer targets or headers. */
export const isShortEnough = ({ target, headers }: Request): boolean =>
  target.length <= MOST_OCTETS &&
  headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0) <= MOST_OCTETS;

export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly body: Buffer;
}

/** The placeholder for a missing answer. */
export const NO_ANSWER: Answer = { status: 0, headers: [], body: Buffer.alloc(0) };

/** The reason for a missing answer. */
export interface NoAnswer {
  readonly failed: 'not reached' | 'closed' | 'timed out' | 'too large' | 'no HTTP';
  /** A sentence for the report: what happened, and what to do. */
  readonly detail: string;
}

/** A request and its outcome. Times are milliseconds since the epoch, by the clock of the tester. */
export interface Exchange {
  readonly request: Request;
  readonly outcome: Answer | NoAnswer;
  readonly sentAt: number;
  readonly endedAt: number;
}

/** The value of the first header of a name; null where none was sent. */
export function headerOf(headers: Answer['headers'], name: string): string | null {
  const lower = name.toLowerCase();
  return headers.find(([one]) => one.toLowerCase() === lower)?.[1] ?? null;
}

/** The combined value of all headers of a name (RFC 9110, section 5.3); null where none was sent. */
export function combinedHeader(headers: Answer['headers'], name: string): string | null {
  const lower = name.toLowerCase();
  const all = headers.filter(([one]) => one.toLowerCase() === lower);
  // Spaces around a value are no part of it (RFC 9110, section 5.5).
  const separator = lower === 'cookie' ? '; ' : ', ';
  return all.length ? all.map(([, value]) => value.replace(/^[ \t]+|[ \t]+$/g, '')).join(separator) : null;
}
