import type { Located, Name } from '../syntax/read.ts';
import type { Span } from '../syntax/span.ts';
import type { Token } from '../syntax/tokens.ts';

/** What happens to a row: it is there or gone, it moves, one of some fields has another value, or its time has come. */
export type Happening =
  | { readonly kind: 'created' }
  | { readonly kind: 'removed' }
  | { readonly kind: 'moves'; readonly by: readonly Name[] }
  | { readonly kind: 'changed'; readonly fields: readonly Name[] }
  | { readonly kind: 'at'; readonly instant: Token; readonly condition: Token | null };

/** What has to happen to a row of a resource for an event. */
export interface Trigger {
  readonly resource: Name;
  readonly on: Happening;
}

/** How those who are to hear of an event do. */
export type Channel = 'webhook' | 'stream';

/** `Issue`, `Issue as Short`: the row in its shown form, or in one of its views. */
export interface Payload {
  readonly resource: Name;
  readonly view: Name | null;
}

export interface Event {
  readonly name: Name;
  readonly when: Trigger | null;
  readonly payload: Payload | null;
  readonly notifiedBy: Located<readonly Channel[]> | null;
  readonly span: Span;
}

/** Receivers that are rows of a resource: their fields that say where, of what and how they are told. */
export interface Managed {
  readonly resource: Name;
  readonly url: Name;
  /** Null where each is told of every event. */
  readonly events: Name | null;
  readonly secret: Name;
  /** Whether it is said that payloads are in the current version. */
  readonly current: boolean;
}

/** ``Hears of Order: `owner == about.customer` `` */
export interface Hears extends Span {
  readonly resource: Name;
  readonly condition: Token | 'everything';
}

export interface Webhook {
  readonly receivers: Located<'operator' | Managed> | null;
  /** Of which rows’ events a receiver that is a row hears. */
  readonly hears: readonly Hears[];
  readonly signature: Located<'Standard Webhooks'> | null;
  readonly timeout: Located<number> | null;
  /** The delay before each attempt after the first, in milliseconds. */
  readonly delays: Located<readonly number[]> | null;
  /** The resource whose rows each keep their order; `none` where nothing does. */
  readonly order: Located<Name | 'none'> | null;
  readonly delivery: Located<'at least once'> | null;
  /** How long an event is kept once its last delivery has ended, in milliseconds. */
  readonly kept: Located<number | 'forever'> | null;
  readonly span: Span;
}

/** What the stream of events is like, wherever an endpoint answers with it. */
export interface Stream {
  readonly format: Located<'server-sent events'> | null;
  /** What stands as a message’s data: the payload alone, or in the envelope that webhooks have. */
  readonly data: Located<'payload' | 'envelope'> | null;
  /** How long a reader may come back to where it was, in milliseconds, and what it is refused with after that. */
  readonly resumption: Located<Resumption | 'none'> | null;
  /** When a reader is told to come back, in milliseconds. */
  readonly retry: Located<number | 'none'> | null;
  /** How often something is sent where nothing happens, in milliseconds. */
  readonly heartbeat: Located<number | 'none'> | null;
  /** How long a reader may take nothing of what is sent to it, in milliseconds. */
  readonly patience: Located<number> | null;
  /** How many streams a caller, or an address without one, may have open. */
  readonly atOnce: Located<AtOnce | 'any number'> | null;
  readonly span: Span;
}

export interface Resumption {
  readonly milliseconds: number;
  readonly code: Name | null;
}

/** How many streams may be open at once, for each of something; null where that is not said. */
export interface AtOnce {
  readonly caller: number | null;
  /** For each address without a caller. */
  readonly nobody: number | 'any number' | null;
  readonly code: Name | null;
}

export interface Events {
  readonly none: boolean;
  readonly list: readonly Event[];
  readonly webhook: Webhook | null;
  readonly stream: Stream | null;
}
