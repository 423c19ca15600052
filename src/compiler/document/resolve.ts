import { type Expr, isClaims, isOfCaller, parts, show, some } from '../../expression/tree/expression.ts';
import * as t from '../../expression/tree/types.ts';
import { allowing, type Finding } from '../../syntax/diagnostic.ts';
import { language } from '../../syntax/messages.ts';
import type { Located, Name } from '../../syntax/names.ts';
import type { Notes } from '../../syntax/phrase.ts';
import type { Token } from '../../syntax/tokens.ts';
import { chain, listed, nearest, patience, suggested } from '../../text/suggest.ts';
import { checkExpression, type RowType, type Scope } from '../expression/check.ts';
import { DIVIDING } from '../expression/functions.ts';
import { expressionDiagnostics } from '../expression/messages.ts';
import { beginnings } from '../expression/nested.ts';
import { parseExpression } from '../expression/parse.ts';
import { outOfPlace, type Place } from '../expression/place.ts';
import type { ExprPlaces } from '../expression/typing.ts';
import type { Step } from '../statements/endpoints.ts';
import type { Model } from '../statements/model.ts';
import type { Field, Resource } from '../statements/resources.ts';
import type { Machine, Transition } from '../statements/states.ts';
import { type Effective, effectiveEndpoints } from './effective.ts';
import { derivedType, fieldType, fitsItsType, targetOf } from './field-types.ts';
import { declaredBy } from './messages.ts';
import { whyPresent } from './presence.ts';
import { excessiveWork } from './results.ts';
import { secretRead } from './secrets.ts';

/** The number of findings of which each lists the names that are allowed. */
const MOST_LISTING = 200;

/** The values of one step Emit by their members, and the place of each. */
type Emit = ReadonlyMap<string, { readonly value: Expr; readonly token: Token }>;

/** The model with its names linked and its expressions typed; `check` fills it, and the plan is built from it. */
export class Resolved {
  readonly model: Model;
  readonly notes: Notes;
  readonly rows: ReadonlyMap<string, RowType>;
  private readonly fields = new Map<string, Map<string, t.Type>>();
  private readonly fieldsByName = new Map<Resource, ReadonlyMap<string, Field>>();
  /** For each resource, the derived lists of rows that references point at. */
  private readonly pointing = new Map<string, Set<string>>();
  /** The typed expressions outside of steps. Checking a step returns its typed expressions in the plan. */
  private readonly typed = new Map<Token, Expr | null>();
  /** The name of the endpoint, transition or handler whose steps are being checked; else empty. */
  endpoint = '';
  /** The kinds of statements that use each error code. */
  readonly codeUses = new Map<string, Set<'step' | 'rule'>>();
  readonly scopeUses = new Set<string>();
  /** The names of the shared header parameters that an endpoint reads. */
  readonly headersUsed = new Set<string>();
  /** The claims that expressions read. */
  readonly claimUses = new Set<string>();
  /** Whether an expression was not understood: its uses of names are then unknown. */
  untyped = false;
  /** The transitions that a `Move … to` can make, each as `Resource transition`. */
  readonly movesMade = new Set<string>();
  readonly resourceUses = new Set<string>();
  /** The kinds of values in answers, apart from the fields of shown rows. */
  readonly answeredKinds = new Set<string>();
  /** The values of answers and errors that may be null, in the words of a message. */
  readonly nullableAnswers: Located<string>[] = [];
  /** The endpoints at which each type of `caller` applies. */
  readonly callersAt = new Map<t.Type, readonly Effective[]>();
  /** The derived fields that something reads or shows, and the views that something shows, as `Resource.name`. */
  readonly derivedUses = new Set<string>();
  /** The derived fields that depend on the caller, directly or through other derived fields. */
  private readonly callerUses = new Set<string>();
  /** The derived fields that depend on `now()`, directly or through other derived fields. */
  private readonly timeUses = new Set<string>();
  readonly viewUses = new Set<string>();
  /** The stored fields that expressions read, as `Resource.name`. */
  readonly fieldReads = new Set<string>();
  /** The handlers that a step runs. */
  readonly handlersUsed = new Set<string>();
  /** The values that each step Emit gives the members of an event, by the event’s name. */
  readonly emits = new Map<string, Emit[]>();
  /** For each divisor of an expression, the test that it is not 0, such as `x != 0`. */
  readonly divisors = new Set<string>();
  /** The columns of the table of errors that the error payload contains. */
  readonly columnUses = new Set<string>();
  /** Whether an expression reads `service.url`. */
  urlUsed = false;
  /** Whether an expression outside of steps reads `service.url`: then every writer of rows needs the URL. */
  urlUsedByRows = false;
  /** The field that each step `Move … to` changes. */
  readonly movedIn = new Map<Step, Machine>();
  private readonly last: Array<() => void> = [];
  private readonly resources: ReadonlyMap<string, Resource>;
  private readonly machinesByResource: ReadonlyMap<string, readonly Machine[]>;
  private readonly codes: ReadonlySet<string>;
  /** The results of `once`, by the functions that computed them. */
  private readonly known = new Map<(r: Resolved) => unknown, unknown>();
  /** The names that errors among the first `scanned` findings suggest, and the unknown names that they found. */
  private readonly suggested = new Set<string>();
  private readonly unknownNames = new Set<string>();
  private scanned = 0;

