import type { Condition } from '../../plan/conditions.ts';
import type { Trace } from '../tracing/trace.ts';

/** The bytes of a body, or the reason why it was not read. */
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
  /** Reads a body of at most `most` bytes until `deadline` (milliseconds since the epoch). */
  body(most: number, deadline: number): Promise<BodyRead> | BodyRead;
  /** Gives a body to `take`, piece by piece; absent where bodies are whole. */
  receive?(most: number, deadline: number, take: TakePiece): Promise<BodyEnd>;
}

/**
 * Takes a piece of a body. The next one comes once a promise that this returns has resolved: to false where the rest is not
 * wanted.
 */
export type TakePiece = (piece: Buffer) => Promise<boolean> | null;

/** How the reading of a body in pieces has ended. `refused`: the taker did not want the rest. */
export type BodyEnd = 'whole' | 'refused' | Exclude<BodyRead, Buffer>;

/** A part of a stored file: from the byte `start` to before the byte `end`. */
export interface FilePart {
  readonly id: string;
  readonly start: number;
  readonly end: number;
}

/** An answer as it goes out. */
export interface Answer {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: string | null;
  /** Values of `Set-Cookie`, which belong to this request alone: no kept answer has them. */
  readonly cookies?: readonly string[];
  /** The code of a refusal in the document, even if the payload shows another form of it. */
  readonly code?: string;
  /** Writes the body piece by piece; replaces `body`. */
  readonly stream?: Streaming;
  /** The bytes that are the body, before they are streamed. */
  readonly file?: FilePart;
  /** A digest of the body that its entity tag is computed from, where `body` is not the body. */
  readonly digest?: string;
  /** True for the answer to HEAD of a stream: the length of a GET's body is unknown. */
  readonly endless?: true;
  /** True where the connection must end: the rest of a body is unread. */
  readonly close?: boolean;
}

/** The writer of a streamed body. */
export interface Outlet {
  /**
   * Resolves to true once there is room for more; to false where the reader has gone, or takes longer than `patience`
   * milliseconds.
   */
  write(piece: string | Buffer, patience: number): Promise<boolean>;
  /** Resolves once the reader has gone. */
  readonly gone: Promise<void>;
  /** Resets the connection, so that the reader does not take an incomplete body for a whole one. */
  breakOff?(): void;
}

/** A streamed body. `run` must be called even where the reader has gone. */
export interface Streaming {
  /** True for a body with an end: its connection is reset where `run` rejects. */
  readonly finite?: true;
  run(out: Outlet): Promise<void>;
  /** Ends the stream before it has run, where its answer comes too late. */
  drop?(): void;
}

/** An answer, and its endpoint, if there is one. */
export interface Handled {
  readonly answer: Answer;
  readonly endpoint: string | null;
  /** The id of the request's API key; null where there is none. */
  readonly key?: string | null;
  /** The caller, as resource and identity; null where there is none. */
  readonly caller?: string | null;
}

/** The interface by which the HTTP server gets its answers. */
export interface Answerer {
  /** The longest time-out of an endpoint, in milliseconds; null where some endpoint has none. */
  readonly timeout: number | null;
  /** How long the head of a request may be, in bytes. */
  readonly headSize: number;
  /** True once the service is stopping: requests that still come are refused. */
  draining: boolean;
  /** Answers one request. Never throws or rejects; returns a promise only where something must be waited for. */
  handle(incoming: Incoming): Handled | Promise<Handled>;
  /**
   * Returns the document's answer to input that is not a valid request, such as malformed HTTP; null where HTTP's own
   * answer applies.
   */
  wire(condition: Condition): Answer | null;
  /** Returns the time of the store's clock, in milliseconds since the epoch. */
  now(): number;
  /** Called once all requests of a turn of the event loop have begun. */
  begun(): void;
}
