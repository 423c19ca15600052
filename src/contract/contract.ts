import type { SchemePlan } from '../plan/callers.ts';
import type { Condition } from '../plan/conditions.ts';
import type { STREAM_FACTS, WEBHOOK_FACTS } from '../plan/event-facts.ts';
import type { RatePer } from '../plan/limits.ts';
import type { ContractFacts } from '../plan/plain-fact.ts';
import type { Prose } from '../plan/step.ts';
import type { Unversioned } from '../plan/versions.ts';
import type { SigningPlan } from '../plan/webhook-signing.ts';
import type { FieldWords } from '../plan/words.ts';
import type { AnswerContract, EndpointContract, StepContract } from './endpoint.ts';
import type { ContractType, Expression, Lines, ObjectContract } from './types.ts';

/**
 * The version of this data format. An added member keeps the number; a change that would break readers increments it.
 */
export const FORMAT = 'Ninefold contract 1';

/** Everything that a client of the service can observe, as plain data derived from the plan alone. */
export interface Contract {
  readonly format: typeof FORMAT;
  readonly document: string;
  readonly title: string;
  readonly prose: readonly ProseContract[];
  readonly address: AddressContract;
  readonly wire: WireContract;
  readonly schemes: readonly SchemeContract[];
  readonly browsers: BrowsersContract | null;
  readonly rates: readonly RateContract[];
  readonly errors: ErrorsContract;
  /** The resources whose rows callers can read or write, with their rules. */
  readonly resources: readonly ResourceContract[];
  readonly versioning: VersioningContract | null;
  /** The current version comes first. A document without versions has one, without a name. */
  readonly versions: readonly VersionContract[];
  /** The schedules of the service; absent where the document states none. */
  readonly schedules?: readonly ScheduleContract[];
  /** Absent where no steps run after a handler. */
  readonly handlers?: readonly HandlerContract[];
  readonly webhook: WebhookContract | null;
  readonly stream: StreamContract | null;
  /** Endpoints that the document leaves open: they answer 501 without a body. */
  readonly unsettled: ReadonlyArray<{ readonly method: string; readonly path: string }>;
}

/** Descriptive text about the service, a resource, a tag or an endpoint, without effect on behaviour. */
export interface ProseContract {
  readonly about: Prose['about'];
  /** The name of the resource, tag or endpoint; empty for the text about the service. */
  readonly name: string;
  /** Markdown, as it is written. */
  readonly text: string;
  readonly lines: Lines;
}

/** The base URL of the service; null if the operator sets it. */
export interface AddressContract {
  readonly url: string | null;
  readonly lines: Lines;
}

/** Format of values in all requests and responses. */
export interface WireContract {
  /** Whether leading and trailing white space is removed from texts before they are validated. */
  readonly text: 'trimmed' | 'as sent' | null;
  /** How a response represents a missing value: the member is omitted, or null. */
  readonly missing: 'left out' | 'null' | null;
  readonly emptyText: 'kept' | 'null' | null;
  readonly lines: Lines;
}

export interface SchemeContract {
  readonly name: string;
  readonly kind: SchemePlan['kind'];
  /** The request header that carries credentials, and the word before them (`Bearer`); null if none precedes them. */
  readonly header: string;
  readonly word: string | null;
  /** The cookie whose value the credentials are; absent where a header is. */
  readonly cookie?: CookieContract;
  /** The resource whose rows are the callers. */
  readonly caller: string;
  /** The condition under which such a row may call; null if every row may. */
  readonly while: Expression | null;
  readonly issuedBy: readonly ('operator' | 'steps' | 'issuer')[];
  readonly scopes: ReadonlyArray<{ readonly name: string; readonly lines: Lines }>;
  readonly token: TokenContract | null;
  /** The user name and the password of HTTP Basic; absent where the credentials are issued. */
  readonly basic?: BasicContract;
  readonly lines: Lines;
}

/** The user name and the password that requests carry (RFC 7617). */
export interface BasicContract {
  readonly realm: string;
  /** The field that is the user name, and whether upper and lower case are the same in it. */
  readonly userName: string;
  readonly ignoresCase: boolean;
  /** The origins, besides the service's own, whose pages may send requests other than GET. */
  readonly origins: readonly string[];
}

