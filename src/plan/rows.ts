import type { Expr } from '../expression/tree/expression.ts';
import type { WordForm } from '../expression/tree/word-form.ts';
import type { FilePlan } from './files.ts';
import type { InsideStep } from './inside-step.ts';
import type { ValueRule } from './value-forms.ts';

/** The plan of a table: the columns of a resource’s rows, and the rules for rows. */

export interface ColumnPlan {
  readonly name: string;
  readonly rule: ValueRule;
  /** True where the stored value is the hash of the value in the request. */
  readonly password: boolean;
  /** Set where the service draws the value, a secret; absent for a password. */
  readonly secret?: true;
  readonly nullable: boolean;
  /** The resource that a reference points at. */
  readonly reference: string | null;
  /** The resource that each item of a list or set of references points at. */
  readonly references?: string;
  readonly from: { readonly operator: boolean; readonly transitions: boolean; readonly steps: boolean };
  /** The value of the field if a request leaves it out. */
  readonly otherwise: Expr | null;
  /** A number from 1, for each row to which the reference `per` points, or for all rows together. */
  readonly sequence: { readonly per: string | null } | null;
}

/**
 * Whether the values of a column are secrets, which no list shows and no search, filter or order compares: hashes of
 * passwords and of drawn secrets, and secrets of webhooks.
 */
export const isSecretColumn = ({ rule, password }: ColumnPlan): boolean => password || rule.format === 'webhook secret';

export interface UniquePlan {
  readonly fields: readonly string[];
  /** The fields that are compared without regard to case. */
  readonly ignoringCase: readonly string[];
  readonly condition: Expr | null;
  readonly code: string | null;
}

/** `field` gets `value` whenever a row is created, changed, or moved by the named transition. */
export interface GivingPlan {
  readonly field: string;
  readonly moment: string;
  readonly value: Expr;
}

/**
 * The time of a timed transition: a number of milliseconds after an instant of the row, or after another move of the
 * row.
 */
export type Timing =
  | { readonly after: number; readonly instant: Expr; readonly move: null }
  | { readonly after: number; readonly instant: null; readonly move: string };

export interface TransitionPlan {
  readonly name: string;
  readonly from: readonly string[];
  readonly to: string;
  readonly guard: Expr | null;
  readonly code: string | null;
  /** The time of a timed transition; null for any other. */
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
  /** The instant of `at`, and the condition under which the event is recorded. */
  readonly timed: { readonly instant: Expr; readonly condition: Expr | null } | null;
  readonly to: readonly ('webhook' | 'stream')[];
  /** The shown form of the row in the payload. */
  readonly view: string;
}

/** The states of one field. The names of transitions are unique among all fields of a resource. */
export interface MachinePlan {
  readonly field: string;
  readonly initial: string;
  readonly transitions: readonly TransitionPlan[];
}

export interface ResourcePlan {
  readonly name: string;
  readonly columns: readonly ColumnPlan[];
  /** The fields of bytes; absent where there are none. */
  readonly files?: readonly FilePlan[];
  /** The key of rows: a field, or a column that the service adds where no single field is the key. */
  readonly identity: string;
  /** The fields that decide the order of rows. */
  readonly order: readonly string[];
  readonly derived: readonly { readonly name: string; readonly value: Expr }[];
  /** Null where every caller sees every row. */
  readonly visible: Expr | null;
  readonly uniques: readonly UniquePlan[];
  /** References of other resources that prevent the removal of a row, with the code of the refusal. */
  readonly keptBy: readonly { readonly resource: string; readonly field: string; readonly code: string | null }[];
  /** The sequences, each as `Resource.field`, that have a count of their own for every row of this resource. */
  readonly counted: readonly string[];
  /**
   * References of other resources: `takes` removes the referring rows together with a row, and `clears` makes the
   * reference absent.
   */
  readonly takes: readonly { readonly resource: string; readonly field: string }[];
  readonly clears: readonly { readonly resource: string; readonly field: string }[];
  readonly holds: readonly { readonly test: Expr; readonly code: string | null }[];
  readonly overlaps: readonly OverlapPlan[];
  readonly givings: readonly GivingPlan[];
  /** The fields with states, in the order of the document. */
  readonly machines: readonly MachinePlan[];
  readonly events: readonly EventPlan[];
  /**
   * The shown forms: the resource’s own form, with the resource’s name, which may be empty (never shown), and its
   * views.
   */
  readonly views: readonly ViewPlan[];
  /** The fields in which lists search for words; absent where there are none, as in earlier plans. */
  readonly search?: SearchPlan;
  /** The changes that are recorded as rows of another resource; absent where none are. */
  readonly audit?: AuditPlan;
  /** The resource whose changes the rows record: only the service adds them. Absent for any other resource. */
  readonly entriesOf?: string;
}

