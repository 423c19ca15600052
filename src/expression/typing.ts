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

  /** A literal compared with an enumeration has to be one of its values. */
  checkValues(expr: Expr, against: t.Type, node: ASTNode): void {
    const type = against.kind === 'list' ? against.of : against;
    if (expr?.op !== 'const' || typeof expr.value !== 'string' || type.kind !== 'string' || !type.oneOf) return;
    this.mark(place(this.parsed.token, node.range.start + 1, node.range.end - 1), 'use');
    if (type.oneOf.includes(expr.value)) return;
    const params = {
      found: expr.value,
      nearest: nearest(expr.value, type.oneOf, patience(this.findings.length)) ?? '',
      of: type.owner ?? 'the enumeration',
      values: listed(type.oneOf),
    };
    this.fail(d.report.notOneOf(place(this.parsed.token, node.range.start + 1, node.range.end - 1), params));
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
