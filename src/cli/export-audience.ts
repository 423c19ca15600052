import type { Contract } from '../contract/contract.ts';
import type { Credentials } from '../plan/audience.ts';
import { wrong } from './contract-version.ts';
import type { Io } from './io.ts';

/**
 * Returns the credentials that callers may have, as an Access has them: `anyone` has none, `any Customer or Staff` those
 * of a scheme of customers or staff without scopes, `orders:read and orders:write` those of a scheme with these scopes,
 * and `orders:read or admin` those with one of them. For a text that no credentials fit, ends the command and returns
 * null.
 */
export function credentialsOf({ schemes }: Contract, text: string, io: Io): readonly Credentials[] | null {
  if (text === 'anyone') return [{ scheme: null, scopes: [] }];
  const callersOf = (caller: string): Credentials[] =>
    schemes.flatMap((one) => (one.caller === caller ? [{ scheme: one.name, scopes: [] }] : []));
  const withScopes = (scopes: readonly string[]): Credentials[] =>
    schemes.flatMap((one) =>
      scopes.every((scope) => one.scopes.some(({ name }) => name === scope)) ? [{ scheme: one.name, scopes }] : [],
    );
  const alternatives = text.startsWith('any ')
    ? text.slice('any '.length).split(' or ').map(callersOf)
    : text.split(' or ').map((one) => withScopes(one.split(' and ')));
  const found = alternatives.every((one) => one.length > 0) ? alternatives.flat() : [];
  if (found.length > 0) return found;
  const callers = schemes.map(({ caller }) => `any ${caller}`);
  const all = schemes.flatMap((one) => one.scopes.map(({ name }) => name));
  wrong(`no caller is “${text}”`, text, ['anyone', ...new Set([...callers, ...all])], io);
  return null;
}
