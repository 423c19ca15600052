import type { Expr } from '../../../expression/tree/expression.ts';
import { codePoints } from '../../../expression/values/text.ts';
import type { Allowed } from '../../../language/values.ts';
import { longest } from '../../../text/lists.ts';
import { patternLength } from '../../../text/patterns.ts';
import { identityOf, keyOf, type Resolved } from '../../document/resolve.ts';
import type { Resource } from '../../statements/resources.ts';

/** The length of a UUID, and the most characters of another format whose length the document need not state. */
const UUID = 36;
const FORMATTED = 255;

/** An upper bound of the characters of a value of another type as text. */
const WRITTEN = 40;

/** The most bytes of a character in UTF-8. */
const BYTES = 4;

/** An upper bound of the bytes of a number, a boolean or a text length as JSON, with its separators. */
const NUMBER = 18;

/** The most characters of one character in another case (Unicode, SpecialCasing). */
const CASED = 3;

/** The unit of text lengths: characters, or bytes in UTF-8. */
type Unit = 'characters' | 'bytes';

const inUnit = (text: string, unit: Unit): number => (unit === 'bytes' ? Buffer.byteLength(text) : codePoints(text));

/**
 * The longest text of a row's position in an order: its sort keys and the fields that break ties. Infinite if a length
 * is unknown.
 */
export function placeLength(r: Resolved, resource: Resource, keys: readonly Expr[], unit: Unit = 'characters'): number {
  const fields = tiesOf(resource, keys).map((field) => fieldLength(r, resource, field, unit));
  return [...keys.map((by) => textLength(r, by, unit)), ...fields].reduce((sum, one) => sum + one, 0);
}

/** The largest size of a row's position in a cursor, in bytes. */
export function placeRoom(r: Resolved, resource: Resource, keys: readonly Expr[]): number {
  return 1 + NUMBER * (keys.length + tiesOf(resource, keys).length) + placeLength(r, resource, keys, 'bytes');
}

/** The fields that break ties between rows with equal sort keys. */
function tiesOf(resource: Resource, keys: readonly Expr[]): readonly string[] {
  const own = keys.flatMap((by) => (by.op === 'get' && by.of.op === 'name' ? [by.member] : []));
  return keyOf(resource).filter((field) => !own.includes(field));
}

/** The most text in a field of a resource: 0 for a field without text, infinite where the length is unknown. */
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

/** The most text that allowed values contain; infinite where the length is unknown. */
export function allowedLength(allowed: Allowed, unit: Unit = 'characters'): number {
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
      // The strings of all formats are ASCII.
      return FORMATTED;
  }
}

/** The most text in the value of an expression: 0 for other types, infinite where the length is unknown. */
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
  // A derived field that was not understood has a finding of its own.
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
