import { decodeSegment } from '../../http/query.ts';
import { pathNames } from '../../plan/paths.ts';
import type { EndpointPlan, Plan } from '../../plan/step.ts';
import { pathOrder, pathPattern, plainPath } from '../target/path-pattern.ts';

/** An endpoint whose path template matches the path of a request. */
export interface Routed {
  readonly method: string;
  /** Null for an endpoint that is not settled. */
  readonly endpoint: EndpointPlan | null;
  /** The decoded segments of the path parameters, by name. */
  readonly segments: ReadonlyMap<string, string>;
}

/** The paths of a plan, the more specific ones first. */
export class Routes {
  private readonly routes: ReadonlyArray<{
    readonly method: string;
    readonly endpoint: EndpointPlan | null;
    readonly names: readonly string[];
    readonly pattern: RegExp;
  }>;

  constructor({ endpoints, unsettled }: Plan) {
    this.routes = [
      ...endpoints.map((endpoint) => ({ method: endpoint.method, template: endpoint.path, endpoint })),
      ...unsettled.map(({ method, path: template }) => ({ method, template, endpoint: null })),
    ]
      .map((one) => ({ ...one, order: pathOrder(one.template) }))
      .sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0))
      .map(({ method, endpoint, template }) => ({
        method,
        endpoint,
        names: pathNames(template),
        pattern: pathPattern(template),
      }));
  }

  /** The endpoints whose path templates match a path, the more specific ones first. */
  fitting(path: string): Routed[] {
    const plain = plainPath(path);
    return this.routes.flatMap(({ method, endpoint, names, pattern }) => {
      const match = pattern.exec(plain);
      const segments = match && decoded(names, match);
      return segments ? [{ method, endpoint, segments }] : [];
    });
  }
}

/**
 * Decodes path parameters. Returns null if a segment is not valid percent-encoded UTF-8: the path then matches no
 * endpoint.
 */
function decoded(names: readonly string[], match: RegExpExecArray): Map<string, string> | null {
  const segments = new Map<string, string>();
  for (const [i, name] of names.entries()) {
    const text = decodeSegment(match[i + 1] ?? '');
    if (text === null) return null;
    segments.set(name, text);
  }
  return segments;
}
