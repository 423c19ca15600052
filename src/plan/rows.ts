import type { Expr } from '../expression/tree/expression.ts';
import type { InsideStep } from './inside-step.ts';
import type { ValueRule } from './value-forms.ts';

/** The plan of a table: the columns of a resource’s rows, and the rules for rows. */

export interface ColumnPlan {
  readonly name: string;
  readonly rule: ValueRule;
  /** True where the stored value is the hash of the value in the request. */
  readonly password: boolean;
  readonly nullable: boolean;
  /** The resource that a reference points at. */
  readonly reference: string | null;
  readonly from: { readonly operator: boolean; readonly transitions: boolean; readonly steps: boolean };
  /** The value of the field if a request leaves it out. */
  readonly otherwise: Expr | null;
  /** Numbered from 1, for each row that the reference `per` points at, or for all rows alike. */
  readonly sequence: { readonly per: string | null } | null;
}

export interface UniquePlan {
  readonly fields: readonly string[];
  /** The fields that are compared without regard to case. */
  readonly ignoringCase: readonly string[];
  readonly condition: Expr | null;
  readonly code: string | null;
}

/** `field` is given `value` whenever a row is created, changed, or moved by the transition named. */
export interface GivingPlan {
  readonly field: string;
  readonly moment: string;
  readonly value: Expr;
}

/** When a move happens by itself: so many milliseconds after an instant of the row, or after another move of it. */
export type Timing =
  | { readonly after: number; readonly instant: Expr; readonly move: null }
  | { readonly after: number; readonly instant: null; readonly move: string };

export interface TransitionPlan {
  readonly name: string;
  readonly from: readonly string[];
  readonly to: string;
  readonly guard: Expr | null;
  readonly code: string | null;
  /** A move that happens by itself, so long after an instant. */
  readonly timed: Timing | null;
  /** The steps after the move, in the same transaction, in which the moved row is called `moved`. */
  readonly then: readonly InsideStep[];
}

/** The change of a row for which an event is recorded. */
export interface EventPlan {
  readonly name: string;
  readonly on: 'created' | 'removed' | 'moves' | 'changed' | 'at';
  /** The transitions of `moves`. */
  readonly by: readonly string[];
  /** The fields of `changed`. */
  readonly fields: readonly string[];
  /** The instant of `at`, and the condition while it counts. */
  readonly timed: { readonly instant: Expr; readonly condition: Expr | null } | null;
  readonly to: readonly ('webhook' | 'stream')[];
  /** How the row is shown in the payload. */
  readonly view: string;
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
