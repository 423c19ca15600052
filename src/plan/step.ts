import type { Expr } from '../expression/tree/expression.ts';
import type { BrowsersPlan, HashingPlan, SchemePlan } from './callers.ts';
import type { Condition, Outcome } from './conditions.ts';
import type { InsideStep, PayloadPlan } from './inside-step.ts';
import type { PageSize, Pages, RatePer } from './limits.ts';
import type { Lines } from './lines.ts';
import type { ParameterPlan } from './parameter.ts';
import type { Prose } from './prose.ts';
import type { ResourcePlan } from './rows.ts';
import type { DecimalForm, ValueRule } from './value-forms.ts';

export type * from './callers.ts';
export type * from './inside-step.ts';
export type * from './parameter.ts';

/** The plan: what will run, as plain data. The second waist. Nothing in it is a function, and all of it can be printed. */
export interface Plan {
  readonly document: string;
  readonly title: string;
  readonly address: AddressPlan;
  readonly resources: readonly ResourcePlan[];
  readonly endpoints: readonly EndpointPlan[];
  readonly errors: ErrorsPlan;
  readonly wire: WirePlan;
  /** How callers prove who they are; none where the service has no callers. */
  readonly schemes: readonly SchemePlan[];
  readonly browsers: BrowsersPlan | null;
  readonly passwords: HashingPlan | null;
  readonly rates: readonly RatePlan[];
  readonly versions: VersionsPlan | null;
  readonly handlers: readonly HandlerPlan[];
  readonly webhook: WebhookPlan | null;
  readonly stream: StreamPlan | null;
  /** Milliseconds: the longest time-out of an endpoint. */
  readonly timeout: number | null;
  /** Endpoints that the document has and that are not settled: they answer 501 with no body. */
  readonly unsettled: readonly { readonly method: string; readonly path: string }[];
  readonly prose: readonly Prose[];
  /** Where the document states all this. Nothing that runs depends on it. */
  readonly lines: Lines;
}

/** Where the service lives. */
export interface AddressPlan {
  /** As the document states it; null where the operator gives it. */
  readonly url: string | null;
  /** True where `service.url` is in an expression, so that it has to be given. */
  readonly used: boolean;
  /** True where rows, states or rules use it, so that the operator’s commands need it too. */
  readonly usedByRows: boolean;
}

/** The forms of values in requests and answers. */
export interface WirePlan {
  readonly timestamps: 'milliseconds' | 'seconds' | null;
  readonly durations: 'milliseconds' | 'whole seconds' | null;
  readonly decimals: DecimalForm | null;
  readonly text: 'trimmed' | 'as sent' | null;
  readonly missing: 'left out' | 'null' | null;
  readonly emptyText: 'kept' | 'null' | null;
}

export type * from './rows.ts';
export type { ColumnKind, ValueRule } from './value-forms.ts';

/** The form of error payloads: a standard, the document’s own members, or a status without a payload. */
export type ErrorPayloadPlan =
  /** `type`: the URI of the problem types, with `{code}` in it; none where problems have no type. */
  | { readonly kind: 'RFC 9457'; readonly type?: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'table'; readonly mediaType: string; readonly members: readonly ErrorMemberPlan[] };

export interface ErrorMemberPlan {
  readonly name: string;
  readonly value: ErrorValuePlan;
}

/** A value for each fault; the key is there where the member is a map. */
interface PairPlan {
  readonly value: Expr;
  readonly key: Expr | null;
}

/** One value; an object; an object for each fault; a list or a map of lists of a value for each fault. */
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

/** One value that a handler takes or gives. */
export interface HandlerField {
  readonly name: string;
  readonly rule: ValueRule;
  readonly nullable: boolean;
}

/** Code of the team’s own: what it takes and gives, how it may fail, and what follows. */
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
  readonly count: number;
  readonly milliseconds: number;
  readonly headers: { readonly rateLimit: boolean; readonly retryAfter: boolean };
}

export interface VersionPlan {
  readonly name: string;
  readonly retired: boolean;
  /** Milliseconds since the epoch; from the sunset on, the version is refused. */
  readonly deprecated: number | null;
  readonly sunset: number | null;
  /** `Resource.field` → its name in this version, or null where it is absent. All differences up to the current one. */
  readonly names: Readonly<Record<string, string | null>>;
}

export interface VersionsPlan {
  readonly by:
    | { readonly kind: 'header'; readonly header: string }
    | { readonly kind: 'path'; readonly prefix: string }
    | { readonly kind: 'media type'; readonly template: string };
  /** The header that answers say their version was chosen by; null where they don’t. */
  readonly vary: string | null;
  readonly current: string;
  readonly without: 'current version' | 'refused';
  readonly headers: { readonly deprecation: boolean; readonly sunset: boolean };
  readonly older: readonly VersionPlan[];
}

/** Receivers that are rows: the fields that say where, of what and how, and of which rows’ events each hears. */
export interface ReceiversPlan {
  readonly resource: string;
  readonly url: string;
  readonly events: string | null;
  readonly secret: string;
  /** A condition over the receivers, in which `about` is the row of the event. Null: of every row. */
  readonly hears: readonly { readonly name: string; readonly where: Expr | null }[];
}

