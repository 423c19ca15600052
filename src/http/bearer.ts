import { startsIgnoringCase } from './headers.ts';

/** How a document's `Header` bullet writes credentials: `Authorization: Bearer {key}` has the scheme `Bearer`. */
interface CredentialTemplate {
  readonly scheme: string;
}

const SPACE = 0x20;
const EQUALS = 0x3d;

/**
 * Takes the one credential out of a header that is written `scheme token68` (RFC 9110, 11.1 to 11.4). The scheme is
 * compared ignoring case; at least one space separates the two, and nothing follows.
 *
 * Gives the credential, or null where the scheme is another one, the credential is absent or isn't a token68, or there
 * is more than one (a header sent twice arrives joined with a comma, which no token68 contains). Allocates nothing but
 * the credential.
 */
export function credential(header: string, template: CredentialTemplate): string | null {
  const start = afterScheme(header, template.scheme);
  if (start === -1 || start === template.scheme.length) return null;
  let at = start;
  while (at < header.length && isToken68(header.charCodeAt(at))) at += 1;
  if (at === start) return null;
  while (at < header.length && header.charCodeAt(at) === EQUALS) at += 1;
  return at === header.length ? header.slice(start) : null;
}

/**
 * Whether a header has only the name of the scheme, as in `Authorization: Bearer`: the credential is then missing, and
 * not refused. Allocates nothing.
 */
export function schemeOnly(header: string, template: CredentialTemplate): boolean {
  return afterScheme(header, template.scheme) === header.length;
}

/** Whether a header begins with the name of the scheme, whatever follows. Allocates nothing. */
export const beginsWith = (header: string, scheme: string): boolean => afterScheme(header, scheme) !== -1;

/** Returns the index after the scheme and its spaces, or -1 if the header has another scheme. */
function afterScheme(header: string, scheme: string): number {
  let at = scheme.length;
  if (!startsIgnoringCase(header, scheme)) return -1;
  if (header.length > at && header.charCodeAt(at) !== SPACE) return -1;
  while (at < header.length && header.charCodeAt(at) === SPACE) at += 1;
  return at;
}

function isToken68(code: number): boolean {
  if (code >= 0x61 && code <= 0x7a) return true;
  if (code >= 0x41 && code <= 0x5a) return true;
  // '-', '.', '/' and the digits have consecutive codes.
  return (code >= 0x2d && code <= 0x39) || code === 0x2b || code === 0x5f || code === 0x7e;
}
