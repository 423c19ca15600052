import { FIELD_NAME as TOKEN } from '../../../syntax/field-name.ts';

/** The form of a header's value, as a pattern and in words. */
interface HeaderForm {
  readonly pattern: RegExp;
  readonly what: string;
}

const MORE = '[ \\t]*,[ \\t]*';
const listOf = (item: string): RegExp => new RegExp(`^${item}(?:${MORE}${item})*$`);

/** The forms of constant header values (RFC 9110, 9111 and 8288). Location has none: the service encodes its value. */
export const HEADER_FORMS: Readonly<Record<string, HeaderForm>> = {
  'Cache-Control': {
    pattern: listOf(`${TOKEN}(?:=(?:${TOKEN}|"[^"\\x00-\\x1f\\x7f]*"))?`),
    what: 'directives with commas between them, such as “private, max-age=60”',
  },
  'Content-Language': {
    pattern: listOf('[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*'),
    what: 'language tags with commas between them, such as “en, de-AT”',
  },
  Link: {
    pattern: /^<[^<>\s]*>[^\x00-\x1f\x7f]*$/,
    what: 'addresses in angle brackets with their relations, such as “</orders>; rel="next"”',
  },
  'Last-Modified': {
    pattern:
      /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/,
    what: 'an HTTP date, such as “Sun, 06 Nov 1994 08:49:37 GMT”',
  },
  Vary: { pattern: listOf(TOKEN), what: 'names of headers with commas between them, such as “Accept, Origin”' },
};
