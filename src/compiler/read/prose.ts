import type { Blocks, Section } from '../../syntax/markdown.ts';
import type { Paragraphs } from '../statements/model.ts';

/** The prose below each heading: it is for people, and nothing that runs depends on it. */
export function readProse({ sections }: Blocks): Paragraphs[] {
  const below = ({ heading, paragraphs, children }: Section): Paragraphs[] => {
    const [first] = paragraphs;
    const text = paragraphs.map(({ source, from, to }) => source.slice(from, to)).join('\n\n');
    return [...(first ? [{ heading, text, span: first }] : []), ...children.flatMap(below)];
  };
  return sections.flatMap(below);
}
