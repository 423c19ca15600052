import type { Expr } from '../tree/expression.ts';
import * as t from '../tree/types.ts';
import type { Value } from '../values/value.ts';

/** The accepted form of an argument. */
export interface Pattern {
  /** In words, for messages: “a timestamp”. */
  readonly says: string;
  /** Checks the type of an argument; null is checked separately. */
  readonly fits: (type: t.Type) => boolean;
  /** Checks an argument of that type further: a literal pattern has to be valid, for example. */
  readonly allows?: (arg: Expr) => boolean;
  /** The accepted literals, for “did you mean”. */
  readonly known?: Iterable<string>;
  /** True for values that are JSON in a database. */
  readonly nests?: true;
}

/** One meaning of a function (cel-spec calls it an overload). */
export interface Overload {
  /** Its name in SQL too, where it is computed there. */
  readonly id: string;
  readonly takes: readonly Pattern[];
  /** How many arguments at the end may be left out. */
  readonly optional?: number;
  readonly gives: (args: readonly Expr[]) => t.Type;
  /** Computes it. No argument is null: where one is, so is the result. It gives null where there is no result. */
  readonly does: (...args: never[]) => Value;
  /** Further arguments of `does`, which describe the types of the arguments. */
  readonly also?: (args: readonly Expr[]) => readonly number[];
}

/** An argument of one of several kinds. */
export function kind(...kinds: ReadonlyArray<t.Type['kind']>): Pattern {
  const says = kinds.map((one) => `${t.article(one)} ${one}`).join(' or ');
  return { says, fits: (type) => kinds.includes(type.kind) };
}

export const TEXT = kind('string');
export const WHOLE = kind('integer');
export const INSTANT = kind('timestamp');
export const DAY = kind('date');
export const LENGTH = kind('duration');

/** A list, or a list of items that `of` takes, none of them absent. */
export function listOf(of: Pattern | null = null): Pattern {
  const says = of ? `a list of ${of.says.replaceAll(/\ban? /g, '')}` : 'a list';
  return {
    says,
    fits: (type) => type.kind === 'list' && (!of || type.of.kind === 'null' || (!type.of.nullable && of.fits(type.of))),
    nests: true,
  };
}

/** The kinds of types whose values can be sorted. */
export const SORTED: ReadonlyArray<t.Type['kind']> = [
  'integer',
  'decimal',
  'string',
  'boolean',
  'timestamp',
  'date',
  'duration',
];

export const MAP: Pattern = { says: 'a map', fits: (type) => type.kind === 'map', nests: true };

/** A string literal, which is checked when the document is read. */
export function writtenOut(says: string, allows: (text: string) => boolean): Pattern {
  return { says, fits: TEXT.fits, allows: (arg) => typeof textOf(arg) === 'string' && allows(textOf(arg)!) };
}

/** Text that is judged when the document is read, where it is written out there. */
export function judged(says: string, allows: (text: string) => boolean): Pattern {
  return { says, fits: TEXT.fits, allows: (arg) => textOf(arg) === null || allows(textOf(arg)!) };
}

/** The text that an expression writes out, if it does. */
export function textOf(arg: Expr | undefined): string | null {
  return arg?.op === 'const' && typeof arg.value === 'string' ? arg.value : null;
}

/** Always the same type. */
export function always(type: t.Type): (args: readonly Expr[]) => t.Type {
  return () => type;
}

/** The type of a value that is parsed from text: never null only if the text is a literal. */
export function readFrom(type: t.Type): (args: readonly Expr[]) => t.Type {
  return ([text]) => t.nullable(type, textOf(text) === null);
}
