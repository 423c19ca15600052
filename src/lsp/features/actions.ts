import { type CodeAction, CodeActionKind, type Range } from 'vscode-languageserver/node';
import { Allowance, editsOf } from '../../compiler/edits/edits.ts';
import type { Edit } from '../../compiler/edits/sites.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import { oneLine } from '../../text/visible.ts';
import type { Analysis } from './analysis.ts';
import { diagnosticOf, findingsOf } from './diagnostics.ts';

/** The longest part of a text that the title of an action shows. */
const LONGEST = 80;

/**
 * The edits of the findings in a range, as quick fixes: each mends an error or answers a question, and has been tried.
 * None is preferred but the edit of an error that can mean one thing alone, so that no answer is chosen by itself.
 */
export function actionsIn(analysis: Analysis, range: Range): CodeAction[] {
  const from = analysis.positions.offset(range.start);
  const to = analysis.positions.offset(range.end);
  const here = findingsOf(analysis).filter(({ span }) => span && span.from <= to && from <= span.to);
  const allowance = Allowance.ofPlace();
  return here.flatMap((finding) => {
    const edits = editsOf(analysis.compiled, finding, undefined, allowance);
    return edits.map((edit) => actionOf(analysis, finding, edit, edits.length === 1));
  });
}

function actionOf(analysis: Analysis, finding: Finding, edit: Edit, alone: boolean): CodeAction {
  return {
    title: titleOf(analysis, finding, edit),
    kind: CodeActionKind.QuickFix,
    diagnostics: [diagnosticOf(analysis, finding)],
    ...(finding.severity === 'error' && finding.sure && alone && { isPreferred: true }),
    edit: { changes: { [analysis.uri]: [analysis.positions.edit(edit)] } },
  };
}

function titleOf({ positions }: Analysis, { severity }: Finding, { from, to, text }: Edit): string {
  const was = positions.text.slice(from, to).trim();
  const is = text.trim();
  if (is === '') return `Remove “${shown(was)}”`;
  return severity === 'question' ? `Answer: ${shown(is)}` : `Write “${shown(is)}”`;
}

function shown(text: string): string {
  const line = oneLine(
    text
      .split('\n')
      .filter((one) => !/^\|[ -]*-[-| ]*\|$/.test(one))
      .join(' ⏎ '),
  );
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
