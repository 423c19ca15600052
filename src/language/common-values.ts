import { type Name, takePath } from '../syntax/names.ts';
import type { Phrase } from '../syntax/phrase.ts';
import { takeSize, writtenSize } from '../syntax/units.ts';
import { type Grammar, isNumber, isText, made } from './grammar.ts';

/** A number of bytes. */
export const size = (...samples: readonly string[]): Grammar<number> => ({
  read: (phrase) => takeSize(phrase) ?? undefined,
  print: writtenSize,
  writes: isNumber,
  samples,
});

/** A number of things from 1, such as `12 months`. */
export const counted = (what: string, unit: string, sample: string, most?: number): Grammar<number> => ({
  read: (phrase) => {
    const number = phrase.positive(`${what}, from 1`, most);
    return number === null || !phrase.choose([number === 1 ? unit : `${unit}s`]) ? undefined : number;
  },
  print: (number) => `${number} ${unit}${number === 1 ? '' : 's'}`,
  writes: isNumber,
  samples: [sample],
});

/** A name of two parts, such as `Order.status`. */
export const path = (what: string, sample: string): Grammar<{ readonly resource: Name; readonly field: Name }> => ({
  read: (phrase) => takePath(phrase, what) ?? undefined,
  print: ({ resource, field }) => `${resource.text}.${field.text}`,
  writes: (given) => typeof given === 'object' && given !== null && 'resource' in given && 'field' in given,
  samples: [sample],
});

/** A list that may have nothing in it, for which the grammar has null. */
export const orEmpty = <T>(grammar: Grammar<readonly T[] | null>): Grammar<readonly T[]> =>
  made(
    grammar,
    (all): readonly T[] => all ?? [],
    (all) => (all.length ? all : null),
    Array.isArray,
  );

/** The grammar, unless `refuses` reports that something else was meant. It can only be the last of several alternatives. */
export const unless = <T>(
  { attempt: _, ...grammar }: Grammar<T>,
  refuses: (phrase: Phrase) => boolean,
): Grammar<T> => ({
  ...grammar,
  read: (phrase) => (refuses(phrase) ? undefined : grammar.read(phrase)),
});

/** A value after “a” or “an”, as its first sound has it. */
export const article = <T>(grammar: Grammar<T>): Grammar<T> => ({
  read: (phrase) => (phrase.choose(['a', 'an']) === null ? undefined : grammar.read(phrase)),
  print: (value) => withArticle(grammar.print(value)),
  writes: grammar.writes,
  samples: grammar.samples.map(withArticle),
});

const withArticle = (text: string): string => `${/^[aeio]/i.test(text) ? 'an' : 'a'} ${text}`;

/** The last of several alternatives, where none fits: reports that `what` is expected. */
export const expected = <T = never>(what: string): Grammar<T> => ({
  read: (phrase) => {
    phrase.fail(what);
    return undefined;
  },
  print: () => '',
  writes: () => false,
  samples: [],
});

/** One word that is a value. */
export const word = (what: string, sample: string): Grammar<string> => ({
  read: (phrase) => phrase.word('value', what)?.text,
  print: String,
  writes: isText,
  samples: [sample],
});

/** All text that is left. */
export const freeText: Grammar<string> = {
  read: (phrase) => phrase.rest(),
  print: String,
  writes: isText,
  samples: [],
};
