import type { Frame, Value } from '../../expression/values/value.ts';
import type { Fault } from '../../plan/conditions.ts';
import type { RateUse } from '../../store/counters.ts';
import type { Change } from '../../store/store.ts';
import type { Incoming } from '../http/message.ts';
import type { ApiVersion } from './api-version.ts';
import type { Aside } from './aside.ts';
import type { AuthenticatedCaller } from './caller.ts';
import type { Refusal } from './refusal.ts';

/** One field, parameter or header that isn't allowed as given. */
export interface FaultAt {
  readonly place: 'pointer' | 'parameter' | 'header';
  readonly name: string;
  readonly code: Fault;
}

/** The page that a list is asked for. */
export interface RequestedPage {
  readonly limit: number;
  /** The cursor, or the identity of a row, as sent; it is opened when the list knows what it is bound to. */
  readonly place: string | null;
  /** How many rows stand before the page, where that is known. */
  readonly offset: number;
  /** The number of the page, from 1, where pages are numbered. */
  readonly number: number;
}

/** An idempotency key that this request has claimed. */
interface KeyClaim {
  /** What the endpoint’s kept answers are known by. */
  readonly endpoint: string;
  readonly key: string;
  readonly claim: string;
  readonly fingerprint: Buffer;
  /** True once others may claim it. */
  released: boolean;
}

/** One request on its way through the stages: what is known of it so far. */
export interface RequestContext {
  readonly incoming: Incoming;
  readonly endpoint: string;
  /** The version that stands before the path, where versions do. */
  readonly version: string | null;
  /** The segments that path parameters stand for, decoded. */
  readonly segments: readonly string[];
  readonly deadline: number;
  /** How far its change has come; null before it has begun one. */
  change: Change | null;
  readonly frame: Frame;
  readonly rates: Array<{ readonly rate: number; readonly taken: RateUse }>;
  readonly faults: FaultAt[];
  apiVersion: ApiVersion;
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
    readonly again: AuthenticatedCaller['again'];
    readonly refused: Refusal;
    readonly challenge: string | null;
    readonly keyId: string | null;
  } | null;
  /** What has been computed for it beside its transaction; undefined where the document has nothing that is. */
  readonly aside: Aside | undefined;
  body: unknown;
  /** The validated body in a canonical form. */
  canonical: (x: RequestContext) => string;
  /** The forms in which earlier releases may have known the body. */
  placed: (x: RequestContext) => readonly string[];
  parameters: ReadonlyArray<readonly [string, string]>;
  page: RequestedPage | null;
  /** True where a body came that nothing reads. */
  unexpectedBody: boolean;
  /** The refusal of a parameter that states its own, raised as the first step. */
  refused: Refusal | null;
  key: KeyClaim | null;
}
