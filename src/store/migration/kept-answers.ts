import type { Plan } from '../../plan/step.ts';
import { anyOf, joined, raw, type Sql, sql } from '../sql/fragment.ts';
import { all, first, type MigrationStep, run } from './rewriter.ts';

/** The endpoint in the key of a kept answer: method and path without parameter names, which callers do not see. */
export const answersOf = (endpoint: string): string => endpoint.replace(/\{[^{}]*\}/g, '{}');

/** The entry of `ninefold_meta` which records that kept answers have keys of the present form. */
export const ANSWERS_KNOWN = ['answers known by', 'resource and path'] as const;

const WHAT = 'Kept answers are known by the caller’s resource and the path';

/**
 * Converts, once, the keys of answers that an older Ninefold kept. These keys hold the caller’s identity without its
 * resource, where all callers were of one resource, and the names of path parameters. `was` says which resources
 * existed then.
 */
export function* takeAnswers(plan: Plan, was: (resource: string) => boolean = () => true): MigrationStep<void> {
  const [mark, known] = ANSWERS_KNOWN;
  const [there] = yield* first(sql`SELECT value FROM ninefold_meta WHERE key = ${mark}`);
  if (there === known) return;
  yield* knowAnswers(plan, was);
  yield* run(WHAT, sql`INSERT INTO ninefold_meta VALUES (${mark}, ${known})`);
}

/** Converts the keys of kept answers that have just been inserted, as `takeAnswers` does. */
export function* knowAnswers(plan: Plan, was: (resource: string) => boolean = () => true): MigrationStep<void> {
  // Callers from the time before a service could have several schemes belong to the first scheme, as their keys do.
  const resource = plan.schemes.find((scheme) => was(scheme.resource))?.resource;
  if (resource !== undefined) {
    const named = plan.resources.map(({ name }) => beginsWith(raw('caller'), `${name}/`));
    yield* know('caller', sql`${`${resource}/`} || a.caller`, sql`caller <> '' AND NOT (${anyOf(named)})`);
  }
  const endpoints = yield* all("SELECT DISTINCT endpoint FROM ninefold_answer WHERE endpoint LIKE '%{%'");
  for (const [endpoint] of endpoints as [string][]) {
    const path = answersOf(endpoint);
    if (path !== endpoint) yield* know('endpoint', sql`${path}`, sql`endpoint = ${endpoint}`);
  }
}

/** Whether a column begins with a text. */
export const beginsWith = (column: Sql, text: string): Sql => sql`substr(${column}, 1, length(${text})) = ${text}`;

/** Changes a column in the keys of some answers. Where an answer has the new key already, that answer is kept. */
function* know(column: 'caller' | 'endpoint', to: Sql, where: Sql): MigrationStep<void> {
  const same = (['key', 'caller', 'endpoint'] as const).map((one) =>
    one === column ? sql`${raw(`o.${one}`)} = ${to}` : raw(`o.${one} = a.${one}`),
  );
  const duplicate = sql`EXISTS (SELECT 1 FROM ninefold_answer AS o WHERE ${joined(same, ' AND ')})`;
  yield* run(WHAT, sql`DELETE FROM ninefold_answer AS a WHERE ${where} AND ${duplicate}`);
  yield* run(WHAT, sql`UPDATE ninefold_answer AS a SET ${raw(column)} = ${to} WHERE ${where}`);
}
