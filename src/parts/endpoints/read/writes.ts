import type { Phrase } from '../../../source/phrase.ts';
import { type Name, refuseRepeats, takeName } from '../../../source/read.ts';
import type { Assignment, Body } from '../model.ts';
import { condition, maybeNamed } from './selects.ts';

/** The verbs that change rows. */

/** Create `x`: R from e with f e; Ensure likewise. The name may be left out. */
export function readCreate(phrase: Phrase): Body<'Create'> | null {
  const { as, resource } = maybeNamed(phrase);
  if (!resource) return null;
  const from = phrase.take('from') ? phrase.code('expression', '`request` in inline code') : null;
  return { as, resource, from, with: phrase.take('with') ? readAssignments(phrase) : [] };
}

/** Change `x` from e with f e */
export function readChange(phrase: Phrase): Body<'Change'> | null {
  const row = phrase.code('use', 'the name of a row in inline code');
  if (!row) return null;
  const from = phrase.take('from') ? phrase.code('expression', '`request` in inline code') : null;
  return { row, from, with: phrase.take('with') ? readAssignments(phrase) : [] };
}

/** Move `x` by transition · to e */
export function readMove(phrase: Phrase): Body<'Move'> | null {
  const row = phrase.code('use', 'the name of a row in inline code');
  if (!row) return null;
  if (phrase.take('to')) {
    const to = phrase.code('expression', 'a state in inline code');
    return to && { row, by: null, to };
  }
  const by = phrase.expect('by') ? takeName(phrase, 'use', 'a transition') : null;
  return by && { row, by, to: null };
}

/** Remove every R where p */
export function readRemoveEvery(phrase: Phrase): Body<'Remove every'> | null {
  const resource = takeName(phrase, 'use', 'a resource');
  return resource && { resource, where: phrase.take('where') ? condition(phrase) : null };
}

/** Run handler with n e, giving `x` */
export function readRun(phrase: Phrase): Body<'Run'> | null {
  const handler = takeName(phrase, 'use', 'a handler');
  if (!handler) return null;
  const given: Assignment[] = [];
  if (phrase.take('with'))
    do {
      if (given.length && phrase.take('giving')) return givingName(phrase, handler, given);
      const token = phrase.word('use', 'what the handler takes');
      const value = token && phrase.code('expression', 'an expression in inline code');
      if (!token || !value) return null;
      given.push({ field: { text: token.text, from: token.from, to: token.to }, value });
    } while (phrase.mark(','));
  refuseRepeats(
    given.map((one) => one.field),
    phrase.findings,
  );
  return phrase.take(', giving') ? givingName(phrase, handler, given) : { handler, with: given, as: null };
}

function givingName(phrase: Phrase, handler: Name, given: readonly Assignment[]): Body<'Run'> | null {
  const as = phrase.code('declaration', 'a name in inline code');
  return as && { handler, with: given, as };
}

/** Remove `x` */
export function readRemove(phrase: Phrase): Body<'Remove'> | null {
  // So that a misspelt “every” is told as one.
  phrase.take('every');
  const row = phrase.code('use', 'the name of a row in inline code');
  return row && { row };
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
