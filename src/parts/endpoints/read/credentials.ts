import type { Phrase } from '../../../source/phrase.ts';
import { type Name, takeNames } from '../../../source/read.ts';
import type { Body } from '../model.ts';

/** The verbs that hand out credentials and take them back. */

/** Issue `t`: Scheme for e with scopes a, b · without scopes */
export function readIssue(phrase: Phrase): Body<'Issue'> | null {
  const as = phrase.code('declaration', 'a name in inline code');
  const scheme = as && phrase.expect(':') ? takeScheme(phrase, ['for']) : null;
  const to = scheme && phrase.expect('for') ? phrase.code('expression', 'a row in inline code') : null;
  if (!as || !scheme || !to) return null;
  let scopes: readonly Name[] | null = null;
  if (phrase.take('without scopes')) scopes = [];
  else if (phrase.take('with scopes')) scopes = takeNames(phrase, 'use', 'a scope');
  return { as, scheme, to, scopes };
}

/** Revoke every Scheme for e · the Scheme sent */
export function readRevoke(phrase: Phrase): Body<'Revoke'> | null {
  if (phrase.take('every')) {
    const scheme = takeScheme(phrase, ['for']);
    const of = scheme && phrase.expect('for') ? phrase.code('expression', 'a row in inline code') : null;
    return scheme && of && { scheme, of };
  }
  if (!phrase.expect('the')) return null;
  const scheme = takeScheme(phrase, ['sent']);
  return scheme && phrase.expect('sent') ? { scheme, of: null } : null;
}

/** A scheme goes by its heading, which may be several words. */
function takeScheme(phrase: Phrase, stops: readonly string[]): Name | null {
  const token = phrase.words('use', stops, 'the heading of a scheme');
  return token && { text: token.text, from: token.from, to: token.to };
}
