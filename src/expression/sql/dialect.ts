import type { Results } from '../tree/results.ts';
import type { Type } from '../tree/types.ts';

/** How one database writes what SQL dialects write differently. */
export interface Dialect {
  /** Which computations over the resources may have no result. */
  readonly results: Results;
  /** A quoted table and a quoted column; names come from the document and are never put in bare. */
  table(resource: string): string;
  column(alias: string, resource: string, field: string): string;
  identity(resource: string): string;
  /** The fields by which a resource’s rows are in order. */
  order(resource: string): readonly string[];
  /** Writes a text out. */
  text(value: string): string;
  /** Writes a parameter of a type; `uuid` says that it is compared with stored UUIDs. */
  parameter(index: number, uuid: boolean, type: Type): string;
  /** True if the identity of the resource is stored as a UUID. */
  uuidIdentity(resource: string): boolean;
  /** Position of one text in another, from 1, or 0. */
  position(text: string, part: string): string;
  /** Whether two values are the same, of which either may be NULL. */
  same(a: string, b: string): string;
  /** A value as a sort key: text is sorted by code point. */
  ordered(value: string, type: Type): string;
  /** A sort key with its direction; NULL comes before all other values. */
  directed(value: string, descending: boolean, type: Type): string;
  /** One number divided by another, cut towards zero, and what is left over; NULL where that other is 0. */
  divided(fn: '/' | '%', a: string, b: string): string;
  /** How many characters a text has, and whether it ends with another: what is written of either comes anew each time. */
  characters(text: string): string;
  endsWith(text: () => string, part: () => string): string;
  /**
   * The end of a subquery whose columns the outer query uses several times: the database then computes them once,
   * instead of copying their expressions to each use. The copies would double with each level of nesting.
   */
  readonly apart: string;
  /** The product of two numbers, whatever comes of it. */
  times(a: string, b: string): string;
  /** The sum of any numbers, 0 of none; NULL where it is beyond what is exact. */
  total(value: string): string;
  /** The sum of values, 0 of none; the least and the greatest of them. */
  aggregate(fn: 'sum' | 'min' | 'max', value: string, type: Type): string;
  /** A JSON array as rows that `alias` names; one item of it, which may be a UUID; how many it has. */
  items(json: string, alias: string): string;
  item(alias: string, uuid: boolean, type: Type): string;
  itemOrder(alias: string): string;
  length(json: string): string;
  /** JSON arrays of values: of one row’s, and of one value of many rows. A UUID among them is 32 hexadecimal digits. */
  array(values: readonly string[]): string;
  arrayOf(value: string, order: readonly string[]): string;
  hexadecimal(uuid: string): string;
  /** A function of the library, by its meaning’s name; it gives a value of a type. */
  call(id: string, args: readonly string[], type: Type): string;
  /** A pattern of RE2 syntax, of which `text` writes the text as it is. */
  pattern(source: string, text: () => string): string;
  /** The text of a stored UUID, and a stored one of its text. */
  uuidText(uuid: string): string;
  uuidOf(text: string): string;
  /** A JSON object of names and values. */
  object(members: ReadonlyArray<readonly [name: string, value: string]>): string;
  /** Says that text is JSON already, so that it is nested and not quoted. */
  json(text: string): string;
}
