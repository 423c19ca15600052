import type { Phrase, Token } from '../../../source/phrase.ts';
import { type Name, readElse, takeName } from '../../../source/read.ts';
import type { Body, OrderBy, Over } from '../model.ts';

/** The verbs that select rows, and the conditions of those that test. */

export const condition = (phrase: Phrase) => phrase.code('expression', 'a condition in inline code');

/** `` `x`: R ``, or R alone. */
export function maybeNamed(phrase: Phrase): { as: Token | null; resource: Name | null } {
  return phrase.peek()?.kind === 'code' ? named(phrase) : { as: null, resource: takeName(phrase, 'use', 'a resource') };
}

/** `` `x`: R `` */
export function named(phrase: Phrase): { as: ReturnType<Phrase['code']>; resource: Name | null } {
  const as = phrase.code('declaration', 'a name in inline code');
  const resource = as && phrase.expect(':') ? takeName(phrase, 'use', 'a resource') : null;
  return { as, resource };
}

/** Find `x`: R where p, latest `k` first, else code · or none */
export function readFind(phrase: Phrase): Body<'Find'> | null {
  const { as, resource } = named(phrase);
  if (!as || !resource) return null;
  const where = phrase.take('where') ? condition(phrase) : null;
  const order = readOrder(phrase);
  const at = phrase.peek();
  const none = phrase.take('or none') || phrase.take(', or none') ? (at ?? null) : null;
  return { as, resource, where, order, none, code: none ? null : readElse(phrase) };
}

/** Authenticate `x`: R where p, password e, else code */
export function readAuthenticate(phrase: Phrase): Body<'Authenticate'> | null {
  const { as, resource } = named(phrase);
  if (!as || !resource) return null;
  const where = phrase.take('where') ? condition(phrase) : null;
  const password = phrase.take(', password') ? phrase.code('expression', 'what was sent, in inline code') : null;
  return { as, resource, where, password, code: readElse(phrase) };
}

/** List `xs`: R where p, as the parameters say, latest `k` first, in pages · all */
export function readList(phrase: Phrase): Body<'List'> | null {
  const { as, resource } = named(phrase);
  if (!as || !resource) return null;
  const where = phrase.take('where') ? condition(phrase) : null;
  const asParameters = phrase.take(', as the parameters say');
  const order = readOrder(phrase);
  const bound = phrase.take(', in pages') ? 'pages' : phrase.take(', all') ? 'all' : null;
  return { as, resource, where, asParameters, order, bound };
}

/** ``, latest `k` first`` · ``, sorted by `k` `direction` ``, where it stands. */
function readOrder(phrase: Phrase): OrderBy | null {
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

/** For each `x` in e: · For each `x`: R where p, earliest `k` first: */
export function readForEach(phrase: Phrase): Omit<Body<'For each'>, 'steps'> | null {
  const as = phrase.code('declaration', 'a name in inline code');
  const over = as && readOver(phrase);
  return over && { as, over };
}

function readOver(phrase: Phrase): Over | null {
  if (phrase.take('in')) {
    const list = phrase.code('expression', 'a list in inline code');
    return list && { kind: 'list', list };
  }
  const resource = phrase.expect(':') ? takeName(phrase, 'use', 'a resource') : null;
  if (!resource) return null;
  const where = phrase.take('where') ? condition(phrase) : null;
  return { kind: 'rows', resource, where, order: readOrder(phrase) };
}

/** Require p, else code */
export function readRequire(phrase: Phrase): Body<'Require'> | null {
  const test = condition(phrase);
  return test && { test, code: readElse(phrase) };
}

/** Match If-Match to e */
export function readMatch(phrase: Phrase): Body<'Match'> | null {
  if (!phrase.expect('If-Match to')) return null;
  const to = phrase.code('expression', 'an expression in inline code');
  return to && { header: 'If-Match', to };
}
