import type { RateContract, SchemeContract, ShapeContract, StatesContract } from '../contract/contract.ts';
import type { EndpointContract } from '../contract/endpoint.ts';
import type { ContractType } from '../contract/types.ts';

/**
 * The console’s JSON interface: every request and answer, as types and nothing else. All paths stand below
 * `/console/api`. A GET changes nothing. Whatever changes something is a POST with a JSON body, `Content-Type:
 * application/json` and the header `X-Ninefold-Console: 1`. An instant is RFC 3339 in UTC. Names and identities in
 * paths are percent-encoded (`encodeURIComponent`). Every answer that is no success has a `Problem` as its body.
 */

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * Why a request had no success: `error` is a sentence for people that says what to do. Status by `kind`: `no session`
 * 401, `forbidden` 403, `not found` 404, `wrong use` 400 (413 and 415 for bodies), `refused` 409, `unavailable` 503,
 * `defect` 500.
 */
export interface Problem {
  readonly kind: 'no session' | 'forbidden' | 'not found' | 'wrong use' | 'refused' | 'unavailable' | 'defect';
  readonly error: string;
  /** Where a rule of the document refuses: its code and title, and the lines that state it. */
  readonly refusal: RefusalShown | null;
}

/** A refusal that the document states. */
export interface RefusalShown {
  /** Null where the document states the rule without a code. */
  readonly code: string | null;
  readonly title: string | null;
  readonly status: number | null;
  /** What refused, in words: `unique sku`, `the guard of cancel`, `rate 1`. */
  readonly because: string;
  readonly lines: readonly StatedLine[];
}

/** A line of the served document. */
export interface StatedLine {
  /** From 1. */
  readonly line: number;
  /** The text of the line, without its ending. */
  readonly text: string;
}

// ——— GET /service ———

/** What is served, and what views there are. */
export interface ServiceAnswer {
  readonly title: string;
  /** The name of the document. */
  readonly document: string;
  /** The version of Ninefold. */
  readonly ninefold: string;
  /** The current version of the API; null where the document has no versions. */
  readonly version: string | null;
  /** Where callers reach the service, and where the console sends the requests that are tried. */
  readonly address: string;
  /** Why the service can’t answer requests now; null where it can. */
  readonly notReady: string | null;
  /** Whether the service follows the document on disk (`--watch`). */
  readonly watch: boolean;
  readonly resources: readonly ResourceSummary[];
  readonly endpoints: number;
  /** Those of them that the document leaves open: they answer 501. */
  readonly unsettled: number;
  /** Questions of the served document that are open. */
  readonly questions: number;
  readonly schemes: readonly SchemeContract[];
  readonly rates: readonly RateContract[];
  /** `operator`: receivers are registered here; `rows`: they are rows of `receiverResource`; `none`: no webhooks. */
  readonly receivers: 'none' | 'operator' | 'rows';
  readonly receiverResource: string | null;
  /** Events that webhooks tell of. */
  readonly events: readonly string[];
  /** Versions that a receiver may have, the current one first; none where the document has no versions. */
  readonly versions: readonly string[];
  /** The upper ends of the buckets that the times of requests are counted in, in seconds. */
  readonly buckets: readonly number[];
  /** When the session ends at the latest. */
  readonly sessionEnds: string;
}

/** A resource, as lists and forms need it. */
export interface ResourceSummary {
  readonly name: string;
  /** The field that tells rows apart; null where the service keeps that to itself. */
  readonly identity: string | null;
  readonly columns: readonly Column[];
  /** The field that holds the state; null without states. */
  readonly stateField: string | null;
  readonly states: readonly string[];
  readonly line: number | null;
}

/** A column of stored rows. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly optional: boolean;
  /** The resource whose row it names. */
  readonly refersTo: string | null;
  /** The only values that it may have. */
  readonly oneOf: readonly string[] | null;
  /** Whether the operator may give it when a row is added or changed. */
  readonly operator: boolean;
  /** Whether the operator has to give it when a row is added. */
  readonly required: boolean;
  /** Whether rows can be filtered and ordered by it: passwords, lists, sets and maps can’t. */
  readonly ordered: boolean;
  /** Who or what gives it its value, in words of the document. */
  readonly given: string;
  readonly line: number | null;
}

