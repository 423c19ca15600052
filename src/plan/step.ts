import type { Expr } from '../expression/tree/expression.ts';
import type { Type } from '../expression/tree/types.ts';
import type { BrowsersPlan, HashingPlan, NeededScopes, SchemePlan } from './callers.ts';
import type { Condition, Outcome } from './conditions.ts';
import type { STREAM_FACTS, WEBHOOK_FACTS } from './event-facts.ts';
import type { FilePlan } from './files.ts';
import type { InsideStep, ParameterPlan, PayloadPlan } from './inside-step.ts';
import type { PageSize, Pages, RatePer } from './limits.ts';
import type { Lines } from './lines.ts';
import type { TextType } from './media-types.ts';
import type { PlanFacts } from './plain-fact.ts';
import type { EventPlan, ResourcePlan } from './rows.ts';
import type { ScheduleFacts } from './schedule-facts.ts';
import type { DecimalForm, ValueRule } from './value-forms.ts';
import type { DeprecationPlan, Unversioned } from './versions.ts';
import type { SigningPlan } from './webhook-signing.ts';
import type { FieldWords } from './words.ts';

export type * from './callers.ts';
export type * from './inside-step.ts';

/** The plan: everything that the service does, as plain data without functions, so that all of it can be printed. */
export interface Plan {
  readonly document: string;
  readonly title: string;
  readonly address: AddressPlan;
  readonly resources: readonly ResourcePlan[];
  readonly endpoints: readonly EndpointPlan[];
  readonly errors: ErrorsPlan;
  readonly wire: WirePlan;
  /** The authentication schemes of callers; empty where the service has no callers. */
  readonly schemes: readonly SchemePlan[];
  readonly browsers: BrowsersPlan | null;
  readonly passwords: HashingPlan | null;
  readonly rates: readonly RatePlan[];
  readonly versions: VersionsPlan | null;
  readonly handlers: readonly HandlerPlan[];
  /** Absent where the document states no schedule. */
  readonly schedules?: readonly SchedulePlan[];
  /** The events that steps emit, which are about no row; absent where the document states none. */
  readonly emitted?: readonly EmittedPlan[];
  readonly webhook: WebhookPlan | null;
  readonly stream: StreamPlan | null;
  /** The longest time-out of an endpoint, in milliseconds. */
  readonly timeout: number | null;
  /** Endpoints of the document that are not settled: they answer 501 without a body. */
  readonly unsettled: readonly { readonly method: string; readonly path: string }[];
  readonly prose: readonly Prose[];
  /** The lines of the document that state the facts of the plan. They have no effect. */
  readonly lines: Lines;
}

/** The address of the service. */
export interface AddressPlan {
  /** The URL that the document states; null where the operator gives it. */
  readonly url: string | null;
  /** Whether an expression uses `service.url`, so that the URL is required. */
  readonly used: boolean;
  /** Whether rows, states or rules use the URL, so that the operator’s commands require it, too. */
  readonly usedByRows: boolean;
}

/** The forms of values in requests and answers. */
export interface WirePlan {
  /** RFC 3339 with milliseconds or without, or numbers of seconds since 1970 (Unix time). */
  readonly timestamps: 'milliseconds' | 'seconds' | 'Unix seconds' | null;
  readonly durations: 'milliseconds' | 'whole seconds' | null;
  readonly decimals: DecimalForm | null;
  readonly text: 'trimmed' | 'as sent' | null;
  readonly missing: 'left out' | 'null' | null;
  readonly emptyText: 'kept' | 'null' | null;
}

export type { ColumnKind } from '../expression/values/kinds.ts';
export type * from './rows.ts';
export type { ValueRule } from './value-forms.ts';

/** The form of error payloads: a standard, the document’s own members, or a status without a payload. */
export type ErrorPayloadPlan =
  /** `type`: the template of the problem types’ URIs, with `{code}` in it; absent where problems have no type. */
  | { readonly kind: 'RFC 9457'; readonly type?: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'table'; readonly mediaType: string; readonly members: readonly ErrorMemberPlan[] };

export interface ErrorMemberPlan {
  readonly name: string;
  readonly value: ErrorValuePlan;
}

/** A value for each fault; with a key if the member is a map. */
interface PairPlan {
  readonly value: Expr;
  readonly key: Expr | null;
}

/** A value; an object; an object for each fault; or a list or a map of lists with a value for each fault. */
export type ErrorValuePlan =
  | { readonly kind: 'value'; readonly value: Expr }
  | { readonly kind: 'object'; readonly members: readonly ErrorMemberPlan[] }
  | { readonly kind: 'objects'; readonly members: readonly ErrorMemberPlan[] }
  | ManyPlan;