/** A cookie with credentials: `HttpOnly`, `Secure` and for every path (RFC 6265bis). */
export interface CookieContract {
  readonly name: string;
  readonly sameSite: 'Strict' | 'Lax' | 'None';
  /** Seconds for which browsers keep the cookie; null until the browser ends its session. */
  readonly maxAge: number | null;
  /** Whether the answer that refuses the credentials removes the cookie. */
  readonly removedWhenRefused: boolean;
  /** The origins, besides the service's own, whose pages may send requests other than GET with the cookie. */
  readonly origins: readonly string[];
}

/** Requirements for a JSON Web Token. Durations are in milliseconds. */
export interface TokenContract {
  readonly algorithm: string;
  readonly type: string | null;
  readonly issuer: string;
  readonly audience: string;
  /** The address of the issuer’s keys; null where the operator gives the key. */
  readonly keys: string | null;
  readonly lifetime: number | null;
  readonly longest: number | null;
  readonly skew: number;
  /** The claim that names the caller, and the field of its row that it names. */
  readonly subject: { readonly claim: string; readonly field: string };
  readonly scopes: { readonly claim: string; readonly form: 'spaces' | 'list' } | null;
  /** The claims whose values decide what a caller sees and may do. A token with another value is refused. */
  readonly claims: readonly ClaimContract[];
}

/** A claim of a token. It may be absent, or null, where it is not required. */
export interface ClaimContract {
  readonly name: string;
  readonly type: ContractType;
  readonly required: boolean;
  readonly lines: Lines;
}

/** Access for pages of other origins (the CORS protocol of the Fetch Standard). */
export interface BrowsersContract {
  readonly origins: 'any' | readonly string[];
  readonly credentials: boolean;
  readonly preflightSeconds: number;
  readonly exposedHeaders: readonly string[];
  readonly lines: Lines;
}

export interface RateContract {
  readonly name: string;
  readonly per: RatePer;
  /** The reference of callers to the row that the rate counts for, or that its callers lack; absent for others. */
  readonly row?: string;
  /** Null where the number depends on the caller. */
  readonly requests: number | null;
  /** The expression of the number, with its bounds; absent where the number is the same for all callers. */
  readonly by?: RateNumberContract;
  readonly milliseconds: number;
  /** Whether answers have RateLimit-Policy and RateLimit, and refusals Retry-After. */
  readonly headers: { readonly rateLimit: boolean; readonly retryAfter: boolean };
  readonly lines: Lines;
}

export interface RateNumberContract {
  readonly expression: string;
  readonly least: number;
  /** Null where it has no bound. */
  readonly most: number | null;
}

export interface ErrorsContract {
  readonly payload: ErrorPayloadContract | null;
  readonly codes: readonly CodeContract[];
  /** Answers to bytes that are not a valid HTTP request; without a code where only the status is sent. */
  readonly wire: readonly AnswerContract[];
}

/** Format of error responses. */
export interface ErrorPayloadContract {
  readonly kind: 'RFC 9457' | 'of the document';
  readonly mediaType: string;
  /** The URI that problem details have as `type`, with `{code}` in place of the code; null if they have no `type`. */
  readonly problemType: string | null;
  readonly type: ObjectContract;
  /** The payload of errors that list faults of fields and parameters. */
  readonly withFaults: ObjectContract;
  /** The expressions of the members, where the document states them; empty for RFC 9457. */
  readonly told: readonly ToldContract[];
  /** The codes of faults, with the text of each. */
  readonly faults: Readonly<Record<string, string>>;
  readonly lines: Lines;
}

/**
 * A member of an error payload and its expression, evaluated once, or once per fault; a list or map has expressions for
 * its values and keys.
 */
export interface ToldContract {
  readonly name: string;
  readonly kind: 'value' | 'object' | 'objects' | 'list' | 'map';
  readonly value: Expression | null;
  readonly key: Expression | null;
  /** The only value when the error has no fault of a field or parameter. */
  readonly otherwise: { readonly value: Expression; readonly key: Expression | null } | null;
  /** Members of an object. */
  readonly members: readonly ToldContract[];
}

export interface CodeContract {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly conditions: readonly Condition[];
  /** The cells of the code in the additional columns of the table of errors. */
  readonly more: Readonly<Record<string, string | null>>;
  readonly lines: Lines;
}

