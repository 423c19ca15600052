import type { ParameterContract } from '../../contract/endpoint.ts';
import { type Search, searchOf } from '../../expression/tree/search.ts';
import { wordsOf } from '../../expression/tree/words.ts';
import { allNested } from '../../plan/nested-steps.ts';
import { isList } from '../../plan/slots.ts';
import type { Plan } from '../../plan/step.ts';
import type { Mutation, Situation } from './candidate.ts';
import type { Slot } from './near-mutations.ts';
import { stemmed } from './stemmed-words.ts';
import { isFree, otherCase } from './text-values.ts';
import type { Variant } from './variant.ts';

/** The number of rows whose words are requested. */
const ROWS = 4;
/** A word that hardly any text has. */
const STRANGER = 'zyxwvut';
/** Texts without words. */
const WORDLESS = ['!', '…', '" * "'];

/** The resource and the search for whose query a list takes a parameter; null for any other parameter. */
export function searchBy(
  plan: Plan | null,
  endpoint: string,
  one: Pick<ParameterContract, 'in' | 'name'>,
): { readonly resource: string; readonly search: Search } | null {
  const own = plan?.endpoints.find(({ name }) => name === endpoint);
  for (const step of allNested(own?.inside ?? [])) {
    if (!isList(step) || step.matching?.op !== 'call') continue;
    const search = searchOf(step.matching.args);
    const { query } = search;
    if (query.op === 'get' && query.of.op === 'name' && query.of.name === one.in && query.member === one.name)
      return { resource: step.resource, search };
  }
  return null;
}

/** Bodies whose searched texts repeat a word of another row, so that rows differ in how often they have it. */
export function wordMutations(situation: Situation, slots: readonly Slot[]): Mutation[] {
  const { plan, random, rows } = situation;
  return slots.flatMap((slot): Mutation[] => {
    const [resource = '', field = ''] = (slot.field ?? '').split('.');
    const search = plan?.resources.find(({ name }) => name === resource)?.search;
    const { type } = slot;
    if (!search?.fields.some((one) => one.field === field) || type.kind !== 'text' || !isFree(type)) return [];
    const row = random.among(rows.of(resource));
    const words = search.fields.flatMap((one) => {
      const text = row && rows.value(row, one.field);
      return typeof text === 'string' ? wordsOf(text, 'distinct') : [];
    });
    const word = random.among(words);
    const text = Array.from({ length: REPEATED }, () => word).join(' ');
    const [form] = stemmed(search);
    const texts: ReadonlyArray<readonly [string, string]> = [
      ...(word === undefined
        ? []
        : [[text, `has “${word}” several times in its ${slot.name}, as a row has it`] as const]),
      [form, `has “${form}” in its ${slot.name}`],
    ];
    return texts.flatMap(([value, what]): Mutation[] =>
      value.length > (type.max ?? value.length) || value.length < (type.min ?? 0)
        ? []
        : [{ aspect: 'related', what, valid: true, change: (given) => slot.write(given, value) }],
    );
  });
}

/** How often a text repeats a word. */
const REPEATED = 3;

/** The words of the texts of a row that are searched, in the order of the fields. */
export const wordsIn = ({ fields }: Search, value: (field: string) => unknown): string[] =>
  fields.flatMap(({ field }) => {
    const text = field.op === 'get' ? value(field.member) : undefined;
    return typeof text === 'string' ? wordsOf(text, 'distinct') : [];
  });

/** Queries with words of rows: alone, together, cut, in other letters, with accents, and without any word. */
export function queryValues(situation: Situation, one: ParameterContract): Variant[] {
  const { random, rows, plan, endpoint } = situation;
  const found = searchBy(plan, endpoint.name, one);
  const { type } = one;
  if (!found || type.kind !== 'text' || !isFree(type)) return [];
  const some = random
    .some(rows.of(found.resource), ROWS)
    .map((row) => wordsIn(found.search, (field) => rows.value(row, field)))
    .filter((words) => words.length > 0);
  const texts = some.flatMap((words, i) => {
    const [first = '', second = first] = random.some(words, 2);
    const [stranger = STRANGER] = random.some(some[(i + 1) % some.length] ?? [], 1);
    return [
      [first, 'is a word of a row'],
      [`${second} ${first}`, 'is two words of a row'],
      [`${stranger} ${first}`, 'is words of two rows'],
      [`${first} ${STRANGER}`, 'is a word of a row, and another word'],
      [first.slice(0, Math.max(1, first.length - 1)), 'is the beginning of a word of a row'],
      [[...first].slice(0, 1).join(''), 'is the first letter of a word of a row'],
      [`${first}s`, 'is a word of a row and a letter'],
      [otherCase(first), 'is a word of a row in other letters'],
      [first.replace(/[a-z](?!\p{M})/u, '$&\u0301').normalize('NFC'), 'is a word of a row with an accent'],
      [first.normalize('NFD').replace(/\p{M}/gu, ''), 'is a word of a row without accents'],
      [`“${first}”, (${second})!`, 'is words of a row with marks'],
    ] as const;
  });
  const forms = stemmed(found.search).map((form) => [form, 'is a word that has a stem'] as const);
  const all = [
    ...texts,
    ...forms,
    [STRANGER, 'is a word of no row'] as const,
    [random.pick(WORDLESS), 'has no words'] as const,
  ];
  const fits = (text: string): boolean =>
    text !== '' && [...text].length >= (type.min ?? 0) && [...text].length <= (type.max ?? 200);
  return all.flatMap(([value, what]) => (fits(value) ? [{ value, what: `${what}: “${value}”`, valid: true }] : []));
}
