import type { Json } from './problem.ts';

// ——— GET /keys, POST /keys, POST /keys/ID/revoke ———

/** Query: `offset`, `limit` as for rows; `valid=1` omits revoked keys. Newest first. */
export interface KeysAnswer {
  readonly total: number;
  readonly offset: number;
  readonly keys: readonly KeyShown[];
}

/** An issued key. The key itself is not stored. */
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
  /** The identity of the row that the key is issued for. */
  readonly holder: string;
  readonly scopes: readonly string[];
}

/** The issued key, which is shown once. */
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
  /** Whether deliveries wait because the document no longer describes the version of the receiver. */
  readonly waits: boolean;
  /** The start of the pause; null if the receiver is not paused. */
  readonly paused: string | null;
  /** The time until which the old secret also signs; null if the receiver has one secret. */
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

/** The secret of a new receiver, which is shown once. */
export interface ReceiverAdded {
  readonly id: string;
  readonly secret: string;
}

/** The changes of a receiver; a null member stays unchanged. */
export interface ChangeReceiverRequest {
  readonly events: readonly string[] | null;
  readonly version: string | null;
  readonly url: string | null;
  /** Whether the new address may be a private one. */
  readonly allowPrivate: boolean;
}

export interface RotateSecretRequest {
  /** The time for which the old secret stays valid: `24h`, `7 days`, or `0`. */
  readonly oldSecretFor: string;
}

/** The new secret, which is shown once. */
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

/** A delivery of an event to a receiver. */
export interface DeliveryShown {
  readonly delivery: string;
  readonly event: string;
  readonly type: string;
  readonly resource: string;
  readonly row: string;
  readonly receiver: string;
  readonly url: string;
  /** `waiting`: an earlier delivery of the same row is not done. */
  readonly state: DeliveryState;
  readonly attempts: number;
  /** The time of the next attempt. */
  readonly due: string | null;
  readonly lastAt: string | null;
  /** The status of the receiver's response, or the reason why there was none. */
  readonly lastResult: string | null;
}

export type DeliveryState = 'pending' | 'waiting' | 'delivered' | 'given up';

// ——— GET /deliveries/ID ———

/** The last 20 attempts at a delivery, the last one first. They are stored as long as the delivery. */
export interface AttemptsAnswer {
  readonly attempts: readonly AttemptShown[];
}

/** One attempt at a delivery. */
export interface AttemptShown {
  readonly at: string;
  readonly milliseconds: number;
  /** The status of the receiver's answer; null where there was none. */
  readonly status: number | null;
  /** `status 204`, or the reason of the failure. */
  readonly result: string;
  /** The first 500 characters of the answer's body, with `…` in place of secrets. */
  readonly body: string;
  readonly bodyCut: boolean;
}

// ——— GET /receivers/health, POST /receivers/ID/test ———

/** The health of receivers: of all that the operator has registered, or of 200 rows among the last deliveries. */
export interface HealthAnswer {
  /** The number of last deliveries of the service that are counted. */
  readonly deliveries: number;
  readonly receivers: readonly HealthShown[];
  /** Receivers that were removed in the last 30 days because they answered 410, newest first. */
  readonly gone: ReadonlyArray<{ readonly receiver: string; readonly url: string; readonly at: string | null }>;
}

export interface HealthShown {
  readonly receiver: string;
  /** The address; null where none of the counted deliveries is to the receiver. */
  readonly url: string | null;
  readonly delivered: number;
  readonly givenUp: number;
  readonly lastSuccess: string | null;
  /** The number of pending deliveries; 1,000 means as many or more. */
  readonly pending: number;
  readonly next: string | null;
}

export interface TestRequest {
  /** The name of the event. */
  readonly event: string;
}

/** The one attempt at a test event. */
export interface TestAnswer {
  /** The id of the test event, which begins with `test_`. */
  readonly event: string;
  readonly attempt: AttemptShown;
}

// ——— GET /events/ID ———

/** An event with its payload, as it was recorded; a webhook has the names of the version of its receiver. */
export interface EventAnswer {
  readonly type: string;
  readonly at: string;
  readonly data: Json;
}

export interface ReplayRequest {
  /** The identity of the event, which is sent again to each receiver whose delivery has ended. */
  readonly event: string;
}

export interface Replayed {
  readonly deliveries: number;
}
