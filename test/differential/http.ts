import { createHash } from 'node:crypto';
import type { Effective } from '../../src/compiler/document/effective.ts';
import { condition } from './refusal.ts';
import type { Answer } from './show.ts';

/** A request as both sides are sent it. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: string | null;
  readonly headers: ReadonlyArray<readonly [string, string]>;
  readonly body: string | null;
  /** When its head had been read, in milliseconds since the epoch. */
  readonly at: number;
}

/** An answer of a GET with a tag of its own, judged by the conditions of the request (RFC 9110, section 13). */
export function judged({ endpoint, settings }: Effective, request: Request, answer: Answer): Answer {
  const tagged = settings.conditional?.value === 'strong ETag' && endpoint.method === 'GET';
  if (!tagged || answer.body === null) return answer;
  const text = JSON.stringify([answer.headers, answer.body]);
  const tag = `"tag-${createHash('sha256').update(text).digest('hex').slice(0, 20)}-end"`;
  const listed = (value: string): Array<readonly [weak: boolean, tag: string]> | null =>
    /^\s*(?:W\/)?"[^"\s]*"(?:\s*,\s*(?:W\/)?"[^"\s]*")*\s*$/.test(value)
      ? [...value.matchAll(/(W\/)?("[^"]*")/g)].map(([, weak, each]) => [weak !== undefined, each!])
      : null;
  const match = header(request, 'if-match');
  if (match !== undefined && match !== '*' && !listed(match)?.some(([weak, each]) => !weak && each === tag))
    throw condition('precondition failed');
  const none = header(request, 'if-none-match');
  const known = none !== undefined && (none === '*' || listed(none)?.some(([, each]) => each === tag));
  const kept = answer.headers.filter(([name]) => name === 'Cache-Control' || name === 'Vary');
  if (known) return { status: 304, headers: [...kept, ['ETag', tag]], body: null };
  return { ...answer, headers: [...answer.headers, ['ETag', tag]] };
}

/** The segments that stand for the names of a path; null where it is another path. */
export function match(template: string, path: string): Map<string, string> | null {
  const wanted = template.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const segments = new Map<string, string>();
  for (const [i, want] of wanted.entries()) {
    const name = /^\{(.+)\}$/.exec(want)?.[1];
    if (name === undefined ? want !== given[i] : given[i] === '') return null;
    if (name !== undefined) segments.set(name, decodeURIComponent(given[i]!));
  }
  return segments;
}

/** Which segments of an endpoint’s path are written out, such that more of it, and earlier, sorts later. */
export const plainness = ({ endpoint }: Effective): string =>
  endpoint.path.replace(/\{[^}]+\}/g, ' ').replace(/[^/ ]+/g, '!');

export function header({ headers }: Request, lower: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === lower)?.[1];
}

export const acceptsJson = (accept: string | undefined): boolean =>
  accept === undefined || /(?:\*\/\*|application\/(?:json|\*))/.test(accept);
