import { type Expr, parts } from '../../../expression/expr.ts';
import { endpointsDiagnostics as d } from '../diagnostics.ts';
import { requestOf } from '../effective.ts';
import { pathStart, segmentsOf } from '../headings.ts';
import type { Checking } from './checking.ts';

/** What is read and then not used would be accepted and ignored. */
export function checkUnused(c: Checking): void {
  for (const { in: at, name } of c.one.parameters)
    if (at?.value === 'header' && (c.broken || c.exprs.some((expr) => mentions(expr, 'header', name.text))))
      c.r.headersUsed.add(name.text);
  if (c.broken) return;
  for (const parameter of c.one.endpoint.parameters) {
    const at = parameter.in?.value ?? 'query';
    const place = at === 'body' ? 'request' : at;
    const asked = parameter.keeps !== null && c.asParameters;
    const mentioned = c.exprs.some((expr) => mentions(expr, place, parameter.name.text));
    if (c.r.meant(parameter.name.text)) continue;
    if ((parameter.keeps && !c.asParameters) || (!asked && !mentioned))
      c.findings.push(d.report.parameterUnused(parameter.name, { name: parameter.name.text }));
  }
  checkPath(c);
  const request = requestOf(c.one);
  if (!request || c.readFromRequest) return;
  for (const field of request.fields)
    if (!c.r.meant(field.text) && !c.exprs.some((expr) => readsField(expr, field.text)))
      c.findings.push(d.report.requestUnread(field, { field: field.text }));
}

/** Names in the path that a shared parameter declares. */
function checkPath(c: Checking): void {
  const { endpoint, parameters } = c.one;
  for (const segment of segmentsOf(endpoint.path, pathStart(endpoint))) {
    const { text: name } = segment;
    const own = endpoint.parameters.some((parameter) => parameter.in?.value === 'path' && parameter.name.text === name);
    const declared = parameters.some((parameter) => parameter.name.text === name);
    if (!segment.named || own || !declared || c.r.meant(name)) continue;
    if (c.exprs.some((expr) => mentions(expr, 'path', name))) continue;
    c.findings.push(d.report.parameterUnused(segment, { name }));
  }
}

/** True if an expression reads a field that the request holds, wherever in the body it does. */
function readsField(expr: Expr, field: string): boolean {
  const { type } = expr.op === 'get' || expr.op === 'sent' ? expr.of : expr;
  if (type.kind === 'object' && 'member' in expr && expr.member === field && type.payload?.fields.includes(field))
    return true;
  return parts(expr).some((one) => readsField(one, field));
}

/** True if an expression reads `object.member`. */
function mentions(expr: Expr, object: string, member: string): boolean {
  if (
    (expr.op === 'get' || expr.op === 'sent') &&
    expr.of.op === 'name' &&
    expr.of.name === object &&
    expr.member === member
  )
    return true;
  return parts(expr).some((one) => mentions(one, object, member));
}
