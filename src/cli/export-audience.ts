import type { Contract } from '../contract/contract.ts';
import type { Credentials } from '../plan/audience.ts';
import { wrong } from './contract-version.ts';
import type { Io } from './io.ts';

/**
 * Returns the credentials of a caller, as an Access has them: `anyone` has none, `any Customer` those of a scheme of
 * customers without scopes, and `orders:read and orders:write` those of a scheme with these scopes. For a text that no
 * credentials fit, ends the command and returns null.
 */
export function credentialsOf({ schemes }: Contract, text: string, io: Io): readonly Credentials[] | null {
  if (text === 'anyone') return [{ scheme: null, scopes: [] }];
  const scopes = text.split(' and ');
  const found = schemes.flatMap((one): Credentials[] => {
    if (text === `any ${one.caller}`) return [{ scheme: one.name, scopes: [] }];
    const hasAll = scopes.every((scope) => one.scopes.some(({ name }) => name === scope));
    return hasAll ? [{ scheme: one.name, scopes }] : [];
  });
  if (found.length > 0) return found;
  const callers = schemes.map(({ caller }) => `any ${caller}`);
  const all = schemes.flatMap((one) => one.scopes.map(({ name }) => name));
  wrong(`no caller is “${text}”`, text, ['anyone', ...new Set([...callers, ...all])], io);
  return null;
}
