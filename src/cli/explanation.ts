import type { Compiled } from '../compiler/compile.ts';
import { legalForms } from '../compiler/edits/own-answers.ts';
import type { Finding } from '../syntax/diagnostic.ts';
import { diagnosticPages } from './diagnostics.ts';

/** The description of a finding's code, and the forms that an answer may have. */
export function explanation(compiled: Compiled, finding: Finding): string {
  const { samples, tables } = legalForms(compiled, finding);
  const listed = (title: string, lines: readonly string[]): string[] =>
    lines.length ? [title, ...lines.map((line) => `  ${line}`)] : [];
  return [
    ...sectionOf(finding.code),
    ...listed('Forms of the answer:', samples),
    ...listed(
      'Tables of this part, in any order of columns:',
      tables.map((columns) => `| ${columns.join(' | ')} |`),
    ),
  ].join('\n');
}

/** The section of a code in the pages of diagnostics. */
function sectionOf(code: string): string[] {
  for (const page of diagnosticPages().values()) {
    const lines = page.split('\n');
    const start = lines.indexOf(`## ${code}`);
    if (start < 0) continue;
    const end = lines.findIndex((line, i) => i > start && line.startsWith('## '));
    const text = lines.slice(start, end < 0 ? undefined : end).filter((line) => line !== '' && !line.startsWith('```'));
    return text.map((line) => line.replace(/^## /, '').replaceAll('**', ''));
  }
  return [code];
}
