import type { Expr } from '../../../expression/tree/expression.ts';
import { codePoints } from '../../../expression/values/text.ts';
import type { Allowed } from '../../../language/values.ts';
import { longest } from '../../../text/longest.ts';
import { patternLength } from '../../../text/pattern-length.ts';
import { identityOf, type Resolved } from '../../document/resolve.ts';
import { keyOf } from '../../document/row-key.ts';
import type { Resource } from '../../statements/resources.ts';

/** How long a UUID is, and at most the text of another format that needs no length of its own. */
const UUID = 36;
const FORMATTED = 255;

/** More than any value has that is no text, once it is written as text. */
const WRITTEN = 40;

/** How many bytes of UTF-8 a character takes at most. */
const BYTES = 4;

/** More than a number, a boolean or the length of a text takes as JSON, with what stands beside it. */
const NUMBER = 18;

/** How many characters at most one becomes in another case (Unicode, SpecialCasing). */
const CASED = 3;

/** What lengths of text are measured in: characters, or what they take in UTF-8. */
type Unit = 'characters' | 'bytes';

const inUnit = (text: string, unit: Unit): number => (unit === 'bytes' ? Buffer.byteLength(text) : codePoints(text));

/**
 * How many characters of text the place of a row holds: what it is in order by, and what else tells it apart. Without
 * end where that is unknown.
 */
export function placeLength(r: Resolved, resource: Resource, by: Expr, unit: Unit = 'characters'): number {
  return tiesOf(resource, by).reduce(
    (sum, field) => sum + fieldLength(r, resource, field, unit),
    textLength(r, by, unit),
  );
}

/** How many bytes the place of a row takes at most in a cursor. */
export function placeRoom(r: Resolved, resource: Resource, by: Expr): number {
  return 1 + NUMBER * (1 + tiesOf(resource, by).length) + placeLength(r, resource, by, 'bytes');
}

/** The fields that tell apart rows that are otherwise alike. */
function tiesOf(resource: Resource, by: Expr): readonly string[] {
  const own = by.op === 'get' && by.of.op === 'name' ? by.member : null;
  return keyOf(resource).filter((field) => field !== own);
}

/** How much text a field of a resource may hold: 0 where it holds none, without end where that is unknown. */
function fieldLength(r: Resolved, resource: Resource, name: string, unit: Unit): number {
  const field = resource.fields.find((one) => one.name.text === name);
  const type = field?.type?.value;
  if (type?.kind === 'reference') {
    const target = r.resourceNamed(type.resource.text);
    const identity = target && target !== resource ? identityOf(target)?.name.text : null;
    return target && identity ? fieldLength(r, target, identity, unit) : 0;
  }
  if (field?.format?.value === 'uuid') return UUID;
  return type?.kind === 'string' && field?.allowed ? allowedLength(field.allowed.value, unit) : 0;
}

function allowedLength(allowed: Allowed, unit: Unit): number {
  const each = unit === 'bytes' ? BYTES : 1;
  switch (allowed.kind) {
    case 'length':
      return allowed.max * each;
    case 'one of':
      return longest(
        allowed.values.map(({ text }) => text),
        (text) => inUnit(text, unit),
      );
    case 'pattern':
      return (patternLength(allowed.source) ?? Number.POSITIVE_INFINITY) * each;
    default:
      // All of them are ASCII.
      return FORMATTED;
  }
}

/** How much text the value of an expression may have, as far as that can be told. */
function textLength(r: Resolved, expr: Expr, unit: Unit): number {
  if (expr.type.kind !== 'string') return 0;
  if (expr.type.oneOf) return longest(expr.type.oneOf, (text) => inUnit(text, unit));
  switch (expr.op) {
    case 'const':
      return inUnit(String(expr.value), unit);
    case 'if':
      return Math.max(textLength(r, expr.then, unit), textLength(r, expr.else, unit));
    case 'get':
      return memberLength(r, expr, unit);
    case 'call':
      return callLength(r, expr, unit);
    default:
      return Number.POSITIVE_INFINITY;
  }
}

function memberLength(r: Resolved, { of, member, derived }: Extract<Expr, { op: 'get' }>, unit: Unit): number {
  const resource = of.type.kind === 'row' ? r.resourceNamed(of.type.resource) : null;
  if (!resource) return Number.POSITIVE_INFINITY;
  if (!derived) return fieldLength(r, resource, member, unit);
  const token = resource.derived.find((one) => one.name.text === member)?.value;
  const value = token && r.expr(token);
  // What was not understood has been reported where it stands.
  return value ? textLength(r, value, unit) : 0;
}

function callLength(r: Resolved, { fn, args }: Extract<Expr, { op: 'call' }>, unit: Unit): number {
  const [first] = args;
  if (!first) return Number.POSITIVE_INFINITY;
  switch (fn) {
    case '+':
      return args.reduce((sum, one) => sum + textLength(r, one, unit), 0);
    case 'string':
      return first.type.kind === 'string' ? textLength(r, first, unit) : WRITTEN;
    case 'charAt':
      return unit === 'bytes' ? BYTES : 1;
    case 'lowerAscii':
    case 'upperAscii':
    case 'trim':
    case 'reverse':
    case 'substring':
      return textLength(r, first, unit);
    case 'lower':
    case 'upper':
      return textLength(r, first, unit) * CASED;
    default:
      return Number.POSITIVE_INFINITY;
  }
}
