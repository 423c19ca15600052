import { jsonOf } from '../../text/visible.ts';
import type { AnsweredRequest } from '../http/server.ts';

/** What the lines of many requests have in common. */
interface Common {
  readonly method: string;
  readonly status: number;
  readonly code: string | undefined;
  /** From the end of the request’s id to its duration. */
  readonly text: string;
}

/**
 * What the log tells of requests that have been answered, as the members of a line in JSON: no value of a request, nor of
 * its answer. Each request has such a line, and the fewer pieces it is made of, the less of a request’s time it takes.
 */
export class LogMembers {
  /** By endpoint: few requests to one differ in these. */
  private readonly common = new Map<string, Common[]>();

  /** The members that tell of a request. */
  of({ id, method, handled, seconds, bytes }: AnsweredRequest): string {
    const { key, caller } = handled;
    const sent = method === 'HEAD' ? 0 : bytes;
    const told = `"id":"${id}${this.commonTo(method, handled)}${Math.round(seconds * 1000)},"bytes":${sent}`;
    if (key) return `${told},"key":${jsonOf(key)}`;
    return caller ? `${told},"caller":${jsonOf(caller)}` : told;
  }

  private commonTo(method: string, { endpoint, answer }: AnsweredRequest['handled']): string {
    const { status, code } = answer;
    // What is no endpoint may have any method, and nobody keeps what anybody may make up.
    if (endpoint === null) return textOf(method, 'null', status, code);
    const known = this.common.get(endpoint) ?? [];
    if (known.length === 0) this.common.set(endpoint, known);
    for (const one of known) if (one.status === status && one.code === code && one.method === method) return one.text;
    // The path as the document states it: what was sent may have anything in it.
    const text = textOf(method, jsonOf(endpoint.slice(endpoint.indexOf(' ') + 1)), status, code);
    known.push({ method, status, code, text });
    return text;
  }
}

function textOf(method: string, path: string, status: number, code: string | undefined): string {
  const refused = code === undefined ? '' : `,"code":${jsonOf(code)}`;
  return `","method":${jsonOf(method)},"path":${path},"status":${status}${refused},"ms":`;
}
