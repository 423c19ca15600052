import { styleText } from 'node:util';
import type { Compiled } from '../compiler/compile.ts';
import { edited } from '../compiler/edits/edits.ts';
import type { AnswerPlace } from '../compiler/edits/own-answers.ts';
import type { Edit } from '../compiler/edits/sites.ts';
import type { Finding } from '../syntax/diagnostic.ts';
import { lineChanges } from '../text/line-changes.ts';
import { oneLine, visible } from '../text/visible.ts';

/** The most lines of an edit that are shown, and the most characters of a line. */
const MOST_LINES = 12;
const MOST_CHARACTERS = 160;

/** The keys that a conversation understands. */
export const keysText = (): string =>
  'Type the number of an answer, or a text of your own; ? for more, s to skip, b to go back, q to stop.';

/** An edit as the lines that it removes and adds, with a label before the first. */
export function changesText(label: string, { lines }: Compiled, edit: Edit, color: boolean): string {
  const changes = lineChanges(lines.text, edited(lines.text, edit));
  const digits = `${Math.max(0, ...changes.map(({ number }) => number))}`.length;
  const shown = changes.slice(0, MOST_LINES).map(({ sign, number, text }) => {
    const line = `${sign} ${`${number}`.padStart(digits)} │ ${clipped(visible(text))}`;
    return color ? styleText(sign === '+' ? 'green' : 'red', line, { validateStream: false }) : line;
  });
  const hidden = changes.length - shown.length;
  if (hidden > 0) shown.push(`… ${hidden} more`);
  return shown.map((line, i) => `${(i === 0 ? label : '').padStart(3)}  ${line}`).join('\n');
}

const clipped = (text: string): string =>
  text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS).toWellFormed()}…`;

/** How a text of one's own would be put into the document; without a place for it, that an editor is needed. */
export function ownText(finding: Finding, place: AnswerPlace | null, choices: number): string {
  if (!place) {
    if (choices > 0) return '     or a whole statement of your own';
    return finding.severity === 'error'
      ? '     Mend it in an editor and press Enter, or type s to skip it.'
      : '     Type a whole statement, or answer in an editor and press Enter; or type s to skip the question.';
  }
  const [before = ''] = place.before.split('\n').slice(-1);
  const [after = ''] = place.after.split('\n');
  const line = `${before}…${after}`;
  const example = exampleOf(finding, choices);
  const own = line === '…' ? `a text of your own${PLACES[place.form]}` : `${oneLine(line)}   with a text of your own`;
  return `${choices > 0 ? '     or ' : '     '}${own}${example}`;
}

const PLACES: Readonly<Record<AnswerPlace['form'], string>> = {
  cell: ', for the cell',
  here: ', in place of the marked one',
  end: ', at the end of the statement',
  bullet: '',
  row: '',
  step: '',
  heading: '',
};

/** The suggestion, where no numbered answer shows it. */
function exampleOf({ suggestion }: Finding, choices: number): string {
  return suggestion !== null && choices === 0 ? `, such as ${oneLine(suggestion)}` : '';
}
