import type { Condition } from '../plan/conditions.ts';
import type { RatePer } from '../plan/limits.ts';
import type { Prose } from '../plan/prose.ts';
import type { AnswerContract, EndpointContract, StepContract } from './endpoint.ts';
import type { ContractType, Expression, Lines, ObjectContract } from './types.ts';

/** The form of this data. A member that is added leaves it as it is; whatever would break a reader gives it another number. */
export const FORMAT = 'Ninefold contract 1';

/** Everything that somebody outside the service can meet: plain data, made from the plan and from nothing else. */
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
  /** The rows that callers meet, with the rules that they are held to. */
  readonly resources: readonly ResourceContract[];
  readonly versioning: VersioningContract | null;
  /** The current version first; one without a name where the document has no versions. */
  readonly versions: readonly VersionContract[];
  readonly webhook: WebhookContract | null;
  readonly stream: StreamContract | null;
  /** Endpoints that the document leaves open: they answer 501 without a body. */
  readonly unsettled: ReadonlyArray<{ readonly method: string; readonly path: string }>;
}

/** What the document says to people of the service, of a resource or of an endpoint; nothing that is enforced. */
export interface ProseContract {
  readonly about: Prose['about'];
  /** Of the resource or endpoint; empty for what the service is for. */
  readonly name: string;
  /** Markdown, as it is written. */
  readonly text: string;
  readonly lines: Lines;
}

/** Where the service lives; null where the operator says so. */
export interface AddressContract {
  readonly url: string | null;
  readonly lines: Lines;
}

/** How values stand in requests and answers, whatever they are of. */
export interface WireContract {
  /** Whether white space around text is taken off before it is looked at. */
  readonly text: 'trimmed' | 'as sent' | null;
  /** What a value that is missing is in an answer. */
  readonly missing: 'left out' | 'null' | null;
  readonly emptyText: 'kept' | 'null' | null;
  readonly lines: Lines;
}

export interface SchemeContract {
  readonly name: string;
  readonly kind: 'API key' | 'JWT' | 'OAuth 2 bearer';
  /** The header that credentials are sent in, and the word before them; null where they stand there alone. */
  readonly header: string;
  readonly word: string | null;
  /** Whose rows callers are. */
  readonly caller: string;
  /** The condition on such a row: while it does not hold, the row is no caller. Null: each of them can call. */
  readonly while: Expression | null;
  readonly issuedBy: readonly ('operator' | 'steps' | 'issuer')[];
  readonly scopes: ReadonlyArray<{ readonly name: string; readonly lines: Lines }>;
  readonly token: TokenContract | null;
  readonly lines: Lines;
}

/** What a JSON Web Token has to be. Lengths of time are in milliseconds. */
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
}

/** What pages of other origins may do (the CORS protocol of the Fetch Standard). */
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
  readonly requests: number;
  readonly milliseconds: number;
  /** Whether answers have RateLimit-Policy and RateLimit, and refusals Retry-After. */
  readonly headers: { readonly rateLimit: boolean; readonly retryAfter: boolean };
  readonly lines: Lines;
}

export interface ErrorsContract {
  readonly payload: ErrorPayloadContract | null;
  readonly codes: readonly CodeContract[];
  /** What is answered to what is no request of HTTP; without a code where HTTP answers alone. */
  readonly wire: readonly AnswerContract[];
}

/** How errors are told. */
export interface ErrorPayloadContract {
  readonly kind: 'RFC 9457' | 'of the document';
  readonly mediaType: string;
  /** The URI that problem details have as `type`, with `{code}` in place of the code; null if they have no `type`. */
  readonly problemType: string | null;
  readonly type: ObjectContract;
  /** The same where the error tells of single fields and parameters. */
  readonly withFaults: ObjectContract;
  /** What its members are computed from, where the document says so; none for RFC 9457. */
  readonly told: readonly ToldContract[];
  /** The faults that are told of, with their words. */
  readonly faults: Readonly<Record<string, string>>;
  readonly lines: Lines;
}

/** What a member of an error is computed from: once, or for each fault; of a list or a map, the values and their keys. */
export interface ToldContract {
  readonly name: string;
  readonly kind: 'value' | 'object' | 'objects' | 'list' | 'map';
  readonly value: Expression | null;
  readonly key: Expression | null;
  /** The one value where no single field or parameter is at fault. */
  readonly otherwise: { readonly value: Expression; readonly key: Expression | null } | null;
  /** Those of an object. */
  readonly members: readonly ToldContract[];
}

export interface CodeContract {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly conditions: readonly Condition[];
  /** What the table’s further columns say of it. */
  readonly more: Readonly<Record<string, string | null>>;
  readonly lines: Lines;
}

