/** The user name and the password of a request. */
interface UserPass {
  readonly name: string;
  readonly password: string;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The control characters that neither a user name nor a password may have (RFC 7617, section 2; RFC 5234, CTL). */
const CONTROL = /[\x00-\x1f\x7f]/;

/**
 * Reads the credentials of HTTP Basic (RFC 7617, section 2): UTF-8 in base64 (RFC 4648, section 4) exactly as an encoder
 * writes it, a user name without a colon, a colon, and the password. Returns null for any other text.
 */
export function userPass(token68: string): UserPass | null {
  const bytes = Buffer.from(token68, 'base64');
  // The decoder skips what is not base64, and takes base64url and text without padding.
  if (bytes.toString('base64') !== token68) return null;
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    return null;
  }
  const colon = text.indexOf(':');
  if (colon < 0 || CONTROL.test(text)) return null;
  return { name: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Writes credentials of HTTP Basic; null where the user name cannot be sent: it has a colon. */
export function writtenUserPass({ name, password }: UserPass): string | null {
  const text = `${name}:${password}`;
  return name.includes(':') || CONTROL.test(text) ? null : Buffer.from(text).toString('base64');
}
