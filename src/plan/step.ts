import type { Expr } from '../expression/expr.ts';
import type { Condition, Outcome } from '../parts/errors/conditions.ts';
import type { RatePer } from '../parts/limits/model.ts';
import type { DecimalForm } from '../parts/resources/model.ts';

/** The plan: what will run, as plain data. The second waist. Nothing in it is a function, and all of it can be printed. */
export interface Plan {
  readonly document: string;
  readonly title: string;
  readonly address: AddressPlan;
  readonly resources: readonly ResourcePlan[];
  readonly endpoints: readonly EndpointPlan[];
  readonly errors: ErrorsPlan;
  readonly wire: WirePlan;
  readonly credentials: CredentialsPlan | null;
  readonly browsers: BrowsersPlan | null;
  readonly rates: readonly RatePlan[];
  readonly versions: VersionsPlan | null;
  readonly webhook: WebhookPlan | null;
  /** Milliseconds, from the request's arrival to its answer. */
  readonly timeout: number | null;
  /** Endpoints that the document has and that are not settled: they answer 501 with no body. */
  readonly unsettled: readonly { readonly method: string; readonly path: string }[];
}

/** Where the service lives. */
export interface AddressPlan {
  /** As the document states it; null where the operator gives it. */
  readonly url: string | null;
  /** True where `service.url` is in an expression, so that it has to be given. */
  readonly used: boolean;
}

/** How values stand in requests and answers. */
export interface WirePlan {
  readonly timestamps: 'milliseconds' | 'seconds' | null;
  readonly durations: 'milliseconds' | 'whole seconds' | null;
  readonly decimals: DecimalForm | null;
  readonly text: 'trimmed' | 'as sent' | null;
  readonly missing: 'left out' | 'null' | null;
  readonly emptyText: 'kept' | 'null' | null;
}

export type ColumnKind =
  | 'text'
  | 'uuid'
  | 'integer'
  | 'decimal'
  | 'boolean'
  | 'timestamp'
  | 'date'
  | 'duration'
  | 'list'
  | 'set';

/** What a value has to be, whoever gives it. For a list or a set, `min` and `max` count items. */
export interface ValueRule {
  readonly kind: ColumnKind;
  readonly format: 'email' | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly pattern: string | null;
  readonly oneOf: readonly string[] | null;
  /** How many digits a decimal has after the point. */
  readonly scale: number | null;
  /** What a timestamp is a whole number of, in milliseconds. */
  readonly whole: number | null;
  /** What each item of a list or a set has to be. */
  readonly items: ValueRule | null;
}

export interface ColumnPlan {
  readonly name: string;
  readonly rule: ValueRule;
  readonly nullable: boolean;
  /** The resource that a reference points at. */
  readonly reference: string | null;
  readonly from: { readonly operator: boolean; readonly transitions: boolean; readonly steps: boolean };
  /** What a request that leaves it out gets. */
  readonly otherwise: Expr | null;
  /** Numbered from 1, for each row that the reference `per` points at, or for all rows alike. */
  readonly sequence: { readonly per: string | null } | null;
}

export interface UniquePlan {
  readonly fields: readonly string[];
  readonly condition: Expr | null;
  readonly code: string | null;
}

/** `field` is given `value` whenever a row is created, changed, or moved by the transition named. */
export interface GivingPlan {
  readonly field: string;
  readonly moment: string;
  readonly value: Expr;
}

export interface TransitionPlan {
  readonly name: string;
  readonly from: readonly string[];
  readonly to: string;
  readonly guard: Expr | null;
  readonly code: string | null;
  /** A move that happens by itself, so long after an instant. */
  readonly timed: { readonly after: number; readonly instant: Expr } | null;
}

/** What happens to a row for an event to be recorded. */
export interface EventPlan {
  readonly name: string;
  readonly on: 'created' | 'removed' | 'moves' | 'changed' | 'at';
  /** The transitions of `moves`. */
  readonly by: readonly string[];
  /** The fields of `changed`. */
  readonly fields: readonly string[];
  /** The instant of `at`, and the condition while it counts. */
  readonly timed: { readonly instant: Expr; readonly condition: Expr | null } | null;
}

