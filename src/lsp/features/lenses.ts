import type { CodeLens } from 'vscode-languageserver/node';
import type { Section } from '../../syntax/markdown.ts';
import { counted } from '../../text/units.ts';
import type { Analysis } from './analysis.ts';

/** The number of open questions and errors above each part and endpoint that has some. */
export function lensesOf({ uri, compiled, positions }: Analysis): CodeLens[] {
  const { blocks, findings, endpoints } = compiled;
  const name = ({ heading }: Section): string => positions.text.slice(heading.from, heading.to).replaceAll('`', '');
  const states = new Map(endpoints.map((one) => [one.endpoint, one.settled]));
  const below = (sections: readonly Section[], end: number): CodeLens[] =>
    sections.flatMap((section, i) => {
      const to = sections[i + 1]?.span.from ?? end;
      const inside = findings.filter(({ span }) => span && section.span.from <= span.from && span.from < to);
      const settled = states.get(name(section));
      const title = titleOf(
        inside.map(({ severity }) => severity),
        settled,
      );
      const range = positions.range(section.heading);
      const lens = { range, command: { title, command: 'ninefold.showQuestions', arguments: [uri, range.start.line] } };
      return [...(title === '' ? [] : [lens]), ...below(section.children, to)];
    });
  return below(blocks.sections, positions.text.length);
}

function titleOf(severities: readonly string[], settled: boolean | undefined): string {
  const counts = (['error', 'question'] as const).flatMap((severity) => {
    const number = severities.filter((one) => one === severity).length;
    return number > 0 ? counted(number, severity) : [];
  });
  if (counts.length > 0) return counts.join(', ');
  return settled === false ? 'not served until a question elsewhere is answered' : '';
}
