import { Refusal } from './refusal.ts';

/** The most bytes of one page: an answer has to fit into the context of an agent. */
const PAGE_BYTES = 6000;
/** The most characters of a text that is quoted. */
const MOST_QUOTED = 400;

export const bytesOf = (text: string): number => Buffer.byteLength(text);

/** The start of a long text. */
export const clipped = (text: string, most = MOST_QUOTED): string =>
  text.length <= most ? text : `${text.slice(0, most).toWellFormed()}… (${text.length} characters)`;

/** Packs blocks of text into pages, and returns one page, with a line that says how to get the next one. */
export function pageOf(blocks: readonly string[], page: number): string {
  const pages: string[][] = [[]];
  let used = 0;
  for (const block of blocks.flatMap(inPieces)) {
    const size = bytesOf(block) + 1;
    if (used > 0 && used + size > PAGE_BYTES) {
      pages.push([]);
      used = 0;
    }
    pages.at(-1)?.push(block);
    used += size;
  }
  const found = pages[page - 1];
  if (!found)
    throw new Refusal(
      `There is no page ${page}: there ${pages.length === 1 ? 'is 1 page' : `are ${pages.length} pages`}.`,
    );
  const text = found.join('\n');
  if (pages.length === 1) return text;
  return `${text}\n\nPage ${page} of ${pages.length}${page < pages.length ? `; page: ${page + 1} has more` : ''}.`;
}

/** The lines of a text, as blocks of a page. */
export const linesOf = (text: string): string[] => text.split('\n');

/** A block that is longer than a page, in pieces. */
function inPieces(block: string): string[] {
  if (bytesOf(block) <= PAGE_BYTES) return [block];
  const out: string[] = [];
  // A character has at most three bytes for each UTF-16 unit.
  const most = Math.floor(PAGE_BYTES / 3);
  for (let from = 0; from < block.length; from += most) out.push(block.slice(from, from + most).toWellFormed());
  return out;
}