  constructor(model: Model, notes: Notes) {
    this.model = model;
    this.notes = notes;
    this.resources = firstByName(model.resources.list, (resource) => resource.name.text);
    this.rows = new Map(model.resources.list.map((resource) => [resource.name.text, this.rowType(resource)]));
    const machines = firstByName(model.states.machines, ({ resource, field }) => `${resource.text}.${field.text}`);
    this.machinesByResource = Map.groupBy(machines.values(), (machine) => machine.resource.text);
    this.codes = new Set(model.errors.rows.map((row) => row.code.text));
  }

  /** All endpoints with the settings and steps that apply to them. */
  get effective(): readonly Effective[] {
    return this.once(effectiveOf);
  }

  /**
   * The result of `work`, computed at the first call. Checks use it for indexes: a scan of all endpoints for each
   * resource would take time in proportion to their product.
   */
  once<T>(work: (r: Resolved) => T): T {
    if (!this.known.has(work)) this.known.set(work, work(this));
    return this.known.get(work) as T;
  }

  /** The line of the document that an offset lies in. */
  line(offset: number): number {
    return this.model.lines.position(offset).line;
  }

  /** The types of a resource’s fields, by their names. */
  fieldTypes(resource: string): ReadonlyMap<string, t.Type> {
    return this.rows.get(resource)?.fields ?? new Map();
  }

  /** The resource of that name, if there is one. */
  resourceNamed(name: string): Resource | null {
    return this.resources.get(name) ?? null;
  }

  /**
   * Types the expression in a code span and keeps it. Null, with a finding, where that fails. The places of its parts
   * are added to `places`.
   */
  type(
    token: Token,
    scope: Scope,
    expected: t.Type | null,
    what: string,
    place: Place,
    places?: ExprPlaces,
  ): Expr | null {
    const expr = this.typedAt(token, scope, expected, what, place, { ...this.notes, ...(places && { places }) });
    // Later steps add names.
    const now = this.notes.tryable ? { ...scope, names: new Map(scope.names) } : scope;
    this.notes.tryable?.(token, (other) => {
      const findings: Finding[] = [];
      this.typedAt(other, now, expected, what, place, { findings, marks: [] });
      return findings;
    });
    if (this.endpoint === '') this.typed.set(token, expr);
    if (!expr) this.untyped = true;
    if (expr) this.noteUses(expr);
    return expr;
  }

