import type { Finding, Statement } from '../../syntax/diagnostic.ts';
import type { Blocks, ListedStep, Section } from '../../syntax/markdown.ts';
import type { LineIndex, Span } from '../../syntax/span.ts';
import type { Reading } from './reading.ts';
import type { Unit, Units } from './units.ts';

/** The key of a statement in maps. */
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
 * Removes findings that follow from others: questions for statements that can't be read, and all findings behind a
 * mistake that hides the text after it. `parts` are the headings of the parts, and `read` is the result of reading.
 */
export function withoutEchoes(
  blocks: Blocks,
  units: Units,
  lines: LineIndex,
  findings: readonly Finding[],
  parts: ReadonlyMap<string, Span>,
  read: Reading,
): Finding[] {
  const unread = findings.filter(({ standing }) => standing === 'unread');
  if (unread.length) return unread;
  const kept = withoutEmptied(findings, parts);
  const reaches = reachesOf(blocks);
  const headed = withoutMisnamed(withoutHeadings(units, kept, read));
  const reachOf = (at: Span): Reach => reaches(units.section(at).section);
  const asked = withoutQuestions(statementsOf(blocks, lines), reachOf, lines, withoutUnits(units, headed));
  return once(lines, withoutConsequences(units, lines, asked, parts, read));
}

/**
 * Keeps only the findings of reading where a heading of the third level has a name that nothing declares: statements
 * below such a heading use names that then seem unused elsewhere.
 */
function withoutHeadings(units: Units, findings: readonly Finding[], read: Reading): readonly Finding[] {
  const wrong = findings.filter(
    ({ effects, span }) => span && effects.includes('names a stranger') && isHeading(units.at(span)),
  );
  if (wrong.length === 0) return findings;
  const kept = new Set([...wrong.map(({ message }) => message), ...read.findings.map(({ message }) => message)]);
  return findings.filter(({ message }) => kept.has(message));
}

const isHeading = (unit: Unit | null): boolean => unit?.kind === 'heading' && unit.section.level === 3;

/**
 * Removes findings in a part that is said to have nothing and has something, and findings of unused names: they follow
 * from that.
 */
function withoutEmptied(findings: readonly Finding[], parts: ReadonlyMap<string, Span>): readonly Finding[] {
  const headings = [...parts].sort(([, a], [, b]) => a.from - b.from);
  const emptied = findings.flatMap(({ effects, span }) =>
    span && effects.includes('empties a part')
      ? (headings.findLast(([, { from }]) => from <= span.from)?.[0] ?? [])
      : [],
  );
  if (emptied.length === 0) return findings;
  return findings.filter(
    ({ part, standing }) => standing === 'not understood' || (standing !== 'idle' && !emptied.includes(part)),
  );
}

/** Removes the findings at correct uses of a name whose declaration has characters that a name cannot have. */
function withoutMisnamed(findings: readonly Finding[]): readonly Finding[] {
  const misnamed = new Set(
    findings.flatMap(({ effects, found }) => (effects.includes('misnames') ? (found ?? []) : [])),
  );
  return misnamed.size ? findings.filter(({ suggestion }) => !misnamed.has(suggestion ?? '')) : findings;
}

/**
 * Removes other findings at a place that is not understood, and questions that its bullet, row or step may answer. A
 * blank cell is a mistake of its own, unless the row names nothing.
 */
function withoutUnits(units: Units, findings: readonly Finding[]): readonly Finding[] {
  const places = new Set<number>();
  const broken = new Set<Unit>();
  const nameless = new Set<Unit>();
  for (const { span, standing, effects } of findings) {
    if (!span || standing !== 'not understood') continue;
    if (effects.length) places.add(span.from);
    const unit = units.at(span);
    const misread = effects.includes('hides a statement');
    if (unit && unit.kind !== 'heading' && (misread || unit.kind === 'row')) broken.add(unit);
    if (unit?.first && span.from <= unit.first.to) nameless.add(unit);
  }
  return findings.filter(({ span, standing }) => {
    if (!span || standing === 'not understood') return true;
    const unit = units.at(span);
    if (standing === 'blank') return !unit || !nameless.has(unit);
    return !places.has(span.from) && (standing !== 'unsaid' || !unit || !broken.has(unit));
  });
}

/** Scope of a statement that can’t be read: one resource or endpoint, or a whole part and beyond. */
type Reach = Section | 'everywhere';

/** The section of a resource, an endpoint or the like that each section belongs to. */
function reachesOf(blocks: Blocks): (section: Section | null) => Reach {
  const owners = new Map<Section, Section>();
  const within = (section: Section, owner: Section | null): void => {
    const own = owner ?? (section.level === 3 ? section : null);
    if (own) owners.set(section, own);
    for (const child of section.children) within(child, own);
  };
  for (const section of blocks.sections) within(section, null);
  return (section) => (section && owners.get(section)) ?? 'everywhere';
}

