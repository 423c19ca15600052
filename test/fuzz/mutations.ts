/** Numbers that look random and are the same for the same seed (mulberry32). */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A whole number from 0 up to, not with, `end`. */
  below(end: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  pick<T>(of: readonly T[]): T {
    return of[this.below(of.length)]!;
  }
}

/** Changes one thing of a document; `other` is another document to take something from. */
type Mutation = (text: string, other: string, random: Random) => string;

const WORD = /[\p{L}\p{N}_.]+/gu;
const CODE = /`[^`\n]{1,4000}`/g;
const CELL = /\|[^|\n]{1,200}(?=\|)/g;
const NUMBER = /\b\d[\d,.]*\b/g;

/** What stands in no careful document. */
const ODD = [
  '\0',
  '\ufeff',
  '\u2028',
  '\u202e',
  '\ud800',
  '\u0301',
  '👩‍👩‍👧',
  'İ',
  'ﬃ',
  '\u00a0',
  '\u200b',
  '\r',
  '\t',
  '\v',
  '|',
  '\\',
  '\\|',
  '`',
  '``',
  '```\n',
  ' — ',
  '“',
  '<!--',
  '<?',
  '> ',
  '#',
  '## ',
  '- ',
  '1. ',
  ': ',
  ', ',
  '; ',
  '.',
  '{',
  '}',
  '{id}',
  '/',
  '"',
  "'",
  '--',
  '\n',
  '\n\n',
];

/** Types, names and values that the language or a store might take for something else. */
const WORDS = [
  'Timestamp',
  'string',
  'integer',
  'decimal',
  'boolean',
  'date',
  'duration',
  'list of string',
  'set of Order',
  'map of map of integer',
  'Order',
  'Nope',
  'never',
  'none',
  'any',
  'all',
  'everyone',
  'anyone',
  'optional',
  'identity',
  'password',
  'uuid',
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'this',
  'caller',
  'request',
  'service',
  'null',
  'true',
  'in',
  'ctid',
  'xmin',
  'rowid',
  'oid',
  'SqliteThing',
  'NinefoldMeta',
  'ninefold_revision',
  'a.b',
  'a.b.c.d.e.f',
  'x'.repeat(64),
  'not shown',
  'each',
  'else',
  'request, else `0`',
  'sequence',
  'sequence per id',
];

const NUMBERS = [
  '0',
  '-1',
  '1',
  '63',
  '101',
  '2001',
  '9007199254740991',
  '9007199254740992',
  '1e9',
  '0.1',
  '999999999',
];

const EXPRESSIONS = [
  'true',
  'null',
  'this',
  'now()',
  'uuid()',
  'secret()',
  'caller',
  'scopes',
  '""',
  '[]',
  '{}',
  '[[1], ["a"]]',
  '-9007199254740991 - 1',
  '1 / 0',
  '1 % 0',
  'Order.size()',
  'Order.map(o, Order.map(p, Order.size()).sum()).sum()',
  'this.this.this',
  'has(this)',
  '"x".matches("(")',
  '"x".matches("(a*)*$")',
  'size(this)',
  '["a", 1, null]',
  'duration("1h") + duration("1h")',
  'timestamp("9999-12-31T23:59:59Z")',
  'x',
];

/** One of the places that a pattern finds, if it finds any. */
function place(text: string, pattern: RegExp, random: Random): { from: number; to: number } | null {
  pattern.lastIndex = random.below(text.length + 1);
  let match = pattern.exec(text);
  if (!match) pattern.lastIndex = 0;
  match ??= pattern.exec(text);
  return match && { from: match.index, to: match.index + match[0].length };
}

/** The document with something else at one of the places that a pattern finds. */
function replaced(text: string, pattern: RegExp, random: Random, by: (found: string) => string): string {
  const at = place(text, pattern, random);
  return at ? text.slice(0, at.from) + by(text.slice(at.from, at.to)) + text.slice(at.to) : text;
}

const taken = (text: string, pattern: RegExp, random: Random): string => {
  const at = place(text, pattern, random);
  return at ? text.slice(at.from, at.to) : '';
};

/** The document with its lines changed. */
function relined(text: string, change: (lines: string[]) => void): string {
  const lines = text.split('\n');
  change(lines);
  return lines.join('\n');
}

/** A code span around what nests or repeats. */
function large(found: string, random: Random): string {
  const inner = found.slice(1, -1).slice(0, 200);
  const times = random.pick([3, 30, 240, 400, 3000]);
  return random.pick([
    `\`${'('.repeat(times)}${inner}${')'.repeat(times)}\``,
    `\`${'!'.repeat(times)}(${inner})\``,
    `\`${`(${inner}) && `.repeat(times)}true\``,
    `\`${'['.repeat(times)}${inner}${']'.repeat(times)}\``,
    `${'`'.repeat(times)}${inner}${'`'.repeat(times)}`,
    `\`${inner} == ${inner} ? ${'true ? '.repeat(times)}1${' : 2'.repeat(times)} : 3\``,
  ]);
}

