import { constantOf } from '../../expression/library/compile.ts';
import { isPattern, matches } from '../../expression/library/patterns.ts';
import { type Expr, show } from '../../expression/tree/expression.ts';
import { BOOLEAN, scalarKindOf, type Type } from '../../expression/tree/types.ts';
import { factsOf } from '../../expression/values/kinds.ts';
import { codePoints } from '../../expression/values/text.ts';
import type { Allowed } from '../../language/values.ts';
import type { Located } from '../../syntax/names.ts';
import type { Token } from '../../syntax/tokens.ts';
import { listed } from '../../text/suggest.ts';
import { expressionDiagnostics as d } from '../expression/messages.ts';
import { nonNullTexts } from '../expression/null-tests.ts';
import { type Decided, type Domain, Outcomes } from '../expression/outcomes.ts';
import type { Place } from '../expression/place.ts';
import type { Scope } from '../expression/scope.ts';
import type { ExprPlaces } from '../expression/typing.ts';
import type { Parameter } from '../statements/endpoints.ts';
import type { Field } from '../statements/resources.ts';
import type { Resolved } from './resolve.ts';

/** The statement of the document about a value that an expression reads. */
interface Stated {
  /** The name of the value in messages. */
  readonly name: string;
  /** The allowed values; null where every value of the type is allowed. */
  readonly allowed: Located<Allowed> | null;
}

/** A part of a condition that always or never holds, and the number of endpoints at which it does. */
interface Found {
  readonly test: Expr;
  readonly place: Located<string>;
  readonly result: Decided['result'];
  readonly reason: string;
  times: number;
}

interface Seen {
  /** The number of times that the condition was typed: once for each endpoint that shares it. */
  typed: number;
  readonly found: Map<string, Found>;
}

const seenConditions = (): Map<number, Seen> => new Map();

/**
 * Types a condition, and reports each part of it that always or never holds for the allowed values of the document.
 * `parameters` are those of the endpoint for which the condition is checked.
 */
export function checkCondition(
  r: Resolved,
  token: Token,
  scope: Scope,
  what: string,
  place: Place,
  parameters: readonly Parameter[] = [],
): Expr | null {
  const places: ExprPlaces = new Map();
  const expr = r.type(token, scope, BOOLEAN, what, place, places);
  const known = r.once(seenConditions);
  const seen = known.get(token.from) ?? { typed: 0, found: new Map() };
  if (seen.typed === 0) {
    known.set(token.from, seen);
    r.afterAll(() => report(r, seen));
  }
  seen.typed++;
  if (!expr) return null;
  const statedOf = (read: Expr): Stated | null => stated(r, parameters, read);
  const outcomes = new Outcomes((read) => domainOf(read, statedOf(read)));
  for (const { test, result } of outcomes.within(expr)) {
    const at = placeOf(test, places, token);
    const reason = reasonFor(r, test, statedOf);
    const key = `${at.from} ${at.to} ${result} ${reason}`;
    const one = seen.found.get(key);
    if (one) one.times++;
    else seen.found.set(key, { test, place: at, result, reason, times: 1 });
  }
  return expr;
}

/** Finds conditions that always or never hold for allowed values, at an endpoint with these parameters. */
export const outcomesAt = (r: Resolved, parameters: readonly Parameter[]): Outcomes =>
  new Outcomes((read) => domainOf(read, stated(r, parameters, read)));

/** Whether a condition never holds for the allowed values of the document. */
export const neverHolds = (r: Resolved, expr: Expr): boolean =>
  expr.op === 'const' ? expr.value !== true : outcomesAt(r, []).decided(expr) === 'never';

/** The place and text of a part of a condition. The parser's range leaves out a bracket at the start of the part. */
function placeOf(test: Expr, places: ExprPlaces, token: Token): Located<string> {
  const place = places.get(test);
  return place && isBalanced(place.value) ? place : { ...token.inner, value: show(test) };
}

/** False where a text closes a bracket that it has not opened. */
function isBalanced(text: string): boolean {
  let open = 0;
  for (const character of text) {
    if (character === '(') open++;
    if (character === ')' && open-- === 0) return false;
  }
  return open === 0;
}

/** Reports parts that are decided at every endpoint, except tests that a divisor is not 0: divisions need them. */
function report(r: Resolved, { typed, found }: Seen): void {
  for (const { test, place, result, reason, times } of found.values()) {
    const told = [true, false].flatMap((truth) => nonNullTexts(test, truth));
    if (times < typed || told.some((text) => r.divisors.has(text))) continue;
    r.notes.findings.push(d.report.decided(place, { test: place.value, result, reason }));
  }
}

