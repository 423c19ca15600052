import type {
  Delivery as DeliveryShown,
  GoneReceiver,
  ReceiverHealth as HealthShown,
  IssuedKey as KeyShown,
  RegisteredReceiver as ReceiverShown,
} from '../../runtime/operator-forms.ts';
import type { Json } from './problem.ts';

export type { DeliveryState, ReceiverAdded, ReceiverRotated } from '../../runtime/operator-forms.ts';
export type { DeliveryShown, HealthShown, KeyShown, ReceiverShown };

// ——— GET /keys, POST /keys, POST /keys/ID/revoke ———

/** Query: `offset`, `limit` as for rows; `valid=1` omits revoked keys. Newest first. */
export interface KeysAnswer {
  readonly total: number;
  readonly offset: number;
  readonly keys: readonly KeyShown[];
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

export interface AddReceiverRequest {
  readonly url: string;
  readonly events: readonly string[];
  readonly version: string | null;
  readonly allowPrivate: boolean;
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

// ——— GET /deliveries, POST /deliveries/replay ———

/** Query: `offset`, `limit` as for rows; `state`, `type` (of event), `receiver`, `event`, `resource` and `row`. Newest first. */
export interface DeliveriesAnswer {
  readonly total: number;
  readonly offset: number;
  readonly deliveries: readonly DeliveryShown[];
}

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
  readonly gone: readonly GoneReceiver[];
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
