import type { Expr } from '../expression/tree/expression.ts';
import type { ParameterPlan } from './parameter.ts';

/** The fields of a resource that a body holds. */
export interface PayloadPlan {
  readonly resource: string;
  readonly fields: readonly string[];
  /** True for a merge patch. */
  readonly optional: boolean;
  /** The member that holds them; null where the body itself does. */
  readonly member: string | null;
  /** For a list of such: how many there may be. */
  readonly items: { readonly min: number; readonly max: number } | null;
}

/** Fields that a step takes from a request, by the expression whose members they are. */
export interface FromPlan {
  readonly value: Expr;
  readonly fields: readonly string[];
}

/** A value for a field from a step, or an argument of a handler. */
export interface GivenPlan {
  readonly field: string;
  readonly value: Expr;
}

/** The order of rows; the identity breaks ties. */
export type OrderPlan = FixedOrder | ChosenOrder;

/** How many rows a list of all holds at most, and whether a longer one is refused or cut. */
export interface WholeListPlan {
  readonly most: number;
  readonly refused: boolean;
}

export interface FixedOrder {
  readonly by: Expr;
  readonly descending: boolean;
}

/** An order that the request chooses: by the key that `sorted` names, where there are several, up or down. */
export interface ChosenOrder {
  readonly sorted: Expr | null;
  readonly keys: readonly { readonly name: string; readonly by: Expr }[];
  /** Gives `asc` or `desc`. */
  readonly direction: Expr;
}

/** The facts about a step’s rows that an endpoint reads, beside their own shown form in its answer. */
export interface ReadsPlan {
  readonly fields: readonly string[];
  /** Whether it reads their entity tags. */
  readonly tag: boolean;
}

/** The items or rows over which `for each` iterates. */
export type OverPlan =
  | { readonly kind: 'list'; readonly list: Expr }
  | { readonly kind: 'rows'; readonly resource: string; readonly where: Expr | null; readonly order: OrderPlan };

/** A parameter that holds the identity of a row. */
export interface ReferencePlan {
  readonly in: 'path' | 'query' | 'header' | 'body';
  readonly parameter: ParameterPlan;
  readonly resource: string;
}

/** Inside the transaction. */
export type InsideStep = {
  readonly line: number | null;
} /** Looks for the rows that the request refers to, as the caller sees them, before any step is run. */ & (
  | {
      readonly do: 'find references';
      readonly payload: PayloadPlan | null;
      readonly fields: readonly string[];
      readonly parameters: readonly ReferencePlan[];
    }
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
      /** Null where the row is read whole. */
      readonly reads: ReadsPlan | null;
    }
  | {
      readonly do: 'list';
      readonly as: string;
      readonly resource: string;
      readonly where: Expr | null;
      readonly filters: readonly {
        readonly parameter: string;
        readonly in: 'path' | 'query' | 'header' | 'body';
        readonly where: Expr;
      }[];
      /** Null for a list in pages. */
      readonly all: WholeListPlan | null;
      readonly order: OrderPlan;
      /** For each key of the order, how many bytes the place of a row takes at most in a cursor. */
      readonly room: readonly number[];
      /** Null where the rows are read whole. */
      readonly reads: ReadsPlan | null;
    }
  /** Finds a row, and verifies a password against the hash in `field`. */
  | {
      readonly do: 'verify';
      readonly as: string;
      readonly resource: string;
      readonly where: Expr;
      readonly field: string;
      readonly password: Expr;
      readonly code: string;
    }
  | { readonly do: 'require'; readonly test: Expr; readonly code: string }
  /** `of` is the GET whose answer has the entity tag that is compared; null where the tag is `to`. */
  | { readonly do: 'match'; readonly header: 'If-Match'; readonly to: Expr; readonly of: string | null }
  /** Evaluates the preconditions against what the GET `of` answers now; null: refuses every request that has any. */
  | { readonly do: 'preconditions'; readonly of: string | null }
  | {
      readonly do: 'create';
      readonly as: string | null;
      readonly resource: string;
      readonly from: FromPlan | null;
      readonly with: readonly GivenPlan[];
    }
  | {
      readonly do: 'ensure';
      readonly as: string | null;
      readonly resource: string;
      /** The unique keys by which a row that is there already is found. */
      readonly by: readonly (readonly string[])[];
      readonly from: FromPlan | null;
      readonly with: readonly GivenPlan[];
    }
  | {
      readonly do: 'change';
      /** True where a field that is not sent is kept; otherwise it becomes absent. */
      readonly patch: boolean;
      readonly row: string;
      readonly resource: string;
      readonly from: FromPlan | null;
      readonly with: readonly GivenPlan[];
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
  /** A handler that only computes gives `as` a value; one that reaches outside is queued. */
  | {
      readonly do: 'run';
      readonly handler: string;
      readonly with: readonly GivenPlan[];
      readonly as: string | null;
    }
  | {
      readonly do: 'issue';
      readonly as: string;
      readonly scheme: string;
      readonly to: Expr;
      readonly scopes: readonly string[];
      /** True where a hash of the credential is stored: a step that issues a token writes nothing. */
      readonly kept: boolean;
    }
  /** `of` is null for the key that the request was sent with. */
  | { readonly do: 'revoke'; readonly scheme: string; readonly of: Expr | null }
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