export type ColumnType =
  | 'text'
  | 'uuid'
  | 'integer'
  | 'decimal'
  | 'boolean'
  | 'timestamp'
  | 'date'
  | 'duration'
  | 'list'
  | 'set'
  | 'map'
  | 'password';

// ——— GET /document ———

/** The served document with what is known of it. */
export interface DocumentAnswer {
  readonly name: string;
  /** Its text, as it was read. */
  readonly text: string;
  /** The 31 items, in the order of the document. */
  readonly items: readonly ItemCoverage[];
  readonly findings: readonly FindingShown[];
  readonly endpoints: readonly EndpointSettled[];
  /** What lines state that is in force, by line, in the order of the document. */
  readonly statements: readonly StatementShown[];
  /** True while the file differs from what is served: see `/migration`. */
  readonly changedOnDisk: boolean;
}

/** One of the 31 items: whether the document states it. */
export interface ItemCoverage {
  /** The heading of the part. */
  readonly part: string;
  readonly item: string;
  readonly state: 'stated' | 'none' | 'not shown';
  readonly line: number | null;
}

/** An error or an open question of the document. Places count from 1, columns in UTF-16 units; the end is exclusive. */
export interface FindingShown {
  readonly code: string;
  readonly severity: 'error' | 'question';
  readonly message: string;
  readonly why: string;
  /** Text to write into the document. */
  readonly suggestion: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly endLine: number | null;
  readonly endColumn: number | null;
  /** Endpoints that are not served until it is answered; null means all of them. */
  readonly endpoints: readonly string[] | null;
}

/** Whether an endpoint of the document is served. */
export interface EndpointSettled {
  readonly endpoint: string;
  readonly settled: boolean;
  readonly line: number | null;
}

/** Something that a line states, and where it is in force. */
export interface StatementShown {
  readonly line: number;
  /** What it is, in words: `field Order.sku`, `step 3 of POST /orders`, `transition Order cancel`. */
  readonly what: string;
  /** A view that shows more of it, as a path below `/console/`; null where there is none. */
  readonly view: ViewTarget | null;
}

/** What a link of one view to another is about; the page makes the address. */
export type ViewTarget =
  | { readonly kind: 'endpoint'; readonly name: string }
  | { readonly kind: 'resource'; readonly name: string }
  | { readonly kind: 'states'; readonly name: string }
  | { readonly kind: 'deliveries' }
  | { readonly kind: 'keys' }
  | { readonly kind: 'activity' };

// ——— GET /states ———

/** Every state machine, with how many rows stand in each state. */
export interface StatesAnswer {
  readonly machines: readonly Machine[];
}

/** A state machine of a resource. Transitions have their guards and lines (`StatesContract`). */
export interface Machine {
  readonly resource: string;
  readonly states: StatesContract;
  /** State → number of rows. */
  readonly counts: Readonly<Record<string, number>>;
}

// ——— GET /endpoints, GET /endpoints/NAME ———

/** Every endpoint of the current version, in the order of the document; details by name. */
export interface EndpointsAnswer {
  readonly endpoints: readonly EndpointSummary[];
}

export interface EndpointSummary {
  /** As the document’s heading says it, such as `POST /orders`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** `anyone`, `any Customer`, a scope; null where it is not settled. */
  readonly access: string | null;
  readonly writes: boolean;
  /** False where it answers 501. */
  readonly settled: boolean;
  readonly line: number | null;
}

/** One endpoint: what it takes, does and answers, and how a request to it begins. */
export interface EndpointAnswer {
  readonly endpoint: EndpointContract;
  /** The forms of rows that types refer to by name. */
  readonly shapes: readonly ShapeContract[];
  /** The payload of errors, without and with single faults; null where errors have no body. */
  readonly errors: { readonly plain: ContractType; readonly withFaults: ContractType } | null;
  /** The steps in words, as `ninefold plan` prints them. */
  readonly plan: readonly PlanLine[];
  /** A request that is right as far as is known, for the form to begin with. */
  readonly sample: TryRequest;
}

/** A line of `ninefold plan`. */
export interface PlanLine {
  readonly phase: 'before' | 'inside' | 'after';
  readonly text: string;
  readonly line: number | null;
}

// ——— POST /try ———

