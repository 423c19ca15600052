import { readdirSync, readFileSync } from 'node:fs';
import { nearest } from '../../text/suggest.ts';
import { clipped } from './pages.ts';
import { Refusal } from './refusal.ts';

const DOCS = new URL('../../../docs/', import.meta.url);

/** A page of the reference of the language. */
interface ReferencePage {
  /** The file's name without its ending, such as `steps`. */
  readonly name: string;
  readonly uri: string;
  readonly title: string;
  readonly text: string;
}

/** The pages of the reference, as the installation has them. */
export function referencePages(): ReferencePage[] {
  return markdownIn('language/').map(({ name, text }) => ({
    name,
    uri: `ninefold://language/${name}`,
    title: titleOf(text),
    text,
  }));
}

function markdownIn(folder: string): Array<{ readonly name: string; readonly text: string }> {
  const url = new URL(folder, DOCS);
  return readdirSync(url)
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => ({ name: file.slice(0, -3), text: readFileSync(new URL(file, url), 'utf8') }));
}

const titleOf = (text: string): string => /^# (.*)$/m.exec(text)?.[1] ?? '';

/** Describes a code of a finding: what `check` says, why, and what to write. Null where no code looks like that. */
export function explainCode(about: string): string | null {
  if (!/^[a-z-]+\/[a-z0-9-]+$/.test(about)) return null;
  const sections = markdownIn('diagnostics/').flatMap(({ text }) => sectionsOf(text));
  const found = sections.find(({ heading }) => heading === about);
  if (found) return found.text;
  const codes = sections.map(({ heading }) => heading).filter((heading) => heading.includes('/'));
  const near = nearest(about, codes);
  throw new Refusal(`There is no code “${about}”${near ? `: did you mean “${near}”?` : '.'}`);
}

interface SectionText {
  readonly heading: string;
  /** The heading and the text below it, up to the next heading. */
  readonly text: string;
}

function sectionsOf(text: string): SectionText[] {
  const out: SectionText[] = [];
  let lines: string[] = [];
  let heading = '';
  let inCode = false;
  const end = (): void => {
    if (lines.some((line) => line.trim() !== '')) out.push({ heading, text: lines.join('\n').trim() });
  };
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) inCode = !inCode;
    const next = inCode ? undefined : /^#{1,4} (.*)$/.exec(line)?.[1];
    if (next !== undefined) {
      end();
      lines = [];
      heading = next;
    }
    lines.push(line);
  }
  end();
  return out;
}

/** A place of the reference that is about a word, the better the lower its rank. */
interface Hit {
  readonly rank: number;
  readonly page: ReferencePage;
  readonly heading: string;
  readonly text: string;
}

/** Describes a statement or a word of the language: the places of the reference that are about it, the nearest first. */
export function explainWord(about: string): string[] {
  const word = plain(about);
  const pages = referencePages();
  const hits = word === '' ? [] : pages.flatMap((page) => hitsIn(page, word)).sort((a, b) => a.rank - b.rank);
  if (hits.length === 0) {
    const headings = pages.flatMap(({ text }) => sectionsOf(text).map(({ heading }) => plain(heading)));
    const near = nearest(word, headings);
    throw new Refusal(
      `The reference says nothing of “${clipped(about, 100)}”${near ? `: did you mean “${near}”?` : '.'} Its pages are ${pages.map(({ name }) => name).join(', ')}.`,
    );
  }
  const best = hits.filter(({ rank }) => rank <= Math.max(3, hits[0]!.rank));
  return best.flatMap(({ page, heading, text }) => [`[${page.uri}, ${heading}]`, ...text.split('\n'), '']);
}

/** A word without the signs of Markdown and of statements, in lower case. */
const plain = (text: string): string =>
  text
    .replaceAll('`', '')
    .trim()
    .replace(/^(?:- |#+ |\d+\. )/, '')
    .replace(/[:.]$/, '')
    .toLowerCase();

const isAbout = (text: string, word: string): boolean =>
  text === word || (text.startsWith(word) && !/[\p{L}\p{N}]/u.test(text.charAt(word.length)));

function hitsIn(page: ReferencePage, word: string): Hit[] {
  if (word === page.name || word === plain(page.title))
    return [{ rank: 0, page, heading: page.title, text: page.text }];
  return sectionsOf(page.text).flatMap(({ heading, text }): Hit[] => {
    if (plain(heading) === word) return [{ rank: 1, page, heading, text }];
    const lines = text.split('\n').slice(1);
    const stating = lines.filter((line) => statesOf(line).some((one) => isAbout(one, word)));
    const naming = plain(heading).includes(word) ? [{ rank: 4, page, heading, text }] : [];
    const quoting = lines.filter((line) => !stating.includes(line) && plain(line).includes(word));
    return [
      ...(stating.length > 0 ? [{ rank: 2, page, heading, text: stating.join('\n') }] : []),
      ...naming,
      ...(quoting.length > 0 ? [{ rank: 5, page, heading, text: quoting.join('\n') }] : []),
    ];
  });
}

/** The statements that a line describes or shows: the first cell of a row, or the key of a bullet. */
function statesOf(line: string): string[] {
  const cell = /^\| ([^|]*)/.exec(line)?.[1];
  if (cell !== undefined) return cell.split(/ or |, /).map(plain);
  const bullet = /^- (?:`- )?([^:]+):/.exec(line)?.[1];
  return bullet === undefined ? [] : [plain(bullet)];
}
