import type { AnswerContract, EndpointContract, ParameterContract } from '../../contract/endpoint.ts';
import { successesOf } from '../../contract/successes.ts';
import type { ContractType, Expression, MemberContract, ObjectContract } from '../../contract/types.ts';
import { call, literal } from './layout.ts';
import { isStream, type Method } from './tree.ts';
import { listOf } from './types.ts';
import { camel, isInherited, isKeyword, key, pascal, quote, WIDTH } from './words.ts';
import type { Argument, Shared, Writing } from './writing.ts';

export const stated = (endpoint: EndpointContract, place: ParameterContract['in']): ParameterContract[] =>
  endpoint.parameters.filter((one) => one.in === place && ['stated', 'page size', 'page place'].includes(one.role));

const asMember = ({ name, type, required, otherwise, refersTo, field, lines }: ParameterContract): MemberContract => ({
  name,
  type: inAddress(type),
  presence: required ? 'always' : 'optional',
  nullable: false,
  otherwise,
  refused: null,
  refersTo,
  expression: null,
  field,
  lines,
});

const constantOf = (value: number): Expression => ({
  text: String(value),
  tree: { op: 'const', value, type: { kind: 'integer', nullable: false } },
});

/** The type of a value in a URL: exact decimals are strings there. */
function inAddress(type: ContractType): ContractType {
  if (type.kind === 'decimal') return { ...type, as: 'strings' };
  return type.kind === 'list' || type.kind === 'set' ? { ...type, of: inAddress(type.of) } : type;
}

const objectOf = (members: readonly MemberContract[]): ObjectContract => ({ kind: 'object', members, unknown: 'none' });

/** Names that are in scope where methods are declared. */
const RESERVED_NAMES = new Set(
  'sender path client follow eachPage nextLink query body options etag at page'.split(' '),
);

/**
 * The arguments for path parameters: a single parameter is a positional argument, several are one object, so that they
 * cannot be swapped.
 */
export function pathOf(w: Writing, { endpoint, chain }: Method, base: string): Argument[] {
  const inPath = [...endpoint.path.matchAll(/\{([^}]+)\}/g)].flatMap(([, name]) =>
    endpoint.parameters.filter((one) => one.in === 'path' && one.name === name),
  );
  const [only] = inPath;
  if (!only) return [];
  if (inPath.length === 1) {
    const wanted = camel(only.name);
    const name = RESERVED_NAMES.has(wanted) || isKeyword(wanted) ? `${wanted}_` : wanted;
    return [
      { name, type: w.types.type(inAddress(only.type), only.field ?? `${base} ${only.name}`, 'in'), optional: false },
    ];
  }
  const group = pascal(chain.slice(0, -1).join(' '));
  const about = [`The path parameters of \`${endpoint.path}\`.`];
  return [{ name: 'at', type: w.types.once(`${group}Path`, objectOf(inPath.map(asMember)), about), optional: false }];
}

export function bodyOf(w: Writing, { body, path, method, name }: EndpointContract, base: string): Argument | null {
  if (!body) return null;
  const about = [`The body of \`${method} ${path}\`.`];
  if (body.bytes) {
    const type = body.mediaTypes.map(quote).join(' | ');
    return { name: 'body', type: `Bytes<${type}>`, optional: false };
  }
  if (body.patch) about.push('Omitted members keep their values.');
  if (body.type.unknown === 'ignored') w.omitted.add('unknown members', name);
  return { name: 'body', type: w.types.object(`${base}Body`, body.type, about, 'in'), optional: !body.required };
}

export function queryOf(w: Writing, endpoint: EndpointContract, base: string): Argument | null {
  const members = stated(endpoint, 'query').map((one) => ({
    ...asMember(one),
    ...(one.role === 'page size' && endpoint.page ? { otherwise: constantOf(endpoint.page.size.standard) } : {}),
  }));
  if (members.length === 0) return null;
  const type = w.types.object(
    `${base}Query`,
    objectOf(members),
    [`The query of \`${endpoint.method} ${endpoint.path}\`.`],
    'in',
  );
  const optional = members.every((one) => one.presence === 'optional');
  const inherited = members.filter((one) => isInherited(one.name)).map((one) => `${key(one.name)}: undefined`);
  return { name: 'query', type, optional, otherwise: literal(inherited, WIDTH) };
}

