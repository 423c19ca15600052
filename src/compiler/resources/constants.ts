import { layoutOf, toJavaScript } from '../../expression/javascript.ts';
import { type Expr, some } from '../../expression/tree/expression.ts';
import { emptyFrame, type Value } from '../../expression/values/value.ts';
import { computedValidator } from '../../validation/validate.ts';
import type { Resolved } from '../document/resolve.ts';
import type { Field } from '../statements/resources.ts';
import { checkBounds } from './bounds.ts';
import { ruleOf } from './plan.ts';

/** Functions that give another value each time. */
const CHANGING: readonly string[] = ['now', 'uuid', 'secret', 'etag'];

/** False for a constant that the field could never hold. */
export function mayHold(r: Resolved, field: Field, value: Expr): boolean {
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
    if (part.op === 'call') return CHANGING.includes(part.fn);
    return !['const', 'list', 'map', 'if'].includes(part.op);
  });
}
