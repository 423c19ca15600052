import type { Frame, Value } from '../expression/value.ts';
import type { Known } from '../parts/authentication/enforce.ts';
import type { Fault } from '../parts/errors/conditions.ts';
import type { Refusal } from '../parts/errors/enforce.ts';
import type { Aside } from '../parts/resources/aside.ts';
import type { Speech } from '../parts/versioning/enforce.ts';
import type { Taken } from '../store/counters.ts';

/** A body as it was read, or why it wasn't. */
export type BodyRead = Buffer | 'too large' | 'too slow' | 'broken off';

/** What comes from the wire. The HTTP server makes one; tests and other transports may too. */
export interface Incoming {
  readonly method: string;
  /** The target as sent, split at the first `?`; the query is null where there is no `?`. */
  readonly path: string;
  readonly query: string | null;
  /** The host that the target itself names, which then stands for Host. */
  readonly authority?: string | null;
  /** Name, value, name, value …, as sent. */
  readonly rawHeaders: readonly string[];
  /** The address of the peer. */
  readonly address: string;
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

/** One field, parameter or header that isn't allowed as given. */
export interface FaultAt {
  readonly place: 'pointer' | 'parameter' | 'header';
  readonly name: string;
  readonly code: Fault;
}

/** The page that a list is asked for. */
export interface PageAsked {
  readonly limit: number;
  /** The cursor, or the identity of a row, as sent; it is opened when the list knows what it is bound to. */
  readonly place: string | null;
  /** How many rows stand before the page, where that is known. */
  readonly offset: number;
  /** The number of the page, from 1, where pages are numbered. */
  readonly number: number;
}

/** An idempotency key that this request has claimed. */
export interface KeyClaim {
  /** What the endpoint’s kept answers are known by. */
  readonly endpoint: string;
  readonly key: string;
  readonly claim: string;
  readonly fingerprint: Buffer;
}

/** One request on its way through the stages: what is known of it so far. */
export interface Exchange {
  readonly incoming: Incoming;
  readonly endpoint: string;
  /** The version that stands before the path, where versions do. */
  readonly version: string | null;
  /** The segments that path parameters stand for, decoded. */
  readonly segments: readonly string[];
  readonly deadline: number;
  readonly frame: Frame;
  readonly rates: Array<{ readonly rate: number; readonly taken: Taken }>;
  readonly faults: FaultAt[];
  speech: Speech;
  /** True once the version is known: from then on, answers tell of its deprecation. */
  versionKnown: boolean;
  /** The caller's identity; null where there is none. */
  holder: Value;
  /** What the caller's requests are counted, and its keys and cursors bound, by. */
  callerKey: string;
  /**
   * How the caller is read again inside the transaction, the refusal where the credentials hold no more, and the word of
   * the challenge where access tokens are told which scope they lack, and the id of its API key.
   */
  known: {
    readonly again: Known['again'];
    readonly refused: Refusal;
    readonly challenge: string | null;
    readonly keyId: string | null;
  } | null;
  /** What has been computed for it beside its transaction; undefined where the document has nothing that is. */
  readonly aside: Aside | undefined;
  body: unknown;
  /** The validated body in a canonical form. */
  canonical: (x: Exchange) => string;
  parameters: ReadonlyArray<readonly [string, string]>;
  page: PageAsked | null;
  /** True where a body came that nothing reads. */
  unexpectedBody: boolean;
  /** The refusal of a parameter that states its own, raised as the first step. */
  refused: Refusal | null;
  key: KeyClaim | null;
}
