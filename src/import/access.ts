import type { Scheme } from '../compiler/statements/authentication.ts';
import { type Access, ENDPOINT } from '../language/endpoints.ts';
import type { Name } from '../syntax/names.ts';
import { isObject } from '../text/own-members.ts';
import type { Input, Operation } from './operations.ts';
import { named } from './resources.ts';
import { isSayable } from './sayable.ts';

/** The access that an operation states; null where the language cannot say it, which is listed. */
export type AccessOf = (operation: Operation) => Access | null;

/** An operation without the parameters that are headers of credentials: the schemes state these. */
export function withoutCredentials(operation: Operation, schemes: readonly Scheme[]): Operation {
  const headers = new Set([...schemes.flatMap(({ header }) => header?.value.name.toLowerCase() ?? []), 'cookie']);
  const isTaken = ({ place, name }: Input): boolean => place === 'header' && headers.has(name.toLowerCase());
  for (const input of operation.inputs) if (isTaken(input)) input.node.leave('header');
  return { ...operation, inputs: operation.inputs.filter((one) => !isTaken(one)) };
}

const isRequirement = (value: unknown): boolean =>
  isObject(value) &&
  Object.values(value).every((scopes) => Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string'));

/** Reads the requirements of operations with the scopes of the schemes. */
export function accessBy(schemes: readonly Scheme[]): AccessOf {
  const holders = (scope: string): number =>
    schemes.filter((one) => one.scopes?.some(({ name }) => name.text === scope)).length;
  return ({ security }) => {
    if (!security) return null;
    const alternatives = security.items();
    if (!Array.isArray(security.value) || !security.value.every(isRequirement)) {
      security.leave('scopes');
      return null;
    }
    const isOpen = alternatives.length === 0 || alternatives.some((one) => one.members().length === 0);
    if (isOpen) {
      security.state();
      // Scopes have no effect for a caller who needs no credentials.
      for (const list of alternatives.flatMap((one) => one.members()))
        if (list[1].items().length) list[1].leave('scopes');
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
