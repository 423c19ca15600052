import { compile } from '../../compiler/compile.ts';
import { Sites } from '../../compiler/edits/sites.ts';
import { METHODS } from '../../language/endpoints.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Section } from '../../syntax/markdown.ts';
import type { Analysis } from './analysis.ts';

/** A place in a document where something is about to be written, and the texts that may be behind it. */
export interface Caret {
  /** The document before the place. */
  readonly head: string;
  /** The line before the place. */
  readonly before: string;
  /** The document behind the place: as it is, and without the rest of the cell or line. */
  readonly tails: readonly string[];
  /** The document behind the place as it is, with what closes the line. */
  readonly kept: string;
  /** Whether nothing is behind the place on its line. */
  readonly isOpen: boolean;
  /** The rest of the word at the place. */
  readonly word: string;
  /** The inline code around the place; null where there is none. */
  readonly code: Code | null;
}

/** Inline code around a place. Texts of cells are without the backslashes before bars. */
interface Code {
  readonly pre: string;
  readonly post: string;
}

/**
 * The place from `from`, where a word has been begun, to `offset`. The document is without the endpoints around the place,
 * which what may be written there does not depend on: so it compiles in a fraction of the time. `isTyped`: the types of an
 * expression there are known already; without, all endpoints are kept where they decide which callers it may have.
 */
export function caretAt(analysis: Analysis, from: number, offset: number, isTyped = false): Caret {
  const { text } = analysis.positions;
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const end = lineEnd(text, offset);
  const before = text.slice(start, from);
  const word = /^[\p{L}\p{N}_:-]*/u.exec(text.slice(offset, end))?.[0].replace(/:$/, '') ?? '';
  const behind = text.slice(offset + word.length, end);
  const inTable = /^\s*\|/.test(before);
  const cell = inTable ? (/(?:\\\||[^|])*$/.exec(before)?.[0] ?? '') : before;
  const code = codeAround(cell, behind, inTable);
  const { above, below } = around(analysis, start, end, code !== null && !isTyped);
  const isStep = /^\s*\d+[.)]\s/.test(before);
  const rests = code
    ? isStep && !/[.:]\s*$/.test(code.rest)
      ? [`${code.rest}.`, `${code.rest}:`, code.rest]
      : [code.rest]
    : restsOf(behind, inTable, isStep);
  const tails = rests.flatMap((rest) => withTable(above, before, (code?.closed ?? '') + rest, below, inTable));
  const kept = withTable(above, before, code ? code.closed + code.rest : behind, below, inTable)[0]!;
  const isOpen = word === '' && /^[`"'\s)\]}.:]*$/.test(behind);
  return { head: above + before, before, tails, kept, isOpen, word, code };
}

/** The inline code around a place, with the text that closes it, and the text of the line behind it. */
function codeAround(
  cell: string,
  behind: string,
  inTable: boolean,
): (Code & { readonly closed: string; readonly rest: string }) | null {
  if ((cell.match(/`/g)?.length ?? 0) % 2 === 0) return null;
  const plain = (one: string): string => (inTable ? one.replaceAll('\\|', '|') : one);
  const pre = plain(cell.slice(cell.lastIndexOf('`') + 1));
  const [closed] = (inTable ? /^(?:\\\||[^|`])*`/ : /^[^`]*`/).exec(behind) ?? [];
  if (closed !== undefined) return { pre, post: plain(closed.slice(0, -1)), closed, rest: behind.slice(closed.length) };
  const rest = inTable ? behind.replace(/^(?:\\\||[^|])*/, '') : '';
  return { pre, post: '', closed: `${closing(pre)}\``, rest };
}

/** The signs that close the parentheses and texts that an expression opens. */
export function closing(pre: string): string {
  const open: string[] = [];
  for (let i = 0; i < pre.length; i++) {
    const sign = pre.charAt(i);
    const last = open.at(-1);
    if (last === '"' || last === "'") {
      if (sign === '\\') i++;
      else if (sign === last) open.pop();
    } else if (sign === '"' || sign === "'") open.push(sign);
    else if ('([{'.includes(sign)) open.push(')]}'.charAt('([{'.indexOf(sign)));
    else if (sign === '?') open.push(' : null');
    else if (sign === ')' || sign === ']' || sign === '}' || sign === ':') open.pop();
  }
  return open.reverse().join('');
}

/** The texts that may be behind a word on its line: what is there, without the rest of the cell or statement, and a full stop. */
function restsOf(behind: string, inTable: boolean, isStep: boolean): string[] {
  const pattern = inTable ? /^(?:`[^`\n]*`|\\\||[^`|\n])*?(?=\s*(?:\||\n|$))/ : /^[^\n]*?(?=\s*(?:\n|$))/;
  const short = behind.slice(pattern.exec(behind)?.[0].length ?? 0);
  return [...new Set([...(isStep ? ['.', ':'] : []), short, behind, `.${short}`, ` zqxjkv${short}`])];
}

