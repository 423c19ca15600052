import { type Condition, type Outcome, UNROUTED_CONDITIONS } from '../../plan/conditions.ts';
import type { ErrorsPlan } from '../../plan/step.ts';
import type { Resolved } from '../document/resolve.ts';
import { settled } from '../document/settled.ts';
import { outcomeOf } from './check.ts';
import { planColumns, planPayload } from './plan-payload.ts';
import { EVERYWHERE, reachable } from './reach.ts';

/**
 * The outcomes of the conditions that can arise, and of the codes that steps and rules raise; undefined while
 * unsettled.
 */
export function planErrors(r: Resolved): ErrorsPlan | undefined {
  const conditions: Partial<Record<Condition, Outcome>> = {};
  const arising = r.effective.flatMap((one) => reachable(r, one));
  for (const condition of new Set([...UNROUTED_CONDITIONS, ...EVERYWHERE, ...arising])) {
    const outcome = outcomeOf(r.model, condition);
    if (outcome) conditions[condition] = outcome;
  }
  const rows = r.model.errors.rows.flatMap(({ code, status, title }): Outcome[] =>
    status && title ? [{ code: code.text, status: status.value, title: title.value }] : [],
  );
  // Object.fromEntries, since an assignment to `__proto__` would change the prototype of the object.
  const codes = Object.fromEntries(rows.map((row) => [row.code, row]));
  const all = [...Object.values(codes), ...Object.values(conditions)];
  const columns = r.model.errors.columns.length
    ? Object.fromEntries(all.map(({ code }) => [code, planColumns(r, code)]))
    : {};
  return settled<ErrorsPlan>({ payload: planPayload(r), columns, conditions, codes });
}
