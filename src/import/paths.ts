import { METHODS } from '../language/endpoints.ts';
import { withoutNames } from '../plan/paths.ts';
import type { Operation } from './operations.ts';

/** A segment of a path of the language: text with at most one parameter, as `compiler/endpoints/read/paths.ts` has it. */
const SEGMENT = /^(?!\.{0,2}$)[A-Za-z0-9._~:@-]*(?:\{[A-Za-z][A-Za-z0-9_]*\}[A-Za-z0-9._~:@-]*)?$/;
const LONGEST = 2000;

/** The path of an endpoint, and the names of its parameters as the file has them. */
export interface EndpointPath {
  readonly path: string;
  readonly names: ReadonlyMap<string, string>;
}

/**
 * The path in the form of the language. Its names are names of the language, and no parameter of the query has one of
 * them. Null for a path without such a form.
 */
function pathOf({ path, inputs }: Operation): EndpointPath | null {
  const names = new Map<string, string>();
  const taken = new Set(inputs.flatMap(({ place, name }) => (place === 'query' ? [name] : [])));
  const written = path.replace(/\{([^{}]*)\}/g, (_all, name: string) => {
    const plain = name.replace(/[^A-Za-z0-9_]+/g, '_').replace(/^[^A-Za-z]+/, '');
    let free = plain === '' ? 'value' : plain;
    while (taken.has(free)) free = `path_${free}`;
    taken.add(free);
    names.set(name, free);
    return `{${free}}`;
  });
  const [root, ...segments] = written.split('/');
  const isGood = written === '/' || (root === '' && segments.every((one) => SEGMENT.test(one)));
  const isOnce = names.size === [...path.matchAll(/\{/g)].length;
  return isGood && isOnce && written.length <= LONGEST ? { path: written, names } : null;
}

/** Chooses the endpoints that the language has, and lists the others. */
export class EndpointPaths {
  private readonly seen = new Set<string>();
  /** Paths with text beside a parameter, of which two may take the same request. */
  private readonly mixed = new Map<string, string[][]>();

  /** The path of an operation; null where no endpoint can have it, which is listed. */
  take(operation: Operation): EndpointPath | null {
    const { method, node } = operation;
    if (!METHODS.some((one) => one === method)) {
      node.leave('method');
      return null;
    }
    const own = pathOf(operation);
    if (!own) {
      node.leave('path');
      return null;
    }
    const key = `${method} ${withoutNames(own.path)}`;
    if (this.seen.has(key) || this.isAmbiguous(method, own.path)) {
      node.leave('pathTwice');
      return null;
    }
    this.seen.add(key);
    return own;
  }

  private isAmbiguous(method: string, path: string): boolean {
    const segments = withoutNames(path).split('/');
    if (!segments.some((one) => one.includes('{}') && one !== '{}')) return false;
    const others = this.mixed.get(method) ?? [];
    this.mixed.set(method, others);
    if (others.some((other) => mayMeet(other, segments))) return true;
    others.push(segments);
    return false;
  }
}

/**
 * Whether two paths with text beside a parameter may take the same requests. More than those that `check` refuses: which
 * of two is taken first is then a matter of the text, and such paths are rare.
 */
function mayMeet(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (const [i, a] of one.entries()) {
    const b = other[i] ?? '';
    if (a === b) continue;
    const [isText, isOtherText] = [!a.includes('{}'), !b.includes('{}')];
    if (isText || isOtherText) return false;
    if (a === '{}' || b === '{}') return false;
    const [before, after] = a.split('{}') as [string, string];
    const [start, end] = b.split('{}') as [string, string];
    const startsAlike = before.startsWith(start) || start.startsWith(before);
    return startsAlike && (after.endsWith(end) || end.endsWith(after));
  }
  return false;
}
