import { orText } from '../text/lists.ts';
import { closest, phraseWords } from './closest.ts';
import { allowing, type Finding } from './diagnostic.ts';
import { type Lookalike, lookalikeIn, oddSpace } from './lookalikes.ts';
import type { Text } from './markdown.ts';
import { language } from './messages.ts';
import type { Span } from './span.ts';
import { contentOf, plain, type Token, tokens } from './tokens.ts';

/** The role in which a stretch of contract text was understood. */
export type Role = 'word' | 'use' | 'declaration' | 'value' | 'expression' | 'free';

export interface Mark extends Span {
  readonly role: Role;
}

/** A value as the language prints it, and the place of the document's own form of the value. */
export interface Printed extends Span {
  readonly text: string;
}

/** The words allowed at a place of a phrase; `value` names the kind of a name or the form of a value, or is empty. */
export interface Legal {
  readonly words: readonly string[];
  readonly value: string;
}

/** The output of reading: findings, and the role in which each word was understood. */
export interface Notes {
  readonly findings: Finding[];
  readonly marks: Mark[];
  /** The values that were read, in their printed form; absent unless the document is to be printed. */
  readonly printed?: Printed[];
  /** Takes each expression, with a function that says what is wrong with another in its place. */
  readonly tryable?: Tryable;
}

/** An expression of a document, and the findings about another expression in its place. */
export type Tryable = (token: Token, findingsOf: (other: Token) => readonly Finding[]) => void;

/**
 * The most characters of a name. Headers, tables of a store and findings contain names, and have no room for longer
 * ones.
 */
const LONGEST_WORD = 256;

/** The longest token of inline code: names in code include those of endpoints, with the longest of paths. */
const LONGEST_CODE = 2100;
/** More words and marks than any phrase of the language has. */
const LONGEST_PHRASE = 30;

const NAMES: readonly Role[] = ['use', 'declaration'];

/**
 * The number of times that a reader may peek without taking a token. No statement has nearly as many alternatives: a
 * reader that peeks more often is in a loop, and the next token is reported as not understood.
 */
const MOST_LOOKS = 10_000;

/**
 * Reads one statement from left to right against the closed vocabulary; the first text it can't read ends the
 * statement. No reader can loop for ever: a reader that takes no token ends as if it did not understand the next one.
 */
export class Phrase {
  readonly text: Text;
  readonly tokens: readonly Token[];
  private readonly record: Notes;
  private index = 0;
  /** The number of times that the reader has peeked since it took the last token. */
  private looks = 0;
  private tried: string[] = [];
  /** Words that would make the option that was taken last a longer one. */
  private longer: readonly string[] = [];
  private missing: Legal | null = null;
  /** Whether some text was not understood: the caller then abandons the statement. */
  failed = false;

  constructor(text: Text, record: Notes) {
    this.text = text;
    this.tokens = tokens(text);
    this.record = record;
  }

  get span(): Span {
    return { from: this.text.from, to: this.text.to };
  }

  get findings(): Finding[] {
    return this.record.findings;
  }

  /** The words and values allowed at the end of the phrase; null when text before the end is not understood. */
  get legal(): Legal | null {
    const missing = this.missing ?? { words: [...new Set(this.tried)], value: '' };
    if (this.index >= this.tokens.length) return missing;
    const words = this.begun(missing.words, this.tokens.length);
    return words.length ? { words, value: '' } : null;
  }

  /** Where the last token that was taken ends. */
  get reached(): number {
    return this.tokens[this.index - 1]?.to ?? this.text.from;
  }

  /** The next token, or the one that is `ahead` tokens further; undefined once something was not understood. */
  peek(ahead = 0): Token | undefined {
    if (this.looks++ === MOST_LOOKS) this.fail();
    return this.failed ? undefined : this.tokens[this.index + ahead];
  }

  done(): boolean {
    return this.peek() === undefined;
  }

  /** Records the role of a part of a token. */
  understood({ from, to }: Span, role: Role): void {
    this.record.marks.push({ from, to, role });
  }

