import { jsonOf } from '../../text/visible.ts';
import type { AnsweredRequest } from '../http/server.ts';

/** The log members that many requests share. */
interface Common {
  readonly method: string;
  readonly status: number;
  readonly code: string | undefined;
  /** The text of the line from the end of the request's id to its duration. */
  readonly text: string;
}

/**
 * Writes the log members of answered requests, as JSON without values of the request or its answer. Each request has
 * such a line, and fewer pieces take less of its time.
 */
export class LogMembers {
  /** Shared members by endpoint: the requests of one endpoint have few combinations. */
  private readonly common = new Map<string, Common[]>();

  /** Returns the log members of a request. */
  of({ id, method, handled, seconds, bytes }: AnsweredRequest): string {
    const { key, caller } = handled;
    const sent = method === 'HEAD' ? 0 : bytes;
    const told = `"id":"${id}${this.commonTo(method, handled)}${Math.round(seconds * 1000)},"bytes":${sent}`;
    if (key) return `${told},"key":${jsonOf(key)}`;
    return caller ? `${told},"caller":${jsonOf(caller)}` : told;
  }

  private commonTo(method: string, { endpoint, answer }: AnsweredRequest['handled']): string {
    const { status, code } = answer;
    // A request to no endpoint may have any method: caching its text would let clients fill the memory.
    if (endpoint === null) return textOf(method, 'null', status, code);
    const known = this.common.get(endpoint) ?? [];
    if (known.length === 0) this.common.set(endpoint, known);
    for (const one of known) if (one.status === status && one.code === code && one.method === method) return one.text;
    // The path as the document states it: a path as sent may contain anything.
    const text = textOf(method, jsonOf(endpoint.slice(endpoint.indexOf(' ') + 1)), status, code);
    known.push({ method, status, code, text });
    return text;
  }
}

function textOf(method: string, path: string, status: number, code: string | undefined): string {
  const refused = code === undefined ? '' : `,"code":${jsonOf(code)}`;
  return `","method":${jsonOf(method)},"path":${path},"status":${status}${refused},"ms":`;
}
