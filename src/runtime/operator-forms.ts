// The forms in which the operator’s commands and the console read the data of a service. They are plain data, and this
// file imports nothing: the page of the console has the same types.

/** A key that was issued. The key itself is not stored. */
export interface IssuedKey {
  readonly id: string;
  /** The identity of the row that the key is issued for. */
  readonly holder: string;
  readonly scheme: string | null;
  readonly resource: string | null;
  readonly scopes: readonly string[];
  readonly created: string | null;
  readonly revoked: string | null;
}

/** A receiver of events that the operator has registered. */
export interface RegisteredReceiver {
  readonly id: string;
  readonly url: string;
  readonly version: string;
  /** Whether the document no longer describes the receiver's version: its deliveries wait. */
  readonly waits: boolean;
  /** When the receiver was paused; null where it is not paused. */
  readonly paused: string | null;
  /** The end of the time in which the old secret signs, too; null where the receiver has one secret. */
  readonly oldSecretUntil: string | null;
  readonly allowPrivate: boolean;
  readonly created: string | null;
  readonly events: readonly string[];
}

/** A new receiver, and its secret, which is shown once. */
export interface ReceiverAdded {
  readonly id: string;
  readonly secret: string;
}

/** The result of a rotation, the only time that the new secret is shown. */
export interface ReceiverRotated extends ReceiverAdded {
  /** The end of the old secret's validity; null where it is no longer valid. */
  readonly oldSecretUntil: string | null;
}

/** `waiting`: an earlier delivery of the same row is not finished. */
export type DeliveryState = 'pending' | 'waiting' | 'delivered' | 'given up';

/** An event on its way to a receiver. */
export interface Delivery {
  readonly event: string;
  readonly type: string;
  /** The resource and the identity of the row; null for an event that a step emits, which is about no row. */
  readonly resource: string | null;
  readonly row: string | null;
  readonly receiver: string;
  readonly url: string;
  readonly delivery: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** The time of the next attempt. */
  readonly due: string | null;
  readonly lastAt: string | null;
  /** The status of the receiver's answer, or the reason why there was none. */
  readonly lastResult: string | null;
}

/** How the deliveries of a receiver end. */
export interface ReceiverHealth {
  readonly receiver: string;
  /** Null where none of the counted deliveries is to the receiver. */
  readonly url: string | null;
  /** Of the last deliveries of the service, those to the receiver that were delivered, and those given up. */
  readonly delivered: number;
  readonly givenUp: number;
  readonly lastSuccess: string | null;
  /** The number of its pending deliveries; 1,000 means as many or more. */
  readonly pending: number;
  /** The time of its next attempt; past where the deliveries are held. */
  readonly next: string | null;
}

/** A receiver that was removed because it answered 410. */
export interface GoneReceiver {
  readonly receiver: string;
  readonly url: string;
  readonly at: string | null;
}

/** The tests of a field. `contains` is for text and ignores the case of ASCII letters; `from` and `to` include the value. */
export const ROW_TESTS = ['equal', 'not equal', 'contains', 'from', 'to', 'absent', 'present'] as const;

/** One condition of the operator on rows of a resource. */
export interface RowFilter {
  readonly field: string;
  readonly is: (typeof ROW_TESTS)[number];
  /** The value in the form of `rows change`; null for `absent` and `present`. */
  readonly value: string | null;
}

/** The labels of rows to which others refer: resource → identity → label. A row without a label is left out. */
export type Labels = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** How many rows of a resource refer to a row in a field. */
export interface ReferringRows {
  readonly resource: string;
  readonly field: string;
  readonly rows: number;
}
