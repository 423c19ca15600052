import type { Expr } from '../../expression/tree/expression.ts';
import { matching, points, queryTextOf, type Search, searchOf } from '../../expression/tree/search.ts';
import { statementId } from '../../plan/lines.ts';
import type { InsideStep } from '../../plan/step.ts';
import { evaluate, holds } from './evaluate.ts';
import type { OracleRow } from './rows.ts';
import { type Run, scopeOf } from './run.ts';
import { note } from './scope.ts';

/** Another search, in words that follow “otherwise”. */
interface OtherSearch {
  readonly name: string;
  readonly matching: Expr;
}

/** The searches that a service may make in the place of the stated one, each with one fact changed. */
export function otherSearches(own: Expr): OtherSearch[] {
  const search = searchOf(own.op === 'call' ? own.args : []);
  const { language, ...plain } = search;
  const { words, lastIsPrefix, accents, emptyMatches, fields } = search;
  const other = (name: string, facts: Partial<Search>): OtherSearch => ({
    name,
    matching: matching({ ...search, ...facts }),
  });
  const without = fields.length < 2 ? [] : fields;
  return [
    other(`with ${words === 'every' ? 'any' : 'every'} word`, { words: words === 'every' ? 'any' : 'every' }),
    other(lastIsPrefix ? 'with whole words' : 'with the last as a prefix', { lastIsPrefix: !lastIsPrefix }),
    other(`with accents ${accents === 'ignored' ? 'distinct' : 'ignored'}`, {
      accents: accents === 'ignored' ? 'distinct' : 'ignored',
    }),
    {
      name: language ? 'in no language' : 'in English',
      matching: matching(language ? plain : { ...plain, language: 'English' }),
    },
    other(`without words ${emptyMatches ? 'no' : 'all'} rows`, { emptyMatches: !emptyMatches }),
    ...without.map(({ field }) =>
      other(`without “${field.op === 'get' ? field.member : ''}”`, {
        fields: fields.filter((one) => one.field !== field),
      }),
    ),
  ];
}

/** The points of a row with weights that are all the same, where those of a document differ. */
export function otherPoints(by: Expr): Expr[] {
  if (by.op !== 'call' || by.fn !== 'points') return [];
  const search = searchOf(by.args);
  const [first] = search.fields;
  if (search.fields.every(({ weight }) => weight === first?.weight)) return [];
  return [points({ ...search, fields: search.fields.map(({ field }) => ({ field, weight: 1 })) })];
}

/** Notes which other searches would have found other rows among those that the list would show without a query. */
export function noteSearch(
  run: Run,
  step: Extract<InsideStep, { do: 'list' | 'list streamed' }>,
  among: readonly OracleRow[],
): void {
  const { matching: own } = step;
  if (own?.op !== 'call') return;
  const key = statementId.step(step);
  for (const { name, matching: other } of otherSearches(own)) {
    const differs = among.some((row) => holds(own, scopeOf(run, row)) !== holds(other, scopeOf(run, row)));
    if (differs) note(run.work, key, `otherwise ${name}`);
  }
  const terms = evaluate(queryTextOf(searchOf(own.args), 'terms'), scopeOf(run));
  if (terms === '') note(run.work, key, 'no words');
  else if (among.some((row) => row.revision > 1 && holds(own, scopeOf(run, row)))) note(run.work, key, 'a changed row');
}