  private typedAt(
    token: Token,
    scope: Scope,
    expected: t.Type | null,
    what: string,
    place: Place,
    notes: Notes & { readonly places?: ExprPlaces },
  ): Expr | null {
    const { findings } = notes;
    const parsed = parseExpression(token, findings);
    const typed = parsed && checkExpression(parsed, scope, expected, what, notes);
    const fault = typed && (outOfPlace(typed, place) ?? this.callerless(typed, scope));
    const secret = typed && secretRead(typed, expected, place, token);
    if (secret) findings.push(secret);
    if (fault) findings.push(expressionDiagnostics.report.unsupported(token, { what: fault }));
    const steps = typed && excessiveWork(this, typed);
    if (steps) findings.push(expressionDiagnostics.report.tooMuch(token, steps));
    return fault || secret || steps ? null : typed;
  }

  /** True if an expression depends on the time, through derived fields too. */
  asksTime(expr: Expr): boolean {
    const now = some(expr, (part) => part.op === 'call' && part.fn === 'now');
    return now || derivedIn(expr).some((other) => this.timeUses.has(other));
  }

  /** Notes whether a derived field depends on the time or on the caller. */
  noteDerived(path: string, expr: Expr): void {
    if (this.asksTime(expr)) this.timeUses.add(path);
    const asks = some(expr, isOfCaller);
    if (asks || derivedIn(expr).some((other) => this.callerUses.has(other))) this.callerUses.add(path);
  }

  /** The message on a derived field that depends on the caller, read where there is no caller; else null. */
  private callerless(expr: Expr, scope: Scope): string | null {
    if (scope.names.has('caller') || this.model.authentication.schemes.length === 0) return null;
    const reader = derivedIn(expr).find((path) => this.callerUses.has(path));
    return reader ? `${reader} depends on the caller, and there is no caller here` : null;
  }

  /** Types an expression only to find the names that it reads: nothing is reported or kept. */
  peek(token: Token, scope: Scope): Expr | null {
    const parsed = parseExpression(token, []);
    return parsed && checkExpression(parsed, scope, null, '', { findings: [], marks: [] });
  }

  /** Sets the type of a derived field, or the unknown type of a field whose type is in doubt. */
  derive(resource: string, field: string, type: t.Type): void {
    this.fields.get(resource)?.set(field, type);
  }

  /** Notes that a derived list holds rows that references point at. */
  point(resource: string, field: string): void {
    this.pointing.get(resource)?.add(field);
  }

  /** The typed expression of a code span; undefined where the span was not understood. */
  expr(token: Token): Expr | undefined {
    return this.typed.get(token) ?? undefined;
  }

  /** Runs `work` for the steps of one endpoint, transition or handler: their expressions are not kept. */
  within<T>(endpoint: string, work: () => T): T {
    this.endpoint = endpoint;
    const result = work();
    this.endpoint = '';
    return result;
  }

  /** Defers a check until every part has been checked, such as whether a name is used. */
  afterAll(check: () => void): void {
    this.last.push(check);
  }

  /** Runs the deferred checks. */
  finish(): void {
    for (const check of this.last.splice(0)) check();
  }

  /** Whether an unknown name was probably meant to be this one. This one then counts as used: one typo, one finding. */
  isSuggested(name: string): boolean {
    const { findings } = this.notes;
    for (const { severity, suggestion, found } of findings.slice(this.scanned)) {
      if (severity !== 'error') continue;
      if (suggestion !== null) this.suggested.add(suggestion);
      if (found !== null) this.unknownNames.add(found);
    }
    this.scanned = findings.length;
    // A name at the same distance, or a nearer one, may have been suggested instead.
    return this.suggested.has(name) || this.nearest(name, this.unknownNames) !== null;
  }

  /** The resource of that name, or null with a finding. `words`: the words of the language that are also allowed. */
  resource(name: Name, kind = 'resource', words: readonly string[] = []): Resource | null {
    const found = this.resourceNamed(name.text);
    if (!found) this.unknown(name, kind, chain(words, this.resources.keys()));
    else this.resourceUses.add(name.text);
    return found;
  }

