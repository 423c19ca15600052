import { type Diagnostic, DiagnosticSeverity } from 'vscode-languageserver/node';
import type { Finding, Severity } from '../../syntax/diagnostic.ts';
import type { Analysis } from './analysis.ts';

const SEVERITIES: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  question: DiagnosticSeverity.Warning,
  notice: DiagnosticSeverity.Information,
};

/** The findings and notices of a document, in their order. */
export const findingsOf = ({ compiled }: Analysis): readonly Finding[] => [...compiled.findings, ...compiled.notices];

/** The findings as diagnostics of the protocol: errors, questions as warnings, and notices as information. */
export const diagnosticsOf = (analysis: Analysis): Diagnostic[] =>
  findingsOf(analysis).map((finding) => diagnosticOf(analysis, finding));

export function diagnosticOf({ uri, positions }: Analysis, finding: Finding): Diagnostic {
  const range = positions.range(finding.span ?? { from: 0, to: 0 });
  return {
    range,
    severity: SEVERITIES[finding.severity],
    code: finding.code,
    source: 'ninefold',
    message: `${finding.message}\n${finding.why}`,
    relatedInformation: finding.related.map((span) => ({
      location: { uri, range: positions.range(span) },
      message: 'here too',
    })),
  };
}
