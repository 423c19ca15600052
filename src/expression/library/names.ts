/** The functions that are written `x.name(…)`, beside those that `expr.ts` names. */
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
  'format',
] as const;

/** The functions that are written `name(…)`. */
export const LIBRARY_GLOBALS = ['duration', 'timestamp', 'date', 'string', 'int'] as const;

/** A function that one piece of code computes, in JavaScript and in SQL alike. */
export type LibraryFn = (typeof LIBRARY_METHODS)[number] | (typeof LIBRARY_GLOBALS)[number];
