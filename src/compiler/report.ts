import type { PartName } from '../plan/parts.ts';
import { PARTS } from '../plan/parts.ts';
import type { Finding } from '../syntax/diagnostic.ts';
import type { Compiled } from './compile.ts';
import type { DocumentReport, ItemReport, Place } from './report-forms.ts';

/** The report on a compiled document. */
export function documentReport(compiled: Compiled): DocumentReport {
  const { lines, model } = compiled;
  const at = new Map(model.endpoints.list.map((one) => [one.name, lines.position(one.span.from).line]));
  return {
    name: compiled.name,
    text: lines.text,
    items: itemReports(compiled),
    findings: [...compiled.findings, ...compiled.notices].map((finding) => ({
      code: finding.code,
      severity: finding.severity,
      message: finding.message,
      why: finding.why,
      suggestion: finding.suggestion,
      endpoints: finding.endpoints,
      ...placeOf(compiled, finding),
    })),
    endpoints: compiled.endpoints.map((one) => ({ ...one, line: at.get(one.endpoint) ?? null })),
  };
}

/** The 31 items, in the order of the document. */
export function itemReports({ items, lines }: Compiled): ItemReport[] {
  return items.map(({ part, item, state, span }) => ({
    part: heading(part),
    item,
    state,
    line: span ? lines.position(span.from).line : null,
  }));
}

/** The place of a finding. */
export function placeOf({ lines }: Compiled, { span }: Finding): Place {
  if (!span) return { line: null, column: null, endLine: null, endColumn: null };
  const start = lines.position(span.from);
  const end = lines.position(span.to);
  return { line: start.line, column: start.column, endLine: end.line, endColumn: end.column };
}

/** The heading of a part. */
const heading = (part: PartName): string => PARTS.find(([name]) => name === part)?.[1] ?? part;
