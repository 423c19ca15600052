import type { Trace } from '../tracing/trace.ts';

/** A body as it was read, or why it wasn't. */
export type BodyRead = Buffer | 'too large' | 'too slow' | 'broken off';

/** A request as received. The HTTP server makes one; tests and other transports may, too. */
export interface Incoming {
  readonly method: string;
  /** The target as sent, split at the first `?`; the query is null where there is no `?`. */
  readonly path: string;
  readonly query: string | null;
  /** The host in the target itself, or from a trusted proxy; it replaces Host. */
  readonly authority?: string | null;
  /** Name, value, name, value …, as sent. */
  readonly rawHeaders: readonly string[];
  /** The address of the client: the peer's, or the one that a trusted proxy names. */
  readonly address: string;
  /** The trace context of the request; null where there is none. */
  readonly trace?: Trace | null;
  /** Milliseconds since the epoch at which the request's head had been read. */
  readonly arrived: number;
  /** Milliseconds since the epoch at which the request begins: the `now()` of all its expressions. */
  readonly now: number;
  /** Reads the body, at most `most` bytes, until `deadline` (milliseconds since the epoch). */
  body(most: number, deadline: number): Promise<BodyRead> | BodyRead;
}

/** An answer as it goes out. */
export interface Answer {
  readonly status: number;
  /** Name, value, name, value … */
  readonly headers: string[];
  readonly body: string | null;
  /** The document's code of a refusal, in whatever form its payload has it. */
  readonly code?: string;
  /** Writes the body piece by piece; replaces `body`. */
  readonly stream?: Streaming;
  /** True for the answer to HEAD of a stream: the length of a GET's body is unknown. */
  readonly endless?: true;
  /** True where the connection can't be used again: the rest of a body has been left unread. */
  readonly close?: boolean;
}

/** Where the body of an answer goes that is sent piece by piece. */
export interface Outlet {
  /** Resolves once there is room for more; false where there is nobody to take it, or not within `patience` milliseconds. */
  write(text: string, patience: number): Promise<boolean>;
  /** Resolves once the reader has gone. */
  readonly gone: Promise<void>;
}

/** The body of an answer that is sent piece by piece. Has to be run, even where nobody is there any more. */
export interface Streaming {
  run(out: Outlet): Promise<void>;
}

/** An answer, and the endpoint that it is of, where there is one. */
export interface Handled {
  readonly answer: Answer;
  readonly endpoint: string | null;
  /** The id of the request's API key; null where there is none. */
  readonly key?: string | null;
  /** The caller, as resource and identity; null where there is none. */
  readonly caller?: string | null;
}
