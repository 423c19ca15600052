import type { ASTNode } from '@marcbachmann/cel-js';
import type { Finding } from '../source/diagnostic.ts';
import type { Mark } from '../source/phrase.ts';
import type { Span } from '../source/span.ts';
import { listed, nearest, patience } from '../source/suggest.ts';
import { expressionDiagnostics as d } from './diagnostics.ts';
import { type Expr, type Macro, show } from './expr.ts';
import { SORTED } from './library/overload.ts';
import { type Parsed, place } from './parse.ts';
import type { Scope } from './scope.ts';
import { settled } from './settled.ts';
import * as t from './types.ts';

/** What stands for an expression after an error that has been reported. */
export const unknown: Expr = { op: 'const', value: null, type: t.UNKNOWN };

/** Where an expression stands, what is known there, and what is wrong with it. */
export class Typing {
  protected readonly parsed: Parsed;
  protected readonly scope: Scope;
  protected readonly findings: Finding[];
  protected readonly marks: Mark[];
  /** The expressions known not to be null here, as text. */
  protected present: ReadonlySet<string>;

  constructor(parsed: Parsed, scope: Scope, findings: Finding[], marks: Mark[]) {
    this.parsed = parsed;
    this.scope = scope;
    this.present = scope.present ?? new Set();
    this.findings = findings;
    this.marks = marks;
  }

  span(node: ASTNode): Span {
    return place(this.parsed.token, node.range.start, node.range.end);
  }

  /** A literal compared with what has only certain values has to be one of them, wherever in a value it stands. */
  checkValues(expr: Expr, against: t.Type, node: ASTNode): void {
    const parts = node.args as ASTNode[];
    if (expr.op === 'if') {
      this.checkValues(expr.then, against, parts[1]!);
      this.checkValues(expr.else, against, parts[2]!);
    } else if (expr.op === 'list') {
      const of = against.kind === 'list' ? against.of : against;
      for (const [i, item] of expr.items.entries()) this.checkValues(item, of, parts[i]!);
    } else if (expr.op === 'map') {
      const entries = node.args as unknown as [ASTNode, ASTNode][];
      if (against.kind !== 'map') this.checkKeys(expr, against, node);
      else for (const [i, value] of expr.values.entries()) this.checkValues(value, against.of, entries[i]![1]);
    } else if (expr.op === 'const' && typeof expr.value === 'string') this.checkText(expr.value, against, node);
  }

  /** The keys of a map that is written out, where what is looked up in it has only certain values. */
  protected checkKeys(map: Expr, key: t.Type, node: ASTNode): void {
    if (map.op !== 'map') return;
    const entries = node.args as unknown as [ASTNode, ASTNode][];
    for (const [i, text] of map.keys.entries()) this.checkText(text, key, entries[i]![0]);
  }

  private checkText(text: string, against: t.Type, node: ASTNode): void {
    const type = against.kind === 'list' ? against.of : against;
    if (type.kind !== 'string' || !type.oneOf) return;
    const span = place(this.parsed.token, node.range.start + 1, node.range.end - 1);
    this.mark(span, 'use');
    if (type.oneOf.includes(text)) return;
    const params = {
      found: text,
      nearest: nearest(text, type.oneOf, patience(this.findings.length)) ?? '',
      of: type.owner ?? 'the enumeration',
      values: listed(type.oneOf),
    };
    this.fail(d.report.notOneOf(span, params));
  }

  /** Values side by side are of one type, in whatever order they stand, and any of them may be absent. */
  protected wrongAmong(values: readonly Expr[], what: string, nodes: readonly ASTNode[]): Expr | null {
    if (values.some(({ type }) => type.kind === 'unknown')) return unknown;
    // What is null, or empty, says nothing of what the others are.
    const first = values.find(({ type }) => !isUntyped(type))?.type;
    const at = first ? values.findIndex(({ type }) => !t.comparable(type, first)) : -1;
    if (!first || at < 0) return null;
    const params = { what, expected: t.describe(t.nullable(first, false)), found: t.describe(values[at]!.type) };
    return this.fail(d.report.mismatch(this.span(nodes[at]!), params));
  }

  /** What a macro takes of each item. */
  protected wrongBody(macro: Macro, inner: Expr, body: ASTNode): Expr | null {
    if (macro === 'map') return null;
    if (macro !== 'sortBy') return this.wrongType(inner, t.BOOLEAN, `${macro}()`, body);
    if (SORTED.includes(inner.type.kind)) return this.wrongType(inner, t.nullable(inner.type, false), 'sortBy()', body);
    const params = { what: 'sortBy()', expected: 'what can be put in an order', found: t.describe(inner.type) };
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

  protected assuming<T>(test: Expr, truth: boolean, work: () => T): T {
    const before = this.present;
    this.present = new Set([...before, ...settled(test, truth)]);
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
