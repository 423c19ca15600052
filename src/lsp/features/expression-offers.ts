import { compile } from '../../compiler/compile.ts';
import { FUNCTIONS, MACROS } from '../../compiler/expression/functions.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Tryable } from '../../syntax/phrase.ts';
import { codeToken } from '../../syntax/tokens.ts';
import { type Caret, closing, finished } from './caret.ts';

/** A name that no expression knows. */
const STRANGER = 'zqxjkv';
const OPERATORS = ['==', '!=', '<', '<=', '>', '>=', '&&', '||', '+', '-', '*', '/', '%', 'in', '?'];
const LITERALS = ['true', 'false', 'null'];

/** Arguments of the functions, one of which each function takes. */
const ARGUMENTS = [
  '',
  '"a"',
  '1',
  '1.5',
  'now()',
  '[1]',
  '"a", "a"',
  '"2026-01-01"',
  '"1h"',
  'date("2026-01-01")',
  'now(), "UTC"',
  'date("2026-01-01"), "UTC"',
  '1, 1',
  '1.5, 1',
  '"a", 1',
  '"ab", 24',
  '"a", "a", "a"',
  'duration("1h")',
  '1.5, 1.5',
  '1, 2, 3',
  'x, true',
  'x, x',
];

/** A name or word that an expression may have at a place, and the text to write. */
export interface Offered {
  readonly label: string;
  readonly text: string;
  readonly isFunction: boolean;
  /** Whether more has to come: the expression cannot end with it. */
  readonly isBegun: boolean;
}

/**
 * The names and functions that an expression may have at a place, tried with the types of the place; null where no
 * expression is. An expression that ends behind the place is unfinished: a name is right if it can go on to a right one.
 */
export function expressionOffers(name: string, { head, tails, word, code }: Caret, begun: string): Offered[] | null {
  if (!code) return null;
  const all: Array<Parameters<Tryable>[1]> = [];
  const tryIn = (text: string, tail: string): void => {
    const tryable: Tryable = (token, findingsOf) => {
      if (token.inner.from <= head.length && head.length + text.length <= token.inner.to) all.push(findingsOf);
    };
    compile(name, head + text + tail, { findings: [], marks: [], tryable });
  };
  // The types of the place may depend on the expression that is there.
  const whole = begun + word;
  if (whole !== '') tryIn(whole, tails[0]!);
  if (all.some((findingsOf) => findingsOf(codeToken(code.pre + whole + code.post)).length > 0)) all.length = 0;
  for (const tail of tails) if (all.length === 0) tryIn(STRANGER, tail);
  for (const first of tails.slice(0, 2))
    for (const tail of all.length === 0 ? finished(name, head + STRANGER, first) : []) tryIn(STRANGER, tail);
  if (all.length === 0) return null;
  const findingsOf = (text: string): Finding[] => all.flatMap((one) => one(codeToken(text)));
  return new Expression(code.pre, code.post, findingsOf).offers();
}

class Expression {
  private readonly pre: string;
  private readonly post: string;
  private readonly findingsOf: (text: string) => readonly Finding[];
  /** Whether nothing is behind the place but what closes the expression. */
  private readonly isOpen: boolean;

