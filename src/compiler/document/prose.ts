import type { Blocks, Section } from '../syntax/markdown.ts';
import type { Span } from '../syntax/span.ts';

/** What stands below a heading in paragraphs of its own, as it is written; `span` is that of the first. */
export interface Paragraphs {
  readonly heading: Span;
  readonly text: string;
  readonly span: Span;
}

/** The prose below each heading: it is for people, and nothing that runs depends on it. */
export function readProse({ sections }: Blocks): Paragraphs[] {
  const below = ({ heading, paragraphs, children }: Section): Paragraphs[] => {
    const [first] = paragraphs;
    const text = paragraphs.map(({ source, from, to }) => source.slice(from, to)).join('\n\n');
    return [...(first ? [{ heading, text, span: first }] : []), ...children.flatMap(below)];
  };
  return sections.flatMap(below);
}
