import { METHODS, type Requested } from '../../language/endpoints.ts';
import { pathNames, withoutNames } from '../../plan/paths.ts';
import type { Name } from '../../syntax/names.ts';
import {
  type Endpoint,
  type Endpoints,
  everyStep,
  type Parameter,
  type Settings,
  type Step,
  type Under,
} from '../statements/endpoints.ts';
import type { Model } from '../statements/model.ts';

/**
 * An endpoint with all settings that apply to it: its own, those of the part for its method, and those of the part. The
 * nearest statement wins.
 */
export interface Effective {
  readonly endpoint: Endpoint;
  readonly settings: Settings;
  /** The steps of every path above it, outermost first, then its own. */
  readonly steps: readonly Step[];
  /** `steps`, and all steps nested in them. */
  readonly every: readonly Step[];
  /** Path parameters in the order of the path, those in headers that all endpoints share, then its own others. */
  readonly parameters: readonly Parameter[];
}

/** Every endpoint with the settings and steps in force. */
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
      settings: { ...sharedSettings(endpoints, endpoint.method), ...own },
      steps,
      every: [...everyStep(steps)],
      parameters: [
        ...pathParameters(model, endpoint),
        // A header parameter of the endpoint overrides a shared one of the same name.
        ...endpoints.parameters.filter((one) => isHeader(one) && !headers.has(headerName(one))),
        ...endpoint.parameters.filter((one) => one.in && one.in.value !== 'path'),
      ],
    };
  });
}

/** The settings that the part states for an endpoint of a method: those of the method before those of all endpoints. */
export function sharedSettings({ settings }: Pick<Endpoints, 'settings'>, method: string): Settings {
  const known = METHODS.find((one) => one === method);
  const idempotency = known ? settings[`idempotencyOf${known}`] : null;
  return idempotency ? { ...settings, idempotency } : settings;
}

/** The statements about idempotency of a document, for all endpoints, for those of a method, and for single ones. */
export const statedIdempotency = ({ settings, list }: Endpoints): ReadonlyArray<NonNullable<Settings['idempotency']>> =>
  [
    settings.idempotency,
    ...METHODS.map((method) => settings[`idempotencyOf${method}`]),
    ...list.map((endpoint) => endpoint.settings.idempotency),
  ].filter((one) => one !== null);

const isHeader = (one: Parameter): boolean => one.in?.value === 'header';

/** The name of a header parameter in lower case: field names are case-insensitive (RFC 9110, section 5.1). */
export const headerName = ({ name }: Parameter): string => name.text.toLowerCase();

/** The fields of a resource that the body holds; null where it holds none. */
export function requestOf(one: Effective): Requested | null {
  const request = one.settings.request?.value;
  return request && request !== 'none' ? request : null;
}

/** The field whose bytes the body of an endpoint is; null for any other body. */
export const bytesOf = (one: Effective): Name | null => requestOf(one)?.bytes ?? null;

/** The parameters that are members of the body. */
export const bodyParameters = (one: Effective): Parameter[] => one.parameters.filter((p) => p.in?.value === 'body');

/** True if the endpoint reads a body. */
export const takesBody = (one: Effective): boolean => requestOf(one) !== null || bodyParameters(one).length > 0;

/** Whether an endpoint reads a body that may be a form. */
export const takesForm = (one: Effective): boolean => takesBody(one) && !bytesOf(one) && isForm(one.settings);

/** Whether an endpoint reads a body that is a form of several parts, some of which may be files. */
export const takesParts = (one: Effective): boolean =>
  takesForm(one) && one.settings.payloads?.value === 'multipart form';

/** Whether the bodies of requests may be forms. */
export const isForm = ({ payloads }: Settings): boolean => payloads !== null && payloads.value !== 'JSON';

/** Whether a request may have no body: every member that the endpoint reads from it may be left out. */
export const bodyMayBeMissing = (one: Effective): boolean =>
  // The content of a QUERY is the query (RFC 10008).
  one.endpoint.method !== 'QUERY' &&
  requestOf(one) === null &&
  bodyParameters(one).every((p) => p.presence?.value !== 'always');

/** A tree of the paths of `### Under` by their parts. Names of parameters don't matter. */
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

  /** The `### Under` statements at or above a path, if parameters may have any name; outermost first. */
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

/** The parts of a path, each of which continues the path before it with a `/` or a `:`; each parameter as `{}`. */
const branches = (path: string): readonly string[] =>
  path === '/' ? [] : (withoutNames(path).match(/[/:][^/:]*/g) ?? []);

/** True if `path` is `above`, or continues it with a `/` or a `:`. */
export function isBelow(path: string, above: string): boolean {
  return path === above || path.startsWith(above === '/' ? '/' : `${above}/`) || path.startsWith(`${above}:`);
}

function pathParameters(model: Model, endpoint: Endpoint): Parameter[] {
  return pathNames(endpoint.path).flatMap((name) => {
    const own = endpoint.parameters.find((p) => p.name.text === name && p.in?.value === 'path');
    const shared = model.endpoints.parameters.find((p) => p.name.text === name && p.in?.value === 'path');
    return own ?? shared ?? [];
  });
}

/** A piece of a path; `named` for a parameter, whose text is the name in its braces. */
interface Piece extends Name {
  readonly named: boolean;
}

/** The texts and parameters of a path that starts at `from` in the document. A text begins anew at a `/` and a `:`. */
export function piecesOf(path: string, from: number): Piece[] {
  return [...path.matchAll(/\{([^{}]+)\}|:[^/{}:]*|[^/{}:]+/g)].map(({ index, 0: whole, 1: name }) => {
    const at = from + index + (name === undefined ? 0 : 1);
    const text = name ?? whole;
    return { text, from: at, to: at + text.length, named: name !== undefined };
  });
}

/** Where the path of an endpoint starts: its heading is a method, a space and the path. */
export const pathStart = (endpoint: Endpoint): number => endpoint.span.from + endpoint.method.length + 1;
