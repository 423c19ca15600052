import type { Scheme } from '../compiler/statements/authentication.ts';
import { type Access, ENDPOINT } from '../language/endpoints.ts';
import type { Name } from '../syntax/names.ts';
import type { Operation } from './operations.ts';
import { named } from './resources.ts';
import { isSayable } from './sayable.ts';

/** The access that an operation states; null where the language cannot say it, which is listed. */
export type AccessOf = (operation: Operation) => Access | null;

/** Reads the requirements of operations with the scopes of the schemes. */
export function accessBy(schemes: readonly Scheme[]): AccessOf {
  const holders = (scope: string): number =>
    schemes.filter((one) => one.scopes?.some(({ name }) => name.text === scope)).length;
  return ({ security }) => {
    if (!security) return null;
    const alternatives = security.items();
    const isOpen = alternatives.length === 0 || alternatives.some((one) => one.members().length === 0);
    if (isOpen && Array.isArray(security.value)) {
      security.state();
      return { kind: 'anyone', names: [named('anyone')], all: false };
    }
    const scopes = alternatives.map((one) =>
      one.members().map(([, list]) => list.items().map(({ value }) => `${value}`)),
    );
    const lists = scopes.flat();
    if (lists.some((list) => list.length === 0)) {
      security.leave('whoCalls');
      return null;
    }
    const names = [...new Set(lists.flat())].map(named) as [Name, ...Name[]];
    const isOfOne = alternatives.length === 1 || lists.every((list) => list.length === 1);
    const access: Access = { kind: 'scope', names, all: alternatives.length === 1 && names.length > 1 };
    const isPlain = scopes.every((one) => one.length === 1) && names.every(({ text }) => holders(text) === 1);
    if (!isOfOne || !isPlain || !isSayable(ENDPOINT.Access.value, access)) {
      security.leave('scopes');
      return null;
    }
    security.state();
    return access;
  };
}
