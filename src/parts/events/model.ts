import type { Token } from '../../source/phrase.ts';
import type { Name, Said } from '../../source/read.ts';
import type { Span } from '../../source/span.ts';

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

export interface Event {
  readonly name: Name;
  readonly when: Trigger | null;
  /** The resource whose shown form is the payload. */
  readonly payload: Name | null;
  readonly notifiedBy: Said<'webhook'> | null;
  readonly span: Span;
}

export interface Webhook {
  readonly receivers: Said<'operator'> | null;
  readonly signature: Said<'Standard Webhooks'> | null;
  readonly timeout: Said<number> | null;
  /** The delay before each attempt after the first, in milliseconds. */
  readonly delays: Said<readonly number[]> | null;
  /** The resource whose rows each keep their order; `none` where nothing does. */
  readonly order: Said<Name | 'none'> | null;
  readonly delivery: Said<'at least once'> | null;
  readonly span: Span;
}

export interface Events {
  readonly none: boolean;
  readonly list: readonly Event[];
  readonly webhook: Webhook | null;
}
