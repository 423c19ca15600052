// ——— GET /keys, POST /keys, POST /keys/ID/revoke ———

/** Query: `offset`, `limit` as for rows; `valid=1` leaves out those that are revoked. Newest first. */
export interface KeysAnswer {
  readonly total: number;
  readonly offset: number;
  readonly keys: readonly KeyShown[];
}

/** A key that has been issued. The key itself is not stored. */
export interface KeyShown {
  readonly id: string;
  readonly holder: string;
  readonly resource: string | null;
  readonly scheme: string | null;
  readonly scopes: readonly string[];
  readonly created: string | null;
  readonly revoked: string | null;
}

export interface IssueKeyRequest {
  readonly scheme: string;
  /** The identity of the row that it is for. */
  readonly holder: string;
  readonly scopes: readonly string[];
}

/** The one time that the key can be seen. */
export interface KeyIssued {
  readonly id: string;
  readonly key: string;
}

// ——— GET /receivers, POST /receivers, …/ID/change, …/ID/pause, …/ID/resume, …/ID/rotate, …/ID/remove ———

export interface ReceiversAnswer {
  readonly receivers: readonly ReceiverShown[];
}

export interface ReceiverShown {
  readonly id: string;
  readonly url: string;
  readonly version: string | null;
  /** True while its version is one that events can’t be told in: its deliveries wait. */
  readonly waits: boolean;
  /** Since when nothing is sent to it; null where it is not paused. */
  readonly paused: string | null;
  /** Until when its old secret signs beside the new one; null where it has one secret. */
  readonly oldSecretUntil: string | null;
  readonly allowPrivate: boolean;
  readonly created: string | null;
  readonly events: readonly string[];
}

export interface AddReceiverRequest {
  readonly url: string;
  readonly events: readonly string[];
  readonly version: string | null;
  readonly allowPrivate: boolean;
}

/** The one time that the secret can be seen. */
export interface ReceiverAdded {
  readonly id: string;
  readonly secret: string;
}

/** Null leaves it as it is. */
export interface ChangeReceiverRequest {
  readonly events: readonly string[] | null;
  readonly version: string | null;
  readonly url: string | null;
  /** Whether the address that is given may be a private one. */
  readonly allowPrivate: boolean;
}

export interface RotateSecretRequest {
  /** How long the old secret is valid beside the new one: `24h`, `7 days`, or `0`. */
  readonly oldSecretFor: string;
}

/** The one time that the new secret can be seen. */
export interface ReceiverRotated {
  readonly id: string;
  readonly secret: string;
  readonly oldSecretUntil: string | null;
}

// ——— GET /deliveries, POST /deliveries/replay ———

/** Query: `offset`, `limit` as for rows; `state`, `type` (of event), `receiver`, `event`, `resource` and `row`. Newest first. */
export interface DeliveriesAnswer {
  readonly total: number;
  readonly offset: number;
  readonly deliveries: readonly DeliveryShown[];
}

/** An event on its way to a receiver. */
export interface DeliveryShown {
  readonly delivery: string;
  readonly event: string;
  readonly type: string;
  readonly resource: string;
  readonly row: string;
  readonly receiver: string;
  readonly url: string;
  /** `waiting`: one of the same row comes before it. */
  readonly state: DeliveryState;
  readonly attempts: number;
  /** When the next attempt is due. */
  readonly due: string | null;
  readonly lastAt: string | null;
  /** The status that the receiver answered, or why nothing came. */
  readonly lastResult: string | null;
}

export type DeliveryState = 'pending' | 'waiting' | 'delivered' | 'given up';

export interface ReplayRequest {
  /** The identity of the event: it is sent again to each receiver whose delivery has ended. */
  readonly event: string;
}

export interface Replayed {
  readonly deliveries: number;
}