/** Every kind of change, by what it is called in a report. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'a bit flipped': (text, _, random) => {
    const bytes = Buffer.from(text);
    const at = random.below(bytes.length);
    bytes[at] = bytes[at]! ^ (1 << random.below(8));
    return bytes.toString('utf8');
  },
  'a character removed': (text, _, random) => {
    const at = random.below(text.length);
    return text.slice(0, at) + text.slice(at + 1);
  },
  'something odd put in': (text, _, random) => {
    const at = random.below(text.length + 1);
    return text.slice(0, at) + random.pick(ODD) + text.slice(at);
  },
  'two lines swapped': (text, _, random) =>
    relined(text, (lines) => {
      const [a, b] = [random.below(lines.length), random.below(lines.length)];
      [lines[a], lines[b]] = [lines[b]!, lines[a]!];
    }),
  'lines removed': (text, _, random) =>
    relined(text, (lines) => lines.splice(random.below(lines.length), random.pick([1, 1, 1, 2, 10]))),
  'a line doubled': (text, _, random) =>
    relined(text, (lines) => {
      const at = random.below(lines.length);
      lines.splice(at, 0, lines[at]!);
    }),
  'a line repeated many times': (text, _, random) =>
    relined(text, (lines) => {
      const at = random.below(lines.length);
      lines[at] = `${`${lines[at]}\n`.repeat(random.pick([20, 200, 2000]))}${lines[at]}`;
    }),
  'a line of another document': (text, other, random) =>
    relined(text, (lines) => lines.splice(random.below(lines.length), random.below(2), random.pick(other.split('\n')))),
  'a word of another place': (text, _, random) => replaced(text, WORD, random, () => taken(text, WORD, random)),
  'a word of another document': (text, other, random) => replaced(text, WORD, random, () => taken(other, WORD, random)),
  'another word': (text, _, random) => replaced(text, WORD, random, () => random.pick(WORDS)),
  'a cell of another place': (text, _, random) => replaced(text, CELL, random, () => taken(text, CELL, random)),
  'a cell blank': (text, _, random) => replaced(text, CELL, random, () => '| '),
  'another number': (text, _, random) => replaced(text, NUMBER, random, () => random.pick(NUMBERS)),
  'code of another place': (text, _, random) => replaced(text, CODE, random, () => taken(text, CODE, random)),
  'code of another document': (text, other, random) => replaced(text, CODE, random, () => taken(other, CODE, random)),
  'another expression': (text, _, random) => replaced(text, CODE, random, () => `\`${random.pick(EXPRESSIONS)}\``),
  'code made bare': (text, _, random) => replaced(text, CODE, random, (found) => found.slice(1, -1)),
  'a word made code': (text, _, random) => replaced(text, WORD, random, (found) => `\`${found}\``),
  'a word in place of code': (text, _, random) => replaced(text, CODE, random, () => taken(text, WORD, random)),
  'code in place of a word': (text, _, random) => replaced(text, WORD, random, () => taken(text, CODE, random)),
  'large code': (text, _, random) => replaced(text, CODE, random, (found) => large(found, random)),
  'a long word': (text, _, random) =>
    replaced(text, WORD, random, (found) => found.slice(0, 20).repeat(random.pick([2, 70, 1000, 100_000]))),
  'a list of very many': (text, _, random) =>
    replaced(
      text,
      WORD,
      random,
      (found) => `${`${found.slice(0, 20)}, `.repeat(random.pick([3, 100, 20_000]))}${found}`,
    ),
  'deep indentation': (text, _, random) =>
    relined(text, (lines) => {
      const at = random.below(lines.length);
      lines[at] = ' '.repeat(random.pick([1, 3, 4, 8, 90])) + lines[at]!;
    }),
  'the end cut off': (text, _, random) => text.slice(0, random.below(text.length)),
};

/** One changed document, and what was done to it. */
export interface Mutant {
  readonly base: string;
  readonly text: string;
  readonly what: string;
}

/** A document with one to three changes, the same for the same seed. */
export function mutant(
  documents: ReadonlyArray<{ readonly name: string; readonly text: string }>,
  seed: number,
): Mutant {
  const random = new Random(seed * 2654435761);
  const { name, text: base } = random.pick(documents);
  const kinds = Object.keys(MUTATIONS);
  const done: string[] = [];
  let text = base;
  for (let left = random.pick([1, 1, 2, 3]); left > 0; left--) {
    const kind = random.pick(kinds);
    text = MUTATIONS[kind]!(text, random.pick(documents).text, random);
    done.push(kind);
  }
  return { base: name, text, what: done.join(', ') };
}
