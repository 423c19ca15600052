import type { DecimalForm, TextFormat } from '../../plan/value-forms.ts';
import type { Located, Name } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';
import type { Token } from '../../syntax/tokens.ts';

/** How the whole part treats what the single fields leave open. */
export interface WireRules {
  readonly timestamps: Located<'milliseconds' | 'seconds'> | null;
  readonly dates: Located<'RFC 3339'> | null;
  readonly durations: Located<'milliseconds' | 'whole seconds'> | null;
  readonly decimals: Located<DecimalForm> | null;
  readonly text: Located<'trimmed' | 'as sent'> | null;
  readonly missing: Located<'left out' | 'null'> | null;
  readonly nulls: Located<'clears'> | null;
  readonly emptyText: Located<'kept' | 'null'> | null;
  readonly unknownFields: Located<'refused' | 'ignored'> | null;
  readonly passwords: Located<Hashing> | null;
}

/** The parameters of scrypt, which RFC 7914 calls N, r and p. */
export interface Hashing {
  readonly cost: number;
  readonly blocks: number;
  readonly lanes: number;
}

export type FieldType =
  | { readonly kind: 'string' | 'integer' | 'decimal' | 'boolean' | 'timestamp' | 'date' | 'duration' }
  | { readonly kind: 'list' | 'set' | 'map'; readonly of: FieldType }
  | { readonly kind: 'reference'; readonly resource: Name };

/** A password is text too, and what is kept of it is a hash. */
export type Format = 'none' | 'uuid' | 'password' | TextFormat;

export type Allowed =
  | { readonly kind: 'any' }
  | { readonly kind: 'range'; readonly min: number; readonly max: number }
  /** In milliseconds. */
  | { readonly kind: 'durations'; readonly min: number; readonly max: number }
  /** In units of the last of the `scale` digits after the point. */
  | { readonly kind: 'decimals'; readonly min: number; readonly max: number; readonly scale: number }
  | { readonly kind: 'whole minutes' }
  | { readonly kind: 'length'; readonly min: number; readonly max: number }
  | { readonly kind: 'pattern'; readonly source: string }
  | { readonly kind: 'one of'; readonly values: readonly Name[] }
  /** `keys`: what the keys of a map may be. */
  | {
      readonly kind: 'items';
      readonly min: number;
      readonly max: number;
      readonly keys: Allowed | null;
      readonly each: Allowed;
    };

/** One source of a field's value, at one moment. */
export type Giving =
  | { readonly from: 'request'; readonly otherwise: Token | null }
  | { readonly from: 'operator' | 'steps' | 'transitions' }
  /** Numbered from 1, for each row that the reference `per` points at, or for all rows alike. */
  | { readonly from: 'sequence'; readonly per: Name | null }
  | { readonly from: 'moment'; readonly moment: Name; readonly value: Token };

export type Uniqueness =
  | { readonly kind: 'no' | 'identity' }
  | { readonly kind: 'yes'; readonly ignoringCase: boolean; readonly code: Name | null };

export interface Field {
  readonly name: Name;
  readonly span: Span;
  readonly type: Located<FieldType> | null;
  readonly format: Located<Format> | null;
  readonly allowed: Located<Allowed> | null;
  readonly givenBy: Located<readonly Giving[]> | null;
  readonly presence: Located<'always' | 'optional'> | null;
  readonly unique: Located<Uniqueness> | null;
}

/** One member of what is shown: a field, and for a reference the field of its target that stands for it. */
export interface Shown {
  readonly field: Name;
  readonly as: Name | null;
}

export interface UniqueRule {
  readonly fields: readonly Name[];
  /** Those of the fields that are the same whatever the case of their characters. */
  readonly ignoringCase: readonly Name[];
  readonly condition: Token | null;
  readonly code: Name | null;
  readonly span: Span;
}

/** A row cannot be removed while these references point at it. */
interface KeepsRule {
  readonly fields: readonly Name[];
  readonly code: Name | null;
  readonly span: Span;
}

/** ``Derived full_name: string, `owner.login + "/" + name` `` */
export interface DerivedField {
  readonly name: Name;
  readonly type: FieldType;
  readonly value: Token;
  readonly span: Span;
}

/** Another form in which rows are shown. */
interface View {
  readonly name: Name;
  readonly members: readonly Shown[];
  readonly span: Span;
}

/** What is true of every row whenever a transaction ends. */
export interface HoldsRule {
  readonly test: Token;
  readonly code: Name | null;
  readonly span: Span;
}

/** No two rows with the same `by` cover a common instant. */
export interface OverlapRule {
  readonly start: Token;
  readonly end: Token;
  readonly by: readonly Name[];
  readonly condition: Token | null;
  readonly code: Name | null;
  readonly span: Span;
}

/** What happens to a row when the row that a reference of it points at is removed, other than keeping that. */
interface RemovalRule {
  readonly fields: readonly Name[];
  readonly span: Span;
}

export interface Resource {
  readonly name: Name;
  readonly fields: readonly Field[];
  readonly derived: readonly DerivedField[];
  /** Null where the document doesn't say; an empty list means never. */
  readonly shown: Located<readonly Shown[]> | null;
  readonly visible: Located<Token | 'everyone'> | null;
  readonly uniques: readonly UniqueRule[];
  readonly keeps: readonly KeepsRule[];
  readonly views: readonly View[];
  readonly holds: readonly HoldsRule[];
  readonly overlaps: readonly OverlapRule[];
  /** The row goes with the row that is removed. */
  readonly removedWith: readonly RemovalRule[];
  /** The reference becomes absent. */
  readonly cleared: readonly RemovalRule[];
}

export interface Resources {
  readonly rules: WireRules;
  readonly list: readonly Resource[];
}

/** The sets of fields that no two rows have the same values of, whatever else they hold: columns, then bullets. */
export function uniqueKeys(resource: Resource): string[][] {
  return [
    ...resource.fields.filter((field) => field.unique?.value.kind !== 'no').map((field) => [field.name.text]),
    ...resource.uniques.filter((rule) => !rule.condition).map((rule) => rule.fields.map((field) => field.text)),
  ];
}