  constructor(pre: string, post: string, findingsOf: (text: string) => readonly Finding[]) {
    this.pre = pre;
    this.findingsOf = findingsOf;
    const broken = findingsOf(pre + STRANGER + post).some(({ code }) => code === 'expression/syntax');
    this.post = post === '' || (broken && !/^\s*\(/.test(post)) ? closing(pre) : post;
    this.isOpen = /^[\s)\]}"']*$/.test(this.post);
  }

  offers(): Offered[] {
    const quote = /["']/.exec(closing(this.pre))?.[0];
    if (quote !== undefined) return this.texts(quote);
    if (/[\p{L}\p{N}_)\]"']\s+$/u.test(this.pre) && !/\bin\s+$/.test(this.pre)) return this.operators();
    const isMember = /\.$/.test(this.pre);
    const isCall = /^\s*\(/.test(this.post);
    const names = isCall ? [] : this.legal(STRANGER).filter((one) => !FUNCTIONS.some((fn) => fn === one));
    const functions = isCall
      ? this.legal(STRANGER)
      : [...this.legal(`${STRANGER}()`), ...(isMember ? [] : ['has', 'every'])];
    const plain = isMember || isCall ? names : [...names, ...LITERALS];
    return [
      ...plain.flatMap((label) => {
        const isBegun = !this.isRight(label);
        const isName = !LITERALS.includes(label);
        return !isBegun || (isName && this.goesOn(label)) ? { label, text: label, isFunction: false, isBegun } : [];
      }),
      ...[...new Set(functions)].flatMap((label) => {
        const text = isCall ? (this.isRight(label) ? label : null) : this.called(label);
        return text === null ? [] : { label, text, isFunction: true, isBegun: text.endsWith('(') };
      }),
    ];
  }

  /** The values that a text may have, such as those of an enumeration. */
  private texts(quote: string): Offered[] {
    const begun = this.pre.slice(this.pre.lastIndexOf(quote) + 1);
    const end = this.post.indexOf(quote);
    const post = end < 0 ? closing(this.pre) : this.post.slice(end);
    const findings = ['', ' in scopes', ' in query'].flatMap((more) =>
      this.isOpen || more === '' ? this.findingsOf(this.pre + STRANGER + post.replace(quote, quote + more)) : [],
    );
    return [...new Set(findings.flatMap(({ legal }) => legal))].flatMap((one) =>
      one.startsWith(begun) && one !== begun
        ? { label: one.slice(begun.length), text: one.slice(begun.length), isFunction: false, isBegun: this.isOpen }
        : [],
    );
  }

  private operators(): Offered[] {
    return OPERATORS.flatMap((label) => {
      const operands = this.isOpen ? this.operandsOf(label) : [''];
      const isRight = operands.some((one) => this.isRight(label, one));
      return isRight ? { label, text: label, isFunction: false, isBegun: this.isOpen } : [];
    });
  }

  private operandsOf(operator: string): string[] {
    const names = this.legalAt(`${this.pre}${operator} `, STRANGER);
    return ['"a"', '1', '1.5', 'true', 'now()', 'null', '["a"]', '[1]', 'true : false', ...names].map(
      (one) => ` ${one}`,
    );
  }

  /** Whether an expression that ends behind a name can go on to a right one. */
  private goesOn(label: string): boolean {
    if (!this.isOpen) return false;
    if (
      this.isRight(label, ` == ${this.chainBefore}${label}`) ||
      this.isRight(label, ' == null') ||
      this.isRight(label, ' in scopes')
    )
      return true;
    const members = this.legalAt(`${this.pre}${label}.`, STRANGER);
    const calls = [
      'size()',
      'size() == 1',
      'exists(x, true)',
      'map(x, x)',
      'filter(x, true)',
      'sum()',
      'startsWith("a")',
    ];
    const ends = members.flatMap((one) => [one, `${one} == ${this.chainBefore}${label}.${one}`]);
    return [...ends, ...calls].some((one) => this.isRight(label, `.${one}`));
  }

  /** The names before the place that a name goes on with a dot. */
  private get chainBefore(): string {
    return /(?:[\p{L}\p{N}_]+\.)*$/u.exec(this.pre)?.[0] ?? '';
  }

  /** The text that calls a function, or begins to call it; null where no call of it is right. */
  private called(label: string): string | null {
    if (this.isRight(label, '()')) return `${label}()`;
    if (!this.isOpen) return null;
    if (label === 'has') return this.isRight('true') ? 'has(' : null;
    if (label === 'has') return this.isRight('true') ? 'has(' : null;
    const names = MACROS.some((one) => one === label)
      ? []
      : this.legalAt(`${this.pre}${label}(`, STRANGER, `)${this.post}`);
    const some = [...ARGUMENTS, ...names.filter((one) => !FUNCTIONS.some((fn) => fn === one))];
    const isRight = some.some((one) =>
      ['', ` == ${this.chainBefore}${label}(${one})`, '.size() == 1'].some((more) =>
        this.isRight(label, `(${one})${more}`),
      ),
    );
    return isRight ? `${label}(` : null;
  }

  /** The names that are legal where a stranger is. */
  private legal(stranger: string): string[] {
    return this.legalAt(this.pre, stranger);
  }

  private legalAt(pre: string, stranger: string, post = this.post): string[] {
    const from = pre.length;
    return this.findingsOf(pre + stranger + post).flatMap(({ span, legal }) =>
      span && span.from <= from && from < span.to ? legal : [],
    );
  }

  /** Whether nothing is wrong with a word at the place. */
  private isRight(label: string, more = ''): boolean {
    const { pre, post } = this;
    const findings = this.findingsOf(pre + label + more + post);
    const [from, to] = [pre.length, pre.length + label.length];
    return !findings.some(
      ({ code, span }) => code === 'expression/syntax' || (span && span.from < to && from < span.to),
    );
  }
}