/** The reason why a condition is decided: the allowed values, if other values of the type could change the result. */
function reasonFor(r: Resolved, test: Expr, statedOf: (read: Expr) => Stated | null): string {
  const free = new Outcomes((read) => domainOf({ ...read, type: withoutValues(read.type) }, null));
  if (free.decided(test) !== null) return 'the result is the same for all values';
  const said = [...free.readBy(test).values()].flatMap(([first]) => (first ? boundsOf(r, first, statedOf(first)) : []));
  return [...new Set(said)].join(', and ');
}

/** The allowed values of a value that is read, in words for a message. */
function boundsOf(r: Resolved, { type }: Expr, stated: Stated | null): readonly string[] {
  const { name, allowed } = stated ?? {};
  if (name !== undefined && allowed) {
    const text = r.model.lines.text.slice(allowed.from, allowed.to);
    return [`the allowed values of ${name} are ${text} (line ${r.line(allowed.from)})`];
  }
  return type.kind === 'string' && type.oneOf ? [`${type.owner ?? 'its values'} are ${listed(type.oneOf)}`] : [];
}

const withoutValues = (type: Type): Type => (type.kind === 'string' ? { ...type, oneOf: null } : type);

/** The statement of the document about the value that an expression reads; null where there is none. */
function stated(r: Resolved, parameters: readonly Parameter[], read: Expr): Stated | null {
  if (read.op === 'call') return read.args[0] ? stated(r, parameters, read.args[0]) : null;
  if (read.op !== 'get') return null;
  const { of, member } = read;
  if (of.type.kind === 'row') return statedOfField(r, of.type.resource, member);
  const payload = of.type.kind === 'object' ? of.type.payload : undefined;
  if (payload?.fields.includes(member)) {
    const field = fieldNamed(r, payload.resource, member);
    // The default for a value that was not sent need not be an allowed value.
    const computed = field?.givenBy?.value.some(
      (giving) => giving.from === 'request' && giving.otherwise && !isConstant(r.expr(giving.otherwise)),
    );
    return computed ? null : statedOfField(r, payload.resource, member);
  }
  const place = of.op === 'name' ? (of.name === 'request' ? 'body' : of.name) : null;
  const parameter = parameters.find((one) => one.in?.value === place && one.name.text === member);
  return parameter ? statedOfParameter(r, parameter, `${of.op === 'name' ? of.name : ''}.${member}`) : null;
}

const fieldNamed = (r: Resolved, resource: string, name: string): Field | null => {
  const found = r.resourceNamed(resource);
  return found && r.fieldNamed(found, name);
};

function statedOfField(r: Resolved, resource: string, name: string): Stated | null {
  const field = fieldNamed(r, resource, name);
  return field && { name: `${resource}.${name}`, allowed: field.allowed };
}

function statedOfParameter(r: Resolved, { type, allowed, fallback }: Parameter, name: string): Stated | null {
  const own =
    type?.value.kind === 'field'
      ? statedOfField(r, type.value.resource.text, type.value.field.text)
      : { name, allowed };
  if (!own || !fallback) return own;
  const stands = r.expr(fallback);
  const value = stands && constantOf(stands);
  return own.allowed && value !== undefined && takes(own.allowed.value, value) ? own : null;
}

const isConstant = (expr: Expr | undefined): boolean => expr !== undefined && constantOf(expr) !== undefined;

/** Whether a value is allowed; also true where a cheap test cannot decide. */
function takes(allowed: Allowed, value: unknown): boolean {
  if (typeof value === 'number') return !('min' in allowed) || (value >= allowed.min && value <= allowed.max);
  if (typeof value !== 'string') return true;
  if (allowed.kind === 'length') return codePoints(value) >= allowed.min && codePoints(value) <= allowed.max;
  return allowed.kind !== 'pattern' || !isPattern(allowed.source) || matches(value, allowed.source);
}

const EXACT = { kind: 'numbers', least: Number.MIN_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER } as const;

/** The possible values of an expression that reads a value; null where they are unknown. */
function domainOf(read: Expr, stated: Stated | null): Domain | null {
  const { type } = read;
  const allowed = stated?.allowed?.value ?? null;
  if (read.op === 'call') {
    const sized = allowed?.kind === 'length' || allowed?.kind === 'items' ? allowed : null;
    return sized ? numbers(sized.min, sized.max) : { ...EXACT, least: 0 };
  }
  switch (type.kind) {
    case 'boolean':
      return { kind: 'values', values: [true, false] };
    case 'string':
      if (type.oneOf) return { kind: 'values', values: type.oneOf };
      return { kind: 'texts', takes: (text) => !allowed || takes(allowed, text) };
    default: {
      const kind = scalarKindOf(type);
      if (!kind || !factsOf(kind).bounded || (type.kind === 'integer' && type.oneOf)) return null;
      const bounded = allowed?.kind === 'range' || allowed?.kind === 'durations' || allowed?.kind === 'decimals';
      return bounded ? numbers(allowed.min, allowed.max) : EXACT;
    }
  }
}

const numbers = (least: number, most: number): Domain | null =>
  least <= most ? { kind: 'numbers', least, most } : null;
