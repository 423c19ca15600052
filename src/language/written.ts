/** A code span of Markdown that holds a text: its backticks are more than those of the text (CommonMark, 6.1). */
export function inlineCode(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const padded = /^`|`$/.test(text) || (/^ .* $/.test(text) && text.trim() !== '') ? ` ${text} ` : text;
  return `${fence}${padded}${fence}`;
}

/** Parts with a space between them, and none before a mark. */
export const joined = (parts: readonly string[]): string =>
  parts
    .filter((part) => part !== '')
    .reduce((text, part) => (text === '' || /^[,;:.](?:\s|$)/.test(part) ? text + part : `${text} ${part}`), '');

/** Samples of parts that follow one another: as many as the part with most has, each with the fullest of the others. */
export function combined(parts: ReadonlyArray<readonly string[]>): string[] {
  const most = Math.max(0, ...parts.map((samples) => samples.length));
  return Array.from({ length: most }, (_, i) => joined(parts.map((samples) => samples[i] ?? samples.at(-1) ?? '')));
}
