import { isUtf8 } from 'node:buffer';
import { isText } from '../plan/media-types.ts';
import { type ParsedJson, parseJson } from './json.ts';

/** Parses the body of an answer by its media type, as JSON has it: text is a string. */
export function parseBody(mediaType: string, body: Buffer): ParsedJson {
  if (!isText(mediaType)) return parseJson(body);
  return isUtf8(body) ? { ok: true, value: body.toString() } : { ok: false, reason: 'the body is not valid UTF-8' };
}