export interface ResourceContract {
  readonly name: string;
  /** The identity field; null where no client sees it. */
  readonly identity: string | null;
  /** The condition under which a caller sees a row; null if everyone sees all rows. */
  readonly visible: Expression | null;
  readonly fields: readonly FieldContract[];
  readonly rules: readonly RuleContract[];
  /** The first field with states. */
  readonly states: StatesContract | null;
  /** The other fields with states; absent where there are none. */
  readonly furtherStates?: readonly StatesContract[];
  /** The changes that are recorded as rows of another resource; absent where none are. */
  readonly audit?: AuditContract;
  readonly lines: Lines;
}

/** The record of the changes of a resource's rows: each is an entry, a row of another resource. */
export interface AuditContract {
  /** The fields that make a change an entry, where one of them gets another value. */
  readonly fields: readonly string[];
  readonly creation: boolean;
  readonly removal: boolean;
  /** The resource of the entries. */
  readonly entries: string;
  /** The schedule that removes entries; null where they are kept for ever. */
  readonly removedBy: string | null;
  readonly lines: Lines;
}

export interface FieldContract {
  readonly name: string;
  readonly type: ContractType;
  readonly optional: boolean;
  /** The resource that the field references. */
  readonly refersTo: string | null;
  /** The sources of the field's value, in the order of the document. */
  readonly given: readonly GivenContract[];
  readonly lines: Lines;
}

/**
 * A source of a field's value. A moment is `create`, `change` or a transition, at which the expression is assigned; of
 * an audit, it is the fact of a change, such as `before status`.
 */
export interface GivenContract {
  readonly by: 'request' | 'operator' | 'steps' | 'transitions' | 'sequence' | 'audit' | 'derived' | 'moment';
  readonly moment: string | null;
  readonly value: Expression | null;
}

/** An invariant of all rows of a resource. */
export interface RuleContract {
  readonly kind: 'unique' | 'holds' | 'no overlap' | 'keeps' | 'removed with' | 'cleared';
  readonly text: string;
  readonly fields: readonly string[];
  readonly condition: Expression | null;
  readonly code: string | null;
  readonly lines: Lines;
}

export interface StatesContract {
  readonly field: string;
  readonly values: readonly string[];
  readonly initial: string;
  readonly final: readonly string[];
  readonly transitions: readonly TransitionContract[];
  readonly lines: Lines;
}

export interface TransitionContract {
  readonly name: string;
  readonly from: readonly string[];
  readonly to: string;
  readonly guard: Expression | null;
  /** For a timed transition: the delay after an instant of the row, or after another transition; null for others. */
  readonly timed: {
    readonly afterMilliseconds: number;
    readonly instant: Expression | null;
    readonly transition: string | null;
  } | null;
  readonly code: string | null;
  /** The endpoints, transitions, handlers and schedules that perform the transition. */
  readonly madeBy: readonly MakerContract[];
  /** Steps that run after the transition, in the same transaction. */
  readonly follows: readonly StepContract[];
  readonly lines: Lines;
}

/** The origin of a transition, an event, or the run of a handler. */
export interface MakerContract {
  /** The operator, where the document lets it give the values. */
  readonly kind: 'endpoint' | 'transition' | 'handler' | 'schedule' | 'operator';
  readonly name: string;
  readonly lines: Lines;
}

/** A handler after whose answers or failures steps run. */
export interface HandlerContract {
  readonly name: string;
  readonly runBy: readonly MakerContract[];
}

/** Steps that the service runs by itself, once at each due instant. */
export interface ScheduleContract {
  readonly name: string;
  /** A cron expression of five fields (POSIX crontab, and steps). */
  readonly cron: string;
  /** The time zone of the times: a name of the IANA database, or an offset. */
  readonly zone: string;
  /** The treatment of times that clocks skip, and of times that they show twice; null where clocks never change. */
  readonly skippedTimes: 'run at the change' | 'not run' | null;
  readonly repeatedTimes: 'run once' | 'run twice' | null;
  /** The due instants that are made up for after a stop. */
  readonly missed: 'each' | 'run once' | 'skipped';
  /** How long after its due instant a run may begin; null where missed instants are not skipped. */
  readonly missedAfterMilliseconds: number | null;
  readonly overlap: 'waits' | 'skipped';
  readonly withinMilliseconds: number;
  readonly steps: readonly StepContract[];
  readonly lines: Lines;
}

