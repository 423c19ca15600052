import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { readMarkdown } from '../src/syntax/markdown.ts';
import { documents, sections } from './fixtures.ts';
import { share } from './share.ts';

/** How many documents with one mistake a run compiles, of each kind of mistake. */
const MOST = 3;

/** One mistake, and the document with it. */
interface Mistake {
  readonly at: string;
  readonly text: string;
}

/**
 * The most findings that one mistake of a kind may have. Where a column, or the word of a bullet, is gone that several
 * statements need, each of them is told of; errors may have columns of the document's own; the columns “Transition” and “From” both hold names, so that each name of
 * the one is unknown in the other.
 */
const BOUNDS: Readonly<Record<string, number>> = {
  'a column that is misspelt': 3,
  'a column that has another name': 4,
  'a column in bold': 2,
  'a column in inline code': 2,
  'a column without a name': 3,
  'all columns in bold': 3,
  'a column that is left out': 9,
  'a column too many': 2,
  'two columns that have changed places': 13,
  'a bullet that is misspelt': 7,
  'a bullet in bold': 7,
  'a bullet with another value': 9,
  'a heading that is misspelt': 9,
  'a heading that says something else': 2,
  'a heading that stands one level deeper': 9,
  'a heading that stands one level higher': 2,
  'a step that is misspelt': 2,
};

/** A word with two letters swapped, or one doubled. */
const misspelt = (word: string): string =>
  word.length > 3 ? `${word[0]}${word[2]}${word[1]}${word.slice(3)}` : `${word}${word.at(-1)}`;

/** Puts the mistakes of one document with the others. */
function collect(name: string, text: string): void {
  const lines = text.split('\n');
  const put = (kind: string, line: number, written: readonly string[]): void => {
    const changed = [...lines.slice(0, line), ...written, ...lines.slice(line + written.length)].join('\n');
    mistakes.get(kind)?.push({ at: `${name}:${line + 1} ${written[0]}`, text: changed });
  };
  for (const table of sections(readMarkdown(text, [])).flatMap((section) => section.tables)) {
    const first = text.slice(0, table.span.from).split('\n').length - 1;
    const rows = text.slice(table.span.from, table.span.to).split('\n').map(cellsOf);
    breakTable(rows, (kind, changed) => put(kind, first, changed.map(rowOf)));
  }
  for (const [i, line] of lines.entries()) breakLine(line, (kind, changed) => put(kind, i, [changed]));
}

function cellsOf(line: string): string[] {
  return line.split(/(?<!\\)\|/).slice(1, -1);
}

const rowOf = (cells: readonly string[]): string => `|${cells.join('|')}|`;

function breakTable(rows: readonly string[][], put: (kind: string, rows: readonly string[][]) => void): void {
  const [header = [], ...rest] = rows;
  const headed = (kind: string, cells: readonly string[]): void => put(kind, [[...cells], ...rest]);
  for (const [i, cell] of header.entries()) {
    const word = cell.trim();
    headed('a column that is misspelt', header.with(i, ` ${misspelt(word)} `));
    headed('a column that has another name', header.with(i, ' Zzzz '));
    headed('a column in bold', header.with(i, ` **${word}** `));
    headed('a column in inline code', header.with(i, ` \`${word}\` `));
    headed('a column without a name', header.with(i, '  '));
    put(
      'a column that is left out',
      rows.map((cells) => cells.toSpliced(i, 1)),
    );
    if (i > 0) headed('two columns that have changed places', header.with(i, header[i - 1] ?? '').with(i - 1, cell));
  }
  headed(
    'all columns in bold',
    header.map((cell) => ` **${cell.trim()}** `),
  );
  for (const at of [0, header.length])
    put(
      'a column too many',
      rows.map((cells, i) => cells.toSpliced(at, 0, [' Zzzz ', ' --- '][i] ?? ' 1 ')),
    );
}

function breakLine(line: string, put: (kind: string, line: string) => void): void {
  const [, key, value] = /^- ([A-Za-z][^:`]*)(:.*)$/.exec(line) ?? [];
  if (key !== undefined) {
    put('a bullet that is misspelt', `- ${misspelt(key)}${value}`);
    put('a bullet in bold', `- **${key}**${value}`);
    put('a bullet with another value', `- ${key}: zzzz`);
  }
  const [, marks, heading = ''] = /^(#{2,4}) (.*)$/.exec(line) ?? [];
  if (marks !== undefined) {
    const code = heading.startsWith('`') ? '`' : '';
    put('a heading that is misspelt', `${marks} ${code}${misspelt(heading.slice(code.length))}`);
    put('a heading that says something else', `${marks} Zzzz qqqq`);
    put('a heading that stands one level deeper', `#${line}`);
    put('a heading that stands one level higher', line.slice(1));
  }
  const [, number, verb, rest] = /^(\s*\d+\. )(\w+)(.*)$/.exec(line) ?? [];
  if (verb !== undefined) put('a step that is misspelt', `${number}${misspelt(verb)}${rest}`);
}

const mistakes = new Map<string, Mistake[]>(Object.keys(BOUNDS).map((kind) => [kind, []]));
for (const { name, text } of documents()) collect(name, text);

for (const [kind, all] of mistakes) {
  const { cases, which } = share(all, MOST, 8);
  test(`${kind} is one cause, and has few findings`, () => {
    const most = BOUNDS[kind] ?? 0;
    const counts = cases.map(({ at, text }) => {
      const { findings, lines } = compile('mistake.md', text);
      const unplaced = findings.filter(({ span }) => span === null);
      assert.deepEqual(unplaced, [], `${at}: findings without a place`);
      // Text in quotation marks is the document’s own.
      for (const { message, why } of findings)
        for (const said of [message, why])
          assert.doesNotMatch(said.replace(/“[^”]*”/g, '“”'), /\.\.|[,;:]\.|\s[.,]|,,/, `${at}: ${said}`);
      const said = findings.map((one) => `${lines.position(one.span?.from ?? 0).line} ${one.code} ${one.message}`);
      assert.ok(findings.length <= most, `${at}: ${findings.length} findings, at most ${most}\n${said.join('\n')}`);
      return findings.length;
    });
    counts.sort((a, b) => a - b);
    const middle = counts[counts.length >> 1];
    console.log(`${kind}: ${cases.length} (${which}); findings: half at most ${middle}, all at most ${counts.at(-1)}`);
    assert.ok((middle ?? 0) <= 2, `half of them have more than ${middle} findings`);
  });
}