export interface ResourcePlan {
  readonly name: string;
  readonly columns: readonly ColumnPlan[];
  /** The column that tells rows apart: a field, or one that the service adds where no field alone does. */
  readonly identity: string;
  /** The fields by which rows are in order. */
  readonly order: readonly string[];
  readonly derived: readonly { readonly name: string; readonly value: Expr }[];
  /** Null: everyone sees every row. */
  readonly visible: Expr | null;
  readonly uniques: readonly UniquePlan[];
  /** References of other resources that keep rows of this one, with the code of the refusal. */
  readonly keptBy: readonly { readonly resource: string; readonly field: string; readonly code: string | null }[];
  /** The sequences, each as `Resource.field`, that count for every row of this one by itself. */
  readonly counted: readonly string[];
  /** References of other resources whose rows go with a row of this one, and those that become absent. */
  readonly takes: readonly { readonly resource: string; readonly field: string }[];
  readonly clears: readonly { readonly resource: string; readonly field: string }[];
  readonly holds: readonly { readonly test: Expr; readonly code: string | null }[];
  readonly overlaps: readonly OverlapPlan[];
  readonly givings: readonly GivingPlan[];
  readonly states: {
    readonly field: string;
    readonly initial: string;
    readonly transitions: readonly TransitionPlan[];
  } | null;
  readonly events: readonly EventPlan[];
  /** How rows are shown: the resource’s own form, which goes by its name and may be empty (never shown), then its views. */
  readonly views: readonly ViewPlan[];
}

/** No two rows with the same `by` cover a common point between `start` and `end`. */
export interface OverlapPlan {
  readonly start: Expr;
  readonly end: Expr;
  readonly by: readonly string[];
  readonly condition: Expr | null;
  readonly code: string | null;
}

export interface ViewPlan {
  readonly name: string;
  readonly members: readonly ViewMember[];
}

/** One member of what is shown of a row, which is called `this`. */
export interface ViewMember {
  /** The field, which is the member’s name but where a version says otherwise. */
  readonly field: string;
  readonly value: Expr;
  /** How rows that are the value, or are listed in it, are shown in turn. */
  readonly view: { readonly resource: string; readonly name: string } | null;
}

export interface ErrorsPlan {
  /** What each general condition is answered with. */
  readonly conditions: Readonly<Partial<Record<Condition, Outcome>>>;
  /** What each code that steps and rules raise is answered with. */
  readonly codes: Readonly<Record<string, Outcome>>;
}

export interface CredentialsPlan {
  readonly header: string;
  readonly scheme: string;
  readonly resource: string;
  readonly scopes: readonly string[];
}

/** What pages of other origins may do (CORS). */
export interface BrowsersPlan {
  readonly origins: 'any' | readonly string[];
  readonly credentials: boolean;
  /** Seconds for which a browser goes by the answer to a preflight. */
  readonly kept: number;
  /** The headers of answers that scripts may read. */
  readonly shown: readonly string[];
}

export interface RatePlan {
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
  readonly header: string;
  readonly current: string;
  readonly without: 'current version' | 'refused';
  readonly headers: { readonly deprecation: boolean; readonly sunset: boolean };
  readonly older: readonly VersionPlan[];
}

export interface WebhookPlan {
  readonly timeout: number;
  readonly delays: readonly number[];
  /** The resource whose rows each keep their order; null where nothing does. */
  readonly order: string | null;
}

export interface ParameterPlan {
  readonly name: string;
  readonly rule: ValueRule;
  readonly required: boolean;
  readonly code: string | null;
  /** The field whose name the parameter bears, so that a version that renames the field renames it too. */
  readonly field: string | null;
}

/** What a page's payload holds under which names, and how many items there are. */
export interface PagePlan {
  readonly limit: string;
  readonly cursor: string;
  readonly payload: readonly { readonly name: string; readonly value: 'items' | 'next' }[];
  readonly standard: number;
  readonly most: number;
}

