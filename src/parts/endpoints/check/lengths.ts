import type { Expr } from '../../../expression/expr.ts';
import { codePoints } from '../../../expression/text.ts';
import { identityOf, type Resolved } from '../../../model/resolve.ts';
import type { Allowed, Resource } from '../../resources/model.ts';
import { patternLength } from '../../resources/patterns.ts';

/** How long a UUID is, and at most the text of another format that needs no length of its own. */
const UUID = 36;
const FORMATTED = 255;

/** More than any value has that is no text, once it is written as text. */
const WRITTEN = 40;

/** How many characters at most one becomes in another case (Unicode, SpecialCasing). */
const CASED = 3;

/** How many characters of text a field of a resource may hold: 0 where it holds none, without end where that is unknown. */
export function fieldLength(r: Resolved, resource: Resource, name: string): number {
  const field = resource.fields.find((one) => one.name.text === name);
  const type = field?.type?.value;
  if (type?.kind === 'reference') {
    const target = r.resourceNamed(type.resource.text);
    const identity = target && target !== resource ? identityOf(target)?.name.text : null;
    return target && identity ? fieldLength(r, target, identity) : 0;
  }
  if (field?.format?.value === 'uuid') return UUID;
  return type?.kind === 'string' && field?.allowed ? allowedLength(field.allowed.value) : 0;
}

function allowedLength(allowed: Allowed): number {
  switch (allowed.kind) {
    case 'length':
      return allowed.max;
    case 'one of':
      return Math.max(...allowed.values.map((value) => codePoints(value.text)));
    case 'pattern':
      return patternLength(allowed.source) ?? Number.POSITIVE_INFINITY;
    default:
      return FORMATTED;
  }
}

/** How many characters of text the value of an expression may have, as far as that can be told. */
export function textLength(r: Resolved, expr: Expr): number {
  if (expr.type.kind !== 'string') return 0;
  if (expr.type.oneOf) return Math.max(0, ...expr.type.oneOf.map(codePoints));
  switch (expr.op) {
    case 'const':
      return codePoints(String(expr.value));
    case 'if':
      return Math.max(textLength(r, expr.then), textLength(r, expr.else));
    case 'get':
      return memberLength(r, expr);
    case 'call':
      return callLength(r, expr);
    default:
      return Number.POSITIVE_INFINITY;
  }
}

function memberLength(r: Resolved, { of, member, derived }: Extract<Expr, { op: 'get' }>): number {
  const resource = of.type.kind === 'row' ? r.resourceNamed(of.type.resource) : null;
  if (!resource) return Number.POSITIVE_INFINITY;
  if (!derived) return fieldLength(r, resource, member);
  const value = resource.derived.find((one) => one.name.text === member)?.value;
  // What was not understood has been reported where it stands.
  return value && r.settled(value) ? textLength(r, r.expr(value)) : 0;
}

function callLength(r: Resolved, { fn, args }: Extract<Expr, { op: 'call' }>): number {
  const [first] = args;
  if (!first) return Number.POSITIVE_INFINITY;
  switch (fn) {
    case '+':
      return args.reduce((sum, one) => sum + textLength(r, one), 0);
    case 'string':
      return first.type.kind === 'string' ? textLength(r, first) : WRITTEN;
    case 'charAt':
      return 1;
    case 'lowerAscii':
    case 'upperAscii':
    case 'trim':
    case 'reverse':
    case 'substring':
      return textLength(r, first);
    case 'lower':
    case 'upper':
      return textLength(r, first) * CASED;
    default:
      return Number.POSITIVE_INFINITY;
  }
}
