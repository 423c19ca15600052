import { type Expr, parts } from '../../../expression/tree/expression.ts';
import { requestOf } from '../../document/effective.ts';
import { pathStart, segmentsOf } from '../../document/paths.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import type { Checking } from './checking.ts';

/** Reports parameters and body fields that no step uses: requests could send them without effect. */
export function checkUnused(c: Checking): void {
  const read = new Set<string>();
  for (const expr of c.exprs) noteRead(expr, read);
  for (const { in: at, name } of c.one.parameters)
    if (at?.value === 'header' && (c.broken || read.has(`header ${name.text}`))) c.r.headersUsed.add(name.text);
  if (c.broken) return;
  for (const parameter of c.one.endpoint.parameters) {
    const at = parameter.in?.value ?? 'query';
    const place = at === 'body' ? 'request' : at;
    const kept = parameter.keeps !== null && c.asParameters;
    const mentioned = read.has(`${place} ${parameter.name.text}`);
    if (c.r.isSuggested(parameter.name.text)) continue;
    const params = { name: parameter.name.text };
    if (parameter.keeps && !c.asParameters) c.findings.push(d.report.filterUnused(parameter.keeps, params));
    else if (!kept && !mentioned) c.findings.push(d.report.parameterUnused(parameter.name, params));
  }
  checkPath(c, read);
  const request = requestOf(c.one);
  // The fields of an unknown resource are unknown.
  if (!request || c.readFromRequest || !c.r.resourceNamed(request.resource.text)) return;
  for (const field of request.fields)
    if (!c.r.isSuggested(field.text) && !c.exprs.some((expr) => readsField(expr, field.text)))
      c.findings.push(d.report.requestUnread(field, { field: field.text }));
}

/** Reports unused names in the path that a shared parameter declares. */
function checkPath(c: Checking, read: ReadonlySet<string>): void {
  const { endpoint, parameters } = c.one;
  for (const segment of segmentsOf(endpoint.path, pathStart(endpoint))) {
    const { text: name } = segment;
    const own = endpoint.parameters.some((parameter) => parameter.in?.value === 'path' && parameter.name.text === name);
    const declared = parameters.some((parameter) => parameter.name.text === name);
    if (!segment.named || own || !declared || c.r.isSuggested(name)) continue;
    if (read.has(`path ${name}`)) continue;
    c.findings.push(d.report.parameterUnused(segment, { name }));
  }
}

/** Whether an expression reads a field of the request, at any depth of the body. */
function readsField(expr: Expr, field: string): boolean {
  const { type } = expr.op === 'get' || expr.op === 'sent' ? expr.of : expr;
  if (type.kind === 'object' && 'member' in expr && expr.member === field && type.payload?.fields.includes(field))
    return true;
  return parts(expr).some((one) => readsField(one, field));
}

/** Notes each `object.member` that an expression reads, as `object member`. */
function noteRead(expr: Expr, read: Set<string>): void {
  if ((expr.op === 'get' || expr.op === 'sent') && expr.of.op === 'name') read.add(`${expr.of.name} ${expr.member}`);
  for (const part of parts(expr)) noteRead(part, read);
}
