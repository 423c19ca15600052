import type { Row } from '../../expression/values/value.ts';
import type { ColumnKind } from '../../plan/step.ts';
import { columnName, holdsWords, quoted, type StoredColumn } from '../tables.ts';
import type { StoreDialect } from './dialect.ts';

/** The shape of a computed value, or of JSON that nests such values. */
export type ComputedShape =
  | ColumnKind
  | { readonly list: ComputedShape }
  | { readonly map: ComputedShape }
  | { readonly tuple: readonly ComputedShape[] };

/**
 * The shape of a selected column: that of a computed value, or a UUID in the form that `StoreDialect.selected` returns.
 */
export type ResultShape = ComputedShape | 'selected uuid';

/**
 * The list of selected columns of a table; the prefix is the table’s name with a dot. The words of fields are not read:
 * they are written with the fields alone.
 */
export function selectedColumns(
  { selected }: Pick<StoreDialect, 'selected'>,
  columns: readonly StoredColumn[],
  prefix: string,
): string {
  return columns
    .map(({ name, kind }) => (holdsWords(name) ? 'NULL' : selected(`${prefix}${quoted(columnName(name))}`, kind)))
    .join(', ');
}

/** The shapes of selected columns. */
export const shapesOf = (columns: readonly StoredColumn[]): ResultShape[] =>
  columns.map(({ kind }) => (kind === 'uuid' ? 'selected uuid' : kind));

/**
 * Returns a function that puts the values of some columns, followed by computed values, at their places in a whole row.
 */
export function widener(read: readonly StoredColumn[], columns: readonly StoredColumn[]): (values: Row) => Row {
  const places = read.map((column) => columns.indexOf(column));
  const empty: Row = columns.map(() => null);
  return (values) => {
    const row = empty.slice();
    values.forEach((value, i) => {
      row[places[i] ?? columns.length + i - places.length] = value;
    });
    return row;
  };
}
