import { decodeSegment, withoutNeedlessEscapes } from '../../http/query.ts';
import { type ParameterSegment, parameterSegment } from '../../plan/paths.ts';

/** A segment with a parameter, and what may follow it. */
interface Branch<T> extends ParameterSegment {
  readonly next: Node<T>;
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  /** Sorted by the length of the text around the parameter, the longest first. */
  readonly branches: Branch<T>[];
  route: T | null;
}

const newNode = <T>(): Node<T> => ({ literals: new Map(), branches: [], route: null });

/**
 * The paths of one method, some of which have text beside a parameter in a segment (`/orders/{id}:cancel`). From left
 * to right, a segment without a parameter is preferred, then the one with the most text around its parameter.
 *
 * The router of all other paths compares decoded segments, in which `%3A` is a colon, and accepts empty parameters
 * before it looks for another path.
 */
export class PathTree<T> {
  private readonly root = newNode<T>();

  add(path: string, route: T): void {
    let at = this.root;
    for (const segment of segmentsOf(path)) at = childOf(at, segment);
    at.route = route;
  }

  /** Returns the route of a path, and the decoded values of its parameters. */
  find(path: string): { route: T; values: string[] } | null {
    const sent = segmentsOf(path).map(withoutNeedlessEscapes);
    const values: string[] = [];
    const route = search(this.root, sent, 0, values);
    return route === null ? null : { route, values };
  }
}

const segmentsOf = (path: string): string[] => path.split('/').slice(1);

function childOf<T>(at: Node<T>, segment: string): Node<T> {
  const parameter = parameterSegment(segment);
  const isSame = (one: Branch<T>): boolean => one.before === parameter?.before && one.after === parameter.after;
  const known = parameter ? at.branches.find(isSame)?.next : at.literals.get(segment);
  if (known) return known;
  const next = newNode<T>();
  if (parameter) {
    at.branches.push({ ...parameter, next });
    at.branches.sort((a, b) => textOf(b) - textOf(a));
  } else at.literals.set(segment, next);
  return next;
}

const textOf = ({ before, after }: ParameterSegment): number => before.length + after.length;

/** Finds the first route below a node. `values` receives the values of its parameters. */
function search<T>(at: Node<T>, sent: readonly string[], i: number, values: string[]): T | null {
  const segment = sent[i];
  if (segment === undefined) return at.route;
  const literal = at.literals.get(segment);
  const found = literal ? search(literal, sent, i + 1, values) : null;
  if (found !== null) return found;
  for (const branch of at.branches) {
    const value = valueIn(segment, branch);
    if (value === null) continue;
    values.push(value);
    const below = search(branch.next, sent, i + 1, values);
    if (below !== null) return below;
    values.pop();
  }
  return null;
}

/** Returns the decoded value of a parameter; null where the segment does not match, or is no valid UTF-8. */
function valueIn(segment: string, { before, after }: ParameterSegment): string | null {
  const end = segment.length - after.length;
  if (end <= before.length || !segment.startsWith(before) || !segment.endsWith(after)) return null;
  const raw = segment.slice(before.length, end);
  // The text after the parameter begins inside an escape, as `f` does in `%2f`.
  return /%[^%]?$/.test(raw) ? null : decodeSegment(raw);
}
