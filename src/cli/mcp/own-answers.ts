import { type Compiled, compile } from '../../compiler/compile.ts';
import { Candidates } from '../../compiler/edits/candidates.ts';
import { edited } from '../../compiler/edits/edits.ts';
import type { Edit } from '../../compiler/edits/sites.ts';
import type { Finding } from '../../syntax/diagnostic.ts';

/** The edit that puts a text where it answers a finding, by the form of the text; or the errors that it would bring. */
export function ownAnswer(compiled: Compiled, finding: Finding, text: string): Edit | Compiled | null {
  const { span } = finding;
  const own = text.trim();
  if (!span || own === '') return null;
  const edits = new Candidates(compiled).of({ ...finding, ...formOf(own), suggestion: own }, span).flat();
  let wrong: Compiled | null = null;
  for (const edit of edits.filter((one) => one.text.includes(own.replace(/^(?:1\.|-) /, '')))) {
    const after = compile(compiled.name, edited(compiled.lines.text, edit));
    const isRight = newErrors(compiled, after).length === 0;
    if (isRight && isGone(finding, compiled, after)) return edit;
    if (!isRight) wrong ??= after;
  }
  return wrong;
}

/** The place of a text that is a whole statement; any other text belongs where the suggestion does. */
function formOf(own: string): Partial<Finding> {
  const [, key] = /^- ([^:\n]+):/.exec(own) ?? [];
  const [, cell] = /^\|\s*([^|\n]*?)\s*\|/.exec(own) ?? [];
  if (own.startsWith('#')) return { puts: 'heading' };
  if (key !== undefined) return { puts: 'statement', asks: { kind: 'bullet', name: key } };
  if (cell !== undefined) return { puts: 'statement', asks: { kind: 'row', name: cell } };
  return own.startsWith('1. ') ? { puts: 'statement', asks: { kind: 'step', name: '' } } : {};
}

/** The errors of a document that it has more often than before an edit. */
export function newErrors(before: Compiled, after: Compiled): Finding[] {
  const known = countsOf(before);
  return after.findings.filter((finding) => {
    const left = known.get(sayingOf(finding)) ?? 0;
    known.set(sayingOf(finding), left - 1);
    return finding.severity === 'error' && left <= 0;
  });
}

/** Whether a finding is in a document less often than it was before an edit. */
function isGone(finding: Finding, before: Compiled, after: Compiled): boolean {
  const saying = sayingOf(finding);
  return (countsOf(after).get(saying) ?? 0) < (countsOf(before).get(saying) ?? 0);
}

function countsOf({ findings }: Compiled): Map<string, number> {
  const out = new Map<string, number>();
  for (const one of findings) out.set(sayingOf(one), (out.get(sayingOf(one)) ?? 0) + 1);
  return out;
}

/** A finding without its place: an edit moves the lines that messages name. */
const sayingOf = ({ code, message }: Finding): string => `${code} ${message.replace(/\d+/g, '')}`;
