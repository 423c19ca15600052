import type { Expr } from '../tree/expression.ts';
import * as t from '../tree/types.ts';
import type { Value } from '../values/value.ts';

/** The accepted form of an argument. */
export interface Pattern {
  /** A description for messages: “a timestamp”. */
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
  /** The name of the function in SQL. */
  readonly id: string;
  readonly takes: readonly Pattern[];
  /** Number of arguments at the end that may be left out. */
  readonly optional?: number;
  readonly gives: (args: readonly Expr[]) => t.Type;
  /** Computes the result. No argument is null: a null argument makes the result null. Null also means no result. */
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

/** A list, whose items must fit `of` if it is given, and are never absent. */
export function listOf(of: Pattern | null = null): Pattern {
  const says = of ? `a list of ${of.says.replaceAll(/\ban? /g, '')}` : 'a list';
  return {
    says,
    fits: (type) => type.kind === 'list' && (!of || type.of.kind === 'null' || (!type.of.nullable && of.fits(type.of))),
    nests: true,
  };
}

export const MAP: Pattern = { says: 'a map', fits: (type) => type.kind === 'map', nests: true };

/** A string literal, which is checked when the document is read. */
export function writtenOut(says: string, allows: (text: string) => boolean): Pattern {
  return { says, fits: TEXT.fits, allows: (arg) => typeof textOf(arg) === 'string' && allows(textOf(arg)!) };
}

/** A string that is checked when the document is read, if it is a literal. */
export function judged(says: string, allows: (text: string) => boolean): Pattern {
  return { says, fits: TEXT.fits, allows: (arg) => textOf(arg) === null || allows(textOf(arg)!) };
}

/** The value of a string literal; null for any other expression. */
export function textOf(arg: Expr | undefined): string | null {
  return arg?.op === 'const' && typeof arg.value === 'string' ? arg.value : null;
}

/** A type that does not depend on the arguments. */
export function always(type: t.Type): (args: readonly Expr[]) => t.Type {
  return () => type;
}

/** The type of a value that is parsed from text: never null only if the text is a literal. */
export function readFrom(type: t.Type): (args: readonly Expr[]) => t.Type {
  return ([text]) => t.nullable(type, textOf(text) === null);
}
