import type { Finding } from '../../syntax/diagnostic.ts';
import type { Blocks, Section, Table, Text } from '../../syntax/markdown.ts';
import { language } from '../../syntax/messages.ts';
import { lastUpTo, type Span } from '../../syntax/span.ts';
import { sectionsIn, type Unit, type Units } from './units.ts';

/** The result of reading a document: its findings, and where statements are not understood. */
export interface Reading {
  readonly findings: readonly Finding[];
  /** Whether tables, or whole sections, are unread: other findings may follow from that. */
  readonly unread: boolean;
  /** The statements that are not understood. */
  readonly statements: readonly Span[];
  /**
   * The offsets of the headings of parts that have a bullet that is not understood: the bullet may be the one that the
   * part seems to lack.
   */
  readonly parts: ReadonlySet<number>;
  /** The offsets of headings below which a table row names nothing; in `steps`, a step is not understood. */
  readonly rows: ReadonlySet<number>;
  readonly steps: ReadonlySet<number>;
}

/** Merges the findings of reading that have one cause. */
export function reading(blocks: Blocks, units: Units, findings: readonly Finding[]): Reading {
  const none = {
    unread: false,
    statements: [],
    parts: new Set<number>(),
    rows: new Set<number>(),
    steps: new Set<number>(),
  };
  if (!findings.some(({ span }) => span !== null)) return { findings: [...findings], ...none };
  const tables = blocks.sections.flatMap(sectionsIn).flatMap((section) => section.tables);
  const first = withoutFollowing(blocks, units, withoutWholeRows(units, findings));
  const { told, unread } = withoutHeadings(blocks, withoutColumns(tables, first));
  const statements = told.flatMap(({ effects, span }) => (span && effects.includes('hides a statement') ? span : []));
  const { parts, rows, steps } = none;
  for (const span of statements) {
    const unit = units.at(span);
    const section = unit?.section ?? units.section(span).section;
    if (!section) continue;
    if (unit?.kind !== 'row' && section.level === 2) parts.add(section.heading.from);
    if (unit?.first && span.from <= unit.first.to) rows.add(section.heading.from);
    if (unit?.kind === 'step' || unit?.kind === 'prose' || !unit) steps.add(section.heading.from);
  }
  return {
    findings: told,
    unread: unread || told.some(({ effects }) => effects.includes('hides cells')),
    statements,
    parts,
    rows,
    steps,
  };
}

/**
 * Removes findings of missing cells, unless another cell of the row is not understood: a row may omit blank cells at
 * its end.
 */
function withoutWholeRows(units: Units, findings: readonly Finding[]): readonly Finding[] {
  const short = findings.filter(({ code }) => code === 'language/fewer-cells');
  if (short.length === 0) return findings;
  const unitOf = ({ span }: Finding): Unit | null => span && units.at(span);
  const misread = new Set(findings.filter(({ effects }) => effects.includes('hides a statement')).map(unitOf));
  const harmless = new Set(short.filter((finding) => !misread.has(unitOf(finding))));
  return findings.filter((finding) => !harmless.has(finding));
}

/**
 * Keeps the first finding of each place, and of each bullet that is not understood. Drops findings below a heading that
 * Markdown reads as text, since the text was meant for another section, and in a row with a cell too many, since its
 * cells are in wrong columns.
 */
