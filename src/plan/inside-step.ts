import type { Expr } from '../expression/tree/expression.ts';
import type { FilePlan } from './files.ts';
import type { AnswerStep } from './step.ts';
import type { ValueRule } from './value-forms.ts';

/** The fields of a resource in a body. */
export interface PayloadPlan {
  readonly resource: string;
  readonly fields: readonly string[];
  /** True for a merge patch. */
  readonly optional: boolean;
  /** The member of the body with the fields; null where the body itself has them. */
  readonly member: string | null;
  /** The number of items of a list; null where the body is no list. */
  readonly items: { readonly min: number; readonly max: number } | null;
  /** The field whose bytes are the whole body; absent for a body with members. */
  readonly bytes?: FilePlan;
}

/** Fields that a step takes from a request, by the expression whose members they are. */
export interface FromPlan {
  readonly value: Expr;
  readonly fields: readonly string[];
  /** The columns that take the identities of the bytes that the request sends; absent where it sends values alone. */
  readonly bytes?: readonly string[];
}

/** A value for a field from a step, an argument of a handler, or a member of an event. */
export interface GivenPlan {
  readonly field: string;
  readonly value: Expr;
}

/** A member of a group. */
export interface MemberPlan {
  readonly name: string;
  readonly value: Expr;
}

/** A unique rule by which a step finds a row. */
export interface KeyPlan {
  readonly fields: readonly string[];
  /** The fields that the step compares without regard to case. */
  readonly ignoringCase: readonly string[];
  /** The condition of the rule: rows for which it does not hold are not found. Null where the rule is for all rows. */
  readonly while: Expr | null;
}

/** The order of rows; the identity breaks ties. */
export type OrderPlan = FixedOrder | ChosenOrder;

/** The largest number of rows in a list without pages, and whether a longer list is refused or cut. */
export interface WholeListPlan {
  readonly most: number;
  readonly refused: boolean;
}

/** The place of rows whose sort key is null, in either direction. */
export type NullsPlace = 'first' | 'last';

/** A sort key. */
export interface OrderKey {
  readonly by: Expr;
  readonly descending: boolean;
  /** Absent where the key is never null. */
  readonly nulls?: NullsPlace;
}

export interface FixedOrder extends OrderKey {
  /** Further keys, which order the rows that are equal in the keys before. */
  readonly then?: readonly OrderKey[];
}

/** A sort key in an order that the request chooses. */
export interface TurnedKey {
  readonly by: Expr;
  /** The direction, where the request does not choose it. */
  readonly descending?: boolean;
  readonly nulls?: NullsPlace;
}

/**
 * An order that the request chooses: the keys by the value of `sorted`, if there are several names, and the direction.
 */
export interface ChosenOrder {
  readonly sorted: Expr | null;
  readonly keys: readonly NamedKeys[];
  /** Evaluates to `asc` or `desc`. */
  readonly direction: Expr;
  /** Further keys, after those that the request chooses. */
  readonly then?: readonly OrderKey[];
}

/** The sort keys behind a name that the request chooses. */
export interface NamedKeys extends TurnedKey {
  readonly name: string;
  readonly then?: readonly TurnedKey[];
}

