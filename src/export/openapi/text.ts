/** Escapes text for a description, which is CommonMark. */
export const markdown = (text: string): string => text.replace(/[\\`*<[\]&]/g, '\\$&');

/**
 * Prose of the document for a description, which is Markdown. HTML is escaped, because a page that shows the
 * description would interpret it; code needs no escaping.
 */
export const withoutHtml = (text: string): string =>
  text
    .split(/(`+[^`]+`+)/)
    .map((part, i) => (i % 2 ? part : part.replaceAll('<', '&lt;')))
    .join('');

/** Joins the defined texts as paragraphs. */
export const paragraphs = (...texts: ReadonlyArray<string | undefined>): string =>
  texts.filter((one) => one !== undefined && one !== '').join('\n\n');

/** Joins names with commas, and a word before the last. */
export const joined = (names: readonly string[], word: 'and' | 'or'): string =>
  [names.slice(0, -1).join(', '), names.at(-1) ?? ''].filter(Boolean).join(` ${word} `);

/** Joins the texts as a list; undefined if there are none. */
export const bullets = (texts: readonly string[]): string | undefined =>
  texts.length ? texts.map((one) => `- ${one}`).join('\n') : undefined;

/**
 * The end of a sentence: the next one begins with a capital letter, and the word before the point is no abbreviation such
 * as “St.” or “e.g.”, which are shorter than three letters.
 */
const SENTENCE_END = /(?<=(?:[\p{L}\p{M}\p{N}]{3}\.|[^\p{L}\p{M}\p{N}.]\.|[!?]))\s+(?=\p{Lu})/u;

/** The longest summary. */
const SUMMARY_LENGTH = 120;

/**
 * The first sentence of prose as a summary, without Markdown and without its full stop, and the prose after it. The summary
 * is null where the sentence is too long, and the rest is the whole prose where the sentence has Markdown, or a line begins
 * a list or a table.
 */
export function summarised(prose: string): { readonly summary: string | null; readonly rest: string } {
  const [paragraph = '', ...paragraphs] = prose.replace(/^> ?/gm, '').split(/\n\s*\n/);
  const none = { summary: null, rest: prose };
  if (/^(?:[-+#|]|\d+[.)]) ?/.test(paragraph)) return none;
  const [first = '', ...sentences] = paragraph.replace(/\s+/g, ' ').trim().split(SENTENCE_END);
  const plain = first.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]|(?<!\w)_|_(?!\w)/g, '');
  const summary = plain.replace(/\.$/, '');
  if (summary === '' || summary.length > SUMMARY_LENGTH) return none;
  if (plain !== first || /^\s*(?:[-+*#|]|\d+[.)])/m.test(prose)) return { summary, rest: prose };
  return { summary, rest: [sentences.join(' '), ...paragraphs].filter((one) => one !== '').join('\n\n') };
}

/** The phrases of RFC 9110 for the statuses that a document can answer with without a code. */
const PHRASES: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  203: 'Non-Authoritative Information',
  204: 'No Content',
  205: 'Reset Content',
  206: 'Partial Content',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  422: 'Unprocessable Content',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
  507: 'Insufficient Storage',
};

/** The phrase of a status; the status itself where it has none here. */
export const phraseOf = (status: number): string => PHRASES[status] ?? `Status ${status}`;
