import { type Legal, type Notes, Phrase } from '../syntax/phrase.ts';
import type { AnyGrammar } from './grammar.ts';

/**
 * The words and values that may follow the beginning of a value. Null when the beginning is not understood. `before`
 * ends between two words: it is the text before a caret without the word that has been begun there.
 */
export function legalAfter(grammar: AnyGrammar, before: string): Legal | null {
  const notes: Notes = { findings: [], marks: [] };
  const phrase = new Phrase({ source: before, from: 0, to: before.length, inTable: false, lesson: '' }, notes);
  grammar.read(phrase);
  return phrase.legal;
}