export function optionsOf(w: Writing, endpoint: EndpointContract, base: string): Argument {
  const parts = [
    ...(isStream(endpoint) ? ['StreamOptions'] : []),
    ...(endpoint.idempotency ? ['IdempotentOptions'] : []),
    ...(endpoint.preconditions?.ifMatch === 'required' || mayMatch(endpoint) ? ['MatchOptions'] : []),
  ];
  if (parts.length === 0) parts.push('CallOptions');
  const headers = stated(endpoint, 'header').map(asMember);
  const needed = headers.some((one) => one.presence === 'always');
  if (headers.length > 0) {
    const about = [`The headers of \`${endpoint.method} ${endpoint.path}\`.`];
    const type = w.types.object(`${base}Headers`, objectOf(headers), about, 'in');
    parts.push(`{ readonly headers${needed ? '' : '?'}: ${type} }`);
  }
  return { name: 'options', type: parts.join(' & '), optional: !needed };
}

/** The type of the data of the one successful answer. */
export function dataOf(w: Writing, endpoint: EndpointContract, base: string): string {
  const [only] = successesOf(endpoint);
  return only ? dataOfOne(w, endpoint, only, base, '') : 'undefined';
}

/** The types of the data of several successful answers, by status. */
export function dataByStatus(
  w: Writing,
  endpoint: EndpointContract,
  base: string,
): ReadonlyMap<number, readonly string[]> {
  const out = new Map<number, string[]>();
  for (const one of successesOf(endpoint)) {
    const types = out.get(one.status) ?? [];
    const type = dataOfOne(w, endpoint, one, base, `${one.status}${types.length > 0 ? `Or${types.length + 1}` : ''}`);
    out.set(one.status, types.includes(type) ? types : [...types, type]);
  }
  return out;
}

function dataOfOne(
  w: Writing,
  endpoint: EndpointContract,
  { body }: AnswerContract,
  base: string,
  which: string,
): string {
  if (!body || body.type.kind === 'stream') return 'undefined';
  const { type } = body;
  const about = [`The answer${which && ` ${which.slice(0, 3)}`} to \`${endpoint.method} ${endpoint.path}\`.`];
  const name = typeOf(w, type, { base, which, own: endpoint.page ? 'Page' : 'Data' }, about);
  return body.nullable && name !== 'null' ? `${name} | null` : name;
}

/** The type of an answer: an object has a declared type, and so have the objects of a list. */
function typeOf(
  w: Writing,
  type: ContractType,
  { base, which, own }: Readonly<Record<'base' | 'which' | 'own', string>>,
  about: readonly string[],
): string {
  if (type.kind === 'object') return w.types.object(`${base}${own}${which}`, type, about, 'out');
  if (type.kind !== 'list' || type.of.kind !== 'object') return w.types.type(type, `${base} Data${which}`, 'out');
  const item = w.types.object(`${base}Item${which}`, type.of, about, 'out');
  return listOf(type.nullable ? `${item} | null` : item);
}

export const declaration = ({ name, type, optional }: Argument): string => `${name}${optional ? '?' : ''}: ${type}`;

export const argumentsOf = ({ path, body, query, options }: Shared): Argument[] => {
  const all = [...path, ...(body ? [body] : []), ...(query ? [query] : []), options];
  // Optional arguments before a required one accept `undefined` instead.
  const needed = all.findLastIndex((one) => !one.optional);
  return all.map((one, i) =>
    i < needed && one.optional ? { ...one, optional: false, type: `${one.type} | undefined` } : one,
  );
};

/** The signature of a method, on one line if it fits. */
export function signature(name: string, args: readonly string[], returns: string, depth: number): string[] {
  return call(name, args, `: ${returns} {`, depth);
}

export const depthOf = ({ chain }: Method): number => 2 + 2 * chain.length;

/** Whether `If-Match` is optional for a write. */
export const mayMatch = ({ method, preconditions }: EndpointContract): boolean =>
  method !== 'GET' && preconditions?.ifMatch === 'judged';
