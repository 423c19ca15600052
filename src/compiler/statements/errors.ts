import type { Blank, ERROR, ERRORS, PAYLOAD_MEMBER } from '../../language/errors.ts';
import type { ValueOf } from '../../language/grammar.ts';
import type { Stated } from '../../language/statement.ts';
import type { Located, Name } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';
import { ownMember } from '../../text/own-members.ts';

/** One code, with the conditions that answer with it. */
export interface ErrorRow {
  readonly code: Name;
  readonly status: Located<number> | null;
  readonly when: ValueOf<(typeof ERROR)['When']['value']>;
  readonly title: Located<string> | null;
  /** The values of further columns, by their names in expressions; null for `none`. */
  readonly more: Readonly<Record<string, Located<string | null> | null>>;
  readonly span: Span;
}

/** A member of a payload, by the columns of its table. */
export type PayloadMember = { readonly name: Name } & Omit<Stated<typeof PAYLOAD_MEMBER>, 'name'>;

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

export interface Errors extends Omit<Stated<typeof ERRORS>, 'blanks'> {
  readonly blanks: readonly Blank[];
  readonly rows: readonly ErrorRow[];
  readonly columns: readonly Column[];
  readonly payloads: readonly PayloadTable[];
}

/** The name of a column in expressions: `Help page` is `error.help_page`. */
export const memberName = (heading: string): string => heading.toLowerCase().replace(/\s+/g, '_');

/** Whether some error has nothing under a column. */
export function isOptional({ rows, blanks }: Errors, { name, heading }: Column): boolean {
  const blank = blanks.find((one) => one.column.text === heading.text);
  return blank?.value === null || rows.some((row) => ownMember(row.more, name)?.value === null);
}
