import FindMyWay, { type HTTPMethod, type Instance } from 'find-my-way';
import { pathNames } from '../../plan/paths.ts';
import { ownMember } from '../../text/own-members.ts';
import type { Endpoint } from '../engine/endpoint-compiler.ts';

interface Route {
  readonly endpoint: Endpoint | null;
  readonly names: readonly string[];
}

/** Finds the endpoint of a method and a path. A null endpoint is one that the document has, but that is unsettled. */
export class Router {
  private readonly routes: Instance<never> = FindMyWay({ maxParamLength: 65_536 }) as never;
  private readonly known = new Set<string>();

  add(method: string, path: string, endpoint: Endpoint | null): void {
    const route: Route = { endpoint, names: pathNames(path) };
    this.known.add(method);
    this.routes.on(method as HTTPMethod, path.replace(/\{([^}]+)\}/g, ':$1'), () => {}, route);
  }

  /** Returns the endpoint and the decoded values of its path parameters; null where no endpoint has the path. */
  find(method: string, path: string): { endpoint: Endpoint | null; segments: string[] } | null {
    // The router also accepts paths with a fragment, and paths that don't start with `/`: they are not valid targets.
    if (!path.startsWith('/') || path.includes('#')) return null;
    const found = this.routes.find(method as HTTPMethod, path);
    if (!found?.store) return null;
    const { endpoint, names } = found.store as Route;
    const segments = names.map((name) => ownMember(found.params, name) ?? '');
    // The router accepts empty parameters; a path with an empty segment is another path.
    return segments.includes('') ? null : { endpoint, segments };
  }

  /** Returns the methods of a path. */
  methods(path: string): string[] {
    return [...this.known].filter((method) => this.find(method, path) !== null);
  }

  /** Returns the request headers that the endpoints of a path read. */
  requestHeaders(path: string): string[] {
    const read = [...this.known].flatMap((method) => this.find(method, path)?.endpoint?.plan.requestHeaders ?? []);
    return [...new Set(read)].sort();
  }
}
