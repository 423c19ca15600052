import { jsonOf } from '../../text/visible.ts';
import type { AnsweredRequest } from '../http/server.ts';

/**
 * What the log tells of a request that has been answered, as the members of its line: no value of it, nor of its answer.
 * Written out, since each request has such a line.
 */
export function logMembers({ id, method, handled, seconds, bytes }: AnsweredRequest): string {
  const { answer, endpoint, key, caller } = handled;
  const { status, code } = answer;
  // The path as the document states it: what was sent may have anything in it.
  const path = endpoint === null ? 'null' : jsonOf(endpoint.slice(endpoint.indexOf(' ') + 1));
  const refused = code === undefined ? '' : `,"code":${jsonOf(code)}`;
  const sent = method === 'HEAD' ? 0 : bytes;
  const who = key ? `,"key":${jsonOf(key)}` : caller ? `,"caller":${jsonOf(caller)}` : '';
  const ms = Math.round(seconds * 1000);
  return `"id":"${id}","method":${jsonOf(method)},"path":${path},"status":${status}${refused},"ms":${ms},"bytes":${sent}${who}`;
}
