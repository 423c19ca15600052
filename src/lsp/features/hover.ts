import { type Hover, MarkupKind } from 'vscode-languageserver/node';
import { Sites } from '../../compiler/edits/sites.ts';
import { explainPlan } from '../../explain/explain.ts';
import { bulletLesson } from '../../language/bullets.ts';
import { cellLesson, TABLES } from '../../language/columns.ts';
import { BULLET_KEYS } from '../../language/keys.ts';
import type { Section } from '../../syntax/markdown.ts';
import type { Span } from '../../syntax/span.ts';
import { keysOf, ownMember } from '../../text/own-members.ts';
import type { Analysis } from './analysis.ts';
import { Names } from './names.ts';

/** The text for a place of a document: the steps of an endpoint in words, the form of a statement, the line of a name. */
export function hoverAt(analysis: Analysis, offset: number): Hover | null {
  const found = endpointAt(analysis, offset) ?? statementAt(analysis, offset);
  const declared = declarationAt(analysis, offset);
  const texts = [declared, found?.text ?? null].filter((text) => text !== null);
  if (texts.length === 0) return null;
  return {
    contents: { kind: MarkupKind.Markdown, value: texts.join('\n\n---\n\n') },
    ...(found && { range: analysis.positions.range(found.span) }),
  };
}

/** The text about a place, and the place. */
interface Found {
  readonly text: string;
  readonly span: Span;
}

/** The plan of an endpoint in words, where the place is its heading. */
function endpointAt({ compiled }: Analysis, offset: number): Found | null {
  const at = ({ span }: { readonly span: Span }): boolean => span.from - 1 <= offset && offset <= span.to + 1;
  const endpoint = compiled.model.endpoints.list.find(at);
  if (!endpoint) return null;
  const planned = compiled.plan?.endpoints.find(({ name }) => name === endpoint.name);
  const text =
    planned && compiled.plan
      ? `~~~text\n${explainPlan(compiled.plan, planned).trimEnd()}\n~~~`
      : 'This endpoint is not served: a question or an error concerns it.';
  return { text, span: endpoint.span };
}

/** How the statement at a place is written: a bullet or a cell. */
function statementAt({ compiled: { blocks } }: Analysis, offset: number): Found | null {
  const sites = new Sites(blocks);
  const section = sites.sectionsAt({ from: offset, to: offset })?.[0];
  if (!section) return null;
  const place = sites.placeOf(section);
  const bullet = section.bullets.find(({ span }) => span.from <= offset && offset <= span.to);
  if (bullet && place) {
    const written = sites.textOf(bullet.key);
    const key = BULLET_KEYS[place].find((one: string) =>
      one.endsWith(' ') ? written.startsWith(one) : one === written,
    );
    const lesson = key && bulletLesson(place, key as never);
    return lesson ? { text: escaped(lesson), span: bullet.key } : null;
  }
  return cellAt(sites, section, offset);
}

function cellAt(sites: Sites, section: Section, offset: number): Found | null {
  for (const { header, rows, span } of section.tables) {
    if (offset < span.from || span.to < offset) continue;
    const column = [header, ...rows.map(({ cells }) => cells)].flatMap((cells) =>
      cells.flatMap((cell, i) => (cell.from <= offset && offset <= cell.to ? { i, cell } : [])),
    )[0];
    const heading = column && header[column.i];
    if (!heading || !header[0]) return null;
    const first = sites.textOf(header[0]);
    const table = keysOf(TABLES).find((one) => keysOf(TABLES[one])[0] === first);
    const forms =
      table && ownMember(TABLES[table] as Readonly<Record<string, readonly string[]>>, sites.textOf(heading));
    return forms?.length
      ? { text: `**${sites.textOf(heading)}**: ${escaped(cellLesson(forms))}`, span: column.cell }
      : null;
  }
  return null;
}

/** The line on which the name at a place is declared; null at the declaration itself. */
function declarationAt(analysis: Analysis, offset: number): string | null {
  const { compiled, positions } = analysis;
  const at = new Names(analysis).declarationAt(offset);
  if (!at || (at.from <= offset && offset <= at.to)) return null;
  const { line } = compiled.lines.position(at.from);
  return `\`${positions.text.slice(at.from, at.to)}\`, declared on line ${line}:\n\n~~~text\n${compiled.lines.line(line).trim()}\n~~~`;
}

/** A text in which Markdown reads no HTML. Code has none, and shows a reference as it is written. */
const escaped = (text: string): string => text.replace(/`[^`]*`|</g, (part) => (part === '<' ? '&lt;' : part));
