import { type ListedStep, readMarkdown } from '../../../src/syntax/markdown.ts';
import { LineIndex } from '../../../src/syntax/span.ts';
import { sections } from '../../../test/fixtures.ts';
import { type Choice, type Edit, each, edit } from './edit.ts';
import type { Place } from './places.ts';

/** Each bullet, row, filled cell, step and endpoint left out; each two steps that follow each other in each other’s place. */
export function whole(source: string, places: readonly Place[]): Choice[] {
  const kindAt = (from: number): string => places.find((one) => one.from <= from && from <= one.to)?.kind ?? '';
  const lines = ({ from, to }: { from: number; to: number }): { from: number; to: number } => {
    const end = source.indexOf('\n', to);
    return { from: source.lastIndexOf('\n', from - 1) + 1, to: end < 0 ? source.length : end + 1 };
  };
  const without = (kind: string, span: { from: number; to: number }): Edit => {
    const { from, to } = lines(span);
    return edit(kind, 'left out', from, to, '');
  };
  const stepEdits = (steps: readonly ListedStep[]): Edit[] =>
    steps.flatMap((step, i) => {
      const next = steps[i + 1];
      const own = without(kindAt(step.text.from), { from: step.span.from, to: endOf(step) });
      return [own, ...(next ? [swapped(source, kindAt(step.text.from), step, next)] : []), ...stepEdits(step.children)];
    });
  const edits = sections(readMarkdown(source, [])).flatMap((section) => [
    ...(source.slice(section.heading.from, section.heading.to).startsWith('`')
      ? [edit('Endpoints: heading', 'left out', lines(section.heading).from, lines(section.span).to, '')]
      : []),
    ...section.bullets.map(({ span, value }) => without(kindAt(value.from), span)),
    ...section.tables.flatMap(({ rows }) =>
      rows.flatMap(({ span, cells }) => [
        without(kindAt(cells[0]?.from ?? span.from), span),
        ...cells
          .filter(({ from, to }) => from < to)
          .map(({ from, to }) => edit(kindAt(from), 'blanked', from, to, ' ')),
      ]),
    ),
    ...stepEdits(section.steps),
  ]);
  return each(edits);
}

const endOf = (step: ListedStep): number =>
  step.children.reduce((to, child) => Math.max(to, endOf(child)), step.span.to);

/** Two steps in each other’s place; each keeps its number, since only the order of a list says what comes first. */
function swapped(source: string, kind: string, one: ListedStep, other: ListedStep): Edit {
  const text = (step: ListedStep): { from: number; to: number; by: string } => {
    const span = { from: step.text.from, to: endOf(step) };
    return { ...span, by: source.slice(span.from, span.to) };
  };
  const [first, second] = [text(one), text(other)];
  return {
    kind,
    how: 'order of steps',
    stretches: [
      { from: first.from, to: first.to, by: second.by },
      { from: second.from, to: second.to, by: first.by },
    ],
  };
}

/** The lines of a document that a change concerns, as people count them. */
export function linesOf(source: string, { stretches }: Edit): number[] {
  const index = new LineIndex(source);
  return [...new Set(stretches.map(({ from }) => index.position(from).line))];
}
