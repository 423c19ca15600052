import type { AnyGrammar, Grammar } from '../language/grammar.ts';
import { type Notes, Phrase } from '../syntax/phrase.ts';

/** Whether a document can have a value: its text reads as the same value, without a finding. */
export function isSayable(grammar: AnyGrammar, value: unknown): boolean {
  const { print, read } = grammar as Grammar<unknown>;
  const text = print(value);
  // A backslash before a bar would end the cell there (GFM, 4.10).
  if (/[\r\n]|\\\|/.test(text)) return false;
  const source = text.replaceAll('|', '\\|');
  const notes: Notes = { findings: [], marks: [] };
  const phrase = new Phrase({ source, from: 0, to: source.length, inTable: true }, notes);
  const again = read(phrase);
  return again !== undefined && phrase.end() && notes.findings.length === 0 && print(again) === text;
}
