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