/** A line of a table has as many cells as the others, and the first one has delimiters below it. */
function withTable(above: string, before: string, behind: string, below: string, inTable: boolean): string[] {
  if (!inTable) return [behind + below];
  const cells = (line: string): number => line.replaceAll(/\\\||`[^`]*`/g, '').match(/\|/g)?.length ?? 0;
  const ended = /\|\s*$/.test(behind) ? behind : `${behind} |`;
  const lines = above.split('\n').slice(0, -1);
  const header = lines.slice(lines.findLastIndex((line) => !/^\s*\|/.test(line)) + 1)[0];
  if (header !== undefined) {
    const missing = Math.max(0, cells(header) - cells(before + ended));
    const other = [/^\r?\n([ \t]*\|.*)/.exec(below)?.[1] ?? '', lines.at(-1) ?? ''].find(
      (line) => /^\s*\|[^\n]*\w/.test(line) && line !== header,
    );
    const filled =
      missing > 0 ? [other ? cellsFrom(other, cells(header) - missing) : ' `now()` |'.repeat(missing)] : [];
    return [' |'.repeat(missing), ...filled].map((more) => ended + more + below);
  }
  const delimiters = `\n|${' --- |'.repeat(Math.max(1, cells(before + ended) - 1))}`;
  const next = /^\r?\n\s*\|[\s|:-]+(?=\r?\n|$)/.exec(below)?.[0];
  return [ended + delimiters + below.slice(next?.length ?? 0)];
}

/** The end of a row from a cell on. */
function cellsFrom(row: string, cell: number): string {
  const bars = [...row.matchAll(/\\\||`[^`]*`|\|/g)].filter(([sign]) => sign === '|');
  return row.slice((bars[cell - 1]?.index ?? row.length) + 1);
}

/** The document above and below a line, without endpoints that have no effect there. */
function around({ compiled, positions: { text } }: Analysis, start: number, end: number, inCode: boolean) {
  const sites = new Sites(compiled.blocks);
  const here = sites.partAt({ from: start, to: start });
  const part = sites.part('endpoints');
  const next = compiled.blocks.sections.find(({ span }) => part && span.from > part.span.from);
  // Versions and limits name the parts of endpoints, and what endpoints share has to go with each.
  const isOwn = here === 'endpoints' && sites.sectionsAt({ from: start, to: start })?.length === 1;
  // Which callers an expression of a row may have depends on the endpoints.
  if (!part || isOwn || (inCode && here !== 'endpoints') || here === 'limits' || here === 'versioning')
    return { above: text.slice(0, start), below: text.slice(end) };
  let [above, below] = ['', ''];
  let at = 0;
  const keep = (from: number, to: number): void => {
    above += text.slice(Math.min(from, start), Math.min(to, start));
    below += text.slice(Math.max(from, end), Math.max(to, end));
  };
  const own = sites.sectionsAt({ from: start, to: start })?.find((section) => part.children.includes(section)) ?? null;
  for (const [i, section] of part.children.entries()) {
    if (section === own || !isEndpoint(sites.textOf(section.heading)) || isBelow(sites, section, own)) continue;
    const to = part.children[i + 1]?.span.from ?? next?.span.from ?? text.length;
    keep(at, section.span.from);
    at = to;
  }
  keep(at, text.length);
  return { above, below };
}

const isEndpoint = (heading: string): boolean => METHODS.some((method) => heading.startsWith(`\`${method} `));

/** Whether an endpoint has the steps of a heading `Under`. */
function isBelow(sites: Sites, endpoint: Section, own: Section | null): boolean {
  const [, path] = /^Under `([^`]*)`/.exec(own ? sites.textOf(own.heading) : '') ?? [];
  return path !== undefined && sites.textOf(endpoint.heading).includes(` ${path}`);
}

function lineEnd(text: string, offset: number): number {
  const end = /\r?\n/.exec(text.slice(offset));
  return end ? offset + end.index : text.length;
}

/** The findings of a document, also those that follow from others. */
export function findingsOf(name: string, source: string): readonly Finding[] {
  const findings: Finding[] = [];
  compile(name, source, { findings, marks: [] });
  return findings;
}

/** How many characters behind a word its statement may break off, at most. */
const FAR = 12;

/** The most words that are put behind an unfinished statement. */
const MOST_WORDS = 4;

/** The text behind a place with the words that the statement lacks behind it; none where it lacks none. */
export function finished(name: string, begun: string, tail: string): string[] {
  let more = tail;
  for (let i = 0; i < MOST_WORDS; i++) {
    const end = begun.length + more.length - tail.length;
    const missing = findingsOf(name, begun + more).find(
      ({ code, span }) => code === 'language/missing' && span && span.from >= begun.length && span.from <= end + FAR,
    );
    if (!missing?.span) break;
    const word =
      missing.legal[0] ??
      (missing.message.includes('inline code') || /a row/.test(missing.message)
        ? rowIn(begun)
        : /number|status|, from 1/.test(missing.message)
          ? '1'
          : 'zqxjkv');
    const at = missing.span.from - begun.length;
    more = `${more.slice(0, at)}${/^[,;:.]/.test(word) ? '' : ' '}${word}${more.slice(at)}`;
  }
  return more === tail ? [] : [more];
}

/** The last row that a step before the place has named, or another expression. */
function rowIn(begun: string): string {
  const section = begun.slice(Math.max(0, begun.lastIndexOf('\n#')));
  const rows = [...section.matchAll(/\b(?:Find|Create|Take) `([a-z]\w*)`/g)];
  return `\`${rows.at(-1)?.[1] ?? 'now()'}\``;
}
