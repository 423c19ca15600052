import type { Finding } from '../../syntax/diagnostic.ts';
import type { Span } from '../../syntax/span.ts';
import type { Declared } from './declared.ts';

/** The steps that may answer a question about missing ones, with the names of the document. */
export function stepTexts({ code }: Finding, heading: Span, title: string, declared: Declared): string[] {
  const named = declared.namedAt(heading);
  switch (code) {
    case 'endpoints/no-answer':
    case 'endpoints/no-answer-there':
      return named
        .toReversed()
        .flatMap(({ name, verb }) => [
          ...(verb === 'Issue' ? [`1. Answer 201 with ${name}: \`${name}\`.`] : []),
          `1. Answer ${verb === 'Create' ? 201 : 200} with \`${name}\`.`,
        ]);
    case 'endpoints/under-empty':
      return findsOf(title, declared);
    default:
      return changesOf(['moved', ...named.map(({ name }) => name)], declared);
  }
}

/** A Find of each resource by the last parameter of a path. */
function findsOf(path: string, { identities, codes }: Declared): string[] {
  const [parameter] = [...path.matchAll(/\{([^}]+)\}/g)].at(-1)?.slice(1) ?? [];
  return identities.flatMap((identity) => {
    const [resource = '', field] = identity.split('.');
    const row = resource.charAt(0).toLowerCase() + resource.slice(1);
    return codes.map(
      (code) => `1. Find \`${row}\`: ${resource} where \`${field} == path.${parameter}\`, else ${code}.`,
    );
  });
}

/** Changes of rows: each transition, and removal. */
const changesOf = (rows: readonly string[], { transitions }: Declared): string[] =>
  rows.flatMap((row) => [
    ...transitions.map((transition) => `1. Move \`${row}\` by ${transition}.`),
    `1. Remove \`${row}\`.`,
  ]);
