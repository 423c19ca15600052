import type { ASTNode } from '@marcbachmann/cel-js';
import { type Expr, type Fn, type Macro, show } from '../../expression/tree/expression.ts';
import * as t from '../../expression/tree/types.ts';
import { isScalarType } from '../../expression/values/kinds.ts';
import { allowing, type Finding } from '../../syntax/diagnostic.ts';
import type { Located } from '../../syntax/names.ts';
import type { Mark } from '../../syntax/phrase.ts';
import type { Span } from '../../syntax/span.ts';
import { zip } from '../../text/lists.ts';
import { listed, nearest, patience } from '../../text/suggest.ts';
import { expressionDiagnostics as d } from './messages.ts';
import { nonNullTexts } from './null-tests.ts';
import { type Parsed, place } from './parse.ts';
import type { Scope } from './scope.ts';

/** The JavaScript types of literals. */
const KINDS = { string: 'string', integer: 'number' } as const;

/** The functions that compare two values. */
const COMPARING: readonly Fn[] = ['==', '!=', 'in'];

/** The result of typing an expression with an error, which has been reported. */
export const unknown: Expr = { op: 'const', value: null, type: t.UNKNOWN };

/** The functions about a part of a text: their words in messages, and their evaluation. */
const PARTS: Readonly<Partial<Record<Fn, readonly [how: string, is: (text: string, part: string) => boolean]>>> = {
  startsWith: ['starts with', (text, part) => text.startsWith(part)],
  endsWith: ['ends with', (text, part) => text.endsWith(part)],
  contains: ['contains', (text, part) => text.includes(part)],
};

/** The places in the document of the parts of an expression, with their texts. */
export type ExprPlaces = Map<Expr, Located<string>>;

/** The typing of an expression: its place, the names and facts known there, and the findings. */
export class Typing {
  protected readonly parsed: Parsed;
  protected readonly scope: Scope;
  protected readonly findings: Finding[];
  protected readonly marks: Mark[];
  /** The expressions known not to be null here, as text. */
  protected present: ReadonlySet<string>;
  protected readonly places: ExprPlaces | undefined;

  constructor(parsed: Parsed, scope: Scope, findings: Finding[], marks: Mark[], places?: ExprPlaces) {
    this.parsed = parsed;
    this.scope = scope;
    this.present = scope.present ?? new Set();
    this.findings = findings;
    this.marks = marks;
    this.places = places;
  }

  span(node: ASTNode): Span {
    return place(this.parsed.token, node.range.start, node.range.end);
  }

  /** Checks the literals in a value that is compared with an enumeration: each must be one of its values. */
  checkValues(expr: Expr, against: t.Type, node: ASTNode): void {
    if (expr.op === 'if' && node.op === '?:') {
      const [, yes, no] = node.args;
      this.checkValues(expr.then, against, yes);
      this.checkValues(expr.else, against, no);
    } else if (expr.op === 'list' && node.op === 'list') {
      const of = against.kind === 'list' ? against.of : against;
      for (const [item, part] of zip(expr.items, node.args)) this.checkValues(item, of, part);
    } else if (expr.op === 'map' && node.op === 'map') {
      if (against.kind !== 'map') this.checkKeys(expr, against, node);
      else for (const [value, [, part]] of zip(expr.values, node.args)) this.checkValues(value, against.of, part);
    } else if (expr.op === 'const') this.checkLiteral(expr.value, against, node);
  }

  /** Checks the keys of a map literal, if the key that is looked up has an enumeration. */
  protected checkKeys(map: Expr, key: t.Type, node: ASTNode): void {
    if (map.op !== 'map' || node.op !== 'map') return;
    for (const [text, [part]] of zip(map.keys, node.args)) this.checkLiteral(text, key, part);
  }

  /** Checks the literals among the arguments of a call whose other argument has an enumeration. */
  protected checkOperands(fn: Fn, args: readonly Expr[], nodes: readonly ASTNode[]): void {
    const [a, b] = args;
    const [left, right] = nodes;
    if (!a || !b || !left) return;
    if (fn === '[]') this.checkKeys(a, b.type, left);
    this.checkParts(fn, args, nodes);
    if ((fn !== '==' && fn !== '!=' && fn !== 'in') || !right) return;
    this.checkValues(a, b.type, left);
    this.checkValues(b, a.type, right);
  }

  /**
   * Checks the literals in a list over which a macro iterates, if the macro only compares each item with one value: the
   * items must then be possible values of its enumeration.
   */
  protected checkItems(each: Expr, node: ASTNode): Expr {
    if (each.op !== 'each' || each.body.op !== 'call' || !COMPARING.includes(each.body.fn)) return each;
    const { list, name, body } = each;
    const [map = null] = list.op === 'call' && list.fn === 'keys' ? list.args : [];
    for (const [arg, other] of zip(body.args, body.args.toReversed())) {
      if (arg.op !== 'name' || arg.name !== name) continue;
      if (map) this.checkKeys(map, other.type, node);
      else this.checkValues(list, other.type, node);
    }
    return each;
  }