  /** The field of that name, or null with a finding. `words`: the words of the language that are also allowed. */
  field(resource: Resource, name: Name, words: readonly string[] = []): Field | null {
    const found = this.fieldNamed(resource, name.text);
    // If a resource has no fields, another finding says so; a finding for each use of a field would repeat it.
    if (!found && resource.fields.length > 0) {
      const names = resource.fields.map((field) => field.name.text);
      const begun = names.filter((one) => one.startsWith(`${name.text}.`));
      if (begun.length > 0) {
        const params = { found: name.text, resource: resource.name.text, fields: listed(begun) };
        this.notes.findings.push(language.report.severalFields(name, params));
      } else this.unknown(name, `field of ${resource.name.text}`, [...names, ...beginnings(names), ...words]);
    }
    return found;
  }

  /** The field of that name, if there is one. */
  fieldNamed(resource: Resource, name: string): Field | null {
    const known = this.fieldsByName.get(resource) ?? firstByName(resource.fields, (field) => field.name.text);
    this.fieldsByName.set(resource, known);
    return known.get(name) ?? null;
  }

  /** The fields of a resource with states, in the order of the document. */
  machines(resource: string): readonly Machine[] {
    return this.machinesByResource.get(resource) ?? [];
  }

  /** The transitions of all fields of a resource. */
  transitions(resource: string): Transition[] {
    return this.machines(resource).flatMap(({ transitions }) => transitions);
  }

  /** Notes that a code is used, and reports one that the table of errors doesn't have. */
  code(name: Name, by: 'step' | 'rule', words: readonly string[] = []): void {
    if (!this.codes.has(name.text)) {
      const title = name.text.charAt(0).toUpperCase() + name.text.slice(1).replaceAll('_', ' ');
      const status = name.text.endsWith('not_found') ? 404 : 409;
      const row = `| ${name.text} | ${status} | a ${by} says so | ${title} |`;
      this.unknown(name, 'error code', chain(this.codes, words), row);
    }
    const uses = this.codeUses.get(name.text) ?? new Set();
    this.codeUses.set(name.text, uses.add(by));
  }

  /** The candidate that a misspelt name was most probably meant to be, if there is one. */
  nearest(name: string, candidates: Iterable<string>): string | null {
    return nearest(name, candidates, patience(this.notes.findings.length));
  }

  /** Reports a name that nothing declares; `declare` is a statement that would. */
  unknown(name: Name, kind: string, candidates: Iterable<string>, declare = ''): void {
    // Of very many findings, only the first list what is allowed: each list can be as long as the document.
    const names = this.notes.findings.length < MOST_LISTING ? [...candidates] : null;
    const suggestion = suggested(name.text, names ?? candidates, patience(this.notes.findings.length));
    // A misspelt resource is one mistake, whether or not a type is also allowed in its place: both have one owner.
    const owner = kind.replace('type or resource', 'resource');
    const params = { found: name.text, kind, declare, how: declaredBy(kind), owner, ...suggestion };
    this.notes.findings.push(allowing(language.report.unknownName(name, params), names ?? []));
  }

  /** The names that every expression may use: resources, `now()` and the like aside. */
  scope(names: ReadonlyMap<string, t.Type>, row: string | null, visibleOnly = false): Scope {
    const why = (expr: Expr): string => whyPresent(this, names, expr);
    return { resources: this.rows, names, row: row === null ? null : (this.rows.get(row) ?? null), visibleOnly, why };
  }

  /** The names that an expression may use if its value is assigned to a field of a resource. */
  givingScope(names: ReadonlyMap<string, t.Type>, resource: string): Scope {
    return { ...this.scope(names, null), giving: this.rows.get(resource) };
  }

