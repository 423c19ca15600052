import type { Base, Mutation, Situation } from './candidate.ts';
import { type Draft, targetOf, withQuery } from './draft.ts';
import { combinations } from './parameter-mutations.ts';

const NOWHERE: readonly string[] = [
  '',
  '0',
  '1',
  '2',
  '3',
  '20',
  '-1',
  '1.5',
  '1e1',
  'nowhere',
  '999999999999',
  'A'.repeat(60),
];

/** Sizes of pages around their bounds, and places: those of answers, altered ones, and others. */
export function pageMutations(situation: Situation, { draft, caller }: Base): Mutation[] {
  const { endpoint, known, random } = situation;
  const { page } = endpoint;
  if (!page) return [];
  const { parameter, standard, most, beyond } = page.size;
  const out: Mutation[] = [];
  const size = (value: string, valid: boolean, more = ''): void => {
    out.push({
      aspect: 'page size',
      what: `${parameter} is ${JSON.stringify(value)}${more}`,
      valid,
      change: (given) => withQuery(given, parameter, value),
    });
  };
  size('1', true);
  size('2', most >= 2);
  size(String(standard), true, ', as without it');
  size(String(most), true, ', its most');
  size(String(most + 1), beyond === 'left out', ', one more than its most');
  for (const text of ['0', '-1', '01', '1.0', '+1', ' 1', 'x', '', '999999999999']) size(text, false);
  const place = (value: string, valid: boolean, what: string, change?: (given: Draft) => Draft): void => {
    out.push({
      aspect: 'page place',
      what,
      valid,
      change: (given) => withQuery(change ? change(given) : given, page.place, value),
    });
  };
  const path = targetOf({ ...draft, query: [] });
  const here = known.places.filter(({ target }) => target.split('?')[0] === path);
  // A cursor may be valid only for the caller who received it.
  const isOwn = ({ headers }: (typeof here)[number]): boolean =>
    caller === null || headers.some(([, value]) => value.endsWith(caller.text));
  const own = here.filter(isOwn);
  for (const { target, place: at } of [...own.slice(-4), ...random.some(own, 2), ...random.some(here, 2)]) {
    const query = queryOf(target).filter(([name]) => name !== page.place);
    const asked = (given: Draft): Draft => ({ ...given, target: null, query });
    place(at, true, `the page at “${short(at)}”, as it was asked for before`, asked);
    place(at, true, `the page at “${short(at)}”, with other parameters`);
    for (const one of random.some(combinations(situation), 1))
      place(at, true, `the page at “${short(at)}”, while ${one.what}`, (given) => one.change(asked(given)));
    place(at, true, `the page at “${short(at)}”, one item long`, (given) => withQuery(asked(given), parameter, '1'));
    place(altered(at, random.int(0, at.length - 1)), false, `${page.place} has one character altered`, asked);
    place(at.slice(0, -1), false, `${page.place} lacks its last character`, asked);
    place(`${at}A`, false, `${page.place} has one character more`, asked);
  }
  for (const { place: at } of random
    .shuffled(known.places.filter(({ target }) => target.split('?')[0] !== path))
    .slice(0, 3))
    place(at, false, `${page.place} is the place of another list`);
  for (const at of ['1', '2'])
    place(at, true, `${page.place} is ${at}, for a page of one item`, (given) => withQuery(given, parameter, '1'));
  for (const text of NOWHERE) place(text, false, `${page.place} is ${JSON.stringify(text)}`);
  return out;
}

const short = (text: string): string => (text.length > 12 ? `${text.slice(0, 12)}…` : text);

function altered(text: string, at: number): string {
  return `${text.slice(0, at)}${text.charAt(at) === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
}

/** The parameters of a target, decoded. */
function queryOf(target: string): Array<readonly [string, string]> {
  const at = target.indexOf('?');
  return at < 0 ? [] : [...new URLSearchParams(target.slice(at + 1))];
}