function withoutFollowing(blocks: Blocks, units: Units, findings: readonly Finding[]): readonly Finding[] {
  const headings: Array<readonly [number, number]> = [];
  const divided = new Map<Unit, Finding>();
  const firsts = new Map<Unit | number, Finding>();
  for (const finding of findings) {
    const { span, effects } = finding;
    if (!span) continue;
    const unit = units.at(span);
    if (effects.includes('hides cells')) {
      if (/^[#＃]$/.test(blocks.source.charAt(span.from))) headings.push([span.to, units.section(span).next]);
      if (unit?.kind === 'row') divided.set(unit, finding);
    }
    const key = keyOf(blocks.source, finding, unit);
    const first = key === null ? undefined : firsts.get(key)?.span;
    if (key !== null && (!first || span.from < first.from)) firsts.set(key, finding);
  }
  headings.sort(([a], [b]) => a - b);
  const from = headings.map(([at]) => at);
  return findings.filter((finding) => {
    const { span } = finding;
    if (!span) return true;
    const unit = units.at(span);
    const heading = headings[lastUpTo(from, span.from)];
    if (heading && span.from < heading[1]) return false;
    const row = unit && divided.get(unit);
    if (row) return row === finding;
    const key = keyOf(blocks.source, finding, unit);
    return key === null || firsts.get(key) === finding;
  });
}

/**
 * The key by which findings of reading are merged: the bullet, the line that looks like a statement, or else the place.
 */
function keyOf(source: string, { code, effects, span, standing }: Finding, unit: Unit | null): Unit | number | null {
  if (unit?.kind === 'bullet' && effects.includes('hides a statement')) return unit;
  if (!span || standing !== 'not understood') return null;
  return code === 'language/looks-like' ? source.lastIndexOf('\n', span.from) + 1 : span.from;
}

/**
 * Merges findings of consecutive headings that are not understood: their one cause is a heading above them at another
 * level.
 */
function withoutHeadings(blocks: Blocks, findings: readonly Finding[]): { told: readonly Finding[]; unread: boolean } {
  const wrong = findings.flatMap(({ effects, span }) => (span && effects.includes('hides a section') ? span.from : []));
  const runs = unreadHeadings(
    blocks.sections,
    wrong.sort((a, b) => a - b),
  );
  const headings = runs.flat();
  const starts = headings.map(({ from }) => from);
  const after = new Map(runs.flatMap(([first, ...others]) => (first ? [[first, others.length] as const] : [])));
  const kept = findings.flatMap((finding) => {
    const heading =
      finding.span && finding.effects.includes('hides a section') && headings[lastUpTo(starts, finding.span.from)];
    if (!heading || !finding.span || finding.span.from > heading.to) return finding;
    const more = after.get(heading);
    if (more === undefined) return [];
    const others = more === 1 ? 'the heading' : `${more} headings`;
    return more ? { ...finding, message: `${finding.message} (And ${others} after it.)` } : finding;
  });
  return { told: kept, unread: runs.length > 0 };
}

/** The headings that are not understood, in runs of consecutive headings; `wrong` has the places of the findings. */
function unreadHeadings(siblings: readonly Section[], wrong: readonly number[]): Text[][] {
  const runs: Text[][] = [];
  let run: Text[] | null = null;
  for (const { heading, children } of siblings) {
    if ((wrong[lastUpTo(wrong, heading.to)] ?? -1) < heading.from) {
      run = null;
      runs.push(...unreadHeadings(children, wrong));
      continue;
    }
    if (run === null) runs.push([]);
    run = runs.at(-1) ?? null;
    run?.push(heading);
  }
  return runs;
}

/**
 * Removes the other findings in a table where almost no cell of a column is understood: the column then has the wrong
 * heading, and the other findings follow from that.
 */
function withoutColumns(tables: readonly Table[], findings: readonly Finding[]): readonly Finding[] {
  const places = tables.map(({ span }) => span.from);
  const inTables = new Map<Table, Finding[]>();
  for (const finding of findings) {
    if (!finding.span) continue;
    const table = tables[lastUpTo(places, finding.span.from)];
    if (!table || finding.span.from > table.span.to) continue;
    const list = inTables.get(table);
    if (list) list.push(finding);
    else inTables.set(table, [finding]);
  }
  const replaced = new Set<Finding>();
  const added: Finding[] = [];
  for (const [table, found] of inTables) {
    const merged = found.length > 1 ? unreadCells(table, found) : [];
    if (merged.length === 0) continue;
    added.push(...merged);
    for (const finding of found) if (!isOfHeader(table, finding)) replaced.add(finding);
  }
  return added.length ? [...findings.filter((finding) => !replaced.has(finding)), ...added] : findings;
}

/** Whether a finding is about the heading of a column: such a mistake follows from no other. */
const isOfHeader = ({ header }: Table, { span }: Finding): boolean =>
  header.some(({ from, to }) => span !== null && from <= span.from && span.to <= to);

/** The findings about columns where almost no cell is understood. */
function unreadCells(table: Table, found: readonly Finding[]): Finding[] {
  const wrong = found.filter(({ effects }) => effects.includes('hides a statement'));
  const starts = new Map(wrong.flatMap((finding) => (finding.span ? [[finding.span.from, finding] as const] : [])));
  const at = [...starts.keys()].sort((a, b) => a - b);
  return table.header.flatMap((heading, i) => {
    const filled = table.rows.flatMap(({ cells }) => cells[i] ?? []).filter(({ from, to }) => from < to);
    const unread = filled.flatMap(({ from, to }) => {
      const place = at[lastUpTo(at, to)] ?? -1;
      return place >= from ? (starts.get(place) ?? []) : [];
    });
    const all = unread.length === filled.length;
    if (!unread[0] || (all ? filled.length < 2 : unread.length < 3 || unread.length <= (filled.length * 3) / 4))
      return [];
    const column = heading.source.slice(heading.from, heading.to);
    const some = all ? {} : { some: `${filled.length - unread.length}` };
    return language.report.unreadCells(heading, {
      cells: `${filled.length}`,
      ...some,
      column,
      first: unread[0].message,
    });
  });
}
