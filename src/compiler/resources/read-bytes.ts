import type { FieldCells, Giving } from '../../language/resources.ts';
import type { Allowed } from '../../language/values.ts';
import { CHECKED_TYPES, FILE_MEMBERS, type FileMember, isMediaType } from '../../plan/files.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Located, Name } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';
import type { BytesField, Field } from '../statements/resources.ts';
import { ALLOWED } from './bounds.ts';
import { resourcesDiagnostics as d } from './messages.ts';

/** A row of the table of fields. */
export interface ReadField extends FieldCells {
  readonly name: Name;
  readonly span: Span;
}

type Bytes = Extract<Allowed, { kind: 'bytes' }>;

/** The fields that a row of the table states: of bytes, the members that say something about them. */
export function readBytes(
  field: ReadField,
  path: string,
  findings: Finding[],
): { readonly fields: readonly Field[]; readonly bytes: readonly BytesField[] } {
  const { type, name } = field;
  if (type?.value.kind !== 'bytes') return { fields: [field as Field], bytes: [] };
  const { format, givenBy, unique, presence } = field;
  if (format && format.value !== 'none')
    findings.push(d.report.formatOfType(format, { format: format.value, field: path, type: 'bytes' }));
  if (givenBy && !givenBy.value.every(isRequest)) findings.push(d.report.bytesGivenBy(givenBy, { field: path }));
  if (unique && unique.value.kind !== 'no') findings.push(d.report.bytesUnique(unique, { field: path }));
  const allowed = allowedOf(field, path, findings);
  const fields = FILE_MEMBERS.map((member): Field => {
    const is = MEMBERS[member];
    return {
      ...field,
      of: name.text,
      name: { ...name, text: `${name.text}.${member}` },
      type: { ...type, value: { kind: is.type } },
      format: format && { ...format, value: 'none' },
      allowed: allowed && field.allowed && { ...field.allowed, value: is.allowed(allowed) },
      givenBy: givenBy && { ...givenBy, value: [{ from: 'request', orOperator: false, otherwise: null }] },
      unique: unique && { ...unique, value: { kind: 'no' } },
    };
  });
  return { fields, bytes: [{ name, allowed, presence }] };
}

/** The type and the allowed values of each fact about bytes. */
const MEMBERS: Readonly<
  Record<FileMember, { readonly type: 'string' | 'integer'; readonly allowed: (of: Bytes) => Allowed }>
> = {
  type: { type: 'string', allowed: ({ mediaTypes }) => ({ kind: 'one of', values: mediaTypes }) },
  size: { type: 'integer', allowed: ({ max }) => ({ kind: 'range', min: 0, max }) },
  sha256: { type: 'string', allowed: () => ({ kind: 'pattern', source: '^[0-9a-f]{64}$' }) },
};

const isRequest = (giving: Giving): boolean =>
  giving.from === 'request' && !giving.orOperator && giving.otherwise === null;

/** The allowed values of bytes; null where they are not settled. */
function allowedOf({ allowed, name }: ReadField, path: string, findings: Finding[]): Bytes | null {
  if (!allowed) return null;
  const { value } = allowed;
  if (value.kind === 'any' || (value.kind === 'bytes' && value.mediaTypes.length === 0)) {
    findings.push(d.report.bytesBounds(name, { field: path }));
    return null;
  }
  if (value.kind !== 'bytes') {
    const params = { allowed: ALLOWED[value.kind], field: path, type: 'bytes', fits: `“${ALLOWED.bytes}”` };
    findings.push(d.report.allowedOfType(allowed, params));
    return null;
  }
  if (value.firstBytes === null) {
    findings.push(d.report.firstBytes(allowed as Located<Allowed>, { field: path }));
    return null;
  }
  const unknown = value.mediaTypes.filter(({ text }) => isMediaType(text) && !CHECKED_TYPES.includes(text));
  if (value.firstBytes === 'checked')
    for (const one of unknown)
      findings.push(d.report.firstBytesUnknown(one, { found: one.text, all: CHECKED_TYPES.join(', ') }));
  return value;
}
