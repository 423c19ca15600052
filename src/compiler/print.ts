import { readMarkdown } from '../syntax/markdown.ts';
import type { Notes, Printed } from '../syntax/phrase.ts';
import { readModel } from './read/read.ts';

/**
 * Formats a document: each value gets the form that the language prints. Prose, comments and the order of statements
 * don't change. Meant for documents that `check` accepts: values with errors don't change either.
 */
export function printed(source: string): string {
  const values: Printed[] = [];
  const notes: Notes = { findings: [], marks: [], printed: values };
  readModel(readMarkdown(source, notes.findings), notes);
  let out = '';
  let at = 0;
  for (const { from, to, text } of values.sort((a, b) => a.from - b.from)) {
    if (from < at) continue;
    out += source.slice(at, from) + text;
    at = to;
  }
  return out + source.slice(at);
}
