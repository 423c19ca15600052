import type { VersionContract } from '../../contract/contract.ts';
import type { EndpointContract, ListContract, SearchContract } from '../../contract/endpoint.ts';
import type { Expr } from '../../expression/tree/expression.ts';
import { searchOf } from '../../expression/tree/search.ts';
import { codeSpan } from '../code-span.ts';
import type { Exporting } from './exporting.ts';
import { shownName } from './shown-name.ts';
import { joined } from './text.ts';

/** The sentences about the order of the lists that an endpoint answers with. */
export const orderFacts = (x: Pick<Exporting, 'version'>, { lists = [] }: EndpointContract): string[] =>
  lists.map((list) => orderText(x, list)).filter(Boolean);

/** The sentence about the greatest length of the lists that an endpoint answers with whole; empty where there is none. */
export function boundFact({ answers, lists = [] }: EndpointContract): string {
  // One limit holds for all lists of an endpoint.
  const bound = lists.find((one) => one.bound)?.bound;
  if (!bound) return '';
  const most = `A list without pages has at most ${bound.most} ${bound.most === 1 ? 'item' : 'items'}`;
  if (bound.beyond === 'left out') return `${most}; further ones are left out.`;
  const code = answers.find(({ because }) => because.name === 'page refused')?.code;
  return `${most}; if there are more, the answer is ${code ? codeSpan(code) : 'an error'}.`;
}

const subject = ({ member }: ListContract, plural: string): string =>
  member === null ? plural : `${plural} of ${codeSpan(member)}`;

function orderText({ version }: Pick<Exporting, 'version'>, list: ListContract): string {
  const items = subject(list, 'Items');
  const { order, chosenBy = [] } = list;
  if (order === null) {
    const names = joined(chosenBy.map(codeSpan), 'and');
    return chosenBy.length
      ? `${items} are in the order that ${names} ${chosenBy.length > 1 ? 'choose' : 'chooses'}.`
      : '';
  }
  const keys: string[] = [];
  for (const { by, descending, nulls } of order) {
    const name = keyName(version, by.tree);
    // Keys after one that callers do not see would not explain the order.
    if (name === null) break;
    const notes = [
      ...(descending && !name.startsWith(BEST) ? ['descending'] : []),
      ...(nulls ? [`those without it ${nulls}`] : []),
    ];
    keys.push(notes.length ? `${name} (${notes.join(', ')})` : name);
  }
  return keys.length === 0
    ? `${items} have the same order each time.`
    : `${items} are sorted by ${keys.join(', then ')}.`;
}

/** The order by the best match, with the points of a word in each field. */
function bestMatch(version: VersionContract, args: readonly Expr[]): string {
  const points = searchOf(args).fields.map(({ field, weight }) => {
    const name = shownName(version, field);
    return `${weight} in ${name === null ? 'a field that is not shown' : codeSpan(name)}`;
  });
  return points.length > 1 ? `${BEST} (a word counts ${points.join(', ')})` : BEST;
}

const BEST = 'the best match';

/** The name of a sort key, which is a field or a member of a group; null if callers do not see it. */
function keyName(version: VersionContract, key: Expr): string | null {
  if (key.op === 'call' && key.fn === 'points') return bestMatch(version, key.args);
  const name = key.op === 'name' ? key.name : shownName(version, key);
  return name === null ? null : codeSpan(name);
}

/** The meaning of a parameter that chooses the order of a list, or whose words are searched for; empty for others. */
export function listParameterText(
  { version }: Pick<Exporting, 'version'>,
  { lists = [] }: EndpointContract,
  parameter: string,
): string {
  if (lists.some(({ chosenBy }) => chosenBy?.includes(parameter))) return 'Chooses the order of the list.';
  const search = lists.find((one) => one.search?.parameter === parameter)?.search;
  if (!search) return '';
  const names = search.fields.flatMap(({ tree }) => shownName(version, tree) ?? []);
  const where = names.length === search.fields.length ? ` in ${joined(names.map(codeSpan), 'or')}` : '';
  const every = search.words === 'every' ? 'every one of these words' : 'at least one of these words';
  const prefix = search.lastIsPrefix ? '; the last word may also be the beginning of one' : '';
  const without = search.emptyMatches ? 'all items are found' : 'no item is found';
  return `Words to search for: an item is found if it has ${every}${where}${prefix}. ${wordForm(search)} Without a word, ${without}.`;
}

function wordForm({ accents, language }: SearchContract): string {
  const ignored = accents === 'ignored' ? 'Case and accents are ignored' : 'Case is ignored, accents are not';
  return language === null ? `${ignored}.` : `${ignored}, and words with the same stem in ${language} are the same.`;
}