/** A list, or a map of lists. */
export interface ManyPlan extends PairPlan {
  readonly kind: 'list' | 'map';
  readonly otherwise: PairPlan | null;
}

/** An argument or a result of a handler. */
export interface HandlerField {
  readonly name: string;
  readonly rule: ValueRule;
  readonly nullable: boolean;
}

/** A handler of the team: its arguments and results, its failures, and the steps after it. */
export interface HandlerPlan {
  readonly name: string;
  readonly kind: 'pure' | 'outside';
  readonly file: string;
  readonly takes: readonly HandlerField[];
  readonly gives: readonly HandlerField[];
  readonly fails: readonly string[];
  readonly within: number;
  readonly delays: readonly number[];
  readonly answers: readonly InsideStep[];
  readonly failing: readonly InsideStep[];
}

/**
 * Steps that run by themselves, once among all nodes at each due instant. In them, `due` is that instant, and `now()`
 * the time of the run.
 */
export interface SchedulePlan extends ScheduleFacts {
  readonly name: string;
  readonly line: number;
  readonly steps: readonly InsideStep[];
}

export interface ErrorsPlan {
  readonly payload: ErrorPayloadPlan;
  /** The values of each code in the further columns of the table of errors. */
  readonly columns: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
  /** The outcome of each general condition. */
  readonly conditions: Readonly<Partial<Record<Condition, Outcome>>>;
  /** The outcome of each code that steps and rules raise. */
  readonly codes: Readonly<Record<string, Outcome>>;
}

export interface RatePlan {
  /** The name of the rate in headers, and in the keys of its counts. */
  readonly name: string;
  readonly per: RatePer;
  /** The reference of the caller to the row that a rate counts for, or that a rate’s callers lack; absent for others. */
  readonly row?: Expr;
  /** The number of requests; or its expression, which reads the caller and is 1 or more. */
  readonly count: Expr | number;
  readonly milliseconds: number;
  readonly headers: { readonly rateLimit: boolean; readonly retryAfter: boolean };
}

export interface VersionPlan {
  readonly name: string;
  readonly retired: boolean;
  /**
   * Milliseconds since the epoch; from the sunset on, the version is refused. A version that is not retired and has no
   * date of deprecation is supported.
   */
  readonly deprecated: number | null;
  readonly sunset: number | null;
  /**
   * The fields that differ from the current version, as `Resource.field`, with their name in this version, or null if
   * this version lacks the field. Includes the differences of all newer versions.
   */
  readonly names: Readonly<Record<string, string | null>>;
  /** The fields whose values have other words in this version; absent where there are none. Never of a field it lacks. */
  readonly words?: readonly FieldWords[];
}

export interface VersionsPlan {
  readonly by:
    | { readonly kind: 'header'; readonly header: string }
    | { readonly kind: 'path'; readonly prefix: string }
    | { readonly kind: 'media type'; readonly template: string };
  /** The header by which answers say how their version was chosen (Vary); null where they do not. */
  readonly vary: string | null;
  readonly current: string;
  /** The treatment of requests that name no version: they are refused, or answered in the current or another version. */
  readonly without: Unversioned;
  readonly headers: { readonly deprecation: boolean; readonly sunset: boolean };
  readonly older: readonly VersionPlan[];
}

/**
 * Receivers that are rows: the fields with their address, events and secret, and the rows whose events each receiver
 * gets.
 */
export interface ReceiversPlan {
  readonly resource: string;
  readonly url: string;
  readonly events: string | null;
  readonly secret: string;
  /**
   * A condition for receivers, in which `about` is the row of the event. Null where receivers get events of every row.
   */
  readonly hears: readonly { readonly name: string; readonly where: Expr | null }[];
}

/** An event that steps emit: the types of its members, and the readers of a stream who see it. */
export interface EmittedPlan {
  readonly name: string;
  readonly to: EventPlan['to'];
  readonly members: ReadonlyArray<{ readonly name: string; readonly type: Type }>;
  /**
   * The condition under which a reader sees the event, in which `about` has its members; null where every reader does,
   * and where no stream tells of it.
   */
  readonly visible: Expr | null;
}

/** The delivery of events by webhook: its plain facts, and those with code of their own. Durations are in milliseconds. */
export interface WebhookPlan extends PlanFacts<typeof WEBHOOK_FACTS> {
  readonly delays: readonly number[];
  /** The resource whose rows are the receivers; null where the operator registers them. */
  readonly receivers: ReceiversPlan | null;
  /** The form of the signature; absent for Standard Webhooks. */
  readonly signing?: SigningPlan;
  /** Set if an answer 410 removes the receiver; otherwise it is a failure like any other. */
  readonly gone?: 'removed';
  /** The longest time by which Retry-After of a failed attempt may delay the next one; absent: it has no effect. */
  readonly retryAfter?: number;
}

