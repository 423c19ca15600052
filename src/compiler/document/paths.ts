import type { Name } from '../../syntax/names.ts';
import type { Endpoint } from '../statements/endpoints.ts';

/** A segment of a path; `named` for a parameter, whose text is the name in its braces. */
interface Segment extends Name {
  readonly named: boolean;
}

/** The segments of a path that starts at `from` in the document. */
export function segmentsOf(path: string, from: number): Segment[] {
  return [...path.matchAll(/\/(\{?)([^/{}]+)/g)].map(({ index, 1: brace = '', 2: text = '' }) => {
    const at = from + index + 1 + brace.length;
    return { text, from: at, to: at + text.length, named: brace === '{' };
  });
}

/** Where the path of an endpoint starts: its heading is a method, a space and the path. */
export const pathStart = (endpoint: Endpoint): number => endpoint.span.from + endpoint.method.length + 1;
