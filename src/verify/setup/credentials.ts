import { credential } from '../../http/bearer.ts';
import type { SchemePlan } from '../../plan/callers.ts';
import { kindOf, SetupError } from './failures.ts';

/**
 * The credentials that a setup gives, without the scheme’s name, which may precede them. `begun` is the beginning of
 * messages. Throws SetupError where no header can contain the credentials.
 */
export function credentialsIn(given: unknown, scheme: SchemePlan | undefined, begun: string): string {
  if (typeof given !== 'string' || given === '')
    throw new SetupError(`${begun} is ${given === '' ? 'an empty text' : kindOf(given)}, not a text.`);
  if (/[^\x20-\x7e\x80-\xff]/.test(given)) throw new SetupError(`${begun} has a character that no header can hold.`);
  const word = scheme?.scheme ?? null;
  if (word === null) return given;
  const before = `${word} `.toLowerCase();
  const text = given.toLowerCase().startsWith(before) ? given.slice(before.length) : given;
  if (credential(`${word} ${text}`, { scheme: word }) !== text)
    throw new SetupError(
      `${begun} has a character that can’t follow “${word}”: letters, digits and -._~+/ can, with = at the end (RFC 9110, section 11.4).`,
    );
  return text;
}

/** Checks that callers have different credentials. */
export class DistinctCredentials {
  private readonly known = new Map<string, string>();

  /** Forgets all credentials: after a reset, a service may issue the same ones again. */
  anew(): void {
    this.known.clear();
  }

  /** Takes credentials of a caller. Throws SetupError where another caller, or the same with other scopes, has them. */
  take(text: string, scheme: string, identity: string, scopes: readonly string[], begun: string): void {
    const whom = `“${identity}” with ${scopes.length ? [...scopes].sort().join(', ') : 'no scope'}`;
    const key = `${scheme} ${text}`;
    const other = this.known.get(key) ?? whom;
    if (other !== whom)
      throw new SetupError(`${begun} is the same for ${other} and for ${whom}: a service can’t tell them apart.`);
    this.known.set(key, whom);
  }
}

/** Sees that a secret is one of the Standard Webhooks: 24 to 64 bytes in base64 after `whsec_`. */
export function mustBeSecret(text: string, begun: string): void {
  const bytes = /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text)
    ? Buffer.from(text.slice('whsec_'.length), 'base64').length
    : 0;
  if (bytes < 24 || bytes > 64)
    throw new SetupError(
      `${begun} a secret that is not 24 to 64 bytes in base64 after \`whsec_\` (Standard Webhooks).`,
    );
}
