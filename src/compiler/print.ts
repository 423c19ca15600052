import { readMarkdown } from '../syntax/markdown.ts';
import type { Notes, Printed } from '../syntax/phrase.ts';
import { readModel } from './read/read.ts';

/**
 * A document with each of its values in the form that the language prints. Everything else, prose, comments and the order
 * of the statements, stays as it is. Meant for documents that `check` accepts: a value that is not understood stays too.
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
