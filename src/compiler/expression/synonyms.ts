import { inLibrary, takesFirst } from '../../expression/library/index.ts';
import { type Expr, type Fn, show } from '../../expression/tree/expression.ts';
import type { Type } from '../../expression/tree/types.ts';
import { ownMember } from '../../text/own-members.ts';
import { nearest } from '../../text/suggest.ts';
import { FUNCTIONS, MACROS, METHODS } from './functions.ts';

/** Functions of other languages, by their names in lower case, with the function of CEL to use instead. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  abs: 'math.abs',
  any: 'exists',
  dayofweek: 'getDayOfWeek',
  dayofyear: 'getDayOfYear',
  array_agg: 'map',
  avg: 'sum',
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
  isempty: 'size',
  hour: 'getHours',
  hours: 'getHours',
  len: 'size',
  length: 'size',
  least: 'math.least',
  like: 'matches',
  lowercase: 'lower',
  max: 'math.greatest',
  min: 'math.least',
  minute: 'getMinutes',
  minutes: 'getMinutes',
  month: 'getMonth',
  not: '!',
  orderby: 'sortBy',
  parseint: 'int',
  regex: 'matches',
  round: 'math.round',
  some: 'exists',
  sorted: 'sort',
  str: 'string',
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
  weekday: 'getDayOfWeek',
  where: 'filter',
  year: 'getFullYear',
};

const PARTS_OF_TEXT =
  '`text.contains(part)`, `text.startsWith(part)`, `text.endsWith(part)` or `text.matches("pattern")`';

/** Binary operators of other languages, with their CEL. The longest come first. */
const OPERATORS: ReadonlyArray<readonly [RegExp, string]> = [
  [/^not\s+i?like$/i, `“!” before ${PARTS_OF_TEXT}`],
  [/^(?:i?like|similar\s+to|regexp|=~|~)$/i, PARTS_OF_TEXT],
  [/^starts\s*with$/i, '`text.startsWith(part)`'],
  [/^ends\s*with$/i, '`text.endsWith(part)`'],
  [/^(?:contains|includes)$/i, '`text.contains(part)`'],
  [/^matches$/i, '`text.matches("pattern")`'],
  [/^not\s+in$/i, '`!(item in list)`'],
  [/^between$/i, '`value >= least && value <= most`'],
  [/^is\s+not$|^<>$|^!==$/i, '“!=”'],
  [/^(?:is|===?|=)$/i, '“==”'],
  [/^and$/i, '“&&”'],
  [/^or$/i, '“||”'],
  [/^=<$/, '“<=”'],
  [/^->$/, '“.”'],
  [/^(?:mod)$/i, '“%”'],
  [/^div$/i, '`math.divide(value, by, digits)`'],
  [/^\?\?$/, '`value != null ? value : otherwise`'],
  [/^(?:\*\*|\^)$/, '`value * value`'],
];

