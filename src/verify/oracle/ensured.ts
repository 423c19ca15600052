import { sameValue, type Value } from '../../expression/values/value.ts';
import { statementId } from '../../plan/lines.ts';
import type { InsideStep, KeyPlan } from '../../plan/step.ts';
import { holds, sees } from './evaluate.ts';
import type { OracleRow } from './rows.ts';
import { type Run, scopeOf } from './run.ts';
import { note, scopeOfRow } from './scope.ts';
import { uniqueKey } from './writes.ts';

/** The row that an Ensure finds by the values that a new row would have, as the caller sees it; null for none. */
export function ensured(
  run: Run,
  step: Extract<InsideStep, { do: 'ensure' }>,
  values: ReadonlyMap<string, Value>,
): OracleRow | null {
  const { work } = run;
  const id = statementId.step(step);
  const rows = work.rows.all(step.resource);
  const isAlike = (key: KeyPlan, row: OracleRow): boolean => sameValue(uniqueKey(key, row), uniqueKey(key, values));
  const has = (key: KeyPlan, row: OracleRow): boolean =>
    isAlike(key, row) && (key.while === null || holds(key.while, scopeOfRow(work, row)));
  const keys = step.by.filter((key) => !uniqueKey(key, values).includes(null));
  for (const key of keys) {
    const found = rows.find((row) => has(key, row));
    if (!found || (run.sighted && !sees(found, scopeOf(run)))) continue;
    note(work, id, 'found');
    if (key.fields.some((field) => !sameValue(found.get(field), values.get(field) ?? null)))
      note(work, id, 'found in other letters');
    return found;
  }
  note(work, id, 'none');
  const loose = keys.map((key) => ({ ...key, ignoringCase: key.fields }));
  if (loose.some((key) => rows.some((row) => has(key, row)))) note(work, id, 'none in other letters');
  if (keys.some((key) => rows.some((row) => isAlike(key, row) && !has(key, row))))
    note(work, id, 'none beside one that does not count');
  return null;
}
