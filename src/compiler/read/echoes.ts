import type { Finding, Statement } from '../syntax/diagnostic.ts';
import type { Blocks, ListedStep, Section } from '../syntax/markdown.ts';
import type { LineIndex, Span } from '../syntax/span.ts';
import type { Reading } from './reading.ts';

/** What a statement goes by, as a key. */
const keyOf = ({ kind, name }: Statement): string => `${kind} ${name}`;

/** The statements of a document, by the line that each begins on. */
function statementsOf(blocks: Blocks, lines: LineIndex): ReadonlyMap<number, Statement> {
  const out = new Map<number, Statement>();
  const note = (kind: Statement['kind'], at: Span, name: string): void => {
    out.set(lines.position(at.from).line, { kind, name: name.split(' ').filter(Boolean).join(' ') });
  };
  const text = ({ from, to }: Span): string => blocks.source.slice(from, to);
  const steps = (list: readonly ListedStep[]): void => {
    for (const one of list) {
      const [verb = ''] = text(one.text).split(' ');
      note('step', one.span, verb);
      steps(one.children);
    }
  };
  const within = ({ bullets, tables, steps: listed, children }: Section): void => {
    for (const { key, span } of bullets) note('bullet', span, text(key));
    for (const { header, rows } of tables)
      for (const [first] of [header, ...rows.map(({ cells }) => cells)]) if (first) note('row', first, text(first));
    steps(listed);
    children.forEach(within);
  };
  blocks.sections.forEach(within);
  return out;
}

/**
 * One mistake is one finding: what can’t be read isn’t asked for as well, and neither is all that comes after what
 * hides it. `parts` are the headings of the parts, and `read` what reading could make of the document.
 */
export function withoutEchoes(
  blocks: Blocks,
  lines: LineIndex,
  findings: readonly Finding[],
  parts: ReadonlyMap<string, Span>,
  read: Reading,
): Finding[] {
  const unread = findings.filter(({ standing }) => standing === 'unread');
  if (unread.length) return unread;
  return once(
    lines,
    withoutConsequences(lines, withoutQuestions(statementsOf(blocks, lines), lines, findings), parts, read),
  );
}

/** What can’t be read isn’t asked for as well. */
function withoutQuestions(
  statements: ReadonlyMap<number, Statement>,
  lines: LineIndex,
  findings: readonly Finding[],
): Finding[] {
  const broken = new Set<string>();
  for (const { span, severity, standing, effects, found, suggestion } of findings) {
    if (!span || (severity !== 'error' && standing !== 'blank')) continue;
    const statement = statements.get(lines.position(span.from).line);
    if (!statement) continue;
    broken.add(keyOf(statement));
    // What it would be with the word that is meant.
    if (effects.includes('hides a statement') && found !== null && suggestion)
      broken.add(keyOf({ ...statement, name: statement.name.replace(found, suggestion) }));
  }
  return findings.filter(
    ({ severity, standing, effects, asks }) =>
      severity === 'error' ||
      (standing === 'blank' && !effects.includes('hides cells')) ||
      asks === null ||
      !broken.has(keyOf(asks)),
  );
}

/**
 * What follows from a statement that isn’t understood is no finding of its own: a name that stands in it may be declared
 * there, what nothing uses may be used there, and what a part doesn’t say may be said by a bullet of it.
 */
function withoutConsequences(
  lines: LineIndex,
  findings: readonly Finding[],
  parts: ReadonlyMap<string, Span>,
  read: Reading,
): readonly Finding[] {
  if (!read.unread && read.statements.length === 0) return findings;
  const at = new Set(read.statements.map(({ from }) => lines.position(from).line));
  const words = new Set([...at].flatMap((line) => lines.line(line).match(/[\w-]+/g) ?? []));
  const silent = [...parts].flatMap(([part, heading]) => (read.parts.has(heading.from) ? part : []));
  return findings.filter(({ effects, part, severity, standing, span, found }) => {
    if (standing === 'idle' || effects.includes('may be answered unread')) return false;
    if (severity === 'question') return !silent.includes(part);
    return (
      !effects.includes('names a stranger') ||
      found === null ||
      !words.has(found) ||
      at.has(lines.position(span?.from ?? 0).line)
    );
  });
}

/** The lines that are told of where a name that nothing declares is used more than once. */
const MOST_LINES = 5;

/**
 * A name that nothing declares is one mistake, however often it is used, and so is a column that repeats what its blank
 * cells mean: it is told of where it first stands.
 */
function once(lines: LineIndex, findings: readonly Finding[]): Finding[] {
  const same = new Map<string, Finding[]>();
  const keyFor = ({ code, effects, span, message }: Finding): string | null =>
    span && (effects.includes('names a stranger') || effects.includes('told once')) ? `${code} ${message}` : null;
  for (const finding of findings) {
    const key = keyFor(finding);
    const list = key === null ? undefined : same.get(key);
    if (list) list.push(finding);
    else if (key !== null) same.set(key, [finding]);
  }
  return findings.flatMap((finding) => {
    const key = keyFor(finding);
    if (key === null) return finding;
    const all = same.get(key);
    same.delete(key);
    return all ? merged(lines, all) : [];
  });
}

function merged(lines: LineIndex, all: readonly Finding[]): Finding[] {
  const [first, ...others] = [...all].sort((a, b) => (a.span?.from ?? 0) - (b.span?.from ?? 0));
  if (!first || others.length === 0) return [...all];
  const at = new Set(others.map(({ span }) => lines.position(span?.from ?? 0).line));
  at.delete(lines.position(first.span?.from ?? 0).line);
  const everywhere = all.some(({ endpoints }) => endpoints === null);
  const endpoints = everywhere ? null : [...new Set(all.flatMap((one) => one.endpoints ?? []))];
  return [{ ...first, endpoints, message: `${first.message}${also([...at])}` }];
}

function also(at: readonly number[]): string {
  if (at.length === 0) return '';
  const listed = at.slice(0, MOST_LINES).join(', ');
  const more = at.length > MOST_LINES ? ` and ${at.length - MOST_LINES} others` : '';
  return ` (Also in ${at.length === 1 ? 'line' : 'lines'} ${listed}${more}.)`;
}