export interface WebhookPlan {
  readonly timeout: number;
  /** How long an event is kept once its last delivery has ended, in milliseconds; null where nothing bounds it. */
  readonly kept: number | null;
  readonly delays: readonly number[];
  /** The resource whose rows are the receivers; null where the operator registers them. */
  readonly receivers: ReceiversPlan | null;
  /** The resource whose rows each keep their order; null where nothing does. */
  readonly order: string | null;
}

/** The form of the stream of events. Durations are in milliseconds. */
export interface StreamPlan {
  readonly data: 'payload' | 'envelope';
  /** How long a reader may come back to where it was, and the code that refuses it after that. */
  readonly resumption: { readonly milliseconds: number; readonly code: string } | null;
  readonly retry: number | null;
  readonly heartbeat: number | null;
  /** How long a reader may take nothing. */
  readonly patience: number;
  /** How many a caller may have open, and an address without one (null: any number), and the code that refuses one more. */
  readonly atOnce: { readonly caller: number | null; readonly nobody: number | null; readonly code: string } | null;
}

/** The members of a page’s payload by name, and the number of items. */
export interface PagePlan extends Pages, PageSize {
  /** True where all rows have to be counted. */
  readonly counted: boolean;
  /** True where links say where the service lives. */
  readonly absolute: boolean;
}

/** A step before the transaction, to which such a step has no access. */
export type BeforeStep = { readonly line: number | null } & (
  | {
      readonly do: 'limit';
      readonly rate: number;
      /** Whether a rate of requests without a caller counts those with one as well. */
      readonly callers: boolean;
    }
  /** `optional`: a request without credentials is nobody's; one with any that are not accepted is refused. */
  | { readonly do: 'authenticate'; readonly schemes: readonly string[]; readonly optional: boolean }
  | { readonly do: 'require scope'; readonly scope: string }
  | { readonly do: 'choose version' }
  | { readonly do: 'negotiate'; readonly offered: string }
  | {
      readonly do: 'read body';
      readonly most: number;
      readonly mediaTypes: readonly string[];
      /** True where a request without a body is one in which everything was left out. */
      readonly optional: boolean;
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
    }
  | { readonly do: 'read page'; readonly page: PagePlan }
  | { readonly do: 'claim key'; readonly header: string; readonly kept: number; readonly below: number }
);

/** The standards by which a service can describe itself. */
export const DESCRIPTION_FORMATS = ['OpenAPI 3.1', 'OpenAPI 3.2', 'AsyncAPI 3.1'] as const;

export type DescriptionFormat = (typeof DESCRIPTION_FORMATS)[number];

/** The content of an answer: a row’s shown form, a page, named values, or a description of the service. */
export type BodyPlan =
  | { readonly kind: 'value'; readonly shown: ShownPlan }
  | {
      readonly kind: 'page';
      readonly list: string;
      readonly view: { readonly resource: string; readonly name: string };
    }
  | { readonly kind: 'stream'; readonly events: readonly string[] }
  | { readonly kind: 'description'; readonly format: DescriptionFormat }
  | { readonly kind: 'members'; readonly members: readonly ({ readonly name: string } & ShownPlan)[] };

/** A value in an answer, and how rows in it are shown. */
export interface ShownPlan {
  readonly value: Expr;
  readonly view: { readonly resource: string; readonly name: string } | null;
}

/** After the transaction. Its values are taken inside, at the transaction’s end. */
export interface AnswerStep {
  readonly do: 'answer';
  readonly line: number | null;
  readonly status: number;
  readonly body: BodyPlan | null;
  readonly headers: readonly { readonly name: string; readonly value: Expr }[];
  /** True where the answer gets a strong entity tag, and the request's conditions are judged by it. */
  readonly conditional: boolean;
}

/** The treatment of the preconditions of a request that writes, where no step matches them (RFC 9110, section 13). */
export type PreconditionsKind = 'evaluated' | 'refused' | 'ignored';

export interface EndpointPlan {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly line: number | null;
  readonly access: string | null;
  /** Milliseconds, from the request's arrival to its answer. */
  readonly timeout: number | null;
  /** True where HEAD is answered as GET is, without the body. */
  readonly head: boolean;
  /** The request headers that it reads, beside those that any page may send. */
  readonly requestHeaders: readonly string[];
  /** The request headers that its answers depend on and name in Vary, in this order. */
  readonly vary: readonly string[];
  /** True if its steps change rows. */
  readonly writes: boolean;
  /** Null for a GET, where a step matches If-Match, and where no GET of the same address answers with an entity tag. */
  readonly preconditions: PreconditionsKind | null;
  /** The general conditions that can arise at it, in the order they are checked in. */
  readonly conditions: readonly Condition[];
  readonly before: readonly BeforeStep[];
  readonly inside: readonly InsideStep[];
  readonly after: AnswerStep;
}
