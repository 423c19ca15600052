import type { Blocks, ListedStep, Section, Text } from '../../syntax/markdown.ts';
import { lastUpTo, type Span } from '../../syntax/span.ts';

/** A part of the document that is read as a unit: other findings in it may follow from one mistake. */
export interface Unit extends Span {
  readonly kind: 'heading' | 'bullet' | 'row' | 'step' | 'prose';
  /** The innermost section that contains the unit. */
  readonly section: Section;
  /** The first cell of a row. */
  readonly first: Text | null;
}

/** Finds the unit of a document in which a place lies. */
export class Units {
  private readonly all: readonly Unit[];
  private readonly starts: readonly number[];
  private readonly sections: readonly Section[];
  private readonly headings: readonly number[];

  constructor(blocks: Blocks) {
    this.sections = blocks.sections.flatMap(sectionsIn);
    this.headings = this.sections.map(({ heading }) => heading.from);
    this.all = this.sections.flatMap(unitsOf).sort((a, b) => a.from - b.from);
    this.starts = this.all.map(({ from }) => from);
  }

  /** The unit at a place. */
  at({ from }: Span): Unit | null {
    const unit = this.all[lastUpTo(this.starts, from)];
    return unit && from <= unit.to ? unit : null;
  }

  /** The innermost section at a place, and where the next one begins. */
  section({ from }: Span): { readonly section: Section | null; readonly next: number } {
    const i = lastUpTo(this.headings, from);
    return { section: this.sections[i] ?? null, next: this.headings[i + 1] ?? Number.POSITIVE_INFINITY };
  }
}

/** A section with all below it. */
export const sectionsIn = (section: Section): Section[] => [section, ...section.children.flatMap(sectionsIn)];

function unitsOf(section: Section): Unit[] {
  const { heading, bullets, tables, steps, paragraphs, indented } = section;
  const unit = (kind: Unit['kind'], { from, to }: Span, first: Text | null = null): Unit => ({
    kind,
    from,
    to,
    section,
    first,
  });
  const stepsIn = (list: readonly ListedStep[]): Unit[] =>
    list.flatMap((step) => [unit('step', step.span), ...stepsIn(step.children)]);
  return [
    unit('heading', heading),
    ...bullets.map(({ span }) => unit('bullet', span)),
    ...tables.flatMap(({ rows }) => rows.map(({ span, cells: [first] }) => unit('row', span, first))),
    ...stepsIn(steps),
    ...[...paragraphs, ...indented].map((text) => unit('prose', text)),
  ];
}
