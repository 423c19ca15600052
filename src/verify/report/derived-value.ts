/** A derivation by which a request changes a value that only the service knows, such as capitals. */
export interface Derivation {
  /** The name of the value in a comment, after `is the same`. */
  readonly words: string;
  /** The end of the name of a variable. */
  readonly suffix: string;
  readonly of: (value: string) => string;
  /** The filter of jq that makes it. */
  readonly jq: (value: string) => string;
}

const middle = (value: string): number => value.length >> 1;
const other = (value: string): string => (value.charAt(middle(value)) === 'A' ? 'B' : 'A');

/** A value with one character changed, in the middle. */
export const withOtherCharacter = (value: string): string =>
  `${value.slice(0, middle(value))}${other(value)}${value.slice(middle(value) + 1)}`;

/** The ways in which requests change identities and credentials. */
export const DERIVATIONS: readonly Derivation[] = [
  {
    words: 'in capitals',
    suffix: 'in_capitals',
    of: (value) => value.toUpperCase(),
    jq: () => 'ascii_upcase',
  },
  {
    words: 'in small letters',
    suffix: 'in_small_letters',
    of: (value) => value.toLowerCase(),
    jq: () => 'ascii_downcase',
  },
  {
    words: 'without its last character',
    suffix: 'cut',
    of: (value) => value.slice(0, -1),
    jq: () => '.[:-1]',
  },
  {
    words: 'with another character in the middle',
    suffix: 'altered',
    of: withOtherCharacter,
    jq: (value) => `.[:${middle(value)}] + "${other(value)}" + .[${middle(value) + 1}:]`,
  },
];

/** The shortest value that is looked for in another form: a shorter value may occur in a request by chance. */
const SHORTEST_DERIVED = 6;

/** A value in each of these forms that differs from it. */
export const derivedOf = (value: string): string[] =>
  value.length <= SHORTEST_DERIVED ? [] : DERIVATIONS.map(({ of }) => of(value)).filter((one) => one !== value);

/** The index of a value that occurs in a text as a whole word; -1 if it does not. */
export function placeOfWord(text: string, value: string, from = 0): number {
  for (let at = text.indexOf(value, from); at >= 0; at = text.indexOf(value, at + 1))
    if (!/[\w-]/.test(text[at - 1] ?? '') && !/[\w-]/.test(text[at + value.length] ?? '')) return at;
  return -1;
}