/** The form of the stream of events. Durations are in milliseconds. */
export interface StreamPlan extends PlanFacts<typeof STREAM_FACTS> {
  /** How long a client may resume a stream, and the code of the refusal after that time. */
  readonly resumption: { readonly milliseconds: number; readonly code: string } | null;
  /**
   * The largest number of streams of a caller, and of an address without a caller (null: unlimited), and the code of
   * the refusal.
   */
  readonly atOnce: { readonly caller: number | null; readonly nobody: number | null; readonly code: string } | null;
}

/** The members of a page’s payload by name, and the number of items. */
export interface PagePlan extends Pages, PageSize {
  /** Whether all rows have to be counted. */
  readonly counted: boolean;
  /** Whether links contain the URL of the service. */
  readonly absolute: boolean;
}

/** A form of several parts: the fields whose parts are files, and the most bytes of all that is no file. */
export interface PartsPlan {
  readonly files: readonly FilePlan[];
  readonly most: number;
}

/** A step before the transaction. None of these has access to the transaction. */
export type BeforeStep = { readonly line: number | null } & (
  | {
      readonly do: 'limit';
      readonly rate: number;
      /** Whether a rate for requests without a caller also counts requests with one. */
      readonly callers: boolean;
    }
  /** `optional`: a request without credentials has no caller; a request with invalid credentials is refused. */
  | {
      readonly do: 'authenticate';
      readonly schemes: readonly string[];
      readonly optional: boolean;
      /** The schemes whose cookie the steps set: requests for these prove their origin, too. Absent where there is none. */
      readonly sets?: readonly string[];
    }
  | ({ readonly do: 'require scope' } & NeededScopes)
  | { readonly do: 'choose version' }
  /** `others`: further media types, one of which the answer may have. */
  | { readonly do: 'negotiate'; readonly offered: string; readonly others?: readonly string[] }
  /** Refuses requests from an instant on, in milliseconds. */
  | { readonly do: 'check sunset'; readonly at: number; readonly code: string }
  | {
      readonly do: 'read body';
      readonly most: number;
      readonly mediaTypes: readonly string[];
      /** Whether a missing body counts as a body with all members left out. */
      readonly optional: boolean;
      /** Set if the step “validate” inside the transaction refuses bodies of another type, encoding or syntax. */
      readonly later?: true;
      /** Set if the body is the bytes of a field, or a form of several parts: it is received once the parameters are validated. */
      readonly bytes?: true;
    }
  | { readonly do: 'refuse body'; readonly most: number }
  | {
      readonly do: 'read parameters';
      readonly path: readonly ParameterPlan[];
      readonly query: readonly ParameterPlan[];
      readonly header: readonly ParameterPlan[];
      readonly unknown: 'refused' | 'ignored';
    }
  | {
      readonly do: 'validate body';
      readonly payload: PayloadPlan | null;
      readonly parameters: readonly ParameterPlan[];
      readonly unknown: 'refused' | 'ignored';
      /** Set if the step “validate” inside the transaction refuses the faults of the body. */
      readonly later?: true;
      /** Set if the body is a form of several parts (RFC 7578). */
      readonly parts?: PartsPlan;
    }
  | { readonly do: 'read page'; readonly page: PagePlan }
  | {
      readonly do: 'claim key';
      readonly header: string;
      readonly kept: number;
      readonly below: number;
      /** Set if a request without the header is answered as if there were no keys. */
      readonly optional?: true;
      /** The header of repeated answers; absent where they are as the first one. */
      readonly replayed?: { readonly name: string; readonly value: string };
    }
);

/** The standards by which a service can describe itself. */
export const DESCRIPTION_FORMATS = ['OpenAPI 3.1', 'OpenAPI 3.2', 'AsyncAPI 3.1'] as const;

export type DescriptionFormat = (typeof DESCRIPTION_FORMATS)[number];

/** The endpoints that a description has. */
export const DESCRIPTION_CONTENTS = ['every endpoint', 'what the caller may call'] as const;

export type DescriptionContent = (typeof DESCRIPTION_CONTENTS)[number];

/** The callers to whom descriptions show an endpoint: nobody, or callers with credentials of these schemes. */
export type AudiencePlan = 'none' | { readonly schemes: readonly string[]; readonly needs: NeededScopes | null };

/** A member of an answer. */
export type AnsweredMember = { readonly name: string } & ShownPlan;

/** A column of CSV: the members that lead to its value in the shown form of a row, and its title; null for their names. */
interface CsvColumn {
  readonly path: readonly string[];
  readonly title: string | null;
}

