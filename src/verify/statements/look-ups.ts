import { show } from '../../expression/tree/expression.ts';
import { searchOf } from '../../expression/tree/search.ts';
import { isList } from '../../plan/slots.ts';
import type { EndpointPlan, InsideStep, ParameterPlan, Plan } from '../../plan/step.ts';
import type { Try } from '../../plan/step-kinds.ts';
import type { ValueRule } from '../../plan/value-forms.ts';
import { textComparisons } from '../oracle/letters.ts';
import { otherSearches } from '../oracle/searches.ts';
import type { Reach } from './reach.ts';

/** Whether a look-up by a text of the request, which may be sent in other letters, ignores case. */
type Case = 'ignored' | 'exact';

/** The variations of a step that looks a row up: the same texts in other letters, and rows that a rule does not count. */
export function lookUpTries(step: InsideStep, free: ReadonlySet<string>): Try[] {
  const found = step.do === 'ensure' ? ensuredTexts(step, free) : comparedTexts(step, free);
  const tries: Try[] = [];
  if (found.includes('ignored'))
    tries.push({ name: 'the row is found in other letters', what: 'found in other letters' });
  if (found.includes('exact'))
    tries.push({ name: 'a row in other letters is not found', what: 'none in other letters' });
  if (step.do === 'ensure' && step.by.some((key) => key.while))
    tries.push({ name: 'a row that does not count is not found', what: 'none beside one that does not count' });
  return tries;
}

/** Other searches that differ only for texts with certain letters, which the fields may not allow. */
const OF_LETTERS = /^(?:with accents|in) /;

/**
 * The variations of a list that searches for words: queries that find other rows than another search would, as far as
 * the query and the fields can have such texts.
 */
export function searchTries(step: InsideStep, free: ReadonlySet<string>, reach: Reach): Try[] {
  if (!isList(step) || step.matching?.op !== 'call') return [];
  const { query, fields } = searchOf(step.matching.args);
  if (!free.has(show(query))) return [];
  const names = fields.flatMap(({ field }) => (field.op === 'get' ? [field.member] : []));
  const rules = names.map((name) => reach.ruleOf(step.resource, name));
  const isOpen = rules.some((rule) => rule && hasLetters(rule) && rule.format === null);
  const others = otherSearches(step.matching).filter(({ name }) => isOpen || !OF_LETTERS.test(name));
  return [
    ...others.map(({ name }) => ({ name: `rows are not as they would be ${name}`, what: `otherwise ${name}` })),
    { name: 'the query has no words', what: 'no words' },
    ...(reach.changes(step.resource, names)
      ? [{ name: 'a row is found that was changed', what: 'a changed row' }]
      : []),
  ];
}

function comparedTexts(step: InsideStep, free: ReadonlySet<string>): Case[] {
  if (step.do !== 'find' && step.do !== 'verify') return [];
  if (step.where === null || ('order' in step && step.order !== null)) return [];
  return textComparisons(step.where).flatMap(({ value, ignoresCase }): Case[] =>
    free.has(show(value)) ? [ignoresCase ? 'ignored' : 'exact'] : [],
  );
}

function ensuredTexts(
  { by, from, with: given }: Extract<InsideStep, { do: 'ensure' }>,
  free: ReadonlySet<string>,
): Case[] {
  const sent = (field: string): string => {
    const own = given.find((one) => one.field === field);
    if (own) return show(own.value);
    return from?.fields.includes(field) ? `${show(from.value)}.${field}` : '';
  };
  return by.flatMap(({ fields, ignoringCase }) =>
    fields.flatMap((field): Case[] =>
      free.has(sent(field)) ? [ignoringCase.includes(field) ? 'ignored' : 'exact'] : [],
    ),
  );
}

/** Whether a text may be sent in other letters. */
const hasLetters = ({ kind, format, pattern, oneOf }: ValueRule): boolean =>
  kind === 'text' && pattern === null && oneOf === null && (format === null || format === 'email');

/** The texts of a request that may be sent in other letters, as expressions read them. */
export function freeTexts({ resources }: Plan, { before }: EndpointPlan): ReadonlySet<string> {
  const read = before.find((step) => step.do === 'read parameters');
  const body = before.find((step) => step.do === 'validate body');
  const named = (of: string, some: readonly ParameterPlan[] = []): string[] =>
    some.flatMap(({ name, rule }) => (hasLetters(rule) ? [`${of}.${name}`] : []));
  const payload = body?.payload?.member === null ? body.payload : null;
  const columns = resources.find(({ name }) => name === payload?.resource)?.columns ?? [];
  const fields = columns.filter(({ name, rule }) => payload?.fields.includes(name) && hasLetters(rule));
  return new Set([
    ...named('path', read?.path),
    ...named('query', read?.query),
    ...named('header', read?.header),
    ...named('request', body?.parameters),
    ...fields.map(({ name }) => `request.${name}`),
  ]);
}
