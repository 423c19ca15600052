import type { Condition } from '../../plan/conditions.ts';
import type { Located, Name } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';
import type { Token } from '../../syntax/tokens.ts';
import { ownMember } from '../../text/own-member.ts';

/** One code, with the conditions that answer with it. */
export interface ErrorRow {
  readonly code: Name;
  readonly status: Located<number> | null;
  readonly when: readonly Located<Condition | 'a step says so' | 'a rule says so'>[];
  readonly title: Located<string> | null;
  /** What the table's further columns say, by the name they have in expressions; null stands for `none`. */
  readonly more: Readonly<Record<string, Located<string | null> | null>>;
  readonly span: Span;
}

/** How errors are told: by a standard, by a table of the document's own, or by their status alone. */
export type Payload =
  | {
      readonly kind: 'RFC 9457';
      /** The URI of the problem types, with `{code}` in it; none where problems have no type. */
      readonly type?: string;
    }
  | { readonly kind: 'none' }
  | { readonly kind: 'table'; readonly name: Name; readonly mediaType: string };

/** What a member holds: text, numbers, or what another table says; one of it, or many. */
export interface MemberType {
  readonly many: 'one' | 'list' | 'map of list';
  readonly of:
    | { readonly kind: 'plain'; readonly type: 'string' | 'integer' | 'boolean' }
    | { readonly kind: 'payload'; readonly name: Name };
}

/** A value for each fault, under a key where the member is a map. */
export interface EachValue {
  readonly value: Token;
  readonly key: Token | null;
}

/** What a member is computed from; `otherwise` is its one value where no single field is at fault. */
export type MemberValue =
  | { readonly kind: 'one'; readonly value: Token }
  | (EachValue & { readonly kind: 'each'; readonly otherwise: EachValue | null });

export interface PayloadMember {
  readonly name: Name;
  readonly type: Located<MemberType> | null;
  readonly value: Located<MemberValue> | null;
}

/** `| Payload Failure | Type | Value |`: the members of an object, in order. */
export interface PayloadTable {
  readonly name: Name;
  readonly members: readonly PayloadMember[];
}

/** A further column of the table of errors, and what its blank cells mean. */
export interface Column {
  /** As expressions call it. */
  readonly name: string;
  readonly heading: Name;
}

/** What blank cells of a further column mean. */
export interface Blank {
  readonly column: Name;
  readonly value: string | null;
}

export interface Errors {
  readonly payload: Located<Payload> | null;
  readonly common: Located<'Ninefold common 1'> | null;
  readonly rows: readonly ErrorRow[];
  readonly columns: readonly Column[];
  readonly blanks: readonly Blank[];
  readonly payloads: readonly PayloadTable[];
}

/** What expressions call a column: `Help page` is `error.help_page`. */
export const memberName = (heading: string): string => heading.toLowerCase().replace(/\s+/g, '_');

/** Whether some error has nothing under a column. */
export function isOptional({ rows, blanks }: Errors, { name, heading }: Column): boolean {
  const blank = blanks.find((one) => one.column.text === heading.text);
  return blank?.value === null || rows.some((row) => ownMember(row.more, name)?.value === null);
}
