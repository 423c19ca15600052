import { withoutSpace } from './headers.ts';

/**
 * Takes one cookie out of the header `Cookie` (RFC 6265, section 4.2.1). Names are compared exactly; spaces and tabs
 * around names and values don't count, and quotes are characters of a value like others.
 *
 * Gives the value; '' where the cookie has none; undefined where it isn't sent, and null where it is sent more than
 * once: another host of the same domain may have set one of them.
 */
export function cookieIn(header: string, name: string): string | null | undefined {
  let found: string | undefined;
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    const sent = equals < 0 ? pair : pair.slice(0, equals);
    if (withoutSpace(sent) !== name) continue;
    if (found !== undefined) return null;
    found = equals < 0 ? '' : withoutSpace(pair.slice(equals + 1));
  }
  return found;
}

/**
 * Whether a request comes from a page of one of the origins, by `Origin` (RFC 6454), or, where browsers leave it out,
 * from a page of the service's own origin by `Sec-Fetch-Site` (Fetch Metadata). Origins are compared as text.
 */
export function isFromOrigin(
  sent: (name: 'origin' | 'sec-fetch-site') => string | undefined,
  own: string | null,
  others: readonly string[],
): boolean {
  const origin = sent('origin');
  if (origin === undefined) return sent('sec-fetch-site') === 'same-origin';
  return origin === own || others.includes(origin);
}

/** Whether a request says nothing of its origin: it has neither `Origin` nor `Sec-Fetch-Site`. */
export const isWithoutOrigin = (sent: (name: 'origin' | 'sec-fetch-site') => string | undefined): boolean =>
  sent('origin') === undefined && sent('sec-fetch-site') === undefined;
