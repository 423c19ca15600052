import type { Said } from '../talk/side.ts';

/** An answer made wrong in one way, to see whether that is noticed. */
export interface Alteration {
  readonly name: string;
  /** Null where the answer can't be made wrong in this way. */
  alter(said: Said): Said | null;
}

const body = (name: string, change: (value: unknown) => unknown): Alteration => ({
  name,
  alter: (said) => {
    if (!said.body) return null;
    const value: unknown = JSON.parse(said.body);
    const changed = change(value);
    return changed === undefined || JSON.stringify(changed) === said.body
      ? null
      : { ...said, body: JSON.stringify(changed) };
  },
});

const headers = (name: string, change: (list: Said['headers']) => Said['headers']): Alteration => ({
  name,
  alter: (said) => {
    const changed = change(said.headers);
    return changed.length === said.headers.length && changed.every(([, value], i) => value === said.headers[i]![1])
      ? null
      : { ...said, headers: changed };
  },
});

type Fields = Record<string, unknown>;

/** Changes the body, where it is an object, or the first item of a list. */
function object(value: unknown, change: (fields: Fields) => Fields | undefined): unknown {
  if (Array.isArray(value)) {
    if (typeof value[0] !== 'object' || value[0] === null) return undefined;
    const first = object(value[0], change);
    return first === undefined ? undefined : [first, ...value.slice(1)];
  }
  return typeof value === 'object' && value !== null ? change(value as Fields) : undefined;
}

const is = (name: string) => (header: readonly [string, string]) => header[0].toLowerCase() === name;

/** Ways in which an answer can say something that the document doesn't. */
export const ALTERATIONS: readonly Alteration[] = [
  { name: 'another status', alter: (said) => ({ ...said, status: said.status === 200 ? 202 : 418 }) },
  { name: 'a body that is no JSON', alter: (said) => (said.body ? { ...said, body: said.body.slice(1) } : null) },
  { name: 'no body', alter: (said) => (said.body ? { ...said, body: null } : null) },
  body('one member more', (value) => object(value, (fields) => ({ ...fields, surprise: 1 }))),
  body('a member by another name', (value) =>
    object(value, (fields) =>
      Object.fromEntries(Object.entries(fields).map(([name, one], i) => [i === 0 ? `${name}x` : name, one])),
    ),
  ),
  body('members in another order', (value) =>
    object(value, (fields) => Object.fromEntries(Object.entries(fields).reverse())),
  ),
  body('a list in a list', (value) => [value]),
  headers('a header more', (list) => [...list, ['X-Surprise', '1']]),
  headers('a header twice', (list) => (list.length ? [...list, list[0]!] : list)),
  headers('without Content-Type', (list) => list.filter((one) => !is('content-type')(one))),
  headers('another Content-Type', (list) => list.map((one) => (is('content-type')(one) ? [one[0], 'text/html'] : one))),
  headers('without ETag', (list) => (list.some(is('etag')) ? list.filter((one) => !is('etag')(one)) : list)),
  headers('without the challenge', (list) => list.filter((one) => !is('www-authenticate')(one))),
  headers('without Allow', (list) => list.filter((one) => !is('allow')(one))),
];
