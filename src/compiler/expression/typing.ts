import type { ASTNode } from '@marcbachmann/cel-js';
import { SORTED } from '../../expression/library/overload.ts';
import { type Expr, type Fn, type Macro, show } from '../../expression/tree/expression.ts';
import * as t from '../../expression/tree/types.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Located } from '../../syntax/names.ts';
import type { Mark } from '../../syntax/phrase.ts';
import type { Span } from '../../syntax/span.ts';
import { listed, nearest, patience } from '../../text/suggest.ts';
import { zip } from '../../text/zip.ts';
import { expressionDiagnostics as d } from './messages.ts';
import { nonNullTexts } from './null-tests.ts';
import { type Parsed, place } from './parse.ts';
import type { Scope } from './scope.ts';

/** What literals of the types are in JavaScript. */
const KINDS = { string: 'string', integer: 'number' } as const;

/** What compares two values. */
const COMPARING: readonly Fn[] = ['==', '!=', 'in'];

/** What stands for an expression after an error that has been reported. */
export const unknown: Expr = { op: 'const', value: null, type: t.UNKNOWN };

/** What is asked of a part of a text: how it is said, and whether it is so. */
const PARTS: Readonly<Partial<Record<Fn, readonly [how: string, is: (text: string, part: string) => boolean]>>> = {
  startsWith: ['starts with', (text, part) => text.startsWith(part)],
  endsWith: ['ends with', (text, part) => text.endsWith(part)],
  contains: ['contains', (text, part) => text.includes(part)],
};

/** Where the parts of an expression stand in the document, and how they are written. */
export type ExprPlaces = Map<Expr, Located<string>>;

/** Where an expression stands, what is known there, and what is wrong with it. */
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

  /** A literal compared with what has only certain values has to be one of them, wherever in a value it stands. */
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

  /** The keys of a map that is written out, where what is looked up in it has only certain values. */
  protected checkKeys(map: Expr, key: t.Type, node: ASTNode): void {
    if (map.op !== 'map' || node.op !== 'map') return;
    for (const [text, [part]] of zip(map.keys, node.args)) this.checkLiteral(text, key, part);
  }

  /** The literals among the arguments of a call, where the other argument has only certain values. */
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

  /** The items of a list that is written out, where a macro does no more than compare each with one value. */
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

  /** A literal that what has only certain values never begins with, ends with or holds; or that does so with none of them. */
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
    this.fail(d.report.notOneOf(span, params));
  }

  /** Values side by side are of one type, in whatever order they stand, and any of them may be absent. */
  protected wrongAmong(values: readonly Expr[], what: string, nodes: readonly ASTNode[]): Expr | null {
    if (values.some(({ type }) => type.kind === 'unknown')) return unknown;
    // What is null, or empty, says nothing of what the others are.
    const first = values.find(({ type }) => !isUntyped(type))?.type;
    if (!first) return null;
    for (const [{ type }, node] of zip(values, nodes)) {
      if (t.comparable(type, first)) continue;
      const params = { what, expected: t.describe(t.nullable(first, false)), found: t.describe(type) };
      return this.fail(d.report.mismatch(this.span(node), params));
    }
    return null;
  }

  /** What a macro takes of each item. */
  protected wrongBody(macro: Macro, inner: Expr, body: ASTNode): Expr | null {
    if (macro === 'map') return null;
    if (macro !== 'sortBy') return this.wrongType(inner, t.BOOLEAN, `${macro}()`, body);
    if (SORTED.includes(inner.type.kind)) return this.wrongType(inner, t.nullable(inner.type, false), 'sortBy()', body);
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

  /** An expression that is never null, and the reason. */
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

/** True for null, and for lists and maps of which nobody knows what they would hold. */
function isUntyped(type: t.Type): boolean {
  if (type.kind === 'list' || type.kind === 'map') return isUntyped(type.of);
  return type.kind === 'null';
}
