import type { Expr } from '../../expression/tree/expression.ts';
import { type StatementId, statementId } from '../../plan/lines.ts';
import { JSON_TYPE } from '../../plan/media-types.ts';
import { isList } from '../../plan/slots.ts';
import type { ParameterPlan } from '../../plan/step.ts';
import { textFieldsIn } from '../oracle/notes.ts';
import type { Endpoint } from './endpoints.ts';
import { type Draft, type Need, need, those } from './statement.ts';
import { stepOf } from './tried.ts';
import { allowedNeeds, formatNeeds, ruleInForm, typeNeeds } from './values.ts';

/** The parameters of an endpoint. */
export function parameterDrafts(one: Endpoint): Draft[] {
  const read = stepOf(one.plan, 'read parameters');
  const validate = stepOf(one.plan, 'validate body');
  const isJson = stepOf(one.plan, 'read body')?.mediaTypes.includes(JSON_TYPE) ?? false;
  const filters = new Map<string, Expr>(
    one.plan.inside.flatMap((step) =>
      isList(step) ? step.filters.map((filter) => [`${filter.in} ${filter.parameter}`, filter.where] as const) : [],
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
      const id = statementId.parameter(one.plan.name, place, each.name);
      const isForm = place === 'body' && !isJson;
      const facts = {
        filters: filters.has(at),
        ofText: textFieldsIn(filters.get(at) ?? NOTHING).length > 0,
        refers: references.has(at),
        inPath: place === 'path',
        text: place !== 'body' || isForm,
        // In an address, an empty text is a text.
        emptyIsNull: place === 'body' && one.emptyIsNull,
      };
      return {
        id,
        item: place === 'path' ? 'endpoints/path shapes' : 'endpoints/request payloads',
        needs: parameterNeeds(id, isForm ? { ...each, rule: ruleInForm(each.rule) } : each, facts).map((need) => ({
          ...need,
          setup: one.setup,
        })),
      };
    });
  return [
    ...of('path', read?.path),
    ...of('query', read?.query),
    ...of('header', read?.header),
    ...of('body', validate?.parameters),
  ];
}

/** The use of a parameter by the steps, and its form in requests. */
interface ParameterFacts {
  readonly filters: boolean;
  /** Whether it filters by a text of the rows. */
  readonly ofText: boolean;
  readonly refers: boolean;
  readonly inPath: boolean;
  readonly text: boolean;
  readonly emptyIsNull: boolean;
}

const NOTHING: Expr = { op: 'const', value: null, type: { kind: 'null', nullable: true } };

/** Whether a text parameter takes any characters. */
const isFree = ({ kind, format, pattern, oneOf }: ParameterPlan['rule']): boolean =>
  kind === 'text' && format === null && pattern === null && oneOf === null;

function parameterNeeds(
  id: StatementId,
  { rule, required, otherwise }: ParameterPlan,
  { filters, ofText, refers, inPath, text, emptyIsNull }: ParameterFacts,
): Need[] {
  return [
    ...those(
      need('a request with it is taken', id, 'accepted'),
      !inPath && otherwise !== null && need('the else value applies when the parameter is absent', id, 'otherwise'),
      !inPath &&
        otherwise === null &&
        need(
          `a request without it is ${required ? 'refused' : 'taken'}`,
          id,
          required ? 'refused missing' : 'left out',
        ),
      filters && need('it keeps rows out of the list', id, 'kept out'),
      ofText && isFree(rule) && need('it is a part of a value that a row has', id, 'a part of a value'),
      ofText && isFree(rule) && need('it is a value that a row has, in other letters', id, 'a value in other letters'),
      refers && need('a row that is not there is refused', id, 'refused reference_unknown'),
    ),
    ...typeNeeds(id, rule, text),
    ...formatNeeds(id, rule),
    ...allowedNeeds(id, rule, emptyIsNull).filter((one) => one.traces.every((trace) => trace.what !== 'accepted')),
  ];
}
