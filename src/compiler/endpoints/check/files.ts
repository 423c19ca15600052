import type { Expr } from '../../../expression/tree/expression.ts';
import * as t from '../../../expression/tree/types.ts';
import type { FileForm } from '../../../language/answer.ts';
import { type FileMember, fileColumn, INLINE_TYPES, isMediaType } from '../../../plan/files.ts';
import type { FileBody } from '../../../plan/step.ts';
import type { Token } from '../../../syntax/tokens.ts';
import { limitAt } from '../../document/effective-limits.ts';
import type { BytesField } from '../../statements/resources.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import type { Checking, Of } from './checking.ts';

/** The header fields that an answer with a file has by itself. */
const OWN_HEADERS: readonly string[] = ['Content-Disposition', 'ETag'];

/** Checks an answer with the bytes of a field; undefined while it isn't settled. */
export function checkFile(c: Checking, step: Of<'Answer'>, body: Token, form: FileForm): FileBody | undefined {
  checkEndpoint(c, step);
  const found = fieldOf(c, body);
  const name = form.name === null || form.name === 'none' ? null : nameOf(c, form.name);
  const stated = checkForm(c, form);
  if (!found) return undefined;
  const { field, path, resource } = found;
  const typed = (member: FileMember): Expr | null =>
    c.typeOfAnswer({ ...body, text: `${body.text}.${member}` }, null, 'The file');
  const [type, size, sha256] = [typed('type'), typed('size'), typed('sha256')];
  if (!type || !size || !sha256 || size.op !== 'get') return undefined;
  if ([type, size, sha256].every((one) => one.type.nullable)) {
    c.findings.push(d.report.fileNull(body, { found: body.text }));
    return undefined;
  }
  const { allowed } = field;
  const shown = form.disposition === 'inline' ? (allowed?.mediaTypes ?? []) : [];
  const unsafe = shown.find(({ text }) => isMediaType(text) && !INLINE_TYPES.includes(text));
  if (unsafe)
    c.findings.push(d.report.fileInline(body, { field: path, found: unsafe.text, all: INLINE_TYPES.join(', ') }));
  if (!allowed || !stated || name === undefined || unsafe) return undefined;
  const column = fileColumn(field.name.text);
  return {
    kind: 'file',
    field: `${resource}.${field.name.text}`,
    mediaTypes: allowed.mediaTypes.map(({ text }) => text),
    most: allowed.max,
    bytes: { op: 'get', of: size.of, member: column, type: { ...t.STRING, format: 'uuid' } },
    type,
    size,
    sha256,
    name,
    ...stated,
  };
}

/** Checks the statements of an endpoint that answers with a file. */
function checkEndpoint({ r, one, endpoint, findings }: Checking, step: Of<'Answer'>): void {
  const params = { endpoint };
  if (one.endpoint.method !== 'GET') {
    findings.push(d.report.fileMethod(step.span, params));
    return;
  }
  if (step.status.value !== 200) findings.push(d.report.fileStatus(step.status, { status: `${step.status.value}` }));
  if (!limitAt(r, one, 'Time-out')) findings.push(d.report.fileTimeout(step.span, params, [endpoint]));
  for (const { field } of step.headers)
    if (OWN_HEADERS.includes(field.text)) findings.push(d.report.fileHeader(field, { name: field.text }));
}

/** Asks what the form leaves open; null while something is open. */
function checkForm(c: Checking, form: FileForm): Pick<FileBody, 'disposition' | 'ranges'> | null {
  const { disposition, ranges, name } = form;
  if (!disposition) c.findings.push(d.report.fileDisposition(form, {}, [c.endpoint]));
  else if (name === null) c.findings.push(d.report.fileName(form, {}, [c.endpoint]));
  if (!ranges) c.findings.push(d.report.fileRanges(form, {}, [c.endpoint]));
  return disposition && ranges && name !== null ? { disposition, ranges } : null;
}

/** The field of bytes that `row.field` names. */
function fieldOf(
  c: Checking,
  body: Token,
): { readonly field: BytesField; readonly path: string; readonly resource: string } | null {
  const [, row = '', member = ''] = /^\s*([A-Za-z][A-Za-z0-9_]*)\.([\w.-]+)\s*$/.exec(body.text) ?? [];
  const type = c.names.get(row);
  const resource = type?.kind === 'row' ? c.r.resourceNamed(type.resource) : null;
  const field = resource?.bytes.find(({ name }) => name.text === member);
  if (resource && field) return { field, path: `${resource.name.text}.${member}`, resource: resource.name.text };
  // A name that was not understood may be meant.
  if (!c.broken || type) c.findings.push(d.report.fileOf(body, { found: body.text }));
  c.broken = true;
  return null;
}

/** The expression of the name; undefined while it isn't settled. */
function nameOf(c: Checking, token: Token): Expr | undefined {
  return c.typeOfAnswer(token, t.STRING, 'The name of a file') ?? undefined;
}