/** The beginnings of a transaction that changes rows. */
export const CAUSES = ['request', 'timer', 'schedule', 'handler', 'operator'] as const;
export type Cause = (typeof CAUSES)[number];

/** The kinds of changes that an entry records. */
export type AuditAction = 'created' | 'changed' | 'removed';

/** The record of the changes of a resource's rows: each is an entry, a row of another resource. */
export interface AuditPlan {
  /** The fields that make a change an entry, where one of them gets another value. */
  readonly fields: readonly string[];
  readonly creation: boolean;
  readonly removal: boolean;
  /** The resource of the entries. */
  readonly entries: string;
  /** The schedule that removes entries; null where they are kept for ever. */
  readonly removedBy: string | null;
  /** The fields of an entry whose values tell of the change. */
  readonly facts: readonly AuditFactPlan[];
}

/** An audit as a document states it. */
export const auditText = ({ fields, creation, removal, entries, removedBy }: Omit<AuditPlan, 'facts'>): string =>
  [
    `audited: ${fields.join(', ')}`,
    `creation ${creation ? '' : 'not '}recorded`,
    `removal ${removal ? '' : 'not '}recorded`,
    `in ${entries}`,
    removedBy === null ? 'kept for ever' : `removed by ${removedBy}`,
  ].join('; ');

/** A field of entries, and the fact of a change that it holds. */
export interface AuditFactPlan {
  readonly entry: string;
  readonly fact: 'before' | 'after' | 'caller' | 'row' | 'action' | 'cause';
  /** The audited resource's field of `before` and `after`, or the caller's resource of `caller`; null for others. */
  readonly of: string | null;
}

/** A full-text search over the rows of a resource. */
export interface SearchPlan extends WordForm {
  readonly fields: readonly SearchedFieldPlan[];
}

/** A field that a search reads; `weight`: the points of an occurrence of a word, in an order by the best match. */
export interface SearchedFieldPlan {
  readonly field: string;
  readonly weight: number;
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

/** One member of a shown form, in which the row is `this`. */
export interface ViewMember {
  /** The field, whose name the member has, unless a version renames it. */
  readonly field: string;
  readonly value: Expr;
  /** The shown form of rows in the value. */
  readonly view: { readonly resource: string; readonly name: string } | null;
}

/** The columns to which whoever creates a row gives a value: nothing else does. */
export const columnsToGive = ({ columns, givings }: ResourcePlan): readonly ColumnPlan[] =>
  columns.filter(
    ({ name, nullable, from, sequence }) =>
      !nullable &&
      !from.transitions &&
      !sequence &&
      !givings.some(({ field, moment }) => field === name && moment === 'create'),
  );

/** Why nobody writes entries of an audit. */
export const notWritten = (entries: string, audited: string): string =>
  `Only the service adds rows of ${entries}, and nobody changes or removes one: they record the changes of ${audited}.`;

/** Why the operator can add no rows of a resource; null where it can. */
export function whyNotAdded(resource: ResourcePlan): string | null {
  const { name, entriesOf } = resource;
  if (entriesOf !== undefined) return notWritten(name, entriesOf);
  const column = columnsToGive(resource).find(({ from }) => !from.operator);
  if (!column) return null;
  return `The operator cannot add rows of ${name}: “Given by” of ${name}.${column.name} names only requests or steps.`;
}
