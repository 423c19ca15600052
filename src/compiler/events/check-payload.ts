import { type Expr, isOfCaller, parts } from '../../expression/tree/expression.ts';
import { callerOfRows } from '../document/access.ts';
import type { Resolved } from '../document/resolve.ts';
import { unknownView, viewOf } from '../resources/check-views.ts';
import { resourcesDiagnostics } from '../resources/messages.ts';
import type { Event } from '../statements/events.ts';
import type { Resource } from '../statements/resources.ts';
import { eventsDiagnostics as d } from './messages.ts';

/** Checks a payload: the row that the event is about, in the form that receivers and subscribers get. */
export function checkPayload(r: Resolved, event: Event, resource: Resource): void {
  const { findings } = r.notes;
  const { payload } = event;
  const name = resource.name.text;
  if (!payload) return;
  if (r.rows.has(payload.resource.text) && payload.resource.text !== name) {
    findings.push(d.report.payloadDiffers(payload.resource, { resource: name, payload: payload.resource.text }));
    return;
  }
  const { view } = payload;
  const members = viewOf(resource, view?.text ?? name);
  if (view && view.text === name) findings.push(d.report.payloadOwn(view, { resource: name }));
  else if (view && !members) unknownView(r, resource, view);
  else if (view) r.viewUses.add(`${name}.${view.text}`);
  if (members?.length === 0) findings.push(resourcesDiagnostics.report.shownNever(event.name, { resource: name }));
  for (const { field, part } of readBy(r, resource, view?.text ?? name))
    if (part.op !== 'shown' && isOfCaller(part)) {
      findings.push(d.report.payloadCaller(event.name, { event: event.name.text, field }));
      return;
    }
}

/** The resources with rows that not everyone may see and that a payload reads, each with the field that reads them. */
export function hiddenIn(r: Resolved, event: Event): ReadonlyMap<string, string> {
  const out = new Map<string, string>();
  const resource = event.when && r.resourceNamed(event.when.resource.text);
  if (!resource || event.payload?.resource.text !== resource.name.text) return out;
  for (const { field, part } of readBy(r, resource, event.payload.view?.text ?? resource.name.text)) {
    const shown = rowsReadBy(part);
    if (shown !== null && r.rows.get(shown)?.hides && !out.has(shown)) out.set(shown, field);
  }
  return out;
}

/** A part of an expression, or the rows that a member shows; `field` is the path of the member that reads it. */
interface Read {
  readonly field: string;
  readonly part: Expr | { readonly op: 'shown'; readonly resource: string };
}

/** All fields that a shown form of a resource reads, including those that its derived fields and nested forms read. */
function* readBy(r: Resolved, resource: Resource, view: string, seen = new Set<string>()): Generator<Read> {
  const name = resource.name.text;
  if (seen.has(`${name} as ${view}`)) return;
  seen.add(`${name} as ${view}`);
  for (const { field, as } of viewOf(resource, view) ?? []) {
    const path = `${name}.${field.text}`;
    yield* derivedFrom(r, path, name, field.text, seen);
    const type = r.rows.get(name)?.fields.get(field.text);
    const row = type?.kind === 'list' ? type.of : type;
    const target = row?.kind === 'row' ? r.resourceNamed(row.resource) : null;
    if (!target) continue;
    yield { field: path, part: { op: 'shown', resource: target.name.text } };
    if (!as) continue;
    yield* derivedFrom(r, `${target.name.text}.${as.text}`, target.name.text, as.text, seen);
    yield* readBy(r, target, as.text, seen);
  }
}

/** The parts of a derived field's expression, and of the derived fields that it reads. */
function* derivedFrom(r: Resolved, path: string, resource: string, field: string, seen: Set<string>): Generator<Read> {
  const derived = r.resourceNamed(resource)?.derived.find((one) => one.name.text === field);
  if (!derived || seen.has(`${resource}.${field}`)) return;
  seen.add(`${resource}.${field}`);
  const expr = r.peek(derived.value, r.scope(callerOfRows(r, resource), resource, true));
  if (expr) yield* partsOf(r, path, expr, seen);
}

function* partsOf(r: Resolved, field: string, expr: Expr, seen: Set<string>): Generator<Read> {
  yield { field, part: expr };
  if (expr.op === 'get' && expr.derived && expr.of.type.kind === 'row')
    yield* derivedFrom(r, field, expr.of.type.resource, expr.member, seen);
  for (const one of parts(expr)) yield* partsOf(r, field, one, seen);
}

/** The resource whose rows a part reads; null where it reads only the row of the event. */
function rowsReadBy(part: Read['part']): string | null {
  if (part.op === 'shown' || part.op === 'rows') return part.resource;
  if (part.op !== 'get' || part.of.type.kind !== 'row') return null;
  return part.of.op === 'name' && part.of.name === 'this' ? null : part.of.type.resource;
}