  /** Takes the words of `phrase` if they come next. */
  take(phrase: string): boolean {
    if (this.failed) return false;
    // Most phrases do not come next: the first token shows so before the phrase is split into words.
    if (!phrase.startsWith(this.peek()?.text ?? ' ')) {
      this.tried.push(phrase);
      return false;
    }
    const found: Token[] = [];
    for (const [i, word] of phraseWords(phrase).entries()) {
      const token = this.tokens[this.index + i];
      if (!token || token.kind === 'code' || token.text !== word) {
        this.tried.push(phrase);
        return false;
      }
      found.push(token);
    }
    for (const token of found) this.step(token, 'word');
    return true;
  }

  /** Takes the words of `phrase`, or reports that they are missing. */
  expect(phrase: string): boolean {
    return this.take(phrase) || this.fail();
  }

  /** Takes the longest of `options` that comes next, or reports the options. */
  choose<T extends string>(options: readonly T[], what = ''): T | null {
    if (this.failed) return null;
    const longestFirst = (some: readonly T[]): T[] => [...some].sort((a, b) => b.length - a.length);
    const before = [...this.tried];
    const found = this.peek()?.text ?? ' ';
    for (const option of longestFirst(options.filter((one) => one.startsWith(found))))
      if (!this.isLonger(option, options) && this.take(option)) {
        this.longer = options.flatMap((one) => (one.startsWith(`${option} `) ? one.slice(option.length + 1) : []));
        return option;
      }
    this.tried = [...before, ...longestFirst(options)];
    this.fail(what);
    return null;
  }

  /** Whether the text goes on after an option as a longer option does, so that the longer one is meant. */
  private isLonger(option: string, options: readonly string[]): boolean {
    const count = phraseWords(option).length;
    const next = this.peek(count)?.text;
    return options.some((one) => one.startsWith(`${option} `) && phraseWords(one)[count] === next);
  }

  /** Takes one word that is not of the language (a name, a number, a date). */
  word(role: Role, what: string): Token | null {
    return this.one('word', role, LONGEST_WORD, what);
  }

  /** Takes the words up to one of `stops`, as one name. */
  words(role: Role, stops: readonly string[], what: string): Token | null {
    const start = this.index;
    for (let next = this.peek(); next?.kind === 'word' && !stops.includes(next.text); next = this.peek()) this.pass();
    // If no stop word follows, the last of several words is probably a misspelt stop word.
    if (this.peek()?.kind !== 'word' && this.index - start > 1) {
      this.index--;
      this.tried.push(...stops);
      this.fail();
      return null;
    }
    return this.asOne(start, role, what);
  }

  /** Takes up to `count` words as one name. */
  several(count: number, role: Role, what: string): Token | null {
    const start = this.index;
    while (this.index < start + count && this.peek()?.kind === 'word') this.pass();
    return this.asOne(start, role, what);
  }

  private asOne(start: number, role: Role, what: string): Token | null {
    const [first] = this.tokens.slice(start, this.index);
    const last = this.tokens[this.index - 1];
    if (this.failed || !first || !last) {
      this.fail(what);
      return null;
    }
    this.record.marks.push({ from: first.from, to: last.to, role });
    return plain('word', this.text, first.from, last.to);
  }

  /** Takes one inline code span. */
  code(role: Role, what: string): Token | null {
    return this.one('code', role, NAMES.includes(role) ? LONGEST_CODE : Number.POSITIVE_INFINITY, what);
  }

  /** Takes one token of a kind, no longer than `most` characters. */
  private one(kind: Token['kind'], role: Role, most: number, what: string): Token | null {
    const token = this.peek();
    if (kind === 'word' && token?.kind === 'code') this.tried.push(token.text);
    const long = token?.kind === kind && token.text.length > most;
    const odd = kind === 'word' && token?.kind === kind && lookalikeIn(token.text);
    if (this.failed || token?.kind !== kind || long || odd) {
      this.fail(long ? `${what}, of at most ${most} characters` : what);
      return null;
    }
    this.step(token, role);
    return token;
  }

