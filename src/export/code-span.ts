/**
 * Text of a document as code in Markdown (CommonMark, section 6.1): nothing in it is Markdown or HTML, whatever it
 * contains.
 */
export function codeSpan(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const padding = /^`|`$|^ .* $/.test(line) ? ' ' : '';
  return `${fence}${padding}${line}${padding}${fence}`;
}
