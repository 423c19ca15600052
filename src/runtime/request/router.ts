import FindMyWay, { type HTTPMethod, type Instance } from 'find-my-way';
import { pathNames, textsOf } from '../../plan/paths.ts';
import { addTo } from '../../text/lists.ts';
import { ownMember } from '../../text/own-members.ts';
import type { Endpoint } from '../engine/endpoint-compiler.ts';
import { PathTree } from './path-tree.ts';

interface Route {
  readonly endpoint: Endpoint | null;
  readonly names: readonly string[];
}

/** Finds the endpoint of a method and a path. A null endpoint is one that the document has, but that is unsettled. */
export class Router {
  private readonly routes: Instance<never> = FindMyWay({ maxParamLength: 65_536 }) as never;
  private readonly known = new Map<string, Array<readonly [path: string, route: Route]>>();
  /** The paths of each method that has a path with text beside a parameter in one segment. */
  private readonly trees = new Map<string, PathTree<Route>>();

  add(method: string, path: string, endpoint: Endpoint | null): void {
    const route: Route = { endpoint, names: pathNames(path) };
    addTo(this.known, method, [path, route] as const);
    const tree = this.trees.get(method) ?? (textsOf(path).length > 0 ? new PathTree<Route>() : null);
    if (!tree) {
      // A colon begins a parameter of the router, and two are the colon itself.
      const pattern = path.replaceAll(':', '::').replace(/\{([^}]+)\}/g, ':$1');
      this.routes.on(method as HTTPMethod, pattern, () => {}, route);
      return;
    }
    const all = this.known.get(method)!;
    for (const [one, its] of this.trees.has(method) ? all.slice(-1) : all) tree.add(one, its);
    this.trees.set(method, tree);
  }

  /** Returns the endpoint and the decoded values of its path parameters; null where no endpoint has the path. */
  find(method: string, path: string): { endpoint: Endpoint | null; segments: string[] } | null {
    // The router also accepts paths with a fragment, and paths that don't start with `/`: they are not valid targets.
    if (!path.startsWith('/') || path.includes('#')) return null;
    const tree = this.trees.size > 0 ? this.trees.get(method) : undefined;
    if (tree) {
      const inTree = tree.find(path);
      return inTree && { endpoint: inTree.route.endpoint, segments: inTree.values };
    }
    const found = this.routes.find(method as HTTPMethod, path);
    if (!found?.store) return null;
    const { endpoint, names } = found.store as Route;
    const segments = names.map((name) => ownMember(found.params, name) ?? '');
    // The router accepts empty parameters; a path with an empty segment is another path.
    return segments.includes('') ? null : { endpoint, segments };
  }

  /** Returns the methods of a path. */
  methods(path: string): string[] {
    return [...this.known.keys()].filter((method) => this.find(method, path) !== null);
  }

  /** Returns the request headers that the endpoints of a path read. */
  requestHeaders(path: string): string[] {
    const read = [...this.known.keys()].flatMap(
      (method) => this.find(method, path)?.endpoint?.plan.requestHeaders ?? [],
    );
    return [...new Set(read)].sort();
  }
}