  private rowType(resource: Resource): RowType {
    const name = resource.name.text;
    // A field whose type is in doubt has one finding, not one for each expression that reads it.
    const typeOf = (field: Field): t.Type => (fitsItsType(field) ? fieldType(field, name) : t.UNKNOWN);
    const fields = new Map(resource.fields.map((field) => [field.name.text, typeOf(field)]));
    for (const one of resource.derived)
      if (!fields.has(one.name.text)) fields.set(one.name.text, derivedType(one.type));
    const derived = new Set(resource.derived.map((one) => one.name.text));
    // A reference to an unknown resource has one finding, not one for each expression that reads it.
    for (const [field, type] of fields) {
      const row = type.kind === 'list' && !derived.has(field) ? type.of : type;
      if (row.kind === 'row' && !this.resources.has(row.resource)) fields.set(field, t.UNKNOWN);
    }
    this.fields.set(name, fields);
    const lists = resource.fields.filter(({ type }) => type?.value.kind !== 'reference' && targetOf(type?.value));
    const pointing = new Set(lists.map((field) => field.name.text));
    this.pointing.set(name, pointing);
    const hides = resource.visible !== null && resource.visible.value !== 'everyone';
    return { name, fields, derived, pointing, hides };
  }

  /** Notes which columns of the table of errors a payload contains. */
  noteColumns(expr: Expr): void {
    if (expr.op === 'get' && expr.of.op === 'name' && expr.of.name === 'error') this.columnUses.add(expr.member);
    for (const one of parts(expr)) this.noteColumns(one);
  }

  private noteUses(expr: Expr): void {
    const [, divisor] = expr.op === 'call' && DIVIDING.includes(expr.fn) ? expr.args : [];
    if (divisor) this.divisors.add(`${show(divisor)} != 0`);
    if (expr.op === 'call' && expr.fn === 'in') {
      const [scope, list] = expr.args;
      if (scope?.op === 'const' && list?.op === 'name' && list.name === 'scopes')
        this.scopeUses.add(String(scope.value));
    }
    if (expr.op === 'get' && isClaims(expr.of)) this.claimUses.add(expr.member);
    if (expr.op === 'rows') this.resourceUses.add(expr.resource);
    if (expr.op === 'get' && expr.of.type.kind === 'row')
      this.fieldReads.add(`${expr.of.type.resource}.${expr.member}`);
    if (expr.op === 'get' && expr.derived && expr.of.type.kind === 'row')
      this.derivedUses.add(`${expr.of.type.resource}.${expr.member}`);
    const object = expr.op === 'get' && expr.member === 'url' ? expr.of : null;
    if (object?.op === 'name' && object.name === 'service' && object.type.kind === 'object') {
      this.urlUsed = true;
      this.urlUsedByRows ||= this.endpoint === '';
    }
    for (const one of parts(expr)) this.noteUses(one);
  }
}

const effectiveOf = (r: Resolved): readonly Effective[] => effectiveEndpoints(r.model);

/** A map from names to elements; for a repeated name, which is an error, to the first. */
function firstByName<T>(list: readonly T[], nameOf: (one: T) => string): Map<string, T> {
  const out = new Map<string, T>();
  for (const one of list) if (!out.has(nameOf(one))) out.set(nameOf(one), one);
  return out;
}

/** The identity of a resource. */
export function identityOf(resource: Resource): Field | null {
  return resource.fields.find((field) => field.unique?.value.kind === 'identity') ?? null;
}

/** The derived fields that an expression reads, by their paths. */
function derivedIn(expr: Expr): string[] {
  const own =
    expr.op === 'get' && expr.derived && expr.of.type.kind === 'row' ? [`${expr.of.type.resource}.${expr.member}`] : [];
  return [...own, ...parts(expr).flatMap(derivedIn)];
}

/** The key of a resource: the identity, or the first unconditional unique rule over required references alone. */
export function keyOf(resource: Resource): readonly string[] {
  const identity = identityOf(resource);
  if (identity) return [identity.name.text];
  const rule = resource.uniques.find(
    (one) =>
      !one.condition &&
      one.fields.length > 0 &&
      one.fields.every((name) => {
        const field = resource.fields.find((each) => each.name.text === name.text);
        return field?.type?.value.kind === 'reference' && field.presence?.value === 'always';
      }),
  );
  return rule?.fields.map((name) => name.text) ?? [];
}
