import type { Results } from '../tree/results.ts';
import type { Type } from '../tree/types.ts';
import type { QuerySyntax, WordForm } from '../tree/word-form.ts';

/** The stored words of a field, as SQL, with the points of an occurrence. */
export interface WeighedWords {
  readonly words: string;
  readonly weight: number;
}

/** The parts of SQL that dialects write differently. */
export interface Dialect {
  /** The computations over the resources that may have no result. */
  readonly results: Results;
  /** A quoted table, and a quoted column. Names come from the document, and are never inserted without quotes. */
  table(resource: string): string;
  column(alias: string, resource: string, field: string): string;
  /** The hidden field with the folded text of a field that a unique rule compares ignoring case. */
  folded(field: string): string;
  /** The syntax of queries, and the condition that a row of a resource matches one. */
  readonly querySyntax: QuerySyntax;
  readonly termSyntax: QuerySyntax;
  matching(alias: string, resource: string, query: string): string;
  /** The points of stored words, each with its weight; `terms` writes the terms of a query each time. */
  points(words: readonly WeighedWords[], terms: () => string): string;
  /** The hidden field with the words of a field that a search reads. */
  words(field: string, form: WordForm): string;
  identity(resource: string): string;
  /** The quoted table of the items of a list or set of references; null for any other field. */
  itemsTable(resource: string, field: string): string | null;
  /** The fields that decide the order of a resource’s rows. */
  order(resource: string): readonly string[];
  /** A string literal. */
  text(value: string): string;
  /** The placeholder of a parameter; `uuid` says that it is compared with stored UUIDs. */
  parameter(index: number, uuid: boolean, type: Type): string;
  /** True if the identity of the resource is stored as a UUID. */
  uuidIdentity(resource: string): boolean;
  /** Position of one text in another, from 1, or 0. */
  position(text: string, part: string): string;
  /** Compares two values, of which either may be NULL. */
  same(a: string, b: string): string;
  /** A value as a sort key: text is sorted by code point. */
  ordered(value: string, type: Type): string;
  /**
   * A sort key with its direction. Without a stated place, NULL comes before all other values, like the lowest value.
   */
  directed(value: string, descending: boolean, type: Type, nulls?: 'first' | 'last'): string;
  /** The quotient of two numbers, truncated towards zero, and the remainder; NULL for a division by 0. */
  divided(fn: '/' | '%', a: string, b: string): string;
  /**
   * The number of characters of a string, and whether a string ends with another; functions write their operand each
   * time.
   */
  characters(text: string): string;
  endsWith(text: () => string, part: () => string): string;
  /**
   * The end of a subquery whose columns the outer query uses several times: the database then computes them once,
   * instead of copying their expressions to each use. The copies would double with each level of nesting.
   */
  readonly apart: string;
  /** The product of two numbers, of any size. */
  times(a: string, b: string): string;
  /** The sum of numbers, 0 for none; NULL if it is beyond the exact range. */
  total(value: string): string;
  /** The sum of values, 0 for none; the least and the greatest value. */
  aggregate(fn: 'sum' | 'min' | 'max', value: string, type: Type): string;
  /** The items of a JSON array as rows with an alias; one item, which may be a UUID; the number of items. */
  items(json: string, alias: string): string;
  item(alias: string, uuid: boolean, type: Type): string;
  itemOrder(alias: string): string;
  length(json: string): string;
  /** JSON arrays: of several values of one row, and of one value of several rows. A UUID is 32 hexadecimal digits. */
  array(values: readonly string[]): string;
  arrayOf(value: string, order: readonly string[]): string;
  hexadecimal(uuid: string): string;
  /** A call of the library’s function with this id, whose result is of a type. */
  call(id: string, args: readonly string[], type: Type): string;
  /** A condition for a pattern of RE2 syntax; `text` writes the pattern as a string. */
  pattern(source: string, text: () => string): string;
  /** Converts a stored UUID to text, and text to the stored form. */
  uuidText(uuid: string): string;
  uuidOf(text: string): string;
  /** A JSON object with names and values. */
  object(members: ReadonlyArray<readonly [name: string, value: string]>): string;
  /** Marks text as JSON, so that it is nested without quotes. */
  json(text: string): string;
}
