import { type Legal, type Notes, Phrase } from '../syntax/phrase.ts';
import type { AnyGrammar } from './grammar.ts';

/**
 * What may follow the beginning of a value: words of the language, and the kind of a name or the form of a value. Null when
 * the beginning is not understood. `before` ends between two words, as the text before a caret does without a word begun.
 */
export function legalAfter(grammar: AnyGrammar, before: string): Legal | null {
  const notes: Notes = { findings: [], marks: [] };
  const phrase = new Phrase({ source: before, from: 0, to: before.length, inTable: false, lesson: '' }, notes);
  grammar.read(phrase);
  return phrase.legal;
}
