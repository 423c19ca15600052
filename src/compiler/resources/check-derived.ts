import { type Expr, parts } from '../../expression/tree/expression.ts';
import { nullable, service, type Type, UNKNOWN } from '../../expression/tree/types.ts';
import type { DerivedField } from '../../language/resources.ts';
import type { FieldType } from '../../language/values.ts';
import { TYPES } from '../../language/values.ts';
import { language } from '../../syntax/messages.ts';
import { isNameOfField, refuseLookalikes, refuseRepeats } from '../../syntax/names.ts';
import { callerOfRows } from '../document/access.ts';
import { derivedType } from '../document/field-types.ts';
import type { Resolved } from '../document/resolve.ts';
import { isSelection } from '../expression/selections.ts';
import type { Resource } from '../statements/resources.ts';
import { kindsOf } from './bounds.ts';
import { resourcesDiagnostics as d } from './messages.ts';

/** The longest chain of derived fields that read one another: the computation recurses once for each. */
const DEEPEST = 400;

interface One {
  readonly resource: Resource;
  readonly field: DerivedField;
  readonly path: string;
}

/**
 * Types every derived field, dependencies first: whether a field may be absent follows from its expression, and
 * expressions that read the field need to know.
 */
export function checkDerived(r: Resolved): void {
  const all = r.model.resources.list.flatMap((resource) =>
    resource.derived.map((field): One => ({ resource, field, path: `${resource.name.text}.${field.name.text}` })),
  );
  if (all.length === 0) return;
  for (const resource of r.model.resources.list) checkNames(r, resource);
  const byPath = new Map(all.map((one) => [one.path, one]));
  const state = new Map<string, 'under way' | 'done'>();
  // The longest chain of derived fields below each.
  const depths = new Map<string, number>();
  const visit = (one: One, above: number): void => {
    state.set(one.path, 'under way');
    let cyclic = false;
    let most = 0;
    for (const path of readBy(r, one)) {
      const other = byPath.get(path);
      if (!other) continue;
      if (state.get(path) === 'under way') cyclic = true;
      else if (!state.has(path) && above < DEEPEST) visit(other, above + 1);
      // A field that was not visited lies deeper than the longest chain allowed.
      most = Math.max(most, 1 + (depths.get(path) ?? DEEPEST));
    }
    state.set(one.path, 'done');
    depths.set(one.path, most);
    if (!cyclic && most <= DEEPEST) {
      typeOne(r, one);
      return;
    }
    const report = cyclic ? d.report.derivedCycle : d.report.derivedDeep;
    if (cyclic || most === DEEPEST + 1)
      r.notes.findings.push(report(one.field.name, { field: one.path, most: `${DEEPEST}` }));
    r.derive(one.resource.name.text, one.field.name.text, UNKNOWN);
    r.untyped = true;
  };
  for (const one of all) if (!state.has(one.path)) visit(one, 0);
  r.afterAll(() => {
    for (const { field, path } of all)
      if (!r.untyped && !r.derivedUses.has(path) && !r.isSuggested(field.name.text))
        r.notes.findings.push(d.report.derivedUnused(field.name, { field: path }));
  });
}

function checkNames(r: Resolved, resource: Resource): void {
  const names = [...resource.fields, ...resource.derived].map((field) => field.name);
  refuseRepeats(names.slice(resource.fields.length), r.notes.findings, 'The field ');
  refuseLookalikes(names, r.notes.findings, 'The field ');
  for (const { name } of resource.derived) {
    if (!isNameOfField(name.text)) r.notes.findings.push(d.report.derivedName(name, { found: name.text }));
    if (r.fieldNamed(resource, name.text))
      r.notes.findings.push(d.report.derivedTwice(name, { field: `${resource.name.text}.${name.text}` }));
  }
}

function scopeOf(r: Resolved, resource: Resource) {
  return r.scope(
    new Map([...callerOfRows(r, resource.name.text), ['service', service(null)]]),
    resource.name.text,
    true,
  );
}

/** The derived fields that an expression reads, by their paths. */
function readBy(r: Resolved, { resource, field }: One): string[] {
  const out: string[] = [];
  const walk = (expr: Expr): void => {
    if (expr.op === 'get' && expr.derived && expr.of.type.kind === 'row')
      out.push(`${expr.of.type.resource}.${expr.member}`);
    parts(expr).forEach(walk);
  };
  const expr = r.peek(field.value, scopeOf(r, resource));
  if (expr) walk(expr);
  return out;
}

function typeOne(r: Resolved, { resource, field, path }: One): void {
  const of = field.type.kind === 'list' ? field.type.of : field.type;
  if (of.kind === 'reference') r.resource(of.resource, 'type or resource', TYPES);
  const unsupported = unsupportedSet(field.type);
  if (unsupported) r.notes.findings.push(language.report.notYet(field.name, { what: `A derived set ${unsupported}` }));
  const scope = scopeOf(r, resource);
  const computed = kindsOf(field.type).includes('decimal') ? r.peek(field.value, scope)?.type : null;
  // A type that names no resource is a mistake, and which type was meant is unknown.
  const named = of.kind !== 'reference' || r.rows.has(of.resource.text);
  const type = named ? scaledAs(derivedType(field.type), computed ?? null, field.type) : UNKNOWN;
  const expr = r.type(field.value, scope, named ? nullable(type, true) : null, path, 'rows');
  if (expr) r.noteDerived(path, expr);
  const known = expr ? nullable(type, expr.type.nullable) : UNKNOWN;
  r.derive(resource.name.text, field.name.text, known);
  const pointing = (owner: string, list: string): boolean => r.rows.get(owner)?.pointing.has(list) ?? false;
  if (expr && of.kind === 'reference' && type.kind === 'list' && !isSelection(expr, pointing))
    r.point(resource.name.text, field.name.text);
}

/**
 * Describes the set in a type that can't be sorted, or null: a set is sorted only as the whole value, and if its items
 * have no parts.
 */
function unsupportedSet(type: FieldType): string | null {
  if (type.kind === 'set') return 'of' in type.of || type.of.kind === 'reference' ? `of ${type.of.kind}s` : null;
  const inner = 'of' in type ? kindsOf(type.of) : [];
  return inner.includes('set') ? `within a ${type.kind}` : null;
}

/**
 * Returns the type with the computed types of the decimals in it: a decimal has the scale of its source. Sets and maps
 * hold no absent items.
 */
function scaledAs(type: Type, computed: Type | null, stated: FieldType): Type {
  if (type.kind === 'decimal' && computed?.kind === 'decimal') return computed;
  if (type.kind !== 'list' && type.kind !== 'map') return type;
  if (computed?.kind !== type.kind || !('of' in stated)) return type;
  const of = scaledAs(type.of, computed.of, stated.of);
  return { ...type, of: stated.kind === 'list' ? of : nullable(of, false) };
}
