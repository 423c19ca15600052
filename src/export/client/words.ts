import { oneLine } from '../../text/visible.ts';

/** The line width of generated code. */
export const WIDTH = 120;

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** Words that are not allowed as the name of a variable or type in modules (ECMA-262), or that TypeScript reserves. */
const RESERVED = new Set(
  `any arguments as async await bigint boolean break case catch class const constructor continue debugger declare default
   delete do else enum eval export extends false finally for from function get if implements import in infer instanceof
   interface is keyof let module namespace never new null number object of package private protected public readonly
   require return satisfies set static string super switch symbol this throw true try type typeof undefined unique unknown
   var void while with yield`.split(/\s+/),
);

/** Names of the platform, which a type of the same name would shadow. */
const GLOBAL = new Set(
  `AbortController AbortSignal AsyncGenerator AsyncIterable AsyncIterator Array ArrayBuffer Boolean Date DOMException Error
   Function Generator Headers Infinity Iterable Iterator JSON Map Math Number Object Partial Pick Omit Exclude Extract
   Promise Proxy Readonly ReadonlyArray ReadonlyMap ReadonlySet Record Reflect RegExp Request Required RequestInit Response
   ReturnType Set String Symbol TextDecoder TextEncoder TypeError Uint8Array URL URLSearchParams WeakMap`.split(/\s+/),
);

/** Whether TypeScript or the platform gives a name of a type a meaning. */
export const isReserved = (name: string): boolean => RESERVED.has(name) || GLOBAL.has(name);

/** Words of TypeScript that are allowed as the name of a variable. */
const CONTEXTUAL = new Set(
  `any as async bigint boolean constructor declare from get infer is keyof module namespace never number object of
   readonly require satisfies set string symbol type unique unknown`.split(/\s+/),
);

/** Whether a name is not allowed for a variable. */
export const isKeyword = (name: string): boolean => isReserved(name) && !CONTEXTUAL.has(name);

const isIdentifier = (name: string): boolean => IDENTIFIER.test(name);

const wordsOf = (text: string): string[] =>
  text
    .replace(/['’]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** `order item` → `OrderItem`. A name that would be empty or begin with a digit gets the prefix `_`. */
export const pascal = (text: string): string => named(wordsOf(text).map(capital).join(''));

/** `order-item` → `orderItem`. A first word in capitals becomes lower case: `API key` → `apiKey`. */
export function camel(text: string): string {
  const [first = '', ...rest] = wordsOf(text);
  const small = first === first.toUpperCase() ? first.toLowerCase() : first.charAt(0).toLowerCase() + first.slice(1);
  return named([small, ...rest.map(capital)].join(''));
}

const named = (name: string): string => (isIdentifier(name) ? name : `_${name.replace(/[^\p{ID_Continue}$]/gu, '')}`);

/** A string literal, in single quotes unless double quotes need fewer escapes. */
export function quote(text: string): string {
  const singles = text.split("'").length;
  const mark = singles > text.split('"').length ? '"' : "'";
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  const escaped = inner.replaceAll(mark, `\\${mark}`);
  return mark + escaped.replace(/[\u007F-\u009F\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, unicode) + mark;
}

const unicode = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The name of a member in a declaration, quoted if necessary. */
export const member = (name: string): string => (isIdentifier(name) ? name : quote(name));

/** An expression for a member of a value. */
export const access = (value: string, name: string): string =>
  isIdentifier(name) ? `${value}.${name}` : `${value}[${quote(name)}]`;

/** An expression for a member of a value that may be undefined. */
export const optionalAccess = (value: string, name: string): string =>
  isIdentifier(name) ? `${value}?.${name}` : `${value}?.[${quote(name)}]`;

/** Whether every object inherits a member of that name. */
export const isInherited = (name: string): boolean => name in Object.prototype;

/** An expression for an own member of a value, which ignores inherited members. */
export const ownOf = (value: string, name: string): string =>
  isInherited(name)
    ? `(Object.hasOwn(${value}, ${quote(name)}) ? ${access(value, name)} : undefined)`
    : access(value, name);

/** Escapes the end mark of comments in a text of the document. */
const harmless = (text: string): string => oneLine(text).replaceAll('*/', '*\\/');

/** The name of a thing with the indefinite article. */
export const withArticle = (name: string, article: 'A' | 'a' = 'A'): string =>
  `${article}${/^[aeio]/i.test(name) ? 'n' : ''} ${name}`;

/** A doc comment with wrapped paragraphs, on one line if it fits. A paragraph that is a list has lines of code. */
export function comment(paragraphs: ReadonlyArray<string | readonly string[]>, indent = '', most = WIDTH): string[] {
  const width = most - indent.length - 3;
  const lines: string[] = [];
  let before: string | null = null;
  for (const one of paragraphs) {
    const code = typeof one !== 'string';
    const text = code ? '' : harmless(one);
    const joins = before === null || (isItem(text) && isItem(before)) || (!code && before.endsWith(':'));
    if (!joins) lines.push('');
    lines.push(...(code ? ['```ts', ...one.map(harmless), '```'] : wrap(text, width)));
    before = text;
  }
  if (lines.length === 0) return [];
  const [only = ''] = lines;
  if (lines.length === 1 && only.length <= width - 4) return [`${indent}/** ${only} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}

/** The paragraphs of prose. A tag of a doc comment would begin with “@”. */
export const paragraphsOf = (prose: string): string[] =>
  prose
    .split(/\n\s*\n/)
    .map((one) => one.trim().replace(/^@/, '\\@'))
    .filter((one) => one !== '');

const ITEM = /^(?:- |\d+\. )/;

const isItem = (text: string): boolean => ITEM.test(text);

/** Wraps text; further lines of a list item are indented. No further line begins with `@`, which would be a tag. */
function wrap(text: string, width: number): string[] {
  const hang = ITEM.exec(text)?.[0].length ?? 0;
  const out: string[] = [];
  let line = '';
  for (const word of text.split(/ (?!@)/)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length > width && line.trim() !== '') {
      out.push(line);
      line = ' '.repeat(hang) + word;
    } else line = longer;
  }
  return [...out, line];
}

/** A union type after `before`: on one line if it fits, otherwise one alternative per line. */
export function alternatives(before: string, parts: readonly string[], after: string, indent = ''): string[] {
  const line = `${indent}${before} ${parts.join(' | ')}${after}`;
  if (line.length <= WIDTH || parts.length === 1 || line.includes('\n')) return line.split('\n');
  return [`${indent}${before}`, ...parts.map((one, i) => `${indent}  | ${one}${i === parts.length - 1 ? after : ''}`)];
}

/** The name of a member in an object literal. `__proto__` is computed, because it would set the prototype. */
export const key = (name: string): string => (name === '__proto__' ? "['__proto__']" : member(name));
