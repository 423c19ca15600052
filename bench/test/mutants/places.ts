import { type ListedStep, readMarkdown, type Section, type Text } from '../../../src/syntax/markdown.ts';

/** A stretch of a document that states something, and what it belongs to. */
export interface Place extends Text {
  /** The statement's kind: its part, and its bullet, column or verb. */
  readonly kind: string;
  readonly form: 'heading' | 'bullet' | 'cell' | 'step';
  /** Of a cell: the row's cells by the heading of their column. */
  readonly row: Readonly<Record<string, string>>;
}

const slice = ({ source, from, to }: Text): string => source.slice(from, to);

/** Every stretch of a document that states something, in document order. The key of a bullet states nothing by itself. */
export function placesOf(source: string): Place[] {
  const { sections } = readMarkdown(source, []);
  return sections.flatMap((part) => inSection(part, partName(part))).sort((a, b) => a.from - b.from);
}

const partName = (part: Section): string => slice(part.heading).split(' ')[0] ?? '';

function inSection(section: Section, part: string): Place[] {
  const heading: Place = { ...section.heading, kind: `${part}: heading`, form: 'heading', row: {} };
  const bullets = section.bullets.map(({ key, value }): Place => {
    const name = slice(key).replace(/^(Derived|Shown|Hears of)\b.*/s, '$1');
    return { ...value, kind: `${part}: ${name}`, form: 'bullet', row: {} };
  });
  const cells = section.tables.flatMap(({ header, rows }) => {
    const columns = header.map((text) => slice(text).replace(/^(Payload) .*/, '$1'));
    return rows.flatMap(({ cells }) => {
      const row = Object.fromEntries(columns.map((column, i) => [column, cells[i] ? slice(cells[i]) : '']));
      const first = part === 'Limits' ? `${row.Limit}` : null;
      return cells.map(
        (cell, i): Place => ({ ...cell, kind: `${part}: ${first ?? columns[i] ?? ''}`, form: 'cell', row }),
      );
    });
  });
  const steps = section.steps.flatMap((step) => stepPlaces(step, part));
  return [heading, ...bullets, ...cells, ...steps, ...section.children.flatMap((child) => inSection(child, part))];
}

function stepPlaces(step: ListedStep, part: string): Place[] {
  const verb = /^(Remove every|For each|[A-Z][a-z]*)/.exec(slice(step.text))?.[1] ?? '';
  const place: Place = { ...step.text, kind: `${part}: ${verb}`, form: 'step', row: {} };
  return [place, ...step.children.flatMap((child) => stepPlaces(child, part))];
}
