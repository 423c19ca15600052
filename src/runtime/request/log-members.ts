import { jsonOf } from '../../text/visible.ts';
import type { AnsweredRequest } from '../http/server.ts';

/**
 * What the log tells of a request that has been answered, as the members of its line: no value of it, nor of its answer.
 * Written out, since each request has such a line.
 */
export function logMembers({ id, method, handled, seconds }: AnsweredRequest): string {
  const { answer, endpoint, key, caller } = handled;
  const { status, code, body } = answer;
  // The path as the document states it: what was sent may have anything in it.
  const path = endpoint === null ? 'null' : jsonOf(endpoint.slice(endpoint.indexOf(' ') + 1));
  const refused = code === undefined ? '' : `,"code":${jsonOf(code)}`;
  const bytes = body === null || method === 'HEAD' ? 0 : Buffer.byteLength(body);
  const who = key ? `,"key":${jsonOf(key)}` : caller ? `,"caller":${jsonOf(caller)}` : '';
  const ms = Math.round(seconds * 1000);
  return `"id":"${id}","method":${jsonOf(method)},"path":${path},"status":${status}${refused},"ms":${ms},"bytes":${bytes}${who}`;
}
