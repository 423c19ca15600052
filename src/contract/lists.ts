import { type Expr, some } from '../expression/tree/expression.ts';
import { searchOf } from '../expression/tree/search.ts';
import { answersOf } from '../plan/answered.ts';
import type { OrderKey, OrderPlan, WholeListPlan } from '../plan/inside-step.ts';
import { allNested } from '../plan/nested-steps.ts';
import type { BodyPlan, EndpointPlan } from '../plan/step.ts';
import type { ListContract, SearchContract } from './endpoint.ts';
import { expression } from './plan-reader.ts';

/** The lists that the answers of an endpoint show, each once. */
export function listContracts(endpoint: EndpointPlan): ListContract[] {
  const bodies = answersOf(endpoint).map(({ body }) => body);
  return [...allNested(endpoint.inside)].flatMap((step): ListContract[] => {
    if (step.do !== 'list' && step.do !== 'list streamed' && step.do !== 'group') return [];
    const places = bodies.map((body) => placeOf(body, step.as)).filter((one) => one !== undefined);
    const [member] = places;
    if (member === undefined) return [];
    const all: WholeListPlan | null = step.do === 'list streamed' ? null : step.all;
    const matching = step.do === 'group' ? undefined : step.matching;
    return [
      {
        member,
        ...orderOf(step.order),
        bound: all && { most: all.most, beyond: all.refused ? 'refused' : 'left out' },
        ...(matching?.op === 'call' && { search: searchContract(matching.args) }),
      },
    ];
  });
}

/** The member of an answer that shows a list; null where the whole body does, and undefined where none does. */
function placeOf(body: BodyPlan | null, list: string): string | null | undefined {
  const isList = (value: Expr): boolean => value.op === 'name' && value.name === list;
  switch (body?.kind) {
    case 'page':
    case 'rows':
      return body.list === list ? null : undefined;
    case 'value':
      return isList(body.shown.value) ? null : undefined;
    case 'members':
    case 'row with members':
      return body.members.find(({ value }) => isList(value))?.name;
    default:
      return undefined;
  }
}

function orderOf(order: OrderPlan): Pick<ListContract, 'order' | 'chosenBy'> {
  if ('by' in order) return { order: [order, ...(order.then ?? [])].map(keyOf) };
  const chosen = [order.sorted, order.direction].flatMap((one) => (one ? parametersIn(one) : []));
  return { order: null, chosenBy: [...new Set(chosen)] };
}

const keyOf = ({ by, descending, nulls }: OrderKey): NonNullable<ListContract['order']>[number] => ({
  by: expression(by),
  descending,
  ...(nulls && { nulls }),
});

/** The names of the parameters that an expression reads. */
function parametersIn(expr: Expr): string[] {
  const names: string[] = [];
  some(expr, (part) => {
    if (part.op === 'get' && part.of.op === 'name' && PLACES.has(part.of.name)) names.push(part.member);
    return false;
  });
  return names;
}

const PLACES: ReadonlySet<string> = new Set(['path', 'query', 'header', 'request']);

function searchContract(args: readonly Expr[]): SearchContract {
  const { query, words, lastIsPrefix, emptyMatches, language, accents, fields } = searchOf(args);
  return {
    parameter: parametersIn(query)[0] ?? '',
    words,
    lastIsPrefix,
    emptyMatches,
    language: language ?? null,
    accents,
    fields: fields.map(({ field }) => expression(field)),
  };
}
