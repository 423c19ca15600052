import FindMyWay, { type HTTPMethod, type Instance } from 'find-my-way';
import { pathNames } from '../../plan/paths.ts';
import { ownMember } from '../../text/own-member.ts';
import type { Endpoint } from '../engine/engine.ts';

interface Route {
  readonly endpoint: Endpoint | null;
  readonly names: readonly string[];
}

/** Finds the endpoint of a method and a path. Null stands for an endpoint that the document has and that is unsettled. */
export class Router {
  private readonly routes: Instance<never> = FindMyWay({ maxParamLength: 65_536 }) as never;
  private readonly known = new Set<string>();

  add(method: string, path: string, endpoint: Endpoint | null): void {
    const route: Route = { endpoint, names: pathNames(path) };
    this.known.add(method);
    this.routes.on(method as HTTPMethod, path.replace(/\{([^}]+)\}/g, ':$1'), () => {}, route);
  }

  /** The endpoint, and the decoded segments that its path parameters stand for; null where nothing is at the path. */
  find(method: string, path: string): { endpoint: Endpoint | null; segments: string[] } | null {
    // The router takes more for a path than a target has as one: a fragment after it, and what doesn’t start with `/`.
    if (!path.startsWith('/') || path.includes('#')) return null;
    const found = this.routes.find(method as HTTPMethod, path);
    if (!found?.store) return null;
    const { endpoint, names } = found.store as Route;
    const segments = names.map((name) => ownMember(found.params, name) ?? '');
    // The router lets a parameter be empty; a path with nothing in its place is another path.
    return segments.includes('') ? null : { endpoint, segments };
  }

  /** The methods that a path takes. */
  methods(path: string): string[] {
    return [...this.known].filter((method) => this.find(method, path) !== null);
  }

  /** The request headers that the endpoints at a path read. */
  requestHeaders(path: string): string[] {
    const read = [...this.known].flatMap((method) => this.find(method, path)?.endpoint?.plan.requestHeaders ?? []);
    return [...new Set(read)].sort();
  }
}
