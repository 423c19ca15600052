import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Compiled, compile } from '../src/compiler/compile.ts';
import type { Finding } from '../src/syntax/diagnostic.ts';
import { type Blocks, type ListedStep, readMarkdown, type Section, type Text } from '../src/syntax/markdown.ts';
import { LineIndex, type Span } from '../src/syntax/span.ts';

/** The text of a document in `examples/`, or of one that the reference quotes. */
export function example(name: string): string {
  const files = ['examples', 'docs/documents'].map((folder) => new URL(`../${folder}/${name}.md`, import.meta.url));
  return readFileSync(files.find((file) => existsSync(file))!, 'utf8');
}

/** Where an example stands, with its handlers beside it; the name of any other document as it is. */
export function fileOf(name: string): string {
  const file = new URL(`../examples/${name}`, import.meta.url);
  return existsSync(file) ? fileURLToPath(file) : name;
}

/** A whole document, and what messages call it. */
export interface Whole {
  readonly name: string;
  readonly text: string;
}

/** Every whole document of the project: those in `examples/`, and three that the reference quotes. */
export function documents(): Whole[] {
  const examples = readdirSync(new URL('../examples', import.meta.url)).filter(
    (file) => file.endsWith('.md') && file !== 'walk.md',
  );
  return [...examples, 'notes.md', 'sessions.md', 'tasks.md'].map((file) => ({
    name: file,
    text: example(file.slice(0, -3)),
  }));
}

/** A document with one contract statement removed. */
export interface Deletion {
  /** What is removed, as a person would say it. */
  readonly what: string;
  readonly line: number;
  /** The document without it. */
  readonly text: string;
  /** Where it stands. */
  readonly from: number;
  readonly to: number;
}

/** Every section of a document, with those under it. */
export function sections(blocks: Blocks): Section[] {
  const all = (section: Section): Section[] => [section, ...section.children.flatMap(all)];
  return blocks.sections.flatMap(all);
}

/**
 * The document without one statement, for each of its statements: every bullet, row, filled cell and step.
 * A cell is blanked and leaves its row's bars; the others go with the lines they stand on.
 */
export function deletions(source: string): Deletion[] {
  const lines = new LineIndex(source);
  const slice = (span: Span): string => source.slice(span.from, span.to);
  const lineOf = (span: Span): number => lines.position(span.from).line;
  const without = (from: number, to: number, by = ''): string => source.slice(0, from) + by + source.slice(to);
  const whole = (what: string, span: Span): Deletion => {
    const from = source.lastIndexOf('\n', span.from - 1) + 1;
    const end = source.indexOf('\n', span.to);
    const to = end < 0 ? source.length : end + 1;
    return { what: `${what} “${slice(span)}”`, line: lineOf(span), text: without(from, to), from, to };
  };
  const step = (one: ListedStep): Deletion[] => [
    whole('step', { from: one.span.from, to: endOf(one) }),
    ...one.children.flatMap(step),
  ];
  const cell = (text: Text, column: string): Deletion[] =>
    text.from < text.to && slice(text).trim()
      ? [
          {
            what: `cell ${column} “${slice(text)}”`,
            line: lineOf(text),
            text: without(text.from, text.to, ' '.repeat(text.to - text.from)),
            from: text.from,
            to: text.to,
          },
        ]
      : [];
  return sections(readMarkdown(source, []))
    .flatMap((section) => [
      ...section.bullets.map((bullet) => whole('bullet', bullet.span)),
      ...section.tables.flatMap((table) =>
        table.rows.flatMap((row) => [
          whole('row', row.span),
          ...row.cells.flatMap((text, i) => (table.header[i] ? cell(text, slice(table.header[i])) : [])),
        ]),
      ),
      ...section.steps.flatMap(step),
    ])
    .sort((a, b) => a.line - b.line);
}

const endOf = (step: ListedStep): number =>
  step.children.reduce((to, child) => Math.max(to, endOf(child)), step.span.to);

/** The sentence of the empty form that leaves all items of a part open. */
const NOT_SHOWN: Readonly<Record<string, string>> = {
  'What the service does': 'Purpose and domain of the service: not shown.',
  'Resources and their fields': 'Resources, fields, types, formats, and allowed values: not shown.',
  'States and transitions': 'States: not shown. Transitions: not shown.',
  Endpoints: 'Methods, path shapes, request payloads, and response payloads: not shown.',
  Authentication: 'Authentication scheme, credentials, headers, and scopes: not shown.',
  Events: 'Events, webhooks, and other notifications: not shown.',
  Errors: 'Error codes, status codes, and error payload shape: not shown.',
  Limits: 'Rate limits, size limits, and time-outs: not shown. Pagination bounds and defaults: not shown.',
  Versioning: 'Versioning scheme, current version, and deprecation policy: not shown.',
};

/**
 * The document with more than one statement left open, in each way that a writer leaves it open: a part not shown, a part
 * without text, the bullets of a section, a section, a table, a column.
 */