/** A request to send to the service as a caller. */
export interface TryRequest {
  readonly method: string;
  /** With parameters and query filled in, beginning with `/`. */
  readonly path: string;
  /** Names and values, in order; no credentials where `caller` is not null. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** Null: no body. */
  readonly body: string | null;
  /** Null: no credentials are added. */
  readonly caller: TryCaller | null;
}

/** Who is to send it: a key is issued for the row, used once and revoked. */
export interface TryCaller {
  /** The scheme’s name. */
  readonly scheme: string;
  /** The identity of the row. */
  readonly id: string;
  readonly scopes: readonly string[];
}

/** What came back. */
export interface TryAnswer {
  /** The request as it was sent; the credentials are shown as `…`. */
  readonly sent: { readonly line: string; readonly headers: ReadonlyArray<readonly [string, string]> };
  readonly status: number;
  readonly headers: ReadonlyArray<readonly [string, string]>;
  /** Text; bytes that are no UTF-8 are replaced. At most 256 kB. */
  readonly body: string;
  readonly bodyCut: boolean;
  readonly milliseconds: number;
  /** The endpoint that answered; null where none has the path. */
  readonly endpoint: string | null;
  /** What refused it, and by which lines; null for a success. */
  readonly refusal: RefusalShown | null;
  /** The caller’s key was revoked; false only where that failed, which `error` of the next call then says. */
  readonly revoked: boolean;
}

// ——— GET /rows/RESOURCE ———

/**
 * Query: `offset` (from 0), `limit` (1 to 200, else 100), `sort` (a column, `-` before it for descending; else the
 * identity), `filter` (JSON: `Filter[]`, all of which have to hold).
 */
export interface Filter {
  readonly field: string;
  /** `contains` is for text and ignores the case of ASCII letters; `from` and `to` include the value. */
  readonly is: 'equal' | 'not equal' | 'contains' | 'from' | 'to' | 'absent' | 'present';
  /** As `rows change` takes it; null for `absent` and `present`. */
  readonly value: string | null;
}

/** A part of the rows. */
export interface RowsAnswer {
  readonly resource: string;
  readonly offset: number;
  /** How many rows the filter keeps. */
  readonly total: number;
  readonly rows: readonly RowShown[];
}

/** A stored row. */
export interface RowShown {
  readonly id: string;
  /** Column → value as JSON; an absent value is null. Passwords are never shown. */
  readonly values: Readonly<Record<string, Json>>;
  /** Columns of which only the first 200 characters are given; `GET /rows/RESOURCE/ID` has all. */
  readonly shortened: readonly string[];
}

// ——— GET /rows/RESOURCE/ID ———

/** One row, and what may become of it. */
export interface RowAnswer {
  readonly resource: string;
  readonly row: RowShown;
  /** Every transition of the resource: legal ones, and why the others are not. */
  readonly moves: readonly Move[];
  /** Events of the row that are still kept, newest first, at most 100. */
  readonly history: readonly HistoryEntry[];
  /** Rows that refer to it. */
  readonly referredBy: readonly ReferredBy[];
  /** Members that are computed from the row, by the resource’s own form. */
  readonly derived: Readonly<Record<string, Json>>;
}

/** A transition, seen from a row. */
export interface Move {
  readonly transition: string;
  readonly from: readonly string[];
  readonly to: string;
  readonly legal: boolean;
  /** Why it isn’t legal: a sentence; null where it is. */
  readonly why: string | null;
  /** The guard, as the document writes it. */
  readonly guard: string | null;
  /** When it happens by itself; then it can’t be made by hand. */
  readonly due: string | null;
  readonly timed: boolean;
  /** What a refusal says. */
  readonly code: string | null;
  readonly title: string | null;
  readonly line: number | null;
}

/** An event of a row. */
export interface HistoryEntry {
  /** The identity of the event. */
  readonly event: string;
  readonly type: string;
  readonly at: string;
  /** The payload as it was recorded; null where it isn’t kept. */
  readonly data: Json;
}

export interface ReferredBy {
  readonly resource: string;
  readonly field: string;
  readonly rows: number;
}

// ——— POST /rows/RESOURCE, /rows/RESOURCE/ID/change, …/move, …/remove ———

