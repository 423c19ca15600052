/** The functions with the notation `x.name(…)`, beside those in `expression.ts`. */
export const LIBRARY_METHODS = [
  'getFullYear',
  'getMonth',
  'getDate',
  'getDayOfMonth',
  'getDayOfWeek',
  'getDayOfYear',
  'getHours',
  'getMinutes',
  'getSeconds',
  'getMilliseconds',
  'addMonths',
  'addYears',
  'addDays',
  'format',
  'lowerAscii',
  'upperAscii',
  'lower',
  'upper',
  'trim',
  'slug',
  'reverse',
  'replace',
  'split',
  'substring',
  'charAt',
  'indexOf',
  'lastIndexOf',
  'matches',
  'join',
  'distinct',
  'sort',
  'first',
  'last',
  'min',
  'max',
  'slice',
  'flatten',
] as const;

/** The functions with the notation `name(…)`. */
export const LIBRARY_GLOBALS = [
  'duration',
  'timestamp',
  'date',
  'string',
  'int',
  'bool',
  'math.abs',
  'math.sign',
  'math.round',
  'math.roundEven',
  'math.trunc',
  'math.ceil',
  'math.divide',
  'math.greatest',
  'math.least',
  'math.floor',
] as const;

/** Functions with a notation of their own: `l[i]`, `m[k]`, and the keys of a map to which a macro is applied. */
export const LIBRARY_HIDDEN = ['[]', 'keys'] as const;

/** A function of the library, which one piece of code computes for JavaScript and SQL. */
export type LibraryFn =
  | (typeof LIBRARY_METHODS)[number]
  | (typeof LIBRARY_GLOBALS)[number]
  | (typeof LIBRARY_HIDDEN)[number];
