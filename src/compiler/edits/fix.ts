import type { Finding } from '../../syntax/diagnostic.ts';
import { type Compiled, compile } from '../compile.ts';
import { edited, editsOf } from './edits.ts';
import type { Edit } from './sites.ts';

/** An error that was mended, and the edit that did it; places are of the document as it was just before. */
export interface Mended {
  readonly finding: Finding;
  readonly line: number;
  readonly before: string;
  readonly edit: Edit;
}

/**
 * Mends the errors that have one possible meaning, one after the other, and compiles after each. No question is answered,
 * and no statement is taken away. Returns the document as it is then, and what was done, in order.
 */
export function fix(compiled: Compiled): { readonly compiled: Compiled; readonly mended: readonly Mended[] } {
  const mended: Mended[] = [];
  let now = compiled;
  for (let next = nextFix(now); next; next = nextFix(now)) {
    const { finding, edit } = next;
    const { lines } = now;
    const before = lines.text.slice(edit.from, edit.to);
    mended.push({ finding, line: lines.position(edit.from).line, before, edit });
    now = compile(now.name, edited(lines.text, edit));
  }
  return { compiled: now, mended };
}

/**
 * False for a name that a document uses several times, while it uses the declared one nowhere: the declaration may be what
 * is misspelt.
 */
function isMisspelt({ lines, findings }: Compiled, { found, owner, suggestion, related }: Finding): boolean {
  if (owner === null || found === null || suggestion === null) return true;
  const uses = findings.filter((one) => one.found === found && one.owner === owner).length + related.length;
  return uses === 1 || timesIn(lines.text, suggestion.replaceAll('`', '')) > 1;
}

/** How often a text has a name. */
const timesIn = (text: string, name: string): number =>
  text.split(/[^\p{L}\p{N}_.-]+/u).filter((word) => word === name || word.endsWith(`.${name}`)).length;

/** The first error that can mean one thing alone, and its edit; each edit takes one error away, so that this ends. */
function nextFix(compiled: Compiled): { readonly finding: Finding; readonly edit: Edit } | null {
  for (const finding of compiled.findings) {
    if (finding.severity !== 'error' || !finding.sure || !isMisspelt(compiled, finding)) continue;
    const [edit, ...others] = editsOf(compiled, finding);
    if (edit && others.length === 0) return { finding, edit };
  }
  return null;
}
