import { type Expr, parts } from '../../expression/expr.ts';
import type { Resolved } from '../../model/resolve.ts';
import { callerAnywhere } from '../authentication/access.ts';
import { resourcesDiagnostics } from '../resources/diagnostics.ts';
import type { Resource } from '../resources/model.ts';
import { viewOf } from '../resources/views.ts';
import { eventsDiagnostics as d } from './diagnostics.ts';
import type { Event } from './model.ts';

/** Checks a payload: the row that the event is about, as it is shown to whoever hears of it. */
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
  else if (view && !members)
    r.unknown(
      view,
      `view of ${name}`,
      resource.views.map((one) => one.name.text),
    );
  else if (view) r.viewUses.add(`${name}.${view.text}`);
  if (members?.length === 0) findings.push(resourcesDiagnostics.report.shownNever(event.name, { resource: name }));
  const asked = asksForCaller(r, resource, view?.text ?? name, new Set());
  if (asked) findings.push(d.report.payloadCaller(event.name, { event: event.name.text, field: asked }));
}

/** The field of a view that depends on the caller, by its path; null where none does. */
function asksForCaller(r: Resolved, resource: Resource, view: string, seen: Set<string>): string | null {
  const name = resource.name.text;
  if (seen.has(`${name} as ${view}`)) return null;
  seen.add(`${name} as ${view}`);
  for (const { field, as } of viewOf(resource, view) ?? []) {
    if (derivedAsks(r, name, field.text, seen)) return `${name}.${field.text}`;
    const type = r.rows.get(name)?.fields.get(field.text);
    const row = type?.kind === 'list' ? type.of : type;
    const target = as && row?.kind === 'row' ? r.resourceNamed(row.resource) : null;
    if (!target || !as) continue;
    if (derivedAsks(r, target.name.text, as.text, seen)) return `${target.name.text}.${as.text}`;
    const inner = asksForCaller(r, target, as.text, seen);
    if (inner) return inner;
  }
  return null;
}

/** True of a derived field whose value depends on the caller, itself or through another. */
function derivedAsks(r: Resolved, resource: string, field: string, seen: Set<string>): boolean {
  const derived = r.resourceNamed(resource)?.derived.find((one) => one.name.text === field);
  if (!derived || seen.has(`${resource}.${field}`)) return false;
  seen.add(`${resource}.${field}`);
  const expr = r.peek(derived.value, r.scope(r.once(callerAnywhere), resource, true));
  const asks = (one: Expr): boolean => {
    if (one.op === 'name' && (one.name === 'caller' || one.name === 'scopes')) return true;
    if (one.op === 'get' && one.derived && one.of.type.kind === 'row')
      return derivedAsks(r, one.of.type.resource, one.member, seen) || asks(one.of);
    return parts(one).some(asks);
  };
  return expr !== null && asks(expr);
}
