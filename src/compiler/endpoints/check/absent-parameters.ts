import { type Expr, parts, show, some } from '../../../expression/tree/expression.ts';
import type { Token } from '../../../syntax/tokens.ts';
import { outcomesAt } from '../../document/conditions.ts';
import { assumed } from '../../expression/assumed.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import type { Checking } from './checking.ts';

const PLACES: ReadonlySet<string> = new Set(['query', 'header', 'request']);

/**
 * Asks which rows a step selects if an optional value of the request is absent, in case its condition then holds for no
 * row: `category == query.category` is false for every category. No question is needed if the condition tests whether
 * the value is null or was sent.
 */
export function checkAbsent(c: Checking, verb: string, where: Expr, token: Token): void {
  for (const [text, comparison] of optionalReads(where)) {
    if (isTested(where, text)) continue;
    const without = assumed(where, { isNull: (one) => one === text, nullEqualsNone: true });
    const never =
      without.op === 'const' ? without.value !== true : outcomesAt(c.r, c.one.parameters).decided(without) === 'never';
    if (!never) continue;
    const params = {
      verb,
      value: text,
      name: text.slice(text.indexOf('.') + 1),
      test: written(comparison, token),
      endpoint: c.endpoint,
      holder: text.startsWith('request.') ? 'member' : 'parameter',
    };
    c.findings.push(d.report.absentCompared(token.inner, params, [c.endpoint]));
  }
}

/** The values of a request that may be absent, by their texts, each with the first comparison that reads it. */
function optionalReads(expr: Expr, around: Expr = expr, out = new Map<string, Expr>()): ReadonlyMap<string, Expr> {
  if (expr.op === 'get' && isOfRequest(expr)) {
    const text = show(expr);
    if (expr.type.nullable && !out.has(text)) out.set(text, around);
    return out;
  }
  const joins = expr.op === 'call' && (expr.fn === 'and' || expr.fn === 'or' || expr.fn === 'not');
  const isTest = expr.op === 'call' && !joins && expr.type.kind === 'boolean';
  for (const part of parts(expr)) optionalReads(part, isTest || joins ? (isTest ? expr : part) : around, out);
  return out;
}

/** The text of a comparison as the document writes it: fields of the row without `this.`. */
function written(comparison: Expr, token: Token): string {
  const bare = show(comparison).replace(/\bthis\.(?=\w)/g, '');
  return token.text.includes(bare) ? bare : show(comparison);
}

function isOfRequest(expr: Expr): boolean {
  if (expr.op !== 'get') return false;
  return expr.of.op === 'name' ? PLACES.has(expr.of.name) : isOfRequest(expr.of);
}

/** True where a condition asks whether a value is null, or whether it was sent. */
function isTested(where: Expr, text: string): boolean {
  return some(where, (part) => {
    if (part.op === 'sent') return `${show(part.of)}.${part.member}` === text;
    if (part.op !== 'call' || (part.fn !== '==' && part.fn !== '!=')) return false;
    const [a, b] = part.args;
    if (!a || !b) return false;
    return (b.type.kind === 'null' && show(a) === text) || (a.type.kind === 'null' && show(b) === text);
  });
}
