import type { Text } from './markdown.ts';
import type { Span } from './span.ts';

export interface Token extends Span {
  readonly kind: 'word' | 'code' | 'mark';
  /** For code, the content with `\|` of tables undone. */
  readonly text: string;
  /** The place of `text`; for code, between its backticks. */
  readonly inner: Span;
  /** The document offset of each character of `text`, and of its end. */
  readonly offsets: readonly number[];
}

/** Splits inline text into words, inline code and the marks `, ; : .` */
export function tokens(text: Text): Token[] {
  const out: Token[] = [];
  const { source, to } = text;
  const ends = /[\s`]/g;
  const begins = /\S/g;
  let at = text.from;
  while (at < to) {
    begins.lastIndex = at;
    at = begins.test(source) ? begins.lastIndex - 1 : to;
    if (at >= to) break;
    if (source[at] === '`') {
      const token = code(text, at);
      out.push(token);
      at = token.to;
    } else {
      ends.lastIndex = at;
      const end = ends.test(source) ? Math.min(ends.lastIndex - 1, to) : to;
      let last = end;
      while (last > at && ',;:.'.includes(source.charAt(last - 1))) last--;
      if (last > at) out.push(plain('word', text, at, last));
      for (let i = last; i < end; i++) out.push(plain('mark', text, i, i + 1));
      at = end;
    }
  }
  return out;
}

/** A part of a text. In a table, `\|` is a bar (GFM, tables): a bar alone would end the cell. */
export function contentOf({ source, inTable }: Text, from: number, to: number): string {
  const text = source.slice(from, to);
  return inTable ? text.replaceAll('\\|', '|') : text;
}

export function plain(kind: 'word' | 'mark', text: Text, from: number, to: number): Token {
  return { kind, text: contentOf(text, from, to), from, to, inner: { from, to }, offsets: [from, to] };
}

/** A token of inline code for a text from outside any document. */
export function codeToken(text: string): Token {
  const span = { from: 0, to: text.length };
  return { kind: 'code', text, ...span, inner: span, offsets: Array.from({ length: text.length + 1 }, (_, i) => i) };
}

/** An inline code span (CommonMark 6.1): it ends with as many backticks as it starts with. */
function code(text: Text, from: number): Token {
  const { source, to } = text;
  let ticks = 0;
  while (source[from + ticks] === '`') ticks++;
  const fence = '`'.repeat(ticks);
  const within = source.slice(from + ticks, to);
  let close = within.indexOf(fence);
  while (close >= 0 && within[close + ticks] === '`') {
    while (within[close] === '`') close++;
    close = within.indexOf(fence, close);
  }
  if (close < 0) return plain('word', text, from, from + ticks);
  close += from + ticks;
  let start = from + ticks;
  let end = close;
  if (end - start > 2 && source[start] === ' ' && source[end - 1] === ' ') {
    start++;
    end--;
  }
  let content = '';
  const offsets: number[] = [];
  for (let i = start; i < end; i++) {
    if (text.inTable && source[i] === '\\' && source[i + 1] === '|') i++;
    offsets.push(i);
    content += source[i];
  }
  offsets.push(end);
  return { kind: 'code', text: content, from, to: close + ticks, inner: { from: start, to: end }, offsets };
}