export function opened(source: string): Deletion[] {
  const lines = new LineIndex(source);
  const blocks = readMarkdown(source, []);
  const startOf = (at: number): number => source.lastIndexOf('\n', at - 1) + 1;
  const endOf = (at: number): number => (source.indexOf('\n', at) + 1 || source.length + 1) - 1;
  const edit = (what: string, cuts: ReadonlyArray<readonly [number, number, string?]>): Deletion => ({
    from: cuts[0]![0],
    to: cuts.at(-1)![1],
    what,
    line: lines.position(cuts[0]![0]).line,
    text: cuts.toReversed().reduce((text, [from, to, by = '']) => text.slice(0, from) + by + text.slice(to), source),
  });
  const of = (all: readonly Section[], end: number): Deletion[] =>
    all.flatMap((section, i) => {
      const next = all[i + 1];
      const to = next ? startOf(next.heading.from) : end;
      const name = source.slice(section.heading.from, section.heading.to);
      const from = endOf(section.heading.to);
      const bullets = section.bullets.map(({ span }) => [startOf(span.from), endOf(span.to) + 1] as const);
      const whole =
        section.level === 2
          ? [
              edit(`what “${name}” shows`, [[from, to, `\n\n${NOT_SHOWN[name] ?? ''}\n\n`]]),
              edit(`what is below “${name}”`, [[from, to, '\n\n']]),
            ]
          : [edit(`the section “${name}”`, [[startOf(section.heading.from), to]])];
      return [
        ...whole,
        ...(bullets.length ? [edit(`the bullets of “${name}”`, bullets)] : []),
        ...section.tables.flatMap(({ span, header, rows }) => [
          edit(`the table of “${name}”`, [[span.from, span.to]]),
          ...header.flatMap(({ from, to }, i) => {
            const cells = rows.flatMap(({ cells }) => cells[i] ?? []).filter((cell) => cell.from < cell.to);
            const blanks = cells.map((cell) => [cell.from, cell.to, ' '.repeat(cell.to - cell.from)] as const);
            return blanks.length ? [edit(`the cells under “${source.slice(from, to)}” of “${name}”`, blanks)] : [];
          }),
        ]),
        ...of(section.children, to),
      ];
    });
  return of(blocks.sections, source.length);
}

/** The inline stretches of contract: title, headings, both sides of bullets, cells, and steps. */
export function contract(source: string): Text[] {
  const blocks = readMarkdown(source, []);
  const stepTexts = (step: ListedStep): Text[] => [step.text, ...step.children.flatMap(stepTexts)];
  return [
    ...(blocks.title ? [blocks.title] : []),
    ...sections(blocks).flatMap((section) => [
      section.heading,
      ...section.bullets.flatMap((bullet) => [bullet.key, bullet.value]),
      ...section.tables.flatMap((table) => [...table.header, ...table.rows.flatMap((row) => row.cells)]),
      ...section.steps.flatMap(stepTexts),
    ]),
  ];
}

/** What stands in a document, and what takes its place. */
export type Edit = readonly [before: string, after: string];

/** A document with stretches of it replaced; each has to stand in it once. */
export function changed(source: string, ...edits: readonly Edit[]): string {
  return edits.reduce((text, [before, after]) => {
    if (text.split(before).length !== 2) throw new Error(`“${before}” does not stand in the document exactly once`);
    return text.replace(before, () => after);
  }, source);
}

/** Compiles a text and says of each finding `line:column code`. */
export function findings(source: string): string[] {
  const compiled = compile('test.md', source);
  return compiled.findings.map((finding) => `${placeOf(compiled, finding)} ${finding.code}`);
}

/** Where a finding stands, as `line:column`; `-` where no line says it. */
export function placeOf(compiled: Compiled, finding: Finding): string {
  if (!finding.span) return '-';
  const { line, column } = compiled.lines.position(finding.span.from);
  return `${line}:${column}`;
}

/** The document without one item of a list, for each list whose items are joined by commas; code and free text are left whole. */
export function shortened(source: string): Deletion[] {
  const { lines, marks } = compile('test.md', source);
  return contract(source).flatMap(({ from, to }) => {
    const commas = [
      ...source
        .slice(from, to)
        .replace(/`[^`]*`/g, (code) => ' '.repeat(code.length))
        .matchAll(/, /g),
    ]
      .map((match) => from + match.index)
      .filter((comma) => !marks.some((mark) => mark.role === 'free' && mark.from <= comma && comma < mark.to));
    return commas.map((comma, i): Deletion => {
      const end = commas[i + 1] ?? (source[to - 1] === '.' ? to - 1 : to);
      const what = `item “${source.slice(comma, end)}”`;
      const text = source.slice(0, comma) + source.slice(end);
      return { what, line: lines.position(comma).line, text, from: comma, to: end };
    });
  });
}

/** Words that have another in their place somewhere in the language, and what takes it. */
const OTHERS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\brefused\b/, 'ignored'],
  [/\bignored\b/, 'refused'],
  [/\balways\b/, 'optional'],
  [/\boptional\b/, 'always'],
  [/\btrimmed\b/, 'as sent'],
  [/\bleft out\b/, 'null'],
  [/\blatest\b/, 'earliest'],
  [/\bnot served\b/, 'as GET'],
];

/** The document with one of its numbers, or one of its words, changed: each in turn. */
export function variations({ name, text }: Whole): Whole[] {
  return contract(text).flatMap(({ from, to }) => {
    const part = text.slice(from, to);
    const numbers = [...part.matchAll(/\d+/g)].map((found): [number, string, string] => [
      found.index,
      found[0],
      String(Number(found[0]) + 1).padStart(found[0].length, '0'),
    ]);
    const words = OTHERS.flatMap(([word, other]): Array<[number, string, string]> => {
      const found = word.exec(part);
      return found ? [[found.index, found[0], other]] : [];
    });
    return [...numbers, ...words].map(([at, was, is]) => ({
      name,
      text: text.slice(0, from + at) + is + text.slice(from + at + was.length),
    }));
  });
}
