import { isUtf8 } from 'node:buffer';
import { isCsv, isJson, isText } from '../plan/media-types.ts';
import { parseCsv } from './csv.ts';
import { type ParsedJson, parseJson } from './json.ts';

/**
 * Parses the body of an answer by its media type, as JSON has it: text is a string, CSV a list of records, and NDJSON a
 * list of values.
 */
export function parseBody(mediaType: string, body: Buffer): ParsedJson {
  if (isJson(mediaType)) return parseJson(body);
  if (!isUtf8(body)) return { ok: false, reason: 'the body is not valid UTF-8' };
  const text = body.toString();
  if (isText(mediaType)) return { ok: true, value: text };
  if (isCsv(mediaType)) {
    const records = parseCsv(text);
    return typeof records === 'string' ? { ok: false, reason: records } : { ok: true, value: records };
  }
  if (text !== '' && !text.endsWith('\n')) return { ok: false, reason: 'the last line has no end' };
  const values: unknown[] = [];
  for (const line of text.split('\n').slice(0, -1)) {
    const parsed = parseJson(Buffer.from(line));
    if (!parsed.ok) return parsed;
    values.push(parsed.value);
  }
  return { ok: true, value: values };
}
