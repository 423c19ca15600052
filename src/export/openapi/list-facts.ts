import type { EndpointContract, ListContract, SearchContract } from '../../contract/endpoint.ts';
import { codeSpan } from '../code-span.ts';
import type { Exporting } from './exporting.ts';
import { shownName } from './shown-name.ts';

/** The sentences about the order and the limit of the lists that an endpoint answers with. */
export function listFacts(x: Exporting, endpoint: EndpointContract): string[] {
  return (endpoint.lists ?? []).flatMap((list) => [orderText(x, list), boundText(endpoint, list)].filter(Boolean));
}

const joined = (names: readonly string[], word: 'and' | 'or'): string =>
  [names.slice(0, -1).join(', '), names.at(-1) ?? ''].filter(Boolean).join(` ${word} `);

const subject = ({ member }: ListContract, plural: string): string =>
  member === null ? plural : `${plural} of ${codeSpan(member)}`;

function orderText({ version }: Exporting, list: ListContract): string {
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
    const isMatch = by.tree.op === 'call' && by.tree.fn === 'points';
    const name = isMatch ? null : shownName(version, by.tree);
    // Keys after one that callers do not see would not explain the order.
    if (!isMatch && name === null) break;
    const absent = nulls ? [`those without it ${nulls}`] : [];
    const notes = isMatch || name === null ? [] : [...(descending ? ['descending'] : []), ...absent];
    keys.push(
      (name === null ? 'the best match first' : codeSpan(name)) + (notes.length ? ` (${notes.join(', ')})` : ''),
    );
  }
  if (keys.length === 0) return `${items} have the same order each time.`;
  return `${items} are sorted by ${keys.join(', then ')}.`.replace('sorted by the best', 'sorted: the best');
}

function boundText({ answers }: EndpointContract, list: ListContract): string {
  const { bound, member } = list;
  if (!bound) return '';
  const name = member === null ? 'The list' : codeSpan(member);
  const most = `${bound.most} ${bound.most === 1 ? 'item' : 'items'}`;
  if (bound.beyond === 'left out') return `${name} has at most ${most}; further ones are left out.`;
  const code = answers.find(({ because }) => because.name === 'page refused')?.code;
  return `${name} has at most ${most}; if there are more, the answer is ${code ? codeSpan(code) : 'an error'}.`;
}

/** The meaning of a parameter whose words a list is searched for; empty where it has no such meaning. */
export function searchText({ version }: Exporting, { lists = [] }: EndpointContract, parameter: string): string {
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