  /**
   * Takes a resource and a field of it, such as `Order.status`. Each has a mark of its own; the field may be dotted.
   */
  path(role: Role, what: string): readonly [Token, Token] | null {
    const token = this.peek();
    const [, owner] = (token?.kind === 'word' && /^([^.]+)\.(.+)$/.exec(token.text)) || [];
    if (this.failed || !token || owner === undefined) {
      this.fail(what);
      return null;
    }
    const dot = token.from + owner.length;
    this.record.marks.push({ from: dot, to: dot + 1, role: 'word' });
    const halves = [plain('word', this.text, token.from, dot), plain('word', this.text, dot + 1, token.to)] as const;
    for (const { from, to } of halves) this.record.marks.push({ from, to, role });
    this.pass();
    return halves;
  }

  /** Takes a whole number up to `most`, with commas between thousands or without. */
  integer(what: string, most = Number.MAX_SAFE_INTEGER): number | null {
    const token = this.peek();
    if (token?.kind === 'code' && isInteger(token.text)) this.tried.push(token.text);
    if (this.failed || token?.kind !== 'word' || !isInteger(token.text)) {
      this.fail(/^-?0\d/.test(token?.text ?? '') ? `${what}, without a 0 before it` : what);
      return null;
    }
    const number = Number(token.text.replaceAll(',', ''));
    if (number > most) {
      this.fail(`${what}, ${Math.floor(most).toLocaleString('en')} at most`);
      return null;
    }
    this.step(token, 'value');
    return number;
  }

  /** Takes a whole number from 1 on, up to `most`. */
  positive(what: string, most?: number): number | null {
    const written = this.peek()?.text ?? '';
    if (!/^[1-9]/.test(written)) {
      this.fail(/^0\d/.test(written) ? `${what}, without a 0 before it` : what);
      return null;
    }
    return this.integer(what, most);
  }

  /** Takes the mark `, ; :` or `.` if it comes next. */
  mark(sign: string): boolean {
    const token = this.failed ? undefined : this.peek();
    if (token?.kind !== 'mark' || token.text !== sign) {
      this.tried.push(sign);
      return false;
    }
    this.step(token, 'word');
    return true;
  }

  /** Takes all text that is left, as free text. */
  rest(): string {
    const from = this.peek()?.from ?? this.text.to;
    for (let token = this.peek(); token; token = this.peek()) this.step(token, 'free');
    return contentOf(this.text, from, this.text.to);
  }

  /** Reports text that is left over. True if the whole statement was understood. */
  end(): boolean {
    if (!this.done()) this.fail();
    return !this.failed;
  }

  /** Reports a finding of the reader's own about this place. */
  refuse(finding: Finding): false {
    if (!this.failed) this.findings.push(finding);
    this.failed = true;
    return false;
  }

  /** Reports that the next token is not understood. */
  fail(what = ''): false {
    if (this.failed) return false;
    this.failed = true;
    const token = this.tokens[this.index];
    const options = [...new Set(this.tried)];
    this.missing = { words: options, value: what };
    const allowed = [...options, ...wordsIn(what), ...this.longer];
    // At a full stop that ends a step too early, something is missing before the stop.
    const stop = this.text.stops && this.tokens.at(-1)?.text === '.' ? this.tokens.length - 1 : this.tokens.length;
    const begun = this.index < stop ? this.begun(options, stop) : [];
    if (this.index >= stop || begun.length) {
      const at = this.tokens[stop]?.from ?? this.text.to;
      const end = { from: at, to: this.tokens[stop]?.to ?? at };
      const expected = begun.length ? orText(begun.map(quoted)) : expectedOf(options, what);
      const after = this.before(begun.length ? stop : this.index);
      this.tell(language.report.missing(end, { expected, after }), begun.length ? begun : allowed);
      return false;
    }
    if (!token) return false;
    const known = what ? 0 : this.known(options, stop);
    const left = known ? this.begun(options, this.index + known) : options;
    this.tell(this.unknown(this.index + known, left, expectedOf(left, what)), known ? left : allowed);
    return false;
  }

  /** How many of the next words the option begins with that begins with most of them. */
  private known(options: readonly string[], stop: number): number {
    for (let end = Math.min(stop, this.index + LONGEST_PHRASE) - 1; end > this.index; end--)
      if (this.begun(options, end).length) return end - this.index;
    return 0;
  }

