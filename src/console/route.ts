import { segmentText } from '../text/path-segment.ts';
import type { Session } from './access.ts';
import type { RequestBody } from './body.ts';
import type { LiveStream } from './live.ts';
import { ConsoleError } from './problem.ts';

/** A request of the page with a valid session. */
interface ApiCall<Body = null> {
  /** The segments of the path for each `:name` of the route, in order. */
  readonly names: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Body;
  readonly session: Session;
  /** The header `If-Match`; null where there is none. */
  readonly ifMatch: string | null;
  /** Aborted once nobody waits for the answer. */
  readonly signal: AbortSignal;
}

/** The bytes of a row, for a download. */
export interface FileAnswer {
  /** The name under which a browser saves the file. */
  readonly name: string;
  readonly size: number;
  readonly pieces: AsyncIterable<Buffer>;
}

/** A route, whose answer is sent as JSON, or is a file. */
export type Route =
  | { readonly method: 'GET'; readonly path: string; readonly file: (call: ApiCall) => Promise<FileAnswer> }
  | { readonly method: 'GET'; readonly path: string; readonly answer: (call: ApiCall) => Promise<object> | object }
  | {
      readonly method: 'POST';
      readonly path: string;
      /** Names what is changed, where the path does not: from the body, or from the answer, unless there is none. */
      readonly about?: (body: RequestBody, answer: object | null) => string;
      /** Whether the request only asks about its body, so that no act is noted. */
      readonly reads?: boolean;
      /** The most bytes of the body, where other than usual. */
      readonly most?: number;
      readonly answer: (call: ApiCall<RequestBody>) => Promise<object> | object;
    };

/** All routes of the interface, and the live stream. */
export interface Views {
  readonly routes: readonly Route[];
  readonly live: LiveStream;
}

/** A route that matches a path, with the values of its `:name` segments. */
interface Found {
  readonly route: Route;
  readonly names: readonly string[];
}

/** Finds routes by their paths. */
export class Routes {
  private readonly routes: ReadonlyArray<{ readonly route: Route; readonly segments: readonly string[] }>;

  constructor(routes: readonly Route[]) {
    this.routes = routes.map((route) => ({ route, segments: route.path.split('/').slice(1) }));
  }

  /** The route of a path relative to the interface, such as `/rows/Order`. Throws ConsoleError if there is none. */
  find(method: string, path: string): Found {
    const segments = path.split('/').slice(1);
    const fit = this.routes.filter(
      (one) =>
        one.segments.length === segments.length &&
        one.segments.every((segment, i) => segment.startsWith(':') || segment === segments[i]),
    );
    const found = fit.find((one) => one.route.method === method);
    if (!found)
      throw fit.length
        ? new ConsoleError('wrong use', `${path} takes ${fit.map((one) => one.route.method).join(' and ')}.`, {
            status: 405,
          })
        : new ConsoleError('not found', 'The console has no such path.');
    const names = segments.filter((_, i) => found.segments[i]?.startsWith(':')).map(decoded);
    return { route: found.route, names };
  }
}

function decoded(segment: string): string {
  try {
    return segmentText(segment);
  } catch {
    throw new ConsoleError('wrong use', `“${segment}” is not percent-encoded UTF-8.`);
  }
}