export interface VersioningContract {
  readonly by:
    | { readonly kind: 'header'; readonly header: string }
    | { readonly kind: 'path'; readonly prefix: string }
    | { readonly kind: 'media type'; readonly template: string };
  readonly without: Unversioned;
  /** Whether every response lists the header that selects the version in `Vary`. */
  readonly vary: boolean;
  readonly headers: { readonly deprecation: boolean; readonly sunset: boolean };
  readonly lines: Lines;
}

export interface VersionContract {
  readonly name: string | null;
  readonly status: 'current' | 'supported' | 'deprecated' | 'retired';
  /** Dates in UTC. From the sunset date on, requests for this version are refused. */
  readonly deprecated: string | null;
  readonly sunset: string | null;
  readonly mediaType: string;
  /** Fields of the current version with their name in this version; null if this version lacks the field. */
  readonly renamed: ReadonlyArray<{ readonly field: string; readonly name: string | null }>;
  /** The fields whose values have other words in this version; absent where there are none. */
  readonly words?: readonly FieldWords[];
  /** The shown forms of rows, by the names that types refer to. */
  readonly shapes: readonly ShapeContract[];
  /** Empty for a retired version. */
  readonly endpoints: readonly EndpointContract[];
  readonly events: readonly EventContract[];
  /** Answers for a path without an endpoint, or a method that the path does not support. */
  readonly elsewhere: readonly AnswerContract[];
  readonly lines: Lines;
}

export interface ShapeContract {
  readonly name: string;
  readonly resource: string;
  readonly view: string;
  readonly type: ObjectContract;
  readonly lines: Lines;
}

export interface EventContract {
  readonly name: string;
  /** The resource of the row that the event is about; null for an event that a step emits. */
  readonly resource: string | null;
  readonly when: {
    readonly kind: 'created' | 'removed' | 'moves' | 'changed' | 'at' | 'emitted';
    readonly transitions: readonly string[];
    readonly fields: readonly string[];
    readonly instant: Expression | null;
    readonly condition: Expression | null;
  };
  /**
   * The origins of the event, those by what happens to rows of others too. Absent where its transitions have them, and
   * where time alone makes the event.
   */
  readonly madeBy?: readonly MakerContract[];
  readonly notifiedBy: readonly ('webhook' | 'stream')[];
  /**
   * The condition under which a reader of a stream sees an event that a step emits, in which `about` has the members of
   * the event; null: every reader does. Absent for other events, which readers see by the row.
   */
  readonly visible?: Expression | null;
  readonly payload: ContractType;
  readonly lines: Lines;
}

export interface WebhookContract extends ContractFacts<typeof WEBHOOK_FACTS> {
  /**
   * The resource whose rows are the receivers, and the fields that configure them; null if the operator registers
   * receivers.
   */
  readonly receivers: {
    readonly resource: string;
    readonly url: string;
    readonly events: string | null;
    readonly secret: string;
    readonly hears: ReadonlyArray<{ readonly resource: string; readonly where: Expression | null }>;
  } | null;
  readonly method: 'POST';
  readonly mediaType: string;
  /** The request body, whose member `data` is the payload of the event. */
  readonly envelope: ObjectContract;
  readonly signature: SignatureContract;
  readonly attempts: number;
  /** The pauses between attempts, in milliseconds. */
  readonly delays: readonly number[];
  readonly delivery: 'at least once';
  /** Set if an answer 410 removes the receiver. */
  readonly gone?: 'removed';
  /** The longest time by which Retry-After may delay the next attempt; absent where it has no effect. */
  readonly retryAfterMilliseconds?: number;
  readonly lines: Lines;
}

/** The signature of deliveries; `form` is absent for Standard Webhooks. */
export interface SignatureContract {
  readonly scheme: 'Standard Webhooks' | 'HMAC-SHA256';
  readonly headers: readonly string[];
  /** The values of deliveries replace the names in braces. The key of the HMAC is the text of the secret. */
  readonly form?: SigningPlan;
}

/** Lengths of time are in milliseconds. */
export interface StreamContract extends ContractFacts<typeof STREAM_FACTS> {
  readonly mediaType: 'text/event-stream';
  readonly resumption: { readonly milliseconds: number; readonly code: string } | null;
  readonly atOnce: { readonly caller: number | null; readonly nobody: number | null; readonly code: string } | null;
  readonly lines: Lines;
}
