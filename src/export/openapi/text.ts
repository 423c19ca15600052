/** Text of the document in a description, which is CommonMark: what would be markup there stands for itself. */
export const markdown = (text: string): string => text.replace(/[\\`*<[\]&]/g, '\\$&');

/**
 * Prose of the document, which is Markdown as a description is: but for HTML, which a page that shows the description would
 * take for its own. What stands in code stands for itself everywhere.
 */
export const withoutHtml = (text: string): string =>
  text
    .split(/(`+[^`]+`+)/)
    .map((part, i) => (i % 2 ? part : part.replaceAll('<', '&lt;')))
    .join('');

/** Those texts that there are, one below the other. */
export const paragraphs = (...texts: ReadonlyArray<string | undefined>): string =>
  texts.filter((one) => one !== undefined && one !== '').join('\n\n');
