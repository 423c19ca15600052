import type { AnsweredRequest } from '../http/server.ts';

/** What the log tells of a request that has been answered: no value of it, nor of its answer. */
export function requestFields({ id, method, handled, seconds }: AnsweredRequest): Readonly<Record<string, unknown>> {
  const { answer, endpoint, key, caller } = handled;
  const { status, code, body } = answer;
  return {
    id,
    method,
    // As the document states it: what was sent may have anything in it.
    path: endpoint?.slice(endpoint.indexOf(' ') + 1) ?? null,
    status,
    code,
    ms: Math.round(seconds * 1000),
    bytes: body === null || method === 'HEAD' ? 0 : Buffer.byteLength(body),
    key: key ?? undefined,
    caller: key ? undefined : (caller ?? undefined),
  };
}
