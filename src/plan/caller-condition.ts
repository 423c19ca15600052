import { both, type Expr, isCaller, isClaims, mapParts, show } from '../expression/tree/expression.ts';
import { BOOLEAN } from '../expression/tree/types.ts';
import type { SchemePlan } from './callers.ts';
import { named } from './named.ts';
import type { ResourcePlan } from './rows.ts';

/** The resource of the callers of a scheme, and what their credentials can tell. */
interface CallersOfScheme {
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly claims: readonly string[];
}

/**
 * The condition under which a row can call by a scheme: its own `Visible`, with the row itself as the caller. A row
 * cannot call unless it sees itself. Null: every row can call. The credentials bring the scopes.
 */
export function callerCondition(scheme: CallersOfScheme, visible: Expr | null): Expr | null {
  const condition = visible && new SelfVisible(scheme).of(visible);
  return condition && isTrue(condition) ? null : condition;
}

/** The condition under which rows can call by a scheme of a plan: the stated one, and their own `Visible`. */
export const conditionOfCallers = (resources: readonly ResourcePlan[], scheme: SchemePlan): Expr | null =>
  both(scheme.while, sightOfCallers(resources, scheme));

/** The condition under which rows that call by a scheme of a plan see themselves. */
export const sightOfCallers = (resources: readonly ResourcePlan[], scheme: SchemePlan): Expr | null =>
  callerCondition(
    { ...scheme, claims: (scheme.tokens?.claims ?? []).map((claim) => claim.name) },
    named(resources, scheme.resource).visible,
  );

const TRUE: Expr = { op: 'const', value: true, type: BOOLEAN };
const FALSE: Expr = { op: 'const', value: false, type: BOOLEAN };

/** Replaces the caller by the row itself, and simplifies the condition. */
class SelfVisible {
  private readonly scheme: CallersOfScheme;

  constructor(scheme: CallersOfScheme) {
    this.scheme = scheme;
  }

  of(expr: Expr): Expr {
    if (expr.op === 'name' && isCaller(expr.name)) return this.caller(expr);
    const inner = mapParts(expr, (part) => this.of(part));
    switch (inner.op) {
      case 'get':
        return isNull(inner.of) || this.isUnknownClaim(inner) ? absent(inner) : inner;
      case 'if':
        if (isTrue(inner.test)) return inner.then;
        return isFalse(inner.test) ? inner.else : inner;
      case 'call':
        return this.called(inner);
      default:
        return inner;
    }
  }

  /** If callers are rows of several resources, those of other resources are null. */
  private caller(expr: Extract<Expr, { op: 'name' }>): Expr {
    const { type } = expr;
    if (type.kind !== 'row') return expr;
    if (type.resource !== this.scheme.resource) return absent(expr);
    return { op: 'name', name: 'this', type: { ...type, nullable: false } };
  }

  private called(expr: Extract<Expr, { op: 'call' }>): Expr {
    const [a, b] = expr.args;
    if (!a) return expr;
    switch (expr.fn) {
      case 'not':
        return a.op === 'const' && a.value !== null ? constant(a.value !== true) : expr;
      case 'and':
        return joined(expr, TRUE, FALSE);
      case 'or':
        return joined(expr, FALSE, TRUE);
      case '==':
      case '!=': {
        const equal = b ? areEqual(a, b) : null;
        return equal === null ? expr : constant(equal === (expr.fn === '=='));
      }
      case 'in':
        return b && this.isUnknownScope(a, b) ? FALSE : expr;
      default:
        return expr;
    }
  }

  /** Whether a claim is in no token of the scheme. */
  private isUnknownClaim({ of, member }: Extract<Expr, { op: 'get' }>): boolean {
    return isClaims(of) && !this.scheme.claims.includes(member);
  }

  /** Whether a scope is in no credentials of the scheme. */
  private isUnknownScope(a: Expr, b: Expr): boolean {
    return b.op === 'name' && b.name === 'scopes' && a.op === 'const' && !this.scheme.scopes.includes(String(a.value));
  }
}

const constant = (value: boolean): Expr => (value ? TRUE : FALSE);
const isTrue = (expr: Expr): boolean => expr.op === 'const' && expr.value === true;
const isFalse = (expr: Expr): boolean => expr.op === 'const' && expr.value === false;
const isNull = (expr: Expr): boolean => expr.op === 'const' && expr.value === null;
const absent = ({ type }: Expr): Expr => ({ op: 'const', value: null, type });

/** Simplifies `&&` or `||`: removes the operand `idle`, and reduces to `decides` if it is an operand. */
function joined(expr: Extract<Expr, { op: 'call' }>, idle: Expr, decides: Expr): Expr {
  const [a, b] = expr.args;
  const same = (one: Expr | undefined, other: Expr): boolean =>
    one?.op === 'const' && other.op === 'const' && one.value === other.value;
  if (same(a, decides) || same(b, decides)) return decides;
  if (same(a, idle)) return b ?? idle;
  return same(b, idle) ? (a ?? idle) : expr;
}

/** Whether two values are equal in every row; null where this depends on the row. */
function areEqual(a: Expr, b: Expr): boolean | null {
  if (isNull(a) && isNull(b)) return true;
  if (isNull(a)) return isPresent(b) ? false : null;
  if (isNull(b)) return isPresent(a) ? false : null;
  return isStored(a) && isStored(b) && show(a) === show(b) ? true : null;
}

const isPresent = (expr: Expr): boolean => !expr.type.nullable && (expr.op === 'const' || isStored(expr));

/** Whether a value is constant during a request: the row, its fields, and the fields of rows to which it refers. */
const isStored = (expr: Expr): boolean =>
  expr.op === 'name' ? expr.name === 'this' : expr.op === 'get' && !expr.derived && isStored(expr.of);

/** The resource whose callers alone have a reference, where callers are rows of several resources; else null. */
export function callersWith(row: Expr): string | null {
  if (row.op === 'get') return callersWith(row.of);
  return row.op === 'name' && row.name.startsWith('caller.') ? row.name.slice('caller.'.length) : null;
}
