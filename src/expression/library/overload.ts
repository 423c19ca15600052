import type { Expr } from '../tree/expression.ts';
import * as t from '../tree/types.ts';
import type { Value } from '../values/value.ts';

/** What an argument may be. */
export interface Pattern {
  /** In words, for messages: “a timestamp”. */
  readonly says: string;
  /** Judges the type of an argument that is there; null is judged apart. */
  readonly fits: (type: t.Type) => boolean;
  /** Judges an argument of that type more closely: a pattern that is written out has to be one. */
  readonly allows?: (arg: Expr) => boolean;
  /** What may be written out, for “did you mean”. */
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
  /** What follows the arguments: what `does` has to know of their types. */
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

/** What can be put in an order. */
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

/** Text that is written out, so that it is judged when the document is read. */
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

/** What is read from text: there for sure only where the text is written out. */
export function readFrom(type: t.Type): (args: readonly Expr[]) => t.Type {
  return ([text]) => t.nullable(type, textOf(text) === null);
}
