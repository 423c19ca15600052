import { refuseRepeats } from '../../syntax/names.ts';
import type { Phrase } from '../../syntax/phrase.ts';
import { takeDuration } from '../../syntax/units.ts';
import type { Origins } from '../statements/authentication.ts';
import { authenticationDiagnostics as d } from './messages.ts';

/** The headers of answers that scripts may be shown; those that Fetch shows them anyway are not among them. */
const SHOWABLE = [
  'Allow',
  'Deprecation',
  'ETag',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'Vary',
  'WWW-Authenticate',
] as const;

/**
 * Reads what pages of other origins may do (the Fetch Standard’s CORS protocol): `none`, or
 * ``any, without credentials, preflight kept 1 day, showing headers ETag, Link``, or origins in inline code for `any`.
 */
export function readOrigins(value: Phrase): Origins | 'none' | null {
  if (value.take('none')) return 'none';
  const from = value.take('any') ? 'any' : readList(value);
  if (!from) return null;
  const credentials = value.choose([', with credentials', ', without credentials']);
  if (!credentials) return null;
  let keptMilliseconds: number | null = 0;
  if (!value.take(', preflight not kept')) {
    if (!value.expect(', preflight kept')) return null;
    keptMilliseconds = takeDuration(value);
  }
  if (keptMilliseconds === null) return null;
  const shown = value.take(', showing no headers') ? [] : readShown(value);
  if (!shown) return null;
  const withCredentials = credentials === ', with credentials';
  if (withCredentials && from === 'any') value.findings.push(d.report.originsAny(value.span));
  return { from, credentials: withCredentials, keptMilliseconds, shown };
}

function readList(value: Phrase): string[] | null {
  if (value.peek()?.kind !== 'code') {
    value.fail('“none”, “any”, or origins in inline code, such as `https://app.example`');
    return null;
  }
  const names = [];
  do {
    const token = value.code('value', 'an origin in inline code, such as `https://app.example`');
    if (!token) return null;
    const { text } = token;
    const url = URL.parse(text);
    const origin = url && /^https?:$/.test(url.protocol) ? url.origin : '';
    const isHost = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(url?.hostname ?? '');
    if (origin !== text || !isHost)
      value.findings.push(d.report.origin(token.inner, { found: text, origin: isHost ? origin : '' }));
    names.push({ text, ...token.inner });
  } while (value.peek(1)?.kind === 'code' && value.mark(','));
  refuseRepeats(names, value.findings);
  return names.map((name) => name.text);
}

function readShown(value: Phrase): Origins['shown'] | null {
  if (!value.expect(', showing headers')) return null;
  const names = [];
  do {
    const from = value.peek()?.from ?? value.text.to;
    const text = value.choose(SHOWABLE);
    if (!text) return null;
    names.push({ text, from, to: from + text.length });
  } while (value.mark(','));
  refuseRepeats(names, value.findings);
  return names;
}