/** Before the transaction: nothing here is handed one. */
export type BeforeStep = { readonly line: number | null } & (
  | { readonly do: 'limit'; readonly rate: number }
  /** `optional`: a request without credentials is nobody's; one with any that are not accepted is refused. */
  | { readonly do: 'authenticate'; readonly optional: boolean }
  | { readonly do: 'require scope'; readonly scope: string }
  | { readonly do: 'choose version' }
  | { readonly do: 'negotiate'; readonly offered: string }
  | { readonly do: 'read body'; readonly most: number; readonly mediaTypes: readonly string[] }
  | { readonly do: 'refuse body'; readonly most: number }
  | {
      readonly do: 'read parameters';
      readonly path: readonly ParameterPlan[];
      readonly query: readonly ParameterPlan[];
      readonly unknown: 'refused' | 'ignored';
    }
  | {
      readonly do: 'validate body';
      readonly resource: string;
      readonly fields: readonly string[];
      readonly optional: boolean;
      readonly unknown: 'refused' | 'ignored';
    }
  | { readonly do: 'read page'; readonly page: PagePlan }
  | { readonly do: 'claim key'; readonly header: string; readonly kept: number; readonly below: number }
);

/** What rows are ordered by; the identity breaks ties. */
export interface OrderPlan {
  readonly by: Expr;
  readonly descending: boolean;
}

/** What `for each` goes through. */
export type OverPlan =
  | { readonly kind: 'list'; readonly list: Expr }
  | { readonly kind: 'rows'; readonly resource: string; readonly where: Expr | null; readonly order: OrderPlan };

/** Inside the transaction. */
export type InsideStep = { readonly line: number | null } & (
  | { readonly do: 'refuse parameters' }
  | {
      readonly do: 'find';
      readonly as: string;
      readonly resource: string;
      readonly where: Expr | null;
      /** Null where the condition matches one row at most. */
      readonly order: OrderPlan | null;
      /** Null for `or none`. */
      readonly code: string | null;
    }
  | {
      readonly do: 'list';
      readonly as: string;
      readonly resource: string;
      readonly where: Expr | null;
      readonly filters: readonly { readonly parameter: string; readonly where: Expr }[];
      readonly order: OrderPlan;
    }
  | { readonly do: 'require'; readonly test: Expr; readonly code: string }
  | { readonly do: 'match'; readonly header: 'If-Match'; readonly to: Expr }
  | {
      readonly do: 'create';
      readonly as: string | null;
      readonly resource: string;
      readonly request: readonly string[];
      readonly with: readonly { readonly field: string; readonly value: Expr }[];
    }
  | {
      readonly do: 'ensure';
      readonly as: string | null;
      readonly resource: string;
      /** The unique keys by which a row that is there already is found. */
      readonly by: readonly (readonly string[])[];
      readonly request: readonly string[];
      readonly with: readonly { readonly field: string; readonly value: Expr }[];
    }
  | {
      readonly do: 'change';
      /** True where a field that is not sent is kept; otherwise it becomes absent. */
      readonly patch: boolean;
      readonly row: string;
      readonly resource: string;
      readonly request: readonly string[];
      readonly with: readonly { readonly field: string; readonly value: Expr }[];
    }
  | { readonly do: 'move'; readonly row: string; readonly resource: string; readonly by: string }
  /** To a state, by the one of these transitions that leads there from where the row stands. */
  | {
      readonly do: 'move to';
      readonly row: string;
      readonly resource: string;
      readonly to: Expr;
      readonly by: readonly string[];
    }
  | { readonly do: 'remove'; readonly row: string; readonly resource: string }
  | { readonly do: 'remove every'; readonly resource: string; readonly where: Expr | null }
  | {
      readonly do: 'if';
      readonly test: Expr;
      readonly then: readonly InsideStep[];
      readonly else: readonly InsideStep[];
    }
  | {
      readonly do: 'for each';
      readonly as: string;
      readonly over: OverPlan;
      /** The names made in its steps, each of which is a list afterwards. */
      readonly makes: readonly string[];
      readonly steps: readonly InsideStep[];
    }
);

/** What an answer holds: a row's shown form, a page, or named values. */
export type BodyPlan =
  | { readonly kind: 'value'; readonly shown: ShownPlan }
  | {
      readonly kind: 'page';
      readonly list: string;
      readonly view: { readonly resource: string; readonly name: string };
    }
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

export interface EndpointPlan {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly line: number | null;
  readonly access: string | null;
  /** True where HEAD is answered as GET is, without the body. */
  readonly head: boolean;
  /** The request headers that it reads, beside those that any page may send. */
  readonly requestHeaders: readonly string[];
  /** True if its steps change rows. */
  readonly writes: boolean;
  readonly before: readonly BeforeStep[];
  readonly inside: readonly InsideStep[];
  readonly after: AnswerStep;
}
