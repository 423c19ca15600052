import { isDeepStrictEqual } from 'node:util';
import { eachOnce, type IdOf, type StatementId, statementId } from '../../plan/lines.ts';
import { transitionsIn } from '../../plan/machines.ts';
import { allNested, isWriting } from '../../plan/nested-steps.ts';
import type { EndpointPlan, InsideStep, Plan } from '../../plan/step.ts';
import { type Course, involved } from './explain.ts';
import { parametersOf } from './refusing.ts';

/**
 * Adds related statements to statements, each after its own: the field whose values a parameter has, the scope that
 * callers need, the transitions of an event.
 */
export const withNearby = (plan: Plan, ids: readonly StatementId[]): StatementId[] =>
  eachOnce(ids.flatMap((id) => [id, ...nearby(plan, id)]));

function nearby(plan: Plan, id: StatementId): StatementId[] {
  switch (id.kind) {
    case 'parameter':
      return fieldsOf(plan, id);
    case 'endpoint':
      return id.fact === 'access' ? scopesOf(plan, id) : [];
    case 'event':
      return transitionsOf(plan, id);
    default:
      return [];
  }
}

/** The one field whose values a parameter takes. */
function fieldsOf({ endpoints, resources }: Plan, id: IdOf<'parameter'>): StatementId[] {
  const [found] = endpoints
    .filter(({ name }) => name === id.endpoint)
    .flatMap((endpoint) => parametersOf(endpoint))
    .flatMap(([place, one]) => (place === id.place && one.name === id.parameter ? [one] : []));
  if (!found) return [];
  const { field, rule } = found;
  const fields = resources.flatMap(({ name, columns }) =>
    columns.map((column) => ({ path: `${name}.${column.name}`, id: statementId.field(name, column.name), column })),
  );
  const own = fields.find(({ path }) => path === field);
  const [alike, ...others] = fields.filter(({ column }) => isDeepStrictEqual(column.rule, rule));
  return own ? [own.id] : alike && others.length === 0 ? [alike.id] : [];
}

function scopesOf({ endpoints, schemes }: Plan, id: IdOf<'endpoint'>): StatementId[] {
  const before = endpoints.find(({ name }) => name === id.endpoint)?.before ?? [];
  const needed = before.flatMap((step) => (step.do === 'require scope' ? step.scopes : []));
  return schemes.flatMap(({ name, scopes }) =>
    needed.filter((scope) => scopes.includes(scope)).map((scope) => statementId.scheme(name, `scope ${scope}`)),
  );
}

const transitionsOf = ({ resources }: Plan, id: IdOf<'event'>): StatementId[] =>
  resources.flatMap(({ name, events }) =>
    events
      .filter((one) => one.name === id.event)
      .flatMap(({ by }) => by.map((transition) => statementId.transition(name, transition))),
  );

/** The steps that wrote values before an answer, the latest first. */
export function written(plan: Plan, course: Course): StatementId[] {
  const writing = new Set(
    [...plan.endpoints.flatMap(insideOf), ...plan.resources.flatMap(following)].flatMap((step) =>
      'resource' in step && isWriting(step) ? [step.line ?? 0] : [],
    ),
  );
  return [...involved(course)].filter((id) => id.kind === 'step' && writing.has(id.line));
}

const insideOf = ({ inside }: EndpointPlan): InsideStep[] => [...allNested(inside)];

const following = ({ machines }: Plan['resources'][number]): InsideStep[] =>
  transitionsIn(machines).flatMap(({ then }) => [...allNested(then)]);
