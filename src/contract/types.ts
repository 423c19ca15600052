import type { Expr } from '../expression/tree/expression.ts';
import type { DescriptionFormat } from '../plan/step.ts';
import type { DecimalForm, TextFormat } from '../plan/value-forms.ts';

/**
 * What a value in a request, an answer or a payload may be. An algebra of our own: it says what Ninefold enforces, in
 * the terms of the document (characters, digits after the point, sets), and exports turn it into what their standard has.
 */
export type ContractType =
  | TextType
  | { readonly kind: 'integer'; readonly min: number | null; readonly max: number | null }
  | DecimalType
  /** `only`: the one of the two that it always is. */
  | { readonly kind: 'boolean'; readonly only?: boolean }
  /** RFC 3339, in UTC, written with `Z`. `whole`: what it is a whole number of, in milliseconds. */
  | {
      readonly kind: 'timestamp';
      readonly precision: 'milliseconds' | 'seconds';
      readonly whole: number | null;
    }
  /** RFC 3339’s full-date. */
  | { readonly kind: 'date' }
  /** ISO 8601, in days or less; bounds in milliseconds. */
  | {
      readonly kind: 'duration';
      readonly precision: 'milliseconds' | 'whole seconds';
      readonly min: number | null;
      readonly max: number | null;
    }
  /** Items of a set are each there once. */
  | {
      readonly kind: 'list' | 'set';
      readonly of: ContractType;
      /** Whether an item may be null. */
      readonly nullable: boolean;
      readonly min: number | null;
      readonly max: number | null;
    }
  | {
      readonly kind: 'map';
      readonly keys: ContractType | null;
      readonly of: ContractType;
      readonly nullable: boolean;
      readonly min: number | null;
      readonly max: number | null;
    }
  | ObjectContract
  /** What is described once among the shapes of the version. */
  | { readonly kind: 'shape'; readonly name: string }
  /** Server-sent events: the names of those that are sent. */
  | { readonly kind: 'stream'; readonly events: readonly string[] }
  /** What the service tells of itself, by a standard. */
  | { readonly kind: 'description'; readonly format: DescriptionFormat }
  /** The payload of errors; `faults`: it tells of single fields and parameters. */
  | { readonly kind: 'error'; readonly faults: boolean }
  | { readonly kind: 'null' };

export interface TextType {
  readonly kind: 'text';
  /** How many characters (Unicode code points) it has. */
  readonly min: number | null;
  readonly max: number | null;
  /** A regular expression (RE2), which has to match somewhere in it. */
  readonly pattern: string | null;
  readonly format: TextFormat | 'uuid' | 'password' | null;
  /** The only values that it may have. */
  readonly oneOf: readonly string[] | null;
}

/** An exact number; its bounds are written with all their digits. */
interface DecimalType {
  readonly kind: 'decimal';
  readonly digits: number;
  readonly min: string | null;
  readonly max: string | null;
  readonly as: DecimalForm['as'];
  readonly rounding: DecimalForm['rounding'];
}

/** An object with members of stated names. */
export interface ObjectContract {
  readonly kind: 'object';
  readonly members: readonly MemberContract[];
  /** What becomes of a member of another name; `none`: there is no other, in what the service sends. */
  readonly unknown: 'refused' | 'ignored' | 'none';
}

export interface MemberContract {
  readonly name: string;
  readonly type: ContractType;
  /** Whether it may be left out. */
  readonly presence: 'always' | 'optional';
  /** Whether null may stand in its place. */
  readonly nullable: boolean;
  /** What stands for it where a request leaves it out. */
  readonly otherwise: Expression | null;
  /** The code that answers a value that isn’t allowed; null where that is an invalid request. */
  readonly refused: string | null;
  /** The resource whose row a request names by it; null for any other, and in an answer, of which `field` tells it. */
  readonly refersTo: string | null;
  /** What an answer computes it from; null in a request, and where it is a field as it stands. */
  readonly expression: Expression | null;
  /** The field of a resource that it is, by the names of the current version. */
  readonly field: string | null;
  readonly lines: Lines;
}

/** The lines of the document that state a fact. */
export type Lines = readonly number[];

/** An expression of the document, as it reads and as data. */
export interface Expression {
  readonly text: string;
  readonly tree: Expr;
}
