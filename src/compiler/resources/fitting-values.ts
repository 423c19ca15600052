import { type Expr, type Fn, isDraw, some } from '../../expression/tree/expression.ts';
import { codePoints } from '../../expression/values/text.ts';
import type { ValueRule } from '../../plan/value-forms.ts';
import { mostCharacters } from '../../store/longest-text.ts';
import { computedValidator } from '../../validation/validate.ts';
import type { Resolved } from '../document/resolve.ts';
import { resultsOf } from '../document/results.ts';
import { constantValue } from './constants.ts';
import { ruleOf } from './plan.ts';
import { isRandomText, refusedText } from './random-texts.ts';
import { holdsAll } from './rule-holds.ts';

/** Whether a rule allows every result of an expression. In doubt, it does not. */
export function allowsAll(r: Resolved, rule: ValueRule, value: Expr): boolean {
  if (r.once(resultsOf).lacks(value)) return false;
  const constant = constantValue(value);
  if (constant !== undefined) return allows(rule, constant);
  if (value.op === 'if') return allowsAll(r, rule, value.then) && allowsAll(r, rule, value.else);
  const stored = ruleOfField(r, value);
  if (stored) return holdsAll(rule, stored);
  const { type } = value;
  if (type.kind === 'string' && type.oneOf) return type.oneOf.every((one) => allows(rule, one));
  if (some(value, isRandomText)) return !readsAny(value) && refusedText(rule, value) === null;
  switch (rule.kind) {
    case 'uuid':
      return isDraw(value);
    case 'text':
      return isOfLength(r, rule, value);
    case 'list':
    case 'set':
      return value.op === 'list' && isListOf(r, rule, value.items);
    case 'map':
      return false;
    default: {
      const [least, most] = r.once(resultsOf).rangeOf(value);
      return (rule.min ?? Number.NEGATIVE_INFINITY) <= least && most <= (rule.max ?? Number.POSITIVE_INFINITY);
    }
  }
}

const allows = (rule: ValueRule, value: unknown): boolean =>
  value === null || !('fault' in computedValidator(rule)(value as never));

/** Whether an expression reads a row or another name. */
const readsAny = (value: Expr): boolean => some(value, ({ op }) => op === 'get' || op === 'name' || op === 'rows');

/** The rule of the stored field that an expression reads; undefined for any other expression. */
function ruleOfField(r: Resolved, value: Expr): ValueRule | undefined {
  if (value.op !== 'get' || value.derived || value.of.type.kind !== 'row') return undefined;
  const resource = r.resourceNamed(value.of.type.resource);
  const field = resource && r.fieldNamed(resource, value.member);
  return field ? ruleOf(r, field) : undefined;
}

function isOfLength(r: Resolved, rule: ValueRule, value: Expr): boolean {
  if (rule.oneOf || rule.pattern !== null || rule.format !== null) return false;
  const [least, most] = charactersOf(r, value);
  return (rule.min ?? 0) <= least && most <= (rule.max ?? Number.POSITIVE_INFINITY);
}

const isListOf = (r: Resolved, { items, min, max }: ValueRule, values: readonly Expr[]): boolean =>
  items !== null &&
  items !== undefined &&
  (min ?? 0) <= values.length &&
  values.length <= (max ?? Number.POSITIVE_INFINITY) &&
  values.every((one) => allowsAll(r, items, one));

/** Functions whose results have no more characters than their text. */
const SHORTENING: ReadonlySet<Fn> = new Set<Fn>(['trim', 'substring', 'charAt']);
/** Functions whose results have as many characters as their text. */
const KEEPING: ReadonlySet<Fn> = new Set<Fn>(['lowerAscii', 'upperAscii', 'reverse']);

/** More characters than a number, a truth value or a point in time has as a text. */
const WRITTEN = 40;

/** The least and the greatest number of characters of a text. */
function charactersOf(r: Resolved, value: Expr): readonly [least: number, most: number] {
  if (value.op === 'const') return [codePoints(String(value.value)), codePoints(String(value.value))];
  if (value.op === 'if') {
    const [yes, no] = [charactersOf(r, value.then), charactersOf(r, value.else)];
    return [Math.min(yes[0], no[0]), Math.max(yes[1], no[1])];
  }
  const stored = ruleOfField(r, value);
  if (stored?.oneOf) {
    const lengths = stored.oneOf.map((one) => codePoints(one));
    return [Math.min(...lengths), Math.max(...lengths)];
  }
  if (stored) return [stored.min ?? 0, stored.max ?? (mostCharacters(stored) || Number.POSITIVE_INFINITY)];
  if (value.op === 'call') {
    const [first] = value.args;
    if (value.fn === '+') {
      const all = value.args.map((one) => charactersOf(r, one));
      return [all.reduce((sum, [one]) => sum + one, 0), all.reduce((sum, [, one]) => sum + one, 0)];
    }
    const isOfText = first?.type.kind === 'string';
    if (value.fn === 'string' && !isOfText) return [1, WRITTEN];
    if (isOfText && (KEEPING.has(value.fn) || value.fn === 'string')) return charactersOf(r, first);
    if (isOfText && SHORTENING.has(value.fn)) return [0, charactersOf(r, first)[1]];
  }
  // A character has one or two UTF-16 units.
  const [least, most] = r.once(resultsOf).rangeOf(value);
  return [Math.ceil(Math.max(least, 0) / 2), most];
}
