import type { Cookie } from '../../language/authentication.ts';
import type { Located } from '../../syntax/names.ts';
import type { Resolved } from '../document/resolve.ts';
import type { Scheme } from '../statements/authentication.ts';
import { isBasic } from './check-basic.ts';
import { originsOf } from './check-origins.ts';
import { authenticationDiagnostics as d } from './messages.ts';

/** The prefix by which browsers keep a cookie for one host, with TLS and for every path (RFC 6265bis, section 4.1.3). */
const PREFIX = '__Host-';

/** Checks the cookie that carries the credentials of a scheme, and which origins may write with it. */
export function checkCookie(r: Resolved, scheme: Scheme): void {
  const { findings } = r.notes;
  const { cookie, crossOrigin, header } = scheme;
  if (crossOrigin && isBasic(scheme)) checkWriters(r, scheme, crossOrigin);
  if (isBasic(scheme)) return;
  if (!cookie) {
    if (!crossOrigin || !scheme.kind) return;
    if (!header) findings.push(d.report.cookieMissing(scheme.span, { scheme: scheme.name }));
    else findings.push(d.report.crossOriginUnused(crossOrigin, { scheme: scheme.name }));
    return;
  }
  // The origin of the service's own pages is that of its address.
  r.urlUsed = true;
  if (header) findings.push(d.report.headerAndCookie(header, { scheme: scheme.name }));
  if (cookie.value.place.name !== '') checkName(r, scheme, cookie);
  askForMore(r, scheme.name, cookie);
  const { credentials } = scheme;
  if (credentials && !credentials.value.by.includes('steps'))
    findings.push(d.report.cookieIssued(credentials, { scheme: scheme.name }));
  if (!crossOrigin) findings.push(d.report.crossOrigin(scheme.span, { scheme: scheme.name }));
  else checkWriters(r, scheme, crossOrigin);
}

/** The questions about attributes of a cookie, each with the answers. */
const ATTRIBUTES: ReadonlyArray<readonly [member: keyof Cookie, question: string, answers: string]> = [
  ['hidden', 'May scripts of pages read', '“HttpOnly”: no script may'],
  [
    'sameSite',
    'With which requests that other sites cause do browsers send',
    '“SameSite Strict”, “SameSite Lax” or “SameSite None”',
  ],
  ['ageMilliseconds', 'How long do browsers keep', '“Max-Age” and a length of time, or “no Max-Age”'],
  ['removed', 'Does the answer that refuses the credentials remove', '“removed when refused” or “kept when refused”'],
];

/** Asks for the attributes that a cookie does not state. */
function askForMore(r: Resolved, scheme: string, cookie: Located<Cookie>): void {
  for (const [member, question, answers] of ATTRIBUTES)
    if (cookie.value[member] === null || (cookie.value[member] === false && member === 'hidden'))
      r.notes.findings.push(d.report.cookieUnsaid(cookie, { scheme, question, answers }));
}

function checkName(r: Resolved, scheme: Scheme, cookie: Located<Cookie>): void {
  const { place, everywhere } = cookie.value;
  const report = (what: string) => r.notes.findings.push(d.report.cookieName(cookie, { what }));
  const prefix = /^__(?:host-http|host|secure|http)-/i.exec(place.name)?.[0] ?? '';
  if (place.name.startsWith(PREFIX)) {
    if (everywhere) report(`“Secure, every path” follows from the name, which begins with “${PREFIX}”. Remove it.`);
  } else if (/^__host-/i.test(prefix))
    report(`Write the prefix as browsers and proxies know it: “${PREFIX}”, not “${place.name.slice(0, 7)}”.`);
  else if (!everywhere)
    report(
      `The name “${place.name}” does not begin with “${PREFIX}”. Add the prefix, or write “Secure, every path” after the name.`,
    );
  const others = r.model.authentication.schemes;
  const first = others.find((one) => one.cookie?.value.place.name === place.name);
  if (first && first !== scheme)
    report(`The scheme “${first.name}” has the cookie “${place.name}” already. Give this scheme another cookie.`);
}

/**
 * Checks that the pages of the stated origins can send the credentials: their origins are among Browser origins, and
 * browsers send cookies for them. A page that has the user name and the password can send these itself.
 */
function checkWriters(r: Resolved, scheme: Scheme, crossOrigin: Located<readonly string[]>): void {
  const origins = originsOf(r.model.authentication);
  if (!origins) return;
  const { value } = origins;
  if (value !== 'none' && value.allowed === 'any' && isBasic(scheme)) return;
  const isSent = value !== 'none' && (value.credentials || isBasic(scheme));
  const known = !isSent || value.allowed === 'any' ? [] : value.allowed;
  for (const origin of crossOrigin.value)
    if (!known.includes(origin))
      r.notes.findings.push(d.report.crossOriginUnread(crossOrigin, { origin, kind: scheme.kind?.value ?? '' }));
}
