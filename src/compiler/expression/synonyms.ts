import { inLibrary, takesFirst } from '../../expression/library/index.ts';
import type { Type } from '../../expression/tree/types.ts';
import { ownMember } from '../../text/own-member.ts';
import { nearest } from '../../text/suggest.ts';
import { MACROS, METHODS } from './functions.ts';

/** What other languages call functions, and how they are written here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  abs: 'math.abs',
  any: 'exists',
  array_agg: 'map',
  average: 'sum',
  ceil: 'math.ceil',
  concat: '+',
  count: 'size',
  current_timestamp: 'now',
  currenttime: 'now',
  every: 'all',
  floor: 'math.floor',
  getday: 'getDayOfWeek',
  getyear: 'getFullYear',
  greatest: 'math.greatest',
  includes: 'contains',
  len: 'size',
  length: 'size',
  least: 'math.least',
  like: 'matches',
  lowercase: 'lower',
  orderby: 'sortBy',
  parseint: 'int',
  regex: 'matches',
  round: 'math.round',
  some: 'exists',
  sorted: 'sort',
  strftime: 'format',
  strip: 'trim',
  substr: 'substring',
  test: 'matches',
  today: 'now',
  tolower: 'lower',
  tolowercase: 'lower',
  tostring: 'string',
  toupper: 'upper',
  touppercase: 'upper',
  trunc: 'math.trunc',
  uniq: 'distinct',
  unique: 'distinct',
  uppercase: 'upper',
  where: 'filter',
};

/** How a function that other languages have is called here, if it is. */
export function calledHere(name: string): string | null {
  return ownMember(ELSEWHERE, name.toLowerCase()) ?? null;
}

/** What was meant by text that is written out: what is nearly spelt so, or ends so (`Berlin`). */
export function knownBy(text: string, known: Iterable<string>): string | null {
  const end = `/${text.toLowerCase()}`;
  return nearest(text, known) ?? [...known].find((one) => one.toLowerCase().endsWith(end)) ?? null;
}

/** The functions that what stands before the point has; where none takes it, all of them. */
export function methodsOf(type: Type): readonly string[] {
  const own = METHODS.filter((fn) => !inLibrary(fn) || takesFirst(fn, type));
  return type.kind === 'list' || type.kind === 'map' ? [...own, ...MACROS] : own;
}

/** A function that was taken for a member. */
export function methodLike(member: string): string {
  const here = calledHere(member) ?? METHODS.find((fn) => fn.toLowerCase() === member.toLowerCase());
  return here && METHODS.some((fn) => fn === here) ? `${here}()` : '';
}
