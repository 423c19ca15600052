import { constantOf } from '../../expression/library/compile.ts';
import { isPattern, matches } from '../../expression/library/patterns.ts';
import { type Expr, show } from '../../expression/tree/expression.ts';
import { BOOLEAN, type Type } from '../../expression/tree/types.ts';
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

/** What the document says of a value that an expression reads. */
interface Stated {
  /** What messages call it. */
  readonly name: string;
  /** The allowed values; null where any value of the type may stand. */
  readonly allowed: Located<Allowed> | null;
}

/** What is decided of a condition, and at how many of the endpoints that share it. */
interface Found {
  readonly test: Expr;
  readonly place: Located<string>;
  readonly result: Decided['result'];
  readonly reason: string;
  times: number;
}

interface Seen {
  /** How often the condition has been typed: once at each endpoint that shares it. */
  typed: number;
  readonly found: Map<string, Found>;
}

const seenConditions = (): Map<number, Seen> => new Map();

/**
 * Types a condition, and reports each part of it that always or never holds by what the document allows the values to
 * be. `parameters` are those of the endpoint that it is checked for.
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

/** Finds what is decided of conditions by what the document allows values to be, at an endpoint with some parameters. */
export const outcomesAt = (r: Resolved, parameters: readonly Parameter[]): Outcomes =>
  new Outcomes((read) => domainOf(read, stated(r, parameters, read)));

/** Whether a condition never holds, by what the document allows the values to be that it reads. */
export const neverHolds = (r: Resolved, expr: Expr): boolean =>
  expr.op === 'const' ? expr.value !== true : outcomesAt(r, []).decided(expr) === 'never';

/** Where a part of a condition stands, and its text. The parser leaves out a bracket that such a part begins with. */
function placeOf(test: Expr, places: ExprPlaces, token: Token): Located<string> {
  const place = places.get(test);
  return place && isBalanced(place.value) ? place : { ...token.inner, value: show(test) };
}

/** False where a bracket is closed that is not open. */
function isBalanced(text: string): boolean {
  let open = 0;
  for (const character of text) {
    if (character === '(') open++;
    if (character === ')' && open-- === 0) return false;
  }
  return open === 0;
}

/** Reports what is decided at every endpoint, unless a division needs to be told that its divisor is not 0. */
function report(r: Resolved, { typed, found }: Seen): void {
  for (const { test, place, result, reason, times } of found.values()) {
    const told = [true, false].flatMap((truth) => nonNullTexts(test, truth));
    if (times < typed || told.some((text) => r.divisors.has(text))) continue;
    r.notes.findings.push(d.report.decided(place, { test: place.value, result, reason }));
  }
}

/** Why a condition is decided: the allowed values, where another value would change it. */
function reasonFor(r: Resolved, test: Expr, statedOf: (read: Expr) => Stated | null): string {
  const free = new Outcomes((read) => domainOf({ ...read, type: withoutValues(read.type) }, null));
  if (free.decided(test) !== null) return 'the result is the same for all values';
  const said = [...free.readBy(test).values()].flatMap(([first]) => (first ? boundsOf(r, first, statedOf(first)) : []));
  return [...new Set(said)].join(', and ');
}

/** What the document allows a value to be, in words. */
function boundsOf(r: Resolved, { type }: Expr, stated: Stated | null): readonly string[] {
  const { name, allowed } = stated ?? {};
  if (name !== undefined && allowed) {
    const text = r.model.lines.text.slice(allowed.from, allowed.to);
    return [`the allowed values of ${name} are ${text} (line ${r.line(allowed.from)})`];
  }
  return type.kind === 'string' && type.oneOf ? [`${type.owner ?? 'its values'} are ${listed(type.oneOf)}`] : [];
}

const withoutValues = (type: Type): Type => (type.kind === 'string' ? { ...type, oneOf: null } : type);

/** What the document says of a value that is read, if anything does. */
function stated(r: Resolved, parameters: readonly Parameter[], read: Expr): Stated | null {
  if (read.op === 'call') return read.args[0] ? stated(r, parameters, read.args[0]) : null;
  if (read.op !== 'get') return null;
  const { of, member } = read;
  if (of.type.kind === 'row') return statedOfField(r, of.type.resource, member);
  const payload = of.type.kind === 'object' ? of.type.payload : undefined;
  if (payload?.fields.includes(member)) {
    const field = fieldNamed(r, payload.resource, member);
    // What stands for a value that was not sent may be another one.
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

/** Whether a value is one of those that are allowed, as far as that is easily told. */
function takes(allowed: Allowed, value: unknown): boolean {
  if (typeof value === 'number') return !('min' in allowed) || (value >= allowed.min && value <= allowed.max);
  if (typeof value !== 'string') return true;
  if (allowed.kind === 'length') return codePoints(value) >= allowed.min && codePoints(value) <= allowed.max;
  return allowed.kind !== 'pattern' || !isPattern(allowed.source) || matches(value, allowed.source);
}

const EXACT = { kind: 'numbers', least: Number.MIN_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER } as const;

/** What a value may be that is read; null where nothing is known of it. */
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
    case 'integer':
    case 'decimal':
    case 'duration': {
      if (type.kind === 'integer' && type.oneOf) return null;
      const bounded = allowed?.kind === 'range' || allowed?.kind === 'durations' || allowed?.kind === 'decimals';
      return bounded ? numbers(allowed.min, allowed.max) : EXACT;
    }
    default:
      return null;
  }
}

const numbers = (least: number, most: number): Domain | null =>
  least <= most ? { kind: 'numbers', least, most } : null;