  /** Checks `startsWith`, `endsWith` and `contains` of a literal and an enumeration: one of its values must match. */
  private checkParts(fn: Fn, [text, part]: readonly Expr[], [textNode, partNode]: readonly ASTNode[]): void {
    const relation = PARTS[fn];
    if (!relation || !text || !part || !textNode || !partNode) return;
    const [how, is] = relation;
    this.checkPart(part, text.type, partNode, { sought: 'part', how }, is);
    this.checkPart(text, part.type, textNode, { sought: 'whole', how }, (value, whole) => is(whole, value));
  }

  private checkPart(
    expr: Expr,
    of: t.Type,
    node: ASTNode,
    relation: { readonly sought: 'part' | 'whole'; readonly how: string },
    is: (value: string, literal: string) => boolean,
  ): void {
    if (expr.op === 'if' && node.op === '?:') {
      const [, yes, no] = node.args;
      this.checkPart(expr.then, of, yes, relation, is);
      this.checkPart(expr.else, of, no, relation, is);
      return;
    }
    if (of.kind !== 'string' || !of.oneOf || expr.op !== 'const' || typeof expr.value !== 'string') return;
    const found = expr.value;
    if (of.oneOf.some((value) => is(value, found))) return;
    const params = { ...relation, found, of: of.owner ?? 'the enumeration', values: listed(of.oneOf) };
    this.fail(d.report.noneLike(this.span(node), params));
  }

  private checkLiteral(value: unknown, against: t.Type, node: ASTNode): void {
    const type = against.kind === 'list' ? against.of : against;
    if ((type.kind !== 'string' && type.kind !== 'integer') || typeof value !== KINDS[type.kind]) return;
    const values = t.valuesOf(type);
    if (!values) return;
    const text = String(value);
    const quotes = type.kind === 'string' ? 1 : 0;
    const span = place(this.parsed.token, node.range.start + quotes, node.range.end - quotes);
    if (quotes) this.mark(span, 'use');
    if (values.includes(text)) return;
    const params = {
      found: text,
      nearest: quotes ? (nearest(text, values, patience(this.findings.length)) ?? '') : '',
      of: type.owner ?? 'the enumeration',
      values: listed(values),
    };
    this.fail(allowing(d.report.notOneOf(span, params), values));
  }

  /** Checks that values, such as the items of a list, have one type, regardless of order; any of them may be null. */
  protected wrongAmong(values: readonly Expr[], what: string, nodes: readonly ASTNode[]): Expr | null {
    if (values.some(({ type }) => type.kind === 'unknown')) return unknown;
    // The first typed value decides: null and empty lists and maps determine no type.
    const first = values.find(({ type }) => !isUntyped(type))?.type;
    if (!first) return null;
    for (const [{ type }, node] of zip(values, nodes)) {
      if (t.comparable(type, first)) continue;
      const params = { what, expected: t.describe(t.nullable(first, false)), found: t.describe(type) };
      return this.fail(d.report.mismatch(this.span(node), params));
    }
    return null;
  }

  /** Checks the type of a macro's body. */
  protected wrongBody(macro: Macro, inner: Expr, body: ASTNode): Expr | null {
    if (macro === 'map') return null;
    if (macro !== 'sortBy') return this.wrongType(inner, t.BOOLEAN, `${macro}()`, body);
    if (isScalarType(inner.type.kind)) return this.wrongType(inner, t.nullable(inner.type, false), 'sortBy()', body);
    const params = { what: 'sortBy()', expected: 'a value with an order', found: t.describe(inner.type) };
    return this.fail(d.report.mismatch(this.span(body), params));
  }

  protected wrongType(expr: Expr, expected: t.Type, what: string, node: ASTNode): Expr | null {
    if (expr.type.kind === 'unknown') return unknown;
    if (!t.comparable(expr.type, expected)) {
      const params = { what, expected: t.describe(expected), found: t.describe(expr.type) };
      return this.fail(d.report.mismatch(this.span(node), params));
    }
    if (expr.type.nullable && !expected.nullable)
      return this.fail(d.report.maybeNull(this.span(node), { what: show(expr) }));
    return null;
  }

  /** The text of an expression that is never null, and the reason. */
  protected neverNull(expr: Expr): { what: string; reason: string } {
    const what = show(expr);
    const tested = 'an earlier test has excluded null';
    return { what, reason: this.present.has(what) ? tested : (this.scope.why?.(expr) ?? '') };
  }

  protected assuming<T>(test: Expr, truth: boolean, work: () => T): T {
    const before = this.present;
    this.present = new Set([...before, ...nonNullTexts(test, truth)]);
    const result = work();
    this.present = before;
    return result;
  }

  protected text(node: ASTNode): string {
    return this.parsed.source.slice(node.range.start, node.range.end);
  }

  protected mark(span: Span, role: Mark['role']): void {
    this.marks.push({ ...span, role });
  }

  protected fail(finding: Finding): Expr {
    this.findings.push(finding);
    return unknown;
  }
}

/** True for null, and for lists and maps whose items have no type, such as an empty list. */
function isUntyped(type: t.Type): boolean {
  if (type.kind === 'list' || type.kind === 'map') return isUntyped(type.of);
  return type.kind === 'null';
}