/** Of `POST /rows/RESOURCE` (adds a row) and `…/ID/change`: texts as `rows change` takes them; null for absent. */
export interface FieldsRequest {
  readonly fields: Readonly<Record<string, string | null>>;
}

/** Of `…/ID/move`. `…/ID/remove` takes `{}` and answers `Done`. */
export interface MoveRequest {
  readonly transition: string;
}

/** The row as it is stored now. */
export interface RowWritten {
  readonly row: RowShown;
}

/** A change without anything to tell. */
export interface Done {
  readonly done: true;
}

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

// ——— GET /receivers, POST /receivers, …/ID/change, …/ID/remove ———

export interface ReceiversAnswer {
  readonly receivers: readonly ReceiverShown[];
}

export interface ReceiverShown {
  readonly id: string;
  readonly url: string;
  readonly version: string | null;
  /** True while its version is one that events can’t be told in: its deliveries wait. */
  readonly waits: boolean;
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

// ——— GET /live (server-sent events), GET /activity ———

/**
 * What `GET /live` sends as `event: live` at most once a second, and `GET /activity` once. Counts go from the start of
 * the process: the page takes differences.
 */
export interface Activity {
  readonly at: string;
  /** Since when it is counted. */
  readonly since: string;
  readonly requests: readonly EndpointActivity[];
  /** Attempts at deliveries by outcome: `delivered`, `failed`, `given up`. */
  readonly deliveries: Readonly<Record<string, number>>;
  /** Transitions made because their time had come. */
  readonly timedMoves: number;
  /** Resource → state → number of rows; resources without states have their number under the empty name. */
  readonly rows: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly notReady: string | null;
  /** True while the document on disk differs from the one that is served. */
  readonly changedOnDisk: boolean;
  /** Goes up whenever another document is served: the page then loads what it shows of the document again. */
  readonly served: number;
  /** Bytes in use by the process, and the share of its processor time of the last second (0 to 1). */
  readonly memory: number;
  readonly processor: number;
}

export interface EndpointActivity {
  /** The name of the endpoint; `none` where no endpoint was found. */
  readonly endpoint: string;
  /** Status → number of answers. */
  readonly statuses: Readonly<Record<string, number>>;
  /** How many answers took no longer than each of `buckets` of the service (seconds), and longer than the one before; the last took longer than all. */
  readonly took: readonly number[];
  readonly seconds: number;
}

// ——— GET /migration, POST /migration/preview ———

/** The document on disk against the one that is served. `POST /migration/preview` takes `{}` and begins a preview. */
export interface MigrationAnswer {
  /** `missing`: the file can’t be read. */
  readonly disk: 'same' | 'changed' | 'missing';
  /** Null before any preview was asked for. */
  readonly preview: Preview | null;
}

export interface Preview {
  readonly state: 'running' | 'done';
  readonly began: string;
  /** What has been done so far, while it runs. */
  readonly steps: readonly string[];
  readonly outcome: PreviewOutcome | null;
}

export type PreviewOutcome =
  /** It has findings, so it could not be served. */
  | { readonly kind: 'findings'; readonly findings: readonly FindingShown[] }
  /** It can’t be read, or it can’t be served as the service was started. */
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'compiled';
      /** `nothing`: rows stay as they are; `possible`: it ran on a copy; `refused`: rows don’t fit. */
      readonly rows: 'nothing' | 'possible' | 'refused';
      readonly milliseconds: number;
      readonly changes: readonly RowChange[];
      readonly hindrances: readonly RowHindrance[];
      readonly notes: readonly string[];
      /** What changes for callers, as `ninefold diff` lists it. */
      readonly callers: readonly CallerChange[];
    };

/** What changes in how rows are stored. */
export interface RowChange {
  readonly kind: string;
  readonly text: string;
  /** What the operator has to accept by name (`--accept`), since it drops or narrows what is stored; null where nothing. */
  readonly accept: string | null;
}

/** Rows that stand in the way. */
export interface RowHindrance {
  readonly change: string;
  readonly why: string;
  readonly rows: number;
  readonly example: string | null;
  readonly text: string;
}

/** What changes for callers. */
export interface CallerChange {
  readonly breaking: boolean;
  readonly text: string;
}

// ——— POST /session/end ———
// Takes `{}`, answers `Done` and takes the cookie back: the page then says that the session has ended.
