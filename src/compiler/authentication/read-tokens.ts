import type { ReadBullet } from '../../language/read.ts';
import { ALGORITHMS } from '../../plan/algorithms.ts';
import { located } from '../../syntax/names.ts';
import type { Phrase } from '../../syntax/phrase.ts';
import { takeDuration } from '../../syntax/units.ts';
import type { Tokens } from '../statements/authentication.ts';
import { authenticationDiagnostics as d } from './messages.ts';

type Draft = { -readonly [K in keyof Tokens]: Tokens[K] };

/** What a scheme says of tokens before it has located anything. */
export const NO_TOKENS: Tokens = {
  algorithm: null,
  subject: null,
  keys: null,
  issuer: null,
  audience: null,
  lifetime: null,
  skew: null,
  scopesIn: null,
};

type TokenKey = 'Algorithm' | 'Keys' | 'Issuer' | 'Audience' | 'Lifetime' | 'Clock skew';

/** The bullets that speak of JSON Web Tokens. */
export function tokenBullets(out: Draft): Record<TokenKey, ReadBullet> {
  return {
    Algorithm: (value, span) => {
      out.algorithm = located(span, value.choose(ALGORITHMS));
    },
    Keys: (value, span) => {
      out.keys = located(span, value.take('given by the operator') ? 'operator' : readPublished(value));
    },
    Issuer: (value, span) => {
      out.issuer = located(span, readText(value, 'the issuer in inline code, as tokens name it'));
    },
    Audience: (value, span) => {
      out.audience = located(span, readText(value, 'the audience in inline code, as tokens name it'));
    },
    Lifetime: (value, span) => {
      if (value.take('as the token says')) {
        out.lifetime = located(span, 'as the token says');
        return;
      }
      const most = value.take('at most');
      const milliseconds = takeDuration(value);
      if (milliseconds !== null) out.lifetime = located(span, { milliseconds, most });
    },
    'Clock skew': (value, span) => {
      out.skew = located(span, value.take('none') ? 0 : takeDuration(value));
    },
  };
}

/** ``in claim `scope`, separated by spaces`` or ``in claim `permissions`, as a list`` */
export function readScopesIn(value: Phrase): { claim: string; form: 'spaces' | 'list' } | null {
  if (!value.expect('in claim')) return null;
  const claim = readText(value, 'the name of a claim in inline code');
  const form = claim === null ? null : value.choose([', separated by spaces', ', as a list']);
  return claim === null || form === null ? null : { claim, form: form === ', as a list' ? 'list' : 'spaces' };
}

export function readText(value: Phrase, what: string): string | null {
  return value.code('value', what)?.text ?? null;
}

/** ``from `https://…`, kept 10 minutes`` */
function readPublished(value: Phrase): { url: string; keptMilliseconds: number } | null {
  if (!value.expect('from')) return null;
  const token = value.code('value', 'the address of a JWK Set in inline code');
  if (!token || !value.expect(', kept')) return null;
  const keptMilliseconds = takeDuration(value);
  const url = URL.parse(token.text);
  const local = url && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (!url || (url.protocol !== 'https:' && !(local && url.protocol === 'http:')) || url.username || url.hash)
    value.findings.push(d.report.keysAddress(token.inner, { found: token.text }));
  return keptMilliseconds === null ? null : { url: token.text, keptMilliseconds };
}