/** Phrases of other languages, each with its CEL; `o` is a row of the resource. */
const PHRASES: ReadonlyArray<readonly [phrase: RegExp, instead: (...parts: string[]) => string]> = [
  [
    /(?<![\w.])(\d+)\s*(weeks?|w|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s|milliseconds?|ms)\b(?!\s*\()/i,
    (_, count = '', unit = '') => `\`duration("${durationOf(Number(count), unit)}")\``,
  ],
  [/\b(?:count|number)\s+of\s+([A-Z]\w*)/i, (_, of = '') => formsOfRows(of)],
  [/\b([A-Z]\w*)\s+where\b/, (_, of = '') => formsOfRows(of)],
  [/\bselect\b.*?\bfrom\s+([A-Z]\w*)/i, (_, of = '') => formsOfRows(of)],
  [/\bfor\s+\w+\s+in\b/, () => '`list.exists(o, condition)`, `list.all(o, condition)` or `list.map(o, value)`'],
  [/\b(\w+)\s*=>/, (_, name = '') => `\`${name},\`, as in \`list.exists(${name}, condition)\``],
  [/(?<![\w.])([\w.]+)\?\./, (_, of = '') => `\`${of} != null && ${of}.…\``],
  [/\bf"[^"]*"|`[^`]*`/, () => '`"text" + value`, with `string(value)` for what is no text'],
  [/^\s*\/.*\/[a-z]*\.test\(/, () => '`text.matches("pattern")`'],
  [/\[\s*(\w*)\s*:\s*(\w*)\s*\]/, (_, from = '', to = '') => `\`.substring(${from || '0'}${to && `, ${to}`})\``],
  [/(?<![\w.)\]])\.(\d+)/, (_, digits = '') => `\`0.${digits}\``],
  [/(?<![\w"])[$@](?=([A-Za-z_]\w*))/, (_, name = '') => `\`${name}\` alone`],
  [/;\s*$/, () => 'nothing after the expression'],
  [/\bcase\s+when\b|\bif\b/i, () => '`condition ? value : otherwise`'],
  [/\bin\s*\(([^()]*,[^()]*)\)/i, (_, items = '') => `\`in [${items.trim()}]\``],
  [/(?<![\w.])(\d{1,3}(?:[,_]\d{3})+)(?![\w.])/, (_, number = '') => `\`${number.replaceAll(/[,_]/g, '')}\``],
];

/** The CEL that counts the rows of a resource, and the CEL that tests whether there is one. */
const formsOfRows = (of: string): string =>
  `\`${of}.filter(o, condition).size()\` for their number, \`${of}.exists(o, condition)\` for whether there is one`;

/** The CEL of a duration. Weeks and days become hours: CEL has no larger unit. */
function durationOf(count: number, unit: string): string {
  const [letter = ''] = unit.toLowerCase();
  if (/^m(?:s|illi)/i.test(unit)) return `${count}ms`;
  return letter === 'w' ? `${count * 168}h` : letter === 'd' ? `${count * 24}h` : `${count}${letter}`;
}

/** Finds a phrase of another language in text that is no CEL, with the CEL for it. */
export function phraseElsewhere(text: string): Elsewhere | null {
  const bare = withoutTexts(text);
  for (const [phrase, instead] of PHRASES) {
    const match = phrase.exec(bare);
    if (!match) continue;
    const written = phrase.exec(text) ?? match;
    return { found: written[0], start: match.index, instead: instead(...written) };
  }
  return null;
}

/** A part of a text that is no expression: its words, its first character, and the CEL for it. */
interface Elsewhere {
  readonly found: string;
  readonly start: number;
  readonly instead: string;
}

/** The text with the contents of strings blanked out, so that they don't match words. */
const withoutTexts = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, (quoted) => `"${'_'.repeat(quoted.length - 2)}"`);

/** Words of other languages that parse as names, with their CEL. */
const WORDS: Readonly<Record<string, string>> = {
  currentuser: 'caller',
  false: 'false',
  me: 'caller',
  nil: 'null',
  none: 'null',
  null: 'null',
  self: 'this',
  true: 'true',
  undefined: 'null',
  user: 'caller',
};

/** The CEL for an unknown name: it may be a word of another language, or a string without quotation marks. */
export function nameElsewhere(
  name: string,
  names: ReadonlyMap<string, unknown>,
  fields: ReadonlyMap<string, Type> | undefined,
): string | null {
  const word = ownMember(WORDS, name.toLowerCase().replaceAll('_', ''));
  if (word && (names.has(word) || LITERALS.includes(word) || (word === 'this' && fields))) return word;
  const called = calledHere(name) ?? name;
  if (called === 'now' || called === 'uuid') return `${called}()`;
  const isValue = [...(fields?.values() ?? [])].some((type) => type.kind === 'string' && type.oneOf?.includes(name));
  return isValue ? `"${name}"` : null;
}

const LITERALS: readonly string[] = ['true', 'false', 'null'];

/** Finds an operator of another language between two operands, in text that is no CEL. */
export function operatorElsewhere(text: string): Elsewhere | null {
  const bare = withoutTexts(text);
  const between =
    /[\w)\]"](?:\s+(not\s+i?like|not\s+in|i?like|similar\s+to|regexp|starts\s*with|ends\s*with|contains|includes|matches|between|is\s+not|is|and|or|mod|div)(?=\s+[\w("[!-])|\s*(=~|~|<>|===|!==|=<|->|\?\?|\*\*|\^|=)(?=\s*[\w("[!-]))/i;
  const match = between.exec(bare);
  const found = match?.[1] ?? match?.[2];
  const known = found && OPERATORS.find(([words]) => words.test(found));
  if (!match || !known) return null;
  return { found, start: match.index + match[0].length - found.length, instead: known[1] };
}

/** The name in CEL of a function of other languages; null where there is none. */
function calledHere(name: string): string | null {
  return ownMember(ELSEWHERE, name.toLowerCase()) ?? null;
}

/** The CEL for a function that CEL lacks: another language may have it, or CEL writes it as a method. */
export function functionElsewhere(name: string, written: 'alone' | 'behind a point'): string | null {
  const here =
    calledHere(name) ?? [...METHODS, ...MACROS, ...FUNCTIONS].find((fn) => fn.toLowerCase() === name.toLowerCase());
  if (!here) return null;
  if (written === 'alone' && isBehind(here) && !isAlone(here)) return `value.${here}()`;
  if (written === 'behind a point' && isAlone(here) && !isBehind(here)) return `${here}(value)`;
  return here;
}

const isAlone = (fn: string): boolean => FUNCTIONS.some((one) => one === fn);
const isBehind = (fn: string): boolean => [...METHODS, ...MACROS].some((one) => one === fn);

/** The known value that a string was meant to be: one spelt similarly, or one that ends in it (`Europe/Berlin`). */
export function knownBy(text: string, known: Iterable<string>): string | null {
  const end = `/${text.toLowerCase()}`;
  return nearest(text, known) ?? [...known].find((one) => one.toLowerCase().endsWith(end)) ?? null;
}

/** The methods of a value of the type, and the macros of lists and maps. */
export function methodsOf(type: Type): readonly string[] {
  const own = METHODS.filter((fn) => !inLibrary(fn) || takesFirst(fn, type));
  return type.kind === 'list' || type.kind === 'map' ? [...own, ...MACROS] : own;
}

/** The call of a method that was written as a member, such as `size()` for `.size`; empty if there is none. */
export function methodLike(member: string): string {
  const here = calledHere(member) ?? METHODS.find((fn) => fn.toLowerCase() === member.toLowerCase());
  return here && METHODS.some((fn) => fn === here) ? `${here}()` : '';
}

const COMPARISONS: readonly Fn[] = ['<', '<=', '>', '>='];

/** The CEL for an operator or function whose arguments only other languages accept, such as `s[0]` of a string. */
export function applicationElsewhere(fn: Fn, [first, second, third]: readonly Expr[]): string | null {
  if (!first || !second) return null;
  const arguments_ = [second, ...(third ? [third] : [])].map(show).join(', ');
  if (first.type.kind === 'string' && fn === '[]' && second.type.kind === 'integer')
    return `${show(first)}.charAt(${arguments_})`;
  if (first.type.kind === 'string' && fn === 'slice') return `${show(first)}.substring(${arguments_})`;
  const middle = first.op === 'call' && COMPARISONS.includes(first.fn) ? first.args[1] : undefined;
  if (COMPARISONS.includes(fn) && middle) return `${show(first)} && ${show(middle)} ${fn} ${show(second)}`;
  return null;
}
