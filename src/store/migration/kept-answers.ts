import { hash } from 'node:crypto';
import type { Plan } from '../../plan/step.ts';
import { anyOf, joined, raw, type Sql, sql } from '../sql/fragment.ts';
import { all, first, type MigrationStep, run } from './rewriter.ts';

/** The endpoint in the key of a kept answer: method and path without parameter names, which callers do not see. */
export const answersOf = (endpoint: string): string => endpoint.replace(/\{[^{}]*\}/g, '{}');

/** The claim of an idempotency key: its text is different for each endpoint, caller and key. */
export const claimOf = (endpoint: string, caller: string, key: string): string => `${endpoint}\n${caller}\n${key}`;

/** The hash by which a kept answer is found: the decimal digits of an integer of 64 bits. */
export const answerHash = (claim: string): string => hash('sha256', claim, 'buffer').readBigInt64BE().toString();

/** The number of hashes that one statement writes. */
const HASHED_AT_ONCE = 500;

/** The entry of `ninefold_meta` which records that kept answers have keys of the present form. */
export const ANSWERS_KNOWN = ['answers known by', 'resource and path'] as const;

const WHAT = 'Kept answers are known by the caller’s resource and the path';
const HASHED = 'Kept answers are found by a hash';

/**
 * Converts, once, the keys of answers that an older Ninefold kept. These keys hold the caller’s identity without its
 * resource, where all callers were of one resource, and the names of path parameters. `was` says which resources
 * existed then.
 */
export function* takeAnswers(plan: Plan, was: (resource: string) => boolean = () => true): MigrationStep<void> {
  const [mark, known] = ANSWERS_KNOWN;
  const [there] = yield* first(sql`SELECT value FROM ninefold_meta WHERE key = ${mark}`);
  if (there !== known) {
    yield* knowAnswers(plan, was);
    yield* run(WHAT, sql`INSERT INTO ninefold_meta VALUES (${mark}, ${known})`);
  }
  yield* hashAnswers();
}

/** Writes the hashes of answers that have none: an older Ninefold kept them, or their keys have changed. */
export function* hashAnswers(): MigrationStep<void> {
  for (;;) {
    const some = yield* all(
      `SELECT seq, endpoint, caller, key FROM ninefold_answer WHERE hash IS NULL LIMIT ${HASHED_AT_ONCE}`,
    );
    if (some.length === 0) return;
    const values = some.map(([seq, endpoint, caller, key]) => {
      const digits = answerHash(claimOf(endpoint as string, String(caller), key as string));
      return sql`(CAST(${String(seq)} AS BIGINT), CAST(${digits} AS BIGINT))`;
    });
    yield* run(
      HASHED,
      sql`UPDATE ninefold_answer SET hash = v.column2 FROM (VALUES ${joined(values, ', ')}) AS v WHERE seq = v.column1`,
    );
  }
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
  const key = (['key', 'caller', 'endpoint'] as const).map((one) => (one === column ? to : raw(`a.${one}`)));
  const duplicate = sql`(${joined(key, ', ')}) IN (SELECT key, caller, endpoint FROM ninefold_answer)`;
  yield* run(WHAT, sql`DELETE FROM ninefold_answer AS a WHERE ${where} AND ${duplicate}`);
  yield* run(WHAT, sql`UPDATE ninefold_answer AS a SET ${raw(column)} = ${to}, hash = NULL WHERE ${where}`);
}
