import { type Name, refuseRepeats, takeName } from '../syntax/names.ts';
import type { Phrase } from '../syntax/phrase.ts';
import type { Token } from '../syntax/tokens.ts';
import { code, type Grammar } from './grammar.ts';

/** `sku request.sku`: a name, and the value that it is given. */
export interface Assignment {
  readonly field: Name;
  readonly value: Token;
}

export const VALUE = code('expression', 'an expression in inline code', 'value');

export const printAssignments = (given: readonly Assignment[]): string =>
  given.map(({ field, value }) => `${field.text} ${VALUE.print(value)}`).join(', ');

/** ``f `e`, g `e` ``; `takeField` takes a name. A comma ends the list where `ends` says so of the words after it. */
export const assignments = (
  takeField: (phrase: Phrase) => Name | null,
  sample: string,
  ends: (phrase: Phrase) => boolean = () => false,
): Grammar<readonly Assignment[]> => ({
  read: (phrase) => {
    const given: Assignment[] = [];
    do {
      const field = takeField(phrase);
      const value = field && VALUE.read(phrase);
      if (!field || !value) break;
      given.push({ field, value });
    } while (!ends(phrase) && phrase.mark(','));
    refuseRepeats(
      given.map(({ field }) => field),
      phrase.findings,
    );
    return phrase.failed ? undefined : given;
  },
  print: printAssignments,
  writes: Array.isArray,
  samples: [`${sample} \`value\``],
});

const takeField = (phrase: Phrase): Name | null => takeName(phrase, 'use', 'a field');

/** Values of fields of a row, up to a comma and the word `stop` that no value follows. */
export const assignmentsUpTo = (stop: string): Grammar<readonly Assignment[]> =>
  assignments(takeField, 'field', (phrase) => phrase.peek(1)?.text === stop && phrase.peek(2)?.kind !== 'code');

/** Values of fields of a row. */
export const ASSIGNMENTS = assignments(takeField, 'field');
