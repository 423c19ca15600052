import { PART_HEADINGS, type PartName } from '../plan/parts.ts';
import { keysOf } from '../text/own-members.ts';
import type { Unsaid } from './ledger.ts';
import type { Places } from './places.ts';

/** A remark beside an endpoint, with its place. */
export interface Note {
  readonly text: string;
  readonly pointer: string;
}

/**
 * Adds comments with the place of every statement of a printed document: one below each heading, and one above each list
 * of bullets and each table. `check` reads comments as prose. Throws where a statement has no place, which is a defect.
 */
export function annotated(
  printed: string,
  places: Places,
  notes: ReadonlyMap<string, readonly Note[]>,
  unsaid: readonly Unsaid[],
): string {
  const out: string[] = [];
  let part: PartName | null = null;
  let heading = '';
  const at = (...key: readonly string[]): string => {
    const pointer = places.get(...key);
    if (pointer === undefined) throw new Error(`The statement ${key.join(' › ')} has no place in the file.`);
    return pointer;
  };
  for (const block of printed.trimEnd().split('\n\n')) {
    const [first = ''] = block.split('\n');
    if (first.startsWith('## ')) {
      part = keysOf(PART_HEADINGS).find((one) => PART_HEADINGS[one] === first.slice(3)) ?? null;
      heading = '';
      out.push(block);
    } else if (first.startsWith('### ') && part) {
      heading = first.slice(4);
      const more = (notes.get(heading) ?? []).map(({ text, pointer }) => `${text}: ${pointer}`);
      out.push(block, comment([at(part, heading), ...more]));
    } else if (/^#(?: |$)/.test(first)) out.push(block, comment([at('title')]));
    else if (first.startsWith('- ') && part) {
      const own = part;
      const keys = block.split('\n').map((line) => line.slice(2, line.indexOf(':')));
      out.push(comment(keys.map((key) => `${key}: ${at(own, heading, `- ${key}`)}`)), block);
    } else if (first.startsWith('| ') && part) {
      const own = part;
      const [kind = '', second] = cellsOf(first);
      const rows = block.split('\n').slice(2).map(cellsOf);
      const nameOf = ([name = '', place]: readonly string[]) => (second === 'In' ? `${name} in ${place}` : name);
      out.push(comment(rows.map(nameOf).map((name) => `${name}: ${at(own, heading, kind, name)}`)), block);
    } else out.push(block);
  }
  return `${[...out, ...unsaidComments(unsaid)].join('\n\n')}\n`;
}

const cellsOf = (row: string): string[] =>
  row
    .slice(2, -2)
    .split(' | ')
    .map((cell) => cell.trim());

/** A comment of HTML. A `>` in a name could end it; places have none. */
function comment(names: readonly string[]): string {
  const lines = names.map((line) => line.replaceAll('>', '›'));
  return lines.length === 1 ? `<!-- ${lines[0]} -->` : `<!--\n${lines.join('\n')}\n-->`;
}

/** The facts that the document does not state, by their reasons. */
function unsaidComments(unsaid: readonly Unsaid[]): string[] {
  const byReason = Map.groupBy(unsaid, ({ reason }) => reason);
  return [...byReason].map(([reason, list]) =>
    comment([`Not in this document (${list.length}). ${safe(reason)}`, ...list.map(({ pointer }) => pointer)]),
  );
}

const safe = (text: string): string => text.replaceAll('--', '- -').replaceAll('>', '›');
