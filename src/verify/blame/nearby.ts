import { isDeepStrictEqual } from 'node:util';
import { lineKey } from '../../plan/lines.ts';
import { allNested, isWriting } from '../../plan/nested-steps.ts';
import type { EndpointPlan, InsideStep, Plan } from '../../plan/step.ts';
import { type Course, involved } from './explain.ts';
import { parametersOf } from './refusing.ts';

/**
 * Adds related statements to statements, each after its own: the field whose values a parameter has, the scope that
 * callers need, the transitions of an event.
 */
export const withNearby = (plan: Plan, keys: readonly string[]): string[] => [
  ...new Set(keys.flatMap((key) => [key, ...nearby(plan, key)])),
];

function nearby(plan: Plan, key: string): string[] {
  if (key.startsWith('parameter ')) return fieldsOf(plan, key);
  if (key.startsWith('endpoint ')) return scopesOf(plan, key);
  return key.startsWith('event ') ? transitionsOf(plan, key) : [];
}

/** The one field whose values a parameter takes. */
function fieldsOf({ endpoints, resources }: Plan, key: string): string[] {
  const found = endpoints
    .flatMap((endpoint) => parametersOf(endpoint).map(([place, one]) => ({ endpoint, place, one })))
    .find(({ endpoint, place, one }) => lineKey.parameter(endpoint.name, place, one.name) === key);
  if (!found) return [];
  const { field, rule } = found.one;
  const fields = resources.flatMap(({ name, columns }) =>
    columns.map((column) => ({ path: `${name}.${column.name}`, key: lineKey.field(name, column.name), column })),
  );
  const own = fields.find(({ path }) => path === field);
  const [alike, ...others] = fields.filter(({ column }) => isDeepStrictEqual(column.rule, rule));
  return own ? [own.key] : alike && others.length === 0 ? [alike.key] : [];
}

function scopesOf({ endpoints, schemes }: Plan, key: string): string[] {
  const access = endpoints.find(({ name }) => lineKey.endpoint(name, 'access') === key)?.access ?? null;
  return schemes.flatMap(({ name, scopes }) =>
    access !== null && scopes.includes(access) ? [lineKey.scheme(name, `scope ${access}`)] : [],
  );
}

const transitionsOf = ({ resources }: Plan, key: string): string[] =>
  resources.flatMap(({ name, events }) =>
    events
      .filter((one) => lineKey.event(one.name) === key)
      .flatMap(({ by }) => by.map((transition) => lineKey.transition(name, transition))),
  );

/** The steps that wrote values before an answer, the latest first. */
export function written(plan: Plan, course: Course): string[] {
  const writing = new Set(
    [...plan.endpoints.flatMap(insideOf), ...plan.resources.flatMap(following)].flatMap((step) =>
      'resource' in step && isWriting(step) ? [`step ${step.line ?? 0}`] : [],
    ),
  );
  return [...involved(course)].filter((key) => writing.has(key));
}

const insideOf = ({ inside }: EndpointPlan): InsideStep[] => [...allNested(inside)];

const following = ({ states }: Plan['resources'][number]): InsideStep[] =>
  (states?.transitions ?? []).flatMap(({ then }) => [...allNested(then)]);
