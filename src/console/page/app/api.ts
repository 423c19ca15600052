import type { Problem } from '../../protocol.ts';

/** A request to the console’s interface that had no success; the message is a sentence for people. */
export class ApiError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.error);
    this.problem = problem;
  }
}

const BASE = '/console/api';

/** Asks for data. */
export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return send<T>(path, signal ? { signal } : {});
}

/** Changes something. The header can’t be sent by a page of another origin. */
export function post<T>(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<T> {
  return send<T>(path, {
    ...(signal && { signal }),
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Ninefold-Console': '1', ...headers },
    body: JSON.stringify(body),
  });
}

/** The address of a file, which a browser saves. */
export const fileAddress = (path: string): string => `${BASE}${path}`;

/** The address of the live numbers. */
export const LIVE = `${BASE}/live`;

async function send<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`${BASE}${path}`, { credentials: 'same-origin', cache: 'no-store', ...init });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(unreachable());
  }
  const body: unknown = await response.json().catch(() => null);
  if (response.ok && body !== null) return body as T;
  throw new ApiError(isProblem(body) ? body : odd(response.status));
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string';
}

const unreachable = (): Problem => ({
  kind: 'unavailable',
  error:
    'The console can’t reach the service. The service may have stopped, or restarted with another link: look at its terminal.',
  refusal: null,
});

const odd = (status: number): Problem => ({
  kind: status === 401 ? 'no session' : 'defect',
  error:
    status === 401
      ? 'The session has ended. Open the link that the service prints when it starts.'
      : `The service answered ${status} without a reason.`,
  refusal: null,
});
