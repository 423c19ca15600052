import type { Channel, Payload, StreamBullets, Trigger, WebhookBullets } from '../../language/events.ts';
import type { Located, Name } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';
import type { Token } from '../../syntax/tokens.ts';

export interface Event {
  readonly name: Name;
  readonly when: Trigger | null;
  readonly payload: Payload | null;
  readonly notifiedBy: Located<readonly Channel[]> | null;
  readonly span: Span;
}

/** ``Hears of Order: `owner == about.customer` `` */
export interface Hears extends Span {
  readonly resource: Name;
  readonly condition: Token | 'everything';
}

export interface Webhook extends WebhookBullets {
  /** The rows whose events a receiver gets, where receivers are rows. */
  readonly hears: readonly Hears[];
  readonly span: Span;
}

export interface Stream extends StreamBullets {
  readonly span: Span;
}

export interface Events {
  readonly none: boolean;
  readonly list: readonly Event[];
  readonly webhook: Webhook | null;
  readonly stream: Stream | null;
}