export interface ResourceContract {
  readonly name: string;
  /** The field that tells rows apart; null where the service keeps that to itself. */
  readonly identity: string | null;
  /** The rows that a caller sees; null where everyone sees all. */
  readonly visible: Expression | null;
  readonly fields: readonly FieldContract[];
  readonly rules: readonly RuleContract[];
  readonly states: StatesContract | null;
  readonly lines: Lines;
}

export interface FieldContract {
  readonly name: string;
  readonly type: ContractType;
  readonly optional: boolean;
  /** The resource whose row it names. */
  readonly refersTo: string | null;
  /** Who or what gives it its value, in the order of the document. */
  readonly given: readonly GivenContract[];
  readonly lines: Lines;
}

/** A source of a field’s value: at a moment (`create`, `change`, a transition) that of an expression. */
export interface GivenContract {
  readonly by: 'request' | 'operator' | 'steps' | 'transitions' | 'sequence' | 'derived' | 'moment';
  readonly moment: string | null;
  readonly value: Expression | null;
}

/** What is true of every row, whoever writes it. */
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
  /** When it happens by itself: so long after an instant of the row, or after another transition. */
  readonly timed: {
    readonly afterMilliseconds: number;
    readonly instant: Expression | null;
    readonly transition: string | null;
  } | null;
  readonly code: string | null;
  /** What makes it. */
  readonly madeBy: ReadonlyArray<{
    readonly kind: 'endpoint' | 'transition' | 'handler';
    readonly name: string;
    readonly lines: Lines;
  }>;
  /** What follows it in the same transaction. */
  readonly follows: readonly StepContract[];
  readonly lines: Lines;
}

export interface VersioningContract {
  readonly by:
    | { readonly kind: 'header'; readonly header: string }
    | { readonly kind: 'path'; readonly prefix: string }
    | { readonly kind: 'media type'; readonly template: string };
  readonly without: 'current version' | 'refused';
  /** Whether every answer names in Vary the header that chooses the version. */
  readonly vary: boolean;
  readonly headers: { readonly deprecation: boolean; readonly sunset: boolean };
  readonly lines: Lines;
}

export interface VersionContract {
  readonly name: string | null;
  readonly status: 'current' | 'deprecated' | 'retired';
  /** Days, in UTC. From the sunset on, requests in this version are refused. */
  readonly deprecated: string | null;
  readonly sunset: string | null;
  readonly mediaType: string;
  /** Fields of the current version, and what they are called in this one; null where it doesn’t have them. */
  readonly renamed: ReadonlyArray<{ readonly field: string; readonly name: string | null }>;
  /** The forms in which rows are shown, by the names that types refer to. */
  readonly shapes: readonly ShapeContract[];
  /** None where it is retired. */
  readonly endpoints: readonly EndpointContract[];
  readonly events: readonly EventContract[];
  /** What is answered where no endpoint is. */
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
  readonly resource: string;
  readonly when: {
    readonly kind: 'created' | 'removed' | 'moves' | 'changed' | 'at';
    readonly transitions: readonly string[];
    readonly fields: readonly string[];
    readonly instant: Expression | null;
    readonly condition: Expression | null;
  };
  readonly notifiedBy: readonly ('webhook' | 'stream')[];
  readonly payload: ContractType;
  readonly lines: Lines;
}

export interface WebhookContract {
  /** Whose rows receivers are, by which of their fields; null where the operator registers them. */
  readonly receivers: {
    readonly resource: string;
    readonly url: string;
    readonly events: string | null;
    readonly secret: string;
    readonly hears: ReadonlyArray<{ readonly resource: string; readonly where: Expression | null }>;
  } | null;
  readonly method: 'POST';
  readonly mediaType: string;
  /** The body, around the payload of the event, which is its member `data`. */
  readonly envelope: ObjectContract;
  readonly signature: { readonly scheme: 'Standard Webhooks'; readonly headers: readonly string[] };
  /** How long a receiver may take. */
  readonly timeoutMilliseconds: number;
  readonly attempts: number;
  /** The pauses between attempts, in milliseconds. */
  readonly delays: readonly number[];
  /** The resource whose rows each keep their order; null where events come in no order. */
  readonly orderPer: string | null;
  readonly delivery: 'at least once';
  /** How long an event is kept once its last delivery has ended; null where nothing bounds it. */
  readonly keptMilliseconds: number | null;
  readonly lines: Lines;
}

/** Lengths of time are in milliseconds. */
export interface StreamContract {
  readonly mediaType: 'text/event-stream';
  readonly data: 'payload' | 'envelope';
  readonly resumption: { readonly milliseconds: number; readonly code: string } | null;
  readonly retry: number | null;
  readonly heartbeat: number | null;
  readonly patience: number;
  readonly atOnce: { readonly caller: number | null; readonly nobody: number | null; readonly code: string } | null;
  readonly lines: Lines;
}
