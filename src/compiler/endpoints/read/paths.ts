import { type ParameterSegment, parameterSegment, pathNames, withoutNames } from '../../../plan/paths.ts';
import { language } from '../../../syntax/messages.ts';
import type { Notes, Role } from '../../../syntax/phrase.ts';
import type { Token } from '../../../syntax/tokens.ts';
import { piecesOf } from '../../document/effective.ts';
import type { Endpoint } from '../../statements/endpoints.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';

/** The longest path, in characters: servers limit the length of the request line. */
const LONGEST_PATH = 2000;

/**
 * An allowed segment: text, with at most one parameter in it. `.` and `..` are refused: clients remove them before
 * sending (RFC 3986, section 5.2.4).
 */
const SEGMENT = /^(?!\.{0,2}$)[A-Za-z0-9._~:@-]*(?:\{[A-Za-z][A-Za-z0-9_]*\}[A-Za-z0-9._~:@-]*)?$/;

/** Checks a path that starts at `at` in the token: each segment is text, with or without a `{name}` in it. */
export function goodPath(token: Token, path: string, at: number, role: Role, notes: Notes): boolean {
  const [root, ...segments] = path.split('/');
  if (path.length > LONGEST_PATH) {
    notes.findings.push(d.report.pathLength(token.inner, { most: `${LONGEST_PATH}` }));
    return false;
  }
  const good = path === '/' || (root === '' && segments.every((segment) => SEGMENT.test(segment)));
  const names = pathNames(path);
  if (!good || new Set(names).size !== names.length) {
    notes.findings.push(d.report.path(token.inner, { found: path }));
    return false;
  }
  for (const piece of piecesOf(path, token.inner.from + at))
    notes.marks.push({ from: piece.from, to: piece.to, role: piece.named ? 'use' : role });
  return true;
}

/**
 * Reports two headings whose paths differ only in names of parameters, or not at all, and paths of one method that a
 * request can match equally.
 */
export function refuseShared(list: readonly Endpoint[], notes: Notes): void {
  const seen = new Set<string>();
  const withText: Array<{ endpoint: Endpoint; segments: readonly Segment[] }> = [];
  for (const endpoint of list) {
    const place = `${endpoint.method} ${withoutNames(endpoint.path)}`;
    if (seen.has(place)) {
      notes.findings.push(language.report.twice(endpoint.span, { what: `The endpoint “${endpoint.name}”` }));
      continue;
    }
    seen.add(place);
    const segments = endpoint.path.split('/').map((segment) => parameterSegment(segment) ?? segment);
    if (!segments.some((one) => typeof one !== 'string' && one.before + one.after !== '')) continue;
    for (const other of withText) {
      if (other.endpoint.method !== endpoint.method) continue;
      const both = matchedByBoth(other.segments, segments);
      const params = { path: endpoint.path, other: other.endpoint.path, both: both ?? '' };
      if (both !== null) notes.findings.push(d.report.pathsOverlap(endpoint.span, params, [endpoint.name]));
    }
    withText.push({ endpoint, segments });
  }
}

/** A segment of a path: its text, or the text around its parameter. */
type Segment = string | ParameterSegment;

/**
 * Returns a path that two others match, if neither is preferred: the first segment in which they differ has a parameter
 * in both, and neither has all the text of the other around it.
 */
function matchedByBoth(one: readonly Segment[], other: readonly Segment[]): string | null {
  if (one.length !== other.length) return null;
  let decided = false;
  const both: string[] = [];
  for (const [i, a] of one.entries()) {
    const b = other[i] ?? '';
    const common = commonSegment(a, b);
    if (common === null) return null;
    both.push(common);
    if (decided || typeof a === 'string' || typeof b === 'string') {
      if (typeof a !== typeof b && !decided) return null;
      continue;
    }
    if (a.before === b.before && a.after === b.after) continue;
    if (contains(a, b) || contains(b, a)) return null;
    decided = true;
  }
  return decided ? both.join('/') : null;
}

/** Returns a text that two segments match; null if no text matches both. */
function commonSegment(a: Segment, b: Segment): string | null {
  if (typeof a === 'string') return typeof b === 'string' ? (a === b ? a : null) : matches(b, a) ? a : null;
  if (typeof b === 'string') return matches(a, b) ? b : null;
  const before = longer(a.before, b.before);
  const after = longer(a.after, b.after);
  const starts = before.startsWith(a.before) && before.startsWith(b.before);
  return starts && after.endsWith(a.after) && after.endsWith(b.after) ? `${before}1${after}` : null;
}

const longer = (a: string, b: string): string => (a.length < b.length ? b : a);

const matches = ({ before, after }: ParameterSegment, text: string): boolean =>
  text.length > before.length + after.length && text.startsWith(before) && text.endsWith(after);

/** Whether every text that `b` matches also matches `a`. */
const contains = (a: ParameterSegment, b: ParameterSegment): boolean =>
  b.before.startsWith(a.before) && b.after.endsWith(a.after);
