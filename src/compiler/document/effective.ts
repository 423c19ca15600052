import type { Requested } from '../../language/endpoints.ts';
import { pathNames } from '../../plan/paths.ts';
import {
  type Endpoint,
  everyStep,
  type Parameter,
  type Settings,
  type Step,
  type Under,
} from '../statements/endpoints.ts';
import type { Model } from '../statements/model.ts';

/** An endpoint with what the part and the paths above it add: the nearest statement wins. */
export interface Effective {
  readonly endpoint: Endpoint;
  readonly settings: Settings;
  /** The steps of every path above it, outermost first, then its own. */
  readonly steps: readonly Step[];
  /** The same with the nested ones. */
  readonly every: readonly Step[];
  /** Path parameters in the order of the path, those in headers that all endpoints share, then its own others. */
  readonly parameters: readonly Parameter[];
}

/** Every endpoint as it is in force. */
export function effectiveEndpoints(model: Model): Effective[] {
  const { endpoints } = model;
  const paths = new Paths(endpoints.unders);
  return endpoints.list.map((endpoint) => {
    const above = paths.above(endpoint.path).filter((under) => isBelow(endpoint.path, under.path));
    const own = Object.fromEntries(Object.entries(endpoint.settings).filter(([, value]) => value));
    const headers = new Set(endpoint.parameters.filter(isHeader).map(headerName));
    const steps = [...above.flatMap((under) => under.steps), ...endpoint.steps];
    return {
      endpoint,
      settings: { ...endpoints.settings, ...own },
      steps,
      every: [...everyStep(steps)],
      parameters: [
        ...pathParameters(model, endpoint),
        // A parameter of the endpoint itself stands before one of all endpoints.
        ...endpoints.parameters.filter((one) => isHeader(one) && !headers.has(headerName(one))),
        ...endpoint.parameters.filter((one) => one.in && one.in.value !== 'path'),
      ],
    };
  });
}

const isHeader = (one: Parameter): boolean => one.in?.value === 'header';

/** What a parameter in a header is known by: names of header fields are compared ignoring case (RFC 9110, section 5.1). */
export const headerName = ({ name }: Parameter): string => name.text.toLowerCase();

/** The fields of a resource that the body holds; null where it holds none. */
export function requestOf(one: Effective): Requested | null {
  const request = one.settings.request?.value;
  return request && request !== 'none' ? request : null;
}

/** The parameters that are members of the body. */
export const bodyParameters = (one: Effective): Parameter[] => one.parameters.filter((p) => p.in?.value === 'body');

/** True if the endpoint reads a body. */
export const takesBody = (one: Effective): boolean => requestOf(one) !== null || bodyParameters(one).length > 0;

/** True if a request without a body is one in which everything was left out. */
export const bodyMayBeMissing = (one: Effective): boolean =>
  requestOf(one) === null && bodyParameters(one).every((p) => p.presence?.value !== 'always');

/** Where the paths of `### Under` branch, whatever their parameters are called: each segment leads to those below. */
export class Paths {
  private readonly unders: Under[] = [];
  private readonly below = new Map<string, Paths>();

  constructor(unders: readonly Under[]) {
    for (const under of unders) {
      let at: Paths = this;
      for (const segment of branches(under.path)) {
        const next = at.below.get(segment) ?? new Paths([]);
        at.below.set(segment, next);
        at = next;
      }
      at.unders.push(under);
    }
  }

  /** Those that a path lies at or below, if parameters may be called anything; outermost first. */
  above(path: string): Under[] {
    const found = [...this.unders];
    let at: Paths = this;
    for (const segment of branches(path)) {
      const next = at.below.get(segment);
      if (!next) break;
      found.push(...next.unders);
      at = next;
    }
    return found;
  }
}

/** The segments of a path, each parameter as `{}`. */
export function branches(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .filter((segment) => segment !== '')
    .map((segment) => (segment.startsWith('{') ? '{}' : segment));
}

/** True if `path` is `above` or lies below it, segment by segment. */
export function isBelow(path: string, above: string): boolean {
  return path === above || path.startsWith(above === '/' ? '/' : `${above}/`);
}

function pathParameters(model: Model, endpoint: Endpoint): Parameter[] {
  return pathNames(endpoint.path).flatMap((name) => {
    const own = endpoint.parameters.find((p) => p.name.text === name && p.in?.value === 'path');
    const shared = model.endpoints.parameters.find((p) => p.name.text === name && p.in?.value === 'path');
    return own ?? shared ?? [];
  });
}