  private tell(finding: Finding, legal: readonly string[]): void {
    const { lesson } = this.text;
    const why = lesson ? `${finding.why} ${lesson}` : finding.why;
    this.findings.push(allowing({ ...finding, why }, legal));
  }

  /** The rest of each option that begins with all the words from here to the end of the text. */
  private begun(options: readonly string[], end: number): string[] {
    const left = this.tokens.slice(this.index, end);
    // The first word of a key may be a key of another place.
    if (this.index === 0 && this.text.lesson === undefined) return [];
    if (left.length > LONGEST_PHRASE || left.some(({ kind }) => kind === 'code')) return [];
    return options.flatMap((option) => {
      const words = phraseWords(option);
      if (words.length <= left.length || left.some(({ text }, i) => text !== words[i])) return [];
      return option.slice(endOf(option, words.slice(0, left.length))).trimStart();
    });
  }

  /** The finding about a token: about marks around a valid word, or else about the word. */
  private unknown(index: number, options: readonly string[], expected: string): Finding {
    const token = this.tokens[index]!;
    if (token.kind === 'code' && options.includes(token.text) && /^[\w.:-]+$/.test(token.text))
      return language.report.inCode(token, { found: token.text });
    const [, second] =
      /^[.;,]\s+((?!\d)[^\s:`|][^:`|]{0,60}:\s[\s\S]*)$/.exec(this.text.source.slice(token.from, this.text.to)) ?? [];
    if (second !== undefined && options.length === 0 && !expected)
      return language.report.secondStatement(token, { found: second, after: this.before(index) });
    if (token.text === '.' && index === this.tokens.length - 1)
      return language.report.fullStop(token, { after: this.before(index) });
    const best = closest(this.tokens.slice(index, index + LONGEST_PHRASE), options);
    const found = best ? this.text.source.slice(best.from, best.to) : token.text;
    const odd = oddIn(token, this.text) ?? lookalikeIn(found, best?.from);
    if (odd) return language.report.lookalike(odd, { found, name: odd.name, plain: odd.plain });
    return language.report.unknown(best ?? token, { found, nearest: best?.meant ? best.option : '', expected });
  }

  /** The last words that were understood, for a message; empty at the beginning of the statement. */
  private before(end = this.index): string {
    const tokens = this.tokens.slice(Math.max(0, end - 4), end);
    return this.text.source.slice(tokens[0]?.from, tokens.at(-1)?.to ?? 0);
  }

  private step(token: Token, role: Role): void {
    const { from, to } = role === 'expression' ? token : token.inner;
    this.record.marks.push({ from, to, role });
    this.pass();
  }

  private pass(): void {
    this.index++;
    this.looks = 0;
    this.tried = [];
    this.longer = [];
  }
}

/**
 * The first character of a token that is a lookalike of another, or a space after a sign where Markdown needs a plain
 * one.
 */
function oddIn({ text, from, to }: Token, { source }: Text): Lookalike | null {
  return lookalikeIn(text, from) ?? (/^[-*+]$/.test(text) ? oddSpace(source.charAt(to), to) : null);
}

/** A whole number that a double holds exactly, with commas between thousands or without. */
function isInteger(text: string): boolean {
  return (
    /^(?:0|-?[1-9]\d*|-?[1-9]\d{0,2}(?:,\d{3})+)$/.test(text) && Number.isSafeInteger(Number(text.replaceAll(',', '')))
  );
}

/** Where the first words of a phrase end in it. */
const endOf = (phrase: string, words: readonly string[]): number =>
  words.reduce((at, word) => phrase.indexOf(word, at) + word.length, 0);

/** The words of the language that are allowed at a place, and `what`: the names or values that the reader expects. */
function expectedOf(options: readonly string[], what: string): string {
  const unnamed = what ? options.filter((option) => !what.includes(option)) : options;
  return orText([...unnamed.map(quoted), ...(what ? [what] : [])]);
}

const quoted = (words: string): string => `“${words}”`;

/** The words of the language that are among what a reader expects; examples are none. */
const wordsIn = (what: string): string[] =>
  [...what.replaceAll(/such as “[^”]*”/g, '').matchAll(/“([^”]*\p{L}[^”]*)”/gu)].map(([, words]) => words!);
