import type { Expr } from './expression.ts';
import { BOOLEAN, INTEGER, STRING } from './types.ts';
import { LANGUAGES, type QuerySyntax, type WordForm } from './word-form.ts';

/** The meaning of a query, and the fields in which it looks for words. */
export interface Search extends WordForm {
  /** The text of the query; null counts as a text without words. */
  readonly query: Expr;
  /** Whether a row has all words of the query, or at least one. */
  readonly words: 'every' | 'any';
  readonly lastIsPrefix: boolean;
  /** Whether a query without words matches all rows, or none. */
  readonly emptyMatches: boolean;
  readonly fields: readonly SearchedField[];
}

interface SearchedField {
  readonly field: Expr;
  /** The points of each occurrence of a word in this field. */
  readonly weight: number;
}

const constant = (value: string | number | boolean): Expr => {
  const type = typeof value === 'string' ? STRING : typeof value === 'number' ? INTEGER : BOOLEAN;
  return { op: 'const', value, type };
};

const constantOf = (expr: Expr | undefined): string | number | boolean | null =>
  expr?.op === 'const' ? expr.value : null;

/** The condition that a row matches a query. */
export const matching = (search: Search): Expr => ({ op: 'call', fn: 'matching', args: argsOf(search), type: BOOLEAN });

/** The points of a row: the occurrences of the words of a query in each field, times the weight of the field. */
export const points = (search: Search): Expr => ({ op: 'call', fn: 'points', args: argsOf(search), type: INTEGER });

/** The words of a query in a syntax of `queryText`. */
export const queryTextOf = (search: Search, syntax: QuerySyntax): Expr => ({
  op: 'call',
  fn: 'query text',
  args: [...argsOf({ ...search, fields: [] }), constant(syntax)],
  type: STRING,
});

const argsOf = ({ query, language, accents, words, lastIsPrefix, emptyMatches, fields }: Search): Expr[] => [
  query,
  constant(language ?? 'none'),
  constant(accents),
  constant(words),
  constant(lastIsPrefix),
  constant(emptyMatches),
  ...fields.flatMap(({ field, weight }) => [field, constant(weight)]),
];

/** The number of arguments before those of the fields, of which each field has two. */
const BEFORE_FIELDS = 6;

/** The search that a call of `matching`, `points` or `query text` is about. */
export function searchOf(args: readonly Expr[]): Search {
  const fields = args.slice(BEFORE_FIELDS);
  const language = LANGUAGES.find((one) => one === constantOf(args[1]));
  return {
    query: args[0]!,
    ...(language && { language }),
    accents: constantOf(args[2]) === 'ignored' ? 'ignored' : 'distinct',
    words: constantOf(args[3]) === 'every' ? 'every' : 'any',
    lastIsPrefix: constantOf(args[4]) === true,
    emptyMatches: constantOf(args[5]) === true,
    fields: fields.flatMap((field, i) => (i % 2 === 0 ? [{ field, weight: Number(constantOf(fields[i + 1])) }] : [])),
  };
}
