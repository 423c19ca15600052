import { checkExpression, type Scope } from '../../src/compiler/expression/check.ts';
import { parseExpression } from '../../src/compiler/expression/parse.ts';
import { type Layout, toJavaScript } from '../../src/expression/javascript.ts';
import type { Type } from '../../src/expression/tree/types.ts';
import { emptyFrame, sameValue, type Value } from '../../src/expression/values/value.ts';
import type { Finding } from '../../src/syntax/diagnostic.ts';
import { codeToken } from '../../src/syntax/tokens.ts';
import type { Case } from './cases.ts';
import { oursOf, typeOf } from './values.ts';

/** What came of an expression: a value, or why there is none. */
export type Outcome = { readonly value: Value; readonly type: Type } | { readonly refused: string };

/** Reads, checks, compiles and runs the expression of a case. */
export function outcomeOf(one: Case): Outcome {
  const names = new Map<string, Type>();
  for (const { name, type } of one.names) {
    const ours = typeOf(type);
    if (ours) names.set(name, ours);
  }
  const known = [...names.keys()];
  const text = one.expr;
  const findings: Finding[] = [];
  const parsed = parseExpression(codeToken(text), findings);
  const scope: Scope = { resources: new Map(), names, row: null, visibleOnly: false };
  const expr = parsed && checkExpression(parsed, scope, null, '', { findings, marks: [] });
  if (!expr) return { refused: findings.map((one) => one.message).join(' ') };
  const none = (): never => {
    throw new Error('Conformance cases have no rows');
  };
  const layout: Layout = {
    column: none,
    identity: none,
    revision: none,
    slot: (name) => known.indexOf(name),
    member: none,
    stored: none,
    uuid: none,
    secret: none,
    random: none,
    url: null,
  };
  const frame = { ...emptyFrame(0, ''), vars: known.map((name) => oursOf(one.bindings[name] ?? {})) };
  return { value: (toJavaScript(expr, layout)(frame) ?? null) as Value, type: expr.type };
}

/** Why the outcome is not what the case says; null where it is. Where CEL has an error, nothing may come of it. */
export function missed(one: Case, outcome: Outcome): string | null {
  if (!one.gives)
    return 'value' in outcome && outcome.value !== null ? `gives ${shown(outcome.value)} and not an error` : null;
  if ('refused' in outcome) return `refused: ${outcome.refused}`;
  const wanted = oursOf(one.gives);
  return sameValue(outcome.value, wanted) ? null : `gives ${shown(outcome.value)} and not ${shown(wanted)}`;
}

function shown(value: Value): string {
  return value instanceof Map ? JSON.stringify([...value]) : JSON.stringify(value);
}
