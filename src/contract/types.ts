import type { Expr } from '../expression/tree/expression.ts';
import type { DescriptionContent, DescriptionFormat } from '../plan/step.ts';
import type { ScalarContract } from './kinds.ts';

/**
 * The type of a value in a request, an answer or a payload. It has the terms of the document (characters, digits after
 * the point, sets); exports translate it to their standard.
 */
export type ContractType =
  | ScalarContract
  /** The items of a set are unique. */
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
  /** A reference to a shape of the version. */
  | { readonly kind: 'shape'; readonly name: string }
  /** Server-sent events: the names of the events. */
  | { readonly kind: 'stream'; readonly events: readonly string[] }
  /** Rows as JSON, one a line (NDJSON). */
  | { readonly kind: 'rows'; readonly of: ContractType }
  | CsvContract
  | BytesContract
  /** A description of the service in a standard format. */
  | { readonly kind: 'description'; readonly format: DescriptionFormat; readonly content: DescriptionContent }
  /** The payload of errors; `faults`: with faults of single fields and parameters. */
  | { readonly kind: 'error'; readonly faults: boolean }
  | { readonly kind: 'null' };

/** Rows as CSV (RFC 4180), each a record of the columns. */
export interface CsvContract {
  readonly kind: 'csv';
  readonly columns: ReadonlyArray<{
    /** The title of the column: the first record has it if there is a header. */
    readonly name: string;
    /** The type of the value; a cell has its text, or its JSON. */
    readonly type: ContractType;
    /** Whether the cell may be empty because there is no value. */
    readonly nullable: boolean;
  }>;
  readonly header: 'present' | 'absent';
  /** Whether an apostrophe precedes a text that a spreadsheet would compute. */
  readonly formulas: 'escaped' | 'kept';
}

/** Bytes of any of these media types: an answer with a file, or a part of a request. */
export interface BytesContract {
  readonly kind: 'bytes';
  readonly mediaTypes: readonly string[];
  /** The greatest number of bytes. */
  readonly max: number;
  /** Of a part, whether its first bytes have to be those of its media type. */
  readonly firstBytes?: 'checked' | 'not checked';
}

export type TextType = ScalarContract<'text'>;

/** An object with members of stated names. */
export interface ObjectContract {
  readonly kind: 'object';
  readonly members: readonly MemberContract[];
  /** Whether a member with an unknown name is refused or ignored; `none` for objects that the service sends. */
  readonly unknown: 'refused' | 'ignored' | 'none';
}

export interface MemberContract {
  readonly name: string;
  readonly type: ContractType;
  /** Whether the member may be omitted. */
  readonly presence: 'always' | 'optional';
  /** Whether the value may be null. */
  readonly nullable: boolean;
  /** The default value of a member that a request omits. */
  readonly otherwise: Expression | null;
  /** The error code for an invalid value; null if the condition `invalid request` answers. */
  readonly refused: string | null;
  /**
   * The resource that a member of a request references; null for other members, and in answers, where `field`
   * identifies it.
   */
  readonly refersTo: string | null;
  /** The expression of a member of an answer; null in a request, and for a field that is shown unchanged. */
  readonly expression: Expression | null;
  /** The field that the member holds, by the names of the current version. */
  readonly field: string | null;
  readonly lines: Lines;
}

/** The lines of the document that state a fact. */
export type Lines = readonly number[];

/** An expression of the document, as text and as a tree. */
export interface Expression {
  readonly text: string;
  readonly tree: Expr;
}
