import { showForm } from '../../http/form.ts';
import { showParts } from '../../http/multipart.ts';
import type { Request } from '../target/exchange.ts';
import { isForm, isParts, valueIn } from '../target/request-body.ts';

/** JSON text that is put into a body unchanged, for JSON that no JavaScript value serializes to. */
export class Verbatim {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value in a body. */
export type Content = null | boolean | number | string | Verbatim | readonly Content[] | ContentObject;

export interface ContentObject {
  readonly [name: string]: Content;
}

type Pair = readonly [name: string, value: string];

/** A request in its parts, each of which may still be changed. */
export interface Draft {
  readonly method: string;
  /** The path with its parameters in braces. */
  readonly path: string;
  /** The values of the path’s parameters. */
  readonly place: ReadonlyMap<string, string>;
  readonly query: readonly Pair[];
  /** Replaces the whole target. */
  readonly target: string | null;
  readonly headers: readonly Pair[];
  readonly body: Content | Buffer | undefined;
}

/** The request of a draft. */
export function requestOf(draft: Draft): Request {
  const { method, headers } = draft;
  return { method, target: draft.target ?? targetOf(draft), headers, body: bytesOf(draft) };
}

/** The bytes of a body: an object is written as a form if the Content-Type says so, everything else as JSON. */
export function bytesOf({ headers, body }: Pick<Draft, 'headers' | 'body'>): Buffer | null {
  if (body === undefined) return null;
  if (Buffer.isBuffer(body)) return body;
  if (isParts(headers) && isObject(body)) return showParts(body, textIn);
  return Buffer.from(isForm(headers) && isObject(body) ? formText(body) : contentText(body));
}

/** An object as a form. */
export const formText = (content: ContentObject): string => showForm(content, textIn);

const textIn = (one: unknown): string => (typeof one === 'string' ? one : contentText(one as Content));

/** The object in the body of a request, in JSON or a form; null if there is none. */
export function objectIn(request: Pick<Request, 'headers' | 'body'>): ContentObject | null {
  const value = valueIn(request) as Content;
  return isObject(value) ? value : null;
}

/** The path and the query, encoded. */
export function targetOf({ path, place, query }: Draft): string {
  const filled = path.replace(/\{([^}]*)\}/g, (_, name: string) => encoded(place.get(name) ?? ''));
  const asked = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
  return asked ? `${filled}?${asked}` : filled;
}

/** Encodes text for a target. Commas separate the items of lists, and are not encoded. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed()).replaceAll('%2C', ',');

/** The JSON of a body, with members in their order. Duplicate names are possible only in verbatim text. */
export function contentText(content: Content): string {
  if (content instanceof Verbatim) return content.text;
  if (isList(content)) return `[${content.map(contentText).join(',')}]`;
  if (typeof content !== 'object' || content === null) return JSON.stringify(content);
  const members = Object.entries(content).map(([name, one]) => `${JSON.stringify(name)}:${contentText(one)}`);
  return `{${members.join(',')}}`;
}

export const isList = (content: unknown): content is readonly Content[] => Array.isArray(content);

export function isObject(content: Content | Buffer | undefined): content is ContentObject {
  return (
    typeof content === 'object' &&
    content !== null &&
    !isList(content) &&
    !Buffer.isBuffer(content) &&
    !(content instanceof Verbatim)
  );
}

/** Sets a header to this value alone; null removes it. */
export function withHeader(draft: Draft, name: string, value: string | null): Draft {
  const others = draft.headers.filter(([one]) => one.toLowerCase() !== name.toLowerCase());
  return { ...draft, headers: value === null ? others : [...others, [name, value]] };
}

/** Sets a query parameter to this value alone; null removes it. */
export function withQuery(draft: Draft, name: string, value: string | null): Draft {
  const others = draft.query.filter(([one]) => one !== name);
  return { ...draft, query: value === null ? others : [...others, [name, value]] };
}

export type BodyPath = readonly (string | number)[];

/**
 * Replaces the content at a place of the body; undefined removes it. Objects that are missing on the way are not
 * created.
 */
export function withContent(draft: Draft, path: BodyPath, value: Content | undefined): Draft {
  const { body } = draft;
  if (body === undefined || Buffer.isBuffer(body)) return draft;
  return { ...draft, body: put(body, path, value) ?? null };
}

function put(content: Content, path: BodyPath, value: Content | undefined): Content | undefined {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  if (isList(content)) {
    return content.flatMap((one, i) => {
      const now = i === first ? put(one, rest, value) : one;
      return now === undefined ? [] : [now];
    });
  }
  if (!isObject(content)) return content;
  const name = String(first);
  const held = Object.hasOwn(content, name) ? content[name] : undefined;
  const inner = rest.length ? put(held ?? {}, rest, value) : value;
  const entries = Object.entries(content);
  const others = inner === undefined ? entries.filter(([one]) => one !== name) : entries;
  if (inner === undefined) return Object.fromEntries(others);
  if (held === undefined) return Object.fromEntries([...others, [name, inner]]);
  return Object.fromEntries(others.map(([one, old]) => [one, one === name ? inner : old]));
}

/** The content at a place of a body; undefined where there is none. */
export function contentAt(content: Content | Buffer | undefined, path: BodyPath): Content | undefined {
  const [first, ...rest] = path;
  if (Buffer.isBuffer(content)) return undefined;
  if (first === undefined) return content;
  if (isList(content)) return typeof first === 'number' ? contentAt(content[first], rest) : undefined;
  if (!isObject(content) || !Object.hasOwn(content, first)) return undefined;
  return contentAt(content[first], rest);
}
