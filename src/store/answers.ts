import type { Plan } from '../plan/step.ts';
import { all, first, run, type Work } from './rewriter.ts';

/** What an endpoint’s kept answers are known by: callers see its method and path, and not what its parameters are called. */
export const answersOf = (endpoint: string): string => endpoint.replace(/\{[^{}]*\}/g, '{}');

/** Says of a store’s kept answers that they are known as they are now. */
export const ANSWERS_KNOWN = ['answers known by', 'resource and path'] as const;

const WHAT = 'Kept answers are known by the caller’s resource and the path';

/**
 * Takes along, once, the answers that an older Ninefold kept: by the caller’s identity alone where all callers were of
 * one resource, and by what path parameters were called. `was` says which resources there were then.
 */
export function* takeAnswers(plan: Plan, was: (resource: string) => boolean = () => true): Work<void> {
  const [mark, known] = ANSWERS_KNOWN;
  const [there] = yield* first('SELECT value FROM ninefold_meta WHERE key = ?', mark);
  if (there === known) return;
  yield* knowAnswers(plan, was);
  yield* run(WHAT, 'INSERT INTO ninefold_meta VALUES (?, ?)', mark, known);
}

/** The same, of answers that have just been put there. */
export function* knowAnswers(plan: Plan, was: (resource: string) => boolean = () => true): Work<void> {
  // As with keys, callers from before there were several schemes are those of the first one.
  const resource = plan.schemes.find((scheme) => was(scheme.resource))?.resource;
  if (resource !== undefined) {
    const others = plan.resources.map(({ name }) => `${name}/`);
    const bare = `caller <> '' AND NOT (${others.map(() => 'substr(caller, 1, length(?)) = ?').join(' OR ')})`;
    const names = others.flatMap((name) => [name, name]);
    yield* know('caller', `? || a.caller`, bare, [`${resource}/`], names);
  }
  const endpoints = yield* all("SELECT DISTINCT endpoint FROM ninefold_answer WHERE endpoint LIKE '%{%'");
  for (const [endpoint] of endpoints as [string][]) {
    const path = answersOf(endpoint);
    if (path !== endpoint) yield* know('endpoint', '?', 'endpoint = ?', [path], [endpoint]);
  }
}

/** Gives a column of some answers another value. Where an answer is known so already, that is the one that is kept. */
function* know(
  column: 'caller' | 'endpoint',
  to: string,
  where: string,
  value: readonly string[],
  which: readonly string[],
): Work<void> {
  const same = (['key', 'caller', 'endpoint'] as const).map((one) => `o.${one} = ${one === column ? to : `a.${one}`}`);
  const taken = `EXISTS (SELECT 1 FROM ninefold_answer AS o WHERE ${same.join(' AND ')})`;
  yield* run(WHAT, `DELETE FROM ninefold_answer AS a WHERE ${where} AND ${taken}`, ...which, ...value);
  yield* run(WHAT, `UPDATE ninefold_answer AS a SET ${column} = ${to} WHERE ${where}`, ...value, ...which);
}
