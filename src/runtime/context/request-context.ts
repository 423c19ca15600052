import type { Frame, Row, Value } from '../../expression/values/value.ts';
import type { SchemePlan } from '../../plan/callers.ts';
import type { Fault } from '../../plan/conditions.ts';
import type { Ending } from '../../plan/versions.ts';
import type { FieldWords } from '../../plan/words.ts';
import type { RateUse } from '../../store/counters.ts';
import type { Call, Change, Program } from '../../store/store.ts';
import type { Upload } from '../files/files.ts';
import type { BodyRead, Incoming } from '../http/message.ts';
import type { Refusal } from './refusal.ts';
import type { RerunState } from './rerun-state.ts';

/** A field, parameter or header with a value that is not allowed. */
export interface FaultAt {
  readonly place: 'pointer' | 'parameter' | 'header';
  readonly name: string;
  readonly code: Fault;
}

/** The requested page of a list. */
export interface RequestedPage {
  readonly limit: number;
  /** The cursor or the identity of a row, as sent; the List step opens it. */
  readonly place: string | null;
  /** The number of rows before the page, where it is known. */
  readonly offset: number;
  /** The number of the page, from 1, where pages are numbered. */
  readonly number: number;
}

/** An idempotency key that this request has claimed. */
interface KeyClaim {
  /** The key of the endpoint under which its answers are stored. */
  readonly endpoint: string;
  readonly key: string;
  readonly claim: string;
  /** The hash of the claim, by which a stored answer is found. */
  readonly hash: string;
  readonly fingerprint: Buffer;
  /** The header of a repeated answer, as its name and value; empty where it has none. */
  readonly mark: readonly string[];
  /** Whether other requests may claim the key again. */
  released: boolean;
  /** The number of a stored answer that has expired, and that the next answer replaces; null where there is none. */
  expired: number | null;
}

/** A rate that has counted a request. */
export interface RateTaken {
  readonly rate: number;
  readonly key: string;
  readonly most: number;
  readonly taken: RateUse;
}

/** The state of one request on its way through the stages. */
export interface RequestContext {
  readonly incoming: Incoming;
  readonly endpoint: string;
  /** The version in the path's prefix, where the document has versions there. */
  readonly version: string | null;
  /** The decoded values of the path parameters. */
  readonly segments: readonly string[];
  readonly deadline: number;
  /** The progress of the request's change; null before one has begun. */
  change: Change | null;
  readonly frame: Frame;
  /** The rates that have counted the request, with the key and the number of requests that each allowed. */
  readonly rates: RateTaken[];
  /** The rates that counted the request before it began anew: they do not count it again. */
  readonly counted: readonly RateTaken[];
  /** Whether its caller may be assumed to be what it was for an earlier request, until its transaction confirms that. */
  readonly assumes: boolean;
  readonly faults: FaultAt[];
  apiVersion: ApiVersion;
  /** True once the version is known: answers then have the headers of its deprecation. */
  versionKnown: boolean;
  /** The caller's identity; null where there is none. */
  holder: Value;
  /** The key of the caller, to which rates, idempotency keys and cursors are bound. */
  callerKey: string;
  /**
   * Facts about the authenticated caller. `again`: reads the caller again inside the transaction. `asking`: the
   * first call of that. `assumed`: what the caller is assumed to be, as it was read for an earlier request; null once that
   * is confirmed. `refused`: the refusal if the credentials have become invalid. `scheme`: the scheme of its credentials.
   * `keyId`: the id of the API key.
   */
  known: {
    readonly again: AuthenticatedCaller['again'];
    readonly asking: Call | null;
    assumed: Row | null;
    readonly refused: Refusal;
    readonly scheme: SchemePlan;
    readonly keyId: string | null;
  } | null;
  /** Results computed outside the transaction; undefined where the document needs none. */
  readonly rerunState: RerunState | undefined;
  /** The bytes of the body, once they are being read: they can be read once. */
  sent: BodyRead | Promise<BodyRead> | null;
  /** The bytes of fields that the request has sent; null where it sends none, or they have not all arrived. */
  received: ReceivedFiles | null;
  body: unknown;
  /** Whether the body is a form: its values are texts, and lists of texts. */
  isForm: boolean;
  /** True while the rest of the body has not arrived: a time-out then is the client’s. */
  awaitsBody: boolean;
  /** The validated body in a canonical form. */
  canonical: (x: RequestContext) => string;
  /** The canonical forms of the body in earlier releases. */
  placed: (x: RequestContext) => readonly string[];
  parameters: ReadonlyArray<readonly [string, string]>;
  page: RequestedPage | null;
  /** True where the request has a body that no endpoint reads. */
  unexpectedBody: boolean;
  /** The refusal that an invalid parameter states for itself, thrown as the first step. */
  refused: Refusal | null;
  /** The refusal of the body, thrown by the step that validates it; null where there is no such step, or no fault. */
  bodyRefused: Refusal | null;
  key: KeyClaim | null;
}

/** The files of a request, which can be read once. */
interface ReceivedFiles {
  /** The bytes, by the field that takes them. */
  readonly uploads: ReadonlyMap<string, Upload>;
  /** The texts of the other parts of a form; undefined where the body is the bytes alone. */
  readonly form?: unknown;
  /** The refusal of the body; absent where it was taken. */
  readonly refusal?: Refusal;
}

/** One API version: the names of its fields, and the headers of its answers. */
export interface ApiVersion {
  /** Empty where the document has no versions. */
  readonly version: string;
  readonly headers: readonly string[];
  /** The dates that its headers announce. */
  readonly ending: Ending;
  /** The media type of its answers, where that names the version; JSON’s own otherwise. */
  readonly mediaType: string;
  readonly retired: boolean;
  readonly sunset: number | null;
  /** The name of `Resource.field` on the wire; null where this version doesn't have it. */
  wire(resource: string, field: string): string | null;
  /** The words for the values of a field, as `Resource.field`; null where they are the values themselves. */
  words(field: string): FieldWords | null;
}

/** The scopes and the claims of a caller's credentials. */
export type Told = Pick<Frame, 'scopes' | 'claims'>;

/** A caller that is read again. */
export interface CallerAgain extends Told {
  readonly row: Row;
  /** All that was read of it, which is compared with what was assumed; absent where nothing is assumed. */
  readonly found?: Row;
}

/** A caller as its credentials give it. */
export interface AuthenticatedCaller extends CallerAgain {
  /** Its values of an earlier request, until its transaction confirms them; absent where it has been read for this one. */
  readonly assumed?: Row;
  /** The id of its API key; null where a token was sent. */
  readonly keyId: string | null;
  /**
   * Reads the caller in a transaction; null where the credentials are no longer valid at `now`. Throws a Pause where a
   * password has to be compared, if `rerunState` can do so.
   */
  again(now: number, rerunState?: RerunState): Program<CallerAgain | null>;
  /** The first call of `again`, where it depends on the credentials alone, and calls travel. */
  readonly asking?: Call | null;
}
