import type { Channel, Payload, StreamBullets, Trigger, WebhookBullets } from '../../language/events.ts';
import type { Located, Name } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';
import type { Token } from '../../syntax/tokens.ts';

export interface Event {
  readonly name: Name;
  /** The change of a row; null for an event that a step emits. */
  readonly when: Trigger | null;
  /** True for an event that steps emit, which is about no row. */
  readonly emitted: boolean;
  /** The shown form of the row; null for an event that a step emits. */
  readonly payload: Payload | null;
  /** The members that steps give values; null for an event about a row. */
  readonly members: readonly Name[] | null;
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

/** ``Visible of report.ready: `team == caller.team` `` */
export interface Seen extends Span {
  readonly event: Name;
  readonly condition: Token | 'everyone';
}

export interface Stream extends StreamBullets {
  /** The readers who see each event that steps emit. */
  readonly seen: readonly Seen[];
  readonly span: Span;
}

export interface Events {
  readonly none: boolean;
  readonly list: readonly Event[];
  readonly webhook: Webhook | null;
  readonly stream: Stream | null;
}
