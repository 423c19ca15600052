import { parseForm } from '../../http/form.ts';
import { parseJson } from '../../http/json.ts';
import { mediaType } from '../../http/media.ts';
import { boundaryIn, parseParts } from '../../http/multipart.ts';
import { FORM_TYPE, MULTIPART_TYPE } from '../../plan/media-types.ts';
import { headerOf, type Request } from './exchange.ts';

/** Whether the headers of a request say that its body is a form of pairs. */
export const isForm = (headers: Request['headers']): boolean => isOf(headers, FORM_TYPE);

/** Whether the headers of a request say that its body is a form of several parts. */
export const isParts = (headers: Request['headers']): boolean => isOf(headers, MULTIPART_TYPE);

function isOf(headers: Request['headers'], wanted: string): boolean {
  const type = headerOf(headers, 'content-type');
  return type !== null && mediaType(type) === wanted;
}

/** The value in the body of a request, in JSON or as a form; null if there is none. */
export function valueIn({ headers, body }: Pick<Request, 'headers' | 'body'>): unknown {
  if (body === null) return null;
  if (isForm(headers)) return parseForm(body);
  const boundary = isParts(headers) ? boundaryIn(headerOf(headers, 'content-type') ?? '') : null;
  if (boundary !== null) return parseParts(body, boundary);
  const parsed = parseJson(body);
  return parsed.ok ? parsed.value : null;
}