/** The facts about a step’s rows that an endpoint reads, beside their own shown form in its answer. */
export interface ReadsPlan {
  readonly fields: readonly string[];
  /** Whether the endpoint reads the entity tags of the rows. */
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

/** A condition that applies to the rows of a list where its parameter is sent. */
interface ListFilter {
  readonly parameter: string;
  readonly in: 'path' | 'query' | 'header' | 'body';
  readonly where: Expr;
  /**
   * The condition as the document states it, where a word of an older version shows several values: `where` then
   * holds for all of these values. Absent elsewhere.
   */
  readonly stated?: Expr;
}

/** A step inside the transaction. */
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
  /** Refuses the faults of the body. `refuses`: unknown members are among them. */
  | { readonly do: 'validate'; readonly refuses: boolean }
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
      /** The condition that a row matches the query of a search; absent where the list does not search. */
      readonly matching?: Expr;
      readonly filters: readonly ListFilter[];
      /** Null for a list with pages. */
      readonly all: WholeListPlan | null;
      readonly order: OrderPlan;
      /** For each key of the order, the largest size in bytes of a row’s place in a cursor. */
      readonly room: readonly number[];
      /** Null where the rows are read whole. */
      readonly reads: ReadsPlan | null;
    }
  /**
   * Makes a group of the rows that have equal values of `by`. A group is an object of these values and of those of
   * `with`, which are computed of its rows. `order` reads a member of the group; the values of `by` break ties.
   */
  | {
      readonly do: 'group';
      readonly as: string;
      readonly resource: string;
      /** True where rows that the caller may not see count, too; absent where they do not. */
      readonly every?: true;
      readonly where: Expr | null;
      readonly by: readonly MemberPlan[];
      readonly with: readonly MemberPlan[];
      readonly order: FixedOrder;
      readonly all: WholeListPlan;
    }
  /** Selects the rows that the answer streams. */
  | {
      readonly do: 'list streamed';
      readonly as: string;
      readonly resource: string;
      readonly where: Expr | null;
      readonly matching?: Expr;
      readonly filters: readonly ListFilter[];
      readonly order: OrderPlan;
    }
  /** Finds a row, and verifies a password against the hash in `field`, or a secret where `secret` is set. */
  | {
      readonly do: 'verify';
      readonly as: string;
      readonly resource: string;
      readonly where: Expr;
      readonly field: string;
      readonly password: Expr;
      readonly secret?: true;
      readonly code: string;
    }
  | { readonly do: 'require'; readonly test: Expr; readonly code: string }
  /** `of`: the GET whose entity tag is compared; null where `to` is the tag. */
  | { readonly do: 'match'; readonly header: 'If-Match'; readonly to: Expr; readonly of: string | null }
  /**
   * Evaluates the preconditions against the present answer of the GET `of`. If that is null, requests with
   * preconditions are refused. `required`: set if requests without If-Match are refused.
   */
  | { readonly do: 'preconditions'; readonly of: string | null; readonly required?: true }
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
      /** The name that says whether the row was created; absent where the step has none. */
      readonly created?: string;
      readonly resource: string;
      /** The unique keys by which an existing row is found. */
      readonly by: readonly KeyPlan[];
      readonly from: FromPlan | null;
      readonly with: readonly GivenPlan[];
    }
  | {
      readonly do: 'change';
      /** True where a field that the request leaves out is kept; otherwise it becomes absent. */
      readonly patch: boolean;
      readonly row: string;
      readonly resource: string;
      readonly from: FromPlan | null;
      readonly with: readonly GivenPlan[];
    }
  | {
      readonly do: 'move';
      readonly row: string;
      readonly resource: string;
      readonly by: string;
      /** Values that the row gets in the same write. */
      readonly with: readonly GivenPlan[];
    }
  /** A move to a state, by whichever of the transitions leads there from the row’s present state. */
  | {
      readonly do: 'move to';
      readonly row: string;
      readonly resource: string;
      readonly to: Expr;
      readonly by: readonly string[];
      readonly with: readonly GivenPlan[];
    }
  | { readonly do: 'remove'; readonly row: string; readonly resource: string }
  /** A handler that only computes gives `as` a value; a handler with effects is queued. */
  | {
      readonly do: 'run';
      readonly handler: string;
      readonly with: readonly GivenPlan[];
      readonly as: string | null;
    }
  /** Records an event that is about no row. */
  | { readonly do: 'emit'; readonly event: string; readonly with: readonly GivenPlan[] }
  | {
      readonly do: 'issue';
      readonly as: string;
      readonly scheme: string;
      readonly to: Expr;
      /** The stated scopes; empty where an expression gives them. */
      readonly scopes: readonly string[];
      /** The expression for the scopes; null where they are stated. */
      readonly scopesBy: Expr | null;
      /** True where a hash of the credential is stored; a step that issues a token stores nothing. */
      readonly kept: boolean;
    }
  /** Draws the secret of a row, and stores its hash in `field`. */
  | {
      readonly do: 'issue secret';
      readonly as: string;
      readonly row: string;
      readonly resource: string;
      readonly field: string;
    }
  /** `of` is null for the key of the request itself. */
  | { readonly do: 'revoke'; readonly scheme: string; readonly of: Expr | null }
  | { readonly do: 'remove every'; readonly resource: string; readonly where: Expr | null }
  /** The end of the steps in a branch: no later step runs. */
  | AnswerStep
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
      /** The names of the nested steps, each of which is a list in later steps. */
      readonly makes: readonly string[];
      readonly steps: readonly InsideStep[];
    }
);

/** A parameter of an endpoint, or an argument or result of a handler. */
export interface ParameterPlan {
  readonly name: string;
  readonly rule: ValueRule;
  readonly required: boolean;
  readonly password: boolean;
  /** The value of the parameter if a request does not send it. */
  readonly otherwise: Expr | null;
  readonly code: string | null;
  /**
   * The field that gives the parameter its name, so that a version that renames the field also renames the parameter.
   */
  readonly field: string | null;
  /** The field whose values the parameter takes, where older versions have other words for them; absent elsewhere. */
  readonly words?: string;
}