/** Removes questions that a statement which can't be read may answer. */
function withoutQuestions(
  statements: ReadonlyMap<number, Statement>,
  reachOf: (at: Span) => Reach,
  lines: LineIndex,
  findings: readonly Finding[],
): Finding[] {
  const broken = new Map<string, Set<Reach>>();
  const note = (statement: Statement, reach: Reach): void => {
    const known = broken.get(keyOf(statement));
    if (known) known.add(reach);
    else broken.set(keyOf(statement), new Set([reach]));
  };
  for (const { span, severity, standing, effects, found, suggestion } of findings) {
    if (!span || (severity !== 'error' && standing !== 'blank')) continue;
    if (effects.includes('misplaces a statement') && found !== null)
      for (const kind of ['bullet', 'row'] as const) note({ kind, name: found }, 'everywhere');
    const statement = statements.get(lines.position(span.from).line);
    if (!statement) continue;
    const reach = effects.includes('misplaces a statement') ? 'everywhere' : reachOf(span);
    note(statement, reach);
    // The name with the suggested word in place of the unknown one, or without the unknown one.
    if (effects.includes('hides a statement') && found !== null)
      note({ ...statement, name: statement.name.replace(found, () => suggestion ?? '').trim() }, reach);
  }
  const isBroken = (asked: Statement, span: Span | null): boolean => {
    const reached = broken.get(keyOf(asked));
    if (!reached) return false;
    const reach = span ? reachOf(span) : 'everywhere';
    return reach === 'everywhere' || reached.has('everywhere') || reached.has(reach);
  };
  return findings.filter(
    ({ severity, standing, effects, asks, span }) =>
      severity === 'error' ||
      (standing === 'blank' && !effects.includes('hides cells')) ||
      asks === null ||
      !isBroken(asks, span),
  );
}

/**
 * Removes findings that follow from a statement which isn’t understood: the statement may declare a name that it
 * contains, use a name that seems unused, and state a fact that the part lacks.
 */
function withoutConsequences(
  units: Units,
  lines: LineIndex,
  findings: readonly Finding[],
  parts: ReadonlyMap<string, Span>,
  read: Reading,
): readonly Finding[] {
  if (!read.unread && read.statements.length === 0) return findings;
  const at = new Set(read.statements.map(({ from }) => lines.position(from).line));
  const words = new Set([...at].flatMap((line) => lines.line(line).match(/[\w-]+/g) ?? []));
  const among = (places: ReadonlySet<number>): string[] =>
    [...parts].flatMap(([part, heading]) => (places.has(heading.from) ? part : []));
  const silent = among(read.parts);
  const rowless = among(read.rows);
  return findings.filter(({ effects, part, severity, standing, span, found, asks }) => {
    if (standing === 'idle' || effects.includes('may be answered unread')) return false;
    if (asks?.kind === 'row' && rowless.includes(part)) return false;
    if (asks?.kind === 'step' && span && read.steps.has(units.at(span)?.section.heading.from ?? -1)) return false;
    if (severity === 'question') return !silent.includes(part);
    return (
      !effects.includes('names a stranger') ||
      found === null ||
      !words.has(found) ||
      at.has(lines.position(span?.from ?? 0).line)
    );
  });
}

/** The most lines listed in the finding about a name that nothing declares and that is used more than once. */
const MOST_LINES = 5;

/**
 * Merges repeated findings into one at the first place: a name that nothing declares is one mistake, however often it
 * is used, and so is a column that repeats the meaning of its blank cells.
 */
function once(lines: LineIndex, findings: readonly Finding[]): Finding[] {
  const same = new Map<string, Finding[]>();
  const keyFor = ({ code, effects, span, message, owner, found }: Finding): string | null => {
    if (!span || !(effects.includes('names a stranger') || effects.includes('told once'))) return null;
    return owner === null ? `${code} ${message}` : `${owner} ${found}`;
  };
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
  const related = others.flatMap(({ span }) => span ?? []);
  return [{ ...first, endpoints, related, message: `${first.message}${also([...at])}` }];
}

function also(at: readonly number[]): string {
  if (at.length === 0) return '';
  const listed = at.slice(0, MOST_LINES).join(', ');
  const left = at.length - MOST_LINES;
  const more = left > 0 ? ` and ${left} ${left === 1 ? 'other' : 'others'}` : '';
  return ` (Also in ${at.length === 1 ? 'line' : 'lines'} ${listed}${more}.)`;
}
