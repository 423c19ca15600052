import type { Trace } from '../tracing/trace.ts';

/** A body as it was read, or why it wasn't. */
export type BodyRead = Buffer | 'too large' | 'too slow' | 'broken off';

/** What comes from the wire. The HTTP server makes one; tests and other transports may too. */
export interface Incoming {
  readonly method: string;
  /** The target as sent, split at the first `?`; the query is null where there is no `?`. */
  readonly path: string;
  readonly query: string | null;
  /** The host that the target itself names, or a trusted proxy does, which then stands for Host. */
  readonly authority?: string | null;
  /** Name, value, name, value …, as sent. */
  readonly rawHeaders: readonly string[];
  /** The address of the client: the peer’s, or that for which a trusted proxy asks. */
  readonly address: string;
  /** What it is followed by; null where it is not. */
  readonly trace?: Trace | null;
  /** Milliseconds since the epoch at which the request's head had been read. */
  readonly arrived: number;
  /** Milliseconds since the epoch at which it is begun: `now()` of all that it does. */
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
  /** The code that the document has for a refusal, however its payload tells it. */
  readonly code?: string;
  /** What is sent in the body’s place, piece by piece. */
  readonly stream?: Streaming;
  /** True for the head of a stream: how long it would be nobody knows. */
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
  /** The id of the API key that it was asked with; null where there was none. */
  readonly key?: string | null;
  /** Who asked, as resource and identity; null where that is nobody known. */
  readonly caller?: string | null;
}
