import { parseForm } from '../../http/form.ts';
import { parseJson } from '../../http/json.ts';
import { mediaType } from '../../http/media.ts';
import { FORM_TYPE } from '../../plan/media-types.ts';
import { headerOf, type Request } from './exchange.ts';

/** Whether the headers of a request say that its body is a form. */
export function isForm(headers: Request['headers']): boolean {
  const type = headerOf(headers, 'content-type');
  return type !== null && mediaType(type) === FORM_TYPE;
}

/** The value in the body of a request, in JSON or as a form; null if there is none. */
export function valueIn({ headers, body }: Pick<Request, 'headers' | 'body'>): unknown {
  if (body === null) return null;
  if (isForm(headers)) return parseForm(body);
  const parsed = parseJson(body);
  return parsed.ok ? parsed.value : null;
}
