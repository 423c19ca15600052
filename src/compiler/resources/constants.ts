import { layoutOf, toJavaScript } from '../../expression/javascript.ts';
import { type Expr, isChanging, some } from '../../expression/tree/expression.ts';
import { emptyFrame, type Value } from '../../expression/values/value.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Token } from '../../syntax/tokens.ts';
import { computedValidator } from '../../validation/validate.ts';
import type { Resolved } from '../document/resolve.ts';
import type { Field } from '../statements/resources.ts';
import { checkBounds } from './bounds.ts';
import { resourcesDiagnostics as d } from './messages.ts';
import { ruleOf } from './plan.ts';
import { isRandomText, LEAST_BITS, randomBits, refusedText } from './random-texts.ts';

/**
 * Checks a value that a source or a step gives to a field: a constant has to be an allowed value, random text has to be
 * one whatever is drawn, and the random text of an identity has to be another one for each row.
 */
export function checkGiven(r: Resolved, field: Field, value: Expr, at: Token, path: string): Finding[] {
  if (!mayHold(r, field, value)) return [d.report.givenBeyond(at, { field: path })];
  if (value.type.kind !== 'string' || !some(value, isRandomText)) return [];
  const out: Finding[] = [];
  const rule = field.type && field.format && checkBounds(field, path).length === 0 ? ruleOf(r, field) : undefined;
  const text = rule ? refusedText(rule, value) : null;
  if (text !== null) out.push(d.report.randomBeyond(at, { field: path, text }));
  const bits = Math.floor(randomBits(value));
  if (field.unique?.value.kind === 'identity' && bits < LEAST_BITS)
    out.push(d.report.identityBits(at, { field: path, bits: `${bits}`, least: `${LEAST_BITS}` }));
  return out;
}

/** False for a constant that the field could never hold. */
function mayHold(r: Resolved, field: Field, value: Expr): boolean {
  const { type, format, allowed, name } = field;
  const result = constantValue(value);
  if (!type || !format || !allowed || type.value.kind === 'reference' || result === undefined) return true;
  if (checkBounds(field, name.text).length > 0) return true;
  // Null: the result exceeds what can be computed, and does so each time.
  if (result === null) return value.type.nullable;
  const rule = ruleOf(r, field);
  return !rule || !('fault' in computedValidator(rule)(result));
}

/** The value of an expression that reads nothing; undefined for any other. Null where it exceeds what can be computed. */
export const constantValue = (value: Expr): Value | undefined =>
  isConstant(value)
    ? (toJavaScript(value, layoutOf('A constant names nothing'))(emptyFrame(0, '')) as Value)
    : undefined;

function isConstant(value: Expr): boolean {
  return !some(value, (part) => {
    if (part.op === 'call') return isChanging(part) || part.fn === 'etag';
    return !['const', 'list', 'map', 'if'].includes(part.op);
  });
}