/** The form of an answer with streamed rows. */
export type RowsForm =
  | { readonly kind: 'NDJSON' }
  | {
      readonly kind: 'CSV';
      readonly columns: readonly CsvColumn[];
      readonly header: 'present' | 'absent';
      readonly formulas: 'escaped' | 'kept';
    };

/** The bytes of a field as an answer, with the header fields that say what a client may do with them. */
export interface FileBody {
  readonly kind: 'file';
  /** The field, such as `Attachment.content`. */
  readonly field: string;
  readonly mediaTypes: readonly string[];
  /** The greatest number of bytes. */
  readonly most: number;
  /** The identity of the bytes, and the facts about them. */
  readonly bytes: Expr;
  readonly type: Expr;
  readonly size: Expr;
  readonly sha256: Expr;
  readonly disposition: 'attachment' | 'inline';
  /** The name of the file; null where the answer has none. */
  readonly name: Expr | null;
  /** Whether a request may ask for a range of the bytes (RFC 9110, section 14). */
  readonly ranges: 'served' | 'ignored';
}

/** The content of an answer: a row’s shown form, text, streamed rows, a page, named values, or a description of the service. */
export type BodyPlan =
  | { readonly kind: 'value'; readonly shown: ShownPlan }
  /** The members of a row’s shown form, and further ones after them, in one object. */
  | { readonly kind: 'row with members'; readonly shown: ShownPlan; readonly members: readonly AnsweredMember[] }
  | { readonly kind: 'text'; readonly mediaType: TextType; readonly value: Expr }
  | FileBody
  | {
      readonly kind: 'rows';
      readonly list: string;
      readonly view: { readonly resource: string; readonly name: string };
      readonly form: RowsForm;
    }
  | {
      readonly kind: 'page';
      readonly list: string;
      readonly view: { readonly resource: string; readonly name: string };
    }
  | { readonly kind: 'stream'; readonly events: readonly string[] }
  | { readonly kind: 'description'; readonly format: DescriptionFormat; readonly content: DescriptionContent }
  | { readonly kind: 'members'; readonly members: readonly AnsweredMember[] };

/** A value in an answer, and the shown form of its rows. */
export interface ShownPlan {
  readonly value: Expr;
  readonly view: { readonly resource: string; readonly name: string } | null;
}

/** The step after the transaction, or one in a branch that ends it. Its values are computed at the end of the transaction. */
export interface AnswerStep {
  readonly do: 'answer';
  readonly line: number | null;
  readonly status: number;
  readonly body: BodyPlan | null;
  readonly headers: readonly { readonly name: string; readonly value: Expr }[];
  /** Whether the answer gets a strong entity tag, against which the preconditions of requests are evaluated. */
  readonly conditional: boolean;
}

/** The treatment of the preconditions of a request that writes, where no step matches them (RFC 9110, section 13). */
export type PreconditionsKind = 'required' | 'evaluated' | 'refused' | 'ignored';

export interface EndpointPlan {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly line: number | null;
  readonly access: string | null;
  /** Milliseconds from the arrival of a request to its answer. */
  readonly timeout: number | null;
  /** Whether HEAD is answered like GET, without the body. */
  readonly head: boolean;
  /** The request headers that the endpoint reads, beside those that pages of any origin may send. */
  readonly requestHeaders: readonly string[];
  /** The request headers on which answers depend, in the order of Vary. */
  readonly vary: readonly string[];
  /** Whether steps of the endpoint change rows. */
  readonly writes: boolean;
  /**
   * Null for a GET, for an endpoint with a step that matches If-Match, and where no GET of this path answers with an
   * entity tag.
   */
  readonly preconditions: PreconditionsKind | null;
  /** The general conditions that can arise at the endpoint, in the order of the checks. */
  readonly conditions: readonly Condition[];
  /** Absent where the endpoint is not deprecated. */
  readonly deprecation?: DeprecationPlan;
  /** The tag of the operation in descriptions; absent where it is the resource that the endpoint is about. */
  readonly tag?: string;
  /** Absent where each description may show the endpoint. */
  readonly audience?: AudiencePlan;
  readonly before: readonly BeforeStep[];
  readonly inside: readonly InsideStep[];
  /** The answer after all steps; null if each way through the steps ends in an answer among them. */
  readonly after: AnswerStep | null;
}

/** Prose about the service, a resource, a tag or an endpoint, for people. It has no effect. */
export interface Prose {
  readonly about: 'purpose' | 'domain' | 'resource' | 'tag' | 'endpoint';
  /** The name of the resource, tag or endpoint; empty for the purpose of the service. */
  readonly name: string;
  /** The Markdown source. */
  readonly text: string;
  /** The line on which the text begins. */
  readonly line: number;
}
