import { type Compiled, compile } from '../../src/compiler/compile.ts';
import { sectionsIn } from '../../src/compiler/read/units.ts';
import type { Finding } from '../../src/syntax/diagnostic.ts';
import { type ListedStep, readMarkdown, type Text } from '../../src/syntax/markdown.ts';
import type { Mark } from '../../src/syntax/phrase.ts';

/** A statement that ends after one of its tokens, and what stood behind it in the document. */
export interface Cut {
  /** Where the statement ends, as `line:column`. */
  readonly at: string;
  /** The statement up to there. */
  readonly before: string;
  readonly next: string;
  readonly role: Mark['role'];
  /** What is said of what is not understood there; null where the shorter statement is understood. */
  readonly offered: string | null;
  /** Whether what stood there, or its kind, is among what is offered. */
  readonly helps: boolean;
}

/** Some statements of a document, or all, each cut after each of its tokens. */
export function cutsOf(
  name: string,
  source: string,
  some: (statements: readonly Statement[]) => readonly Statement[] = (all) => all,
): Cut[] {
  const settled = compile(name, source);
  const marks = [...settled.marks].sort((a, b) => a.from - b.from || b.to - a.to);
  return some(statementsIn(source)).flatMap(({ text, first, inTable }) => {
    const within = marks.filter((mark) => mark.from >= first && mark.to <= text.to);
    const outer = within.filter(
      (mark, i) => i === 0 || mark.from >= Math.max(...within.slice(0, i).map((one) => one.to)),
    );
    return outer.flatMap((mark) => (mark.from > text.from ? [cut(settled, text, mark, inTable)] : []));
  });
}

interface Statement {
  readonly text: Text;
  /** Where the first token that may be missing begins. */
  readonly first: number;
  readonly inTable: boolean;
}

function statementsIn(source: string): Statement[] {
  const { sections } = readMarkdown(source, []);
  const all = sections.flatMap(sectionsIn);
  const steps = (list: readonly ListedStep[]): Text[] =>
    list.flatMap(({ text, children }) => [text, ...steps(children)]);
  return [
    ...all.flatMap(({ bullets }) =>
      bullets.map(({ key, value }) => ({ text: { ...value, from: key.from }, first: value.from, inTable: false })),
    ),
    ...all.flatMap((section) => steps(section.steps).map((text) => ({ text, first: text.from, inTable: false }))),
    ...all.flatMap(({ tables }) =>
      tables.flatMap(({ rows }) =>
        rows.flatMap(({ cells }) => cells.map((text) => ({ text, first: text.from, inTable: true }))),
      ),
    ),
  ];
}

function cut(settled: Compiled, text: Text, mark: Mark, inTable: boolean): Cut {
  const source = text.source;
  // Inline code is cut before the backquotes that it begins with.
  const before = source.slice(text.from, mark.from);
  const ticks = before.split('`').length % 2 ? 0 : (/`*$/.exec(before)?.[0].length ?? 0);
  const end = source.slice(0, mark.from - ticks).trimEnd().length;
  const compiled = compile(settled.name, source.slice(0, end) + (inTable ? ' ' : '') + source.slice(text.to));
  const here = compiled.findings.filter(
    ({ span, effects }) =>
      effects.includes('hides a statement') && span && span.from >= text.from && span.to <= end + 1,
  );
  const offered = here.length ? here.map(said).join('\n') : null;
  const { line, column } = settled.lines.position(end);
  const next = source.slice(mark.from, mark.to);
  return {
    at: `${line}:${column}`,
    before: source.slice(text.from, end),
    next,
    role: mark.role,
    offered,
    helps: offered === null || names(offered, next, mark.role),
  };
}

const said = ({ message, why, suggestion }: Finding): string => [message, why, suggestion].filter(Boolean).join('\n');

/** What a message calls each kind of what stands at a place that holds no word of the language. */
const KINDS: Readonly<Record<Mark['role'], RegExp>> = {
  word: /(?!)/,
  use: /\b(?:resource|field|code|view|scope|event|transition|parameter|state|scheme|endpoint|handler|row|version|moment|limit|name|member|type|action|column|condition|step|column of errors|payload)s?\b/,
  declaration: /\bname\b|\bvalue\b|`/,
  value: /\d|`|“none”|\b(?:number|length of time|date|pattern|value|text|size)\b/,
  expression: /inline code|expression|`/,
  free: /text|words|sentence|title/,
};

function names(offered: string, next: string, role: Mark['role']): boolean {
  if (role === 'word' && !/^[,;:.]$/.test(next))
    return new RegExp(`(?<![\\p{L}\\d])${next.replace(/[^\p{L}\p{N}_-]/gu, '\\$&')}(?![\\p{L}\\d])`, 'u').test(offered);
  if (role === 'word') return new RegExp(`[\\w“\`]\\${next}`).test(offered);
  return KINDS[role].test(offered);
}
