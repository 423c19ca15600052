import { lineKey } from '../../plan/lines.ts';
import type { ParameterPlan } from '../../plan/step.ts';
import { type Draft, need, those } from './draft.ts';
import type { Endpoint } from './endpoints.ts';
import type { Need } from './statement.ts';
import { stepOf } from './tried.ts';
import { allowedNeeds, formatNeeds, typeNeeds } from './values.ts';

/** The parameters of an endpoint. */
export function parameterDrafts(one: Endpoint): Draft[] {
  const read = stepOf(one.plan, 'read parameters');
  const validate = stepOf(one.plan, 'validate body');
  const filters = new Set(
    one.plan.inside.flatMap((step) =>
      step.do === 'list' ? step.filters.map((filter) => `${filter.in} ${filter.parameter}`) : [],
    ),
  );
  const references = new Set(
    one.plan.inside.flatMap((step) =>
      step.do === 'find references' ? step.parameters.map((each) => `${each.in} ${each.parameter.name}`) : [],
    ),
  );
  const of = (place: 'path' | 'query' | 'header' | 'body', list: readonly ParameterPlan[] | undefined): Draft[] =>
    (list ?? []).map((each): Draft => {
      const at = `${place} ${each.name}`;
      const key = lineKey.parameter(one.plan.name, place, each.name);
      const facts = {
        filters: filters.has(at),
        refers: references.has(at),
        text: place !== 'body',
        // In an address, an empty text is a text.
        emptyIsNull: place === 'body' && one.emptyIsNull,
      };
      return {
        key,
        item: place === 'path' ? 'endpoints/path shapes' : 'endpoints/request payloads',
        needs: parameterNeeds(key, each, facts).map((need) => ({ ...need, setup: one.setup })),
      };
    });
  return [
    ...of('path', read?.path),
    ...of('query', read?.query),
    ...of('header', read?.header),
    ...of('body', validate?.parameters),
  ];
}

/** What the steps make of a parameter, and how it is sent. */
interface ParameterFacts {
  readonly filters: boolean;
  readonly refers: boolean;
  readonly text: boolean;
  readonly emptyIsNull: boolean;
}

function parameterNeeds(
  key: string,
  { rule, required, otherwise }: ParameterPlan,
  { filters, refers, text, emptyIsNull }: ParameterFacts,
): Need[] {
  const inPath = key.includes(': path ');
  return [
    ...those(
      need('a request with it is taken', key, 'accepted'),
      !inPath && otherwise !== null && need('the else value applies when the parameter is absent', key, 'otherwise'),
      !inPath &&
        otherwise === null &&
        need(
          `a request without it is ${required ? 'refused' : 'taken'}`,
          key,
          required ? 'refused missing' : 'left out',
        ),
      filters && need('it keeps rows out of the list', key, 'kept out'),
      refers && need('a row that is not there is refused', key, 'refused reference_unknown'),
    ),
    ...typeNeeds(key, rule, text),
    ...formatNeeds(key, rule),
    ...allowedNeeds(key, rule, emptyIsNull).filter((one) => one.traces.every((trace) => trace.what !== 'accepted')),
  ];
}
