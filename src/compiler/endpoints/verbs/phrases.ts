import { type Name, refuseRepeats, takeName } from '../../../syntax/names.ts';
import type { Phrase } from '../../../syntax/phrase.ts';
import type { Token } from '../../../syntax/tokens.ts';
import type { Assignment, NewRow, OrderBy } from '../../statements/endpoints.ts';

/** What several verbs take. */

export const condition = (phrase: Phrase): Token | null => phrase.code('expression', 'a condition in inline code');

/** The row that a verb is about. */
export const readRow = (phrase: Phrase): Token | null => phrase.code('use', 'the name of a row in inline code');

/** `` `x`: R `` */
export function readNamed(phrase: Phrase): { as: Token | null; resource: Name | null } {
  const as = phrase.code('declaration', 'a name in inline code');
  const resource = as && phrase.expect(':') ? takeName(phrase, 'use', 'a resource') : null;
  return { as, resource };
}

/** `` `x`: R from e with f e ``, where the name may be left out. */
export function readMaking(phrase: Phrase): NewRow | null {
  const named = phrase.peek()?.kind === 'code';
  const { as, resource } = named ? readNamed(phrase) : { as: null, resource: takeName(phrase, 'use', 'a resource') };
  if (!resource) return null;
  const from = readFrom(phrase);
  return { as, resource, from, with: phrase.take('with') ? readAssignments(phrase) : [] };
}

/** `` from `request` ``, where it stands. */
export function readFrom(phrase: Phrase): Token | null {
  return phrase.take('from') ? phrase.code('expression', '`request` in inline code') : null;
}

/** ``, latest `k` first`` · ``, sorted by `k` `direction` ``, where it stands. */
export function readOrder(phrase: Phrase): OrderBy | null {
  if (phrase.take(', sorted by')) {
    const by = phrase.code('expression', 'what rows are sorted by in inline code');
    const way = by && phrase.code('expression', 'a direction in inline code');
    return way && { direction: 'sorted', by, way };
  }
  for (const direction of ['latest', 'earliest'] as const) {
    if (!phrase.take(`, ${direction}`)) continue;
    const by = phrase.code('expression', 'a field in inline code');
    return by && phrase.expect('first') ? { direction, by } : null;
  }
  return null;
}

/** ``f `e`, g `e` `` */
export function readAssignments(phrase: Phrase, role: 'use' | 'word' = 'use', what = 'a field'): Assignment[] {
  const out: Assignment[] = [];
  do {
    const token = phrase.word(role, what);
    const value = token && phrase.code('expression', 'an expression in inline code');
    if (!token || !value) break;
    out.push({ field: { text: token.text, from: token.from, to: token.to }, value });
  } while (phrase.mark(','));
  if (role === 'use')
    refuseRepeats(
      out.map((one) => one.field),
      phrase.findings,
    );
  return out;
}

/** A scheme goes by its heading, which may be several words. */
export function readScheme(phrase: Phrase, stops: readonly string[]): Name | null {
  const token = phrase.words('use', stops, 'the heading of a scheme');
  return token && { text: token.text, from: token.from, to: token.to };
}
