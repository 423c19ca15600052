import { language } from '../../../syntax/messages.ts';
import type { Notes, Role } from '../../../syntax/phrase.ts';
import type { Token } from '../../../syntax/tokens.ts';
import { nearest } from '../../../text/suggest.ts';
import { segmentsOf } from '../../document/paths.ts';
import type { Endpoint } from '../../statements/endpoints.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Reads a method and a path, whose braces hold names of parameters. */
export function readHeading(token: Token, notes: Notes): Pick<Endpoint, 'name' | 'method' | 'path'> | null {
  const match = /^(\S+) (\S+)$/.exec(token.text);
  const [, written = token.text, path] = match ?? [];
  const { from } = token.inner;
  const span = match ? { from, to: from + written.length } : token.inner;
  const method = METHODS.find((known) => known === written);
  if (path === undefined || !method) {
    const params = {
      found: written,
      methods: METHODS.join(', '),
      nearest: method ? '' : (nearest(written, METHODS) ?? ''),
    };
    notes.findings.push(d.report.heading(span, params));
    return null;
  }
  notes.marks.push({ ...span, role: 'word' });
  return goodPath(token, path, method.length + 1, 'value', notes) ? { name: token.text, method, path } : null;
}

/** The longest path, in characters: servers limit the length of the request line. */
const LONGEST_PATH = 2000;

/** An allowed segment. `.` and `..` are refused: clients remove them before sending (RFC 3986, section 5.2.4). */
const SEGMENT = /^(?:\{[A-Za-z][A-Za-z0-9_]*\}|(?!\.{1,2}$)[A-Za-z0-9._~-]+)$/;

/** Checks a path that starts at `at` in the token: each segment is literal (RFC 3986 unreserved) or `{name}`. */
export function goodPath(token: Token, path: string, at: number, role: Role, notes: Notes): boolean {
  const [root, ...segments] = path.split('/');
  if (path.length > LONGEST_PATH) {
    notes.findings.push(d.report.pathLength(token.inner, { most: `${LONGEST_PATH}` }));
    return false;
  }
  const good = path === '/' || (root === '' && segments.every((segment) => SEGMENT.test(segment)));
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map((match) => match[1]);
  if (!good || new Set(names).size !== names.length) {
    notes.findings.push(d.report.path(token.inner, { found: path }));
    return false;
  }
  const from = token.inner.from + at;
  for (const segment of segmentsOf(path, from))
    notes.marks.push({ from: segment.from, to: segment.to, role: segment.named ? 'use' : role });
  return true;
}

/** Reports two headings whose paths differ only in names of parameters, or not at all. */
export function refuseShared(list: readonly Endpoint[], notes: Notes): void {
  const place = (one: Endpoint): string => `${one.method} ${one.path.replace(/\{[^}]*\}/g, '{}')}`;
  const seen = new Set<string>();
  for (const endpoint of list) {
    if (seen.has(place(endpoint)))
      notes.findings.push(language.report.twice(endpoint.span, { what: `The endpoint “${endpoint.name}”` }));
    seen.add(place(endpoint));
  }
}
