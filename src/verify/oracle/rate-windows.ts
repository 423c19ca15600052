import { callersWith } from '../../plan/caller-condition.ts';
import { statementId } from '../../plan/lines.ts';
import type { RatePlan } from '../../plan/step.ts';
import { compared, evaluate } from './evaluate.ts';
import { isComputed } from './marks.ts';
import { Unknown } from './refusal.ts';
import { note, type OracleCaller, scopeOfRow, type Transaction } from './scope.ts';
import type { RateWindow, State } from './state.ts';

/** The rate of a window, by the window's key. If several rate names fit, the longest one is meant. */
export const rateOf = <R extends { readonly name: string }>(rates: readonly R[], key: string): R | undefined =>
  rates.filter(({ name }) => key.startsWith(`${name} `)).sort((a, b) => b.name.length - a.name.length)[0];

/** The caller as the key of counts and kept answers; empty where there is none. */
export const callerKey = (caller: OracleCaller | null, { rows }: Transaction): string =>
  caller ? `${caller.row.resource}/${String(rows.identity(caller.row))}` : '';

/** The row or the caller that a rate counts a request for; empty for an address, null if it does not count it. */
export function unitOf({ per, row }: RatePlan, caller: OracleCaller | null, work: Transaction): string | null {
  if (!row) return per === 'caller' ? callerKey(caller, work) : '';
  const only = callersWith(row);
  const isOfOthers = only !== null && caller?.row.resource !== only;
  const found = isOfOthers ? null : compared(row, scopeOfRow(work, null));
  if (isComputed(found)) throw new Unknown('The row that a rate counts for is not known.');
  if (per === 'rowless') return found === null ? callerKey(caller, work) : null;
  return found === null ? null : String(found);
}

/** Counts a request in the window of a unit, and notes what the window shows of the rate. */
export function countedIn(
  state: State,
  index: number,
  unit: string,
  now: number,
  caller: OracleCaller | null,
  work: Transaction,
): { readonly window: RateWindow; readonly allowed: boolean } {
  const { rates } = state.plan;
  const { name, count, milliseconds } = rates[index]!;
  const most = typeof count === 'number' ? count : evaluate(count, scopeOfRow(work, null));
  if (typeof most !== 'number') throw new Unknown('The number of requests of a rate is not known.');
  const key = `${name} ${unit}`;
  const known = state.windows.get(key);
  const by = callerKey(caller, work);
  const refusedPast = known?.refusedPast ?? null;
  const begun = { count: 0, end: now + milliseconds, most, caller: by, isShared: false, refusedPast };
  const window: RateWindow = known && known.end > now ? known : begun;
  state.windows.set(key, window);
  window.most = most;
  const allowed = window.count < most;
  const statement = statementId.rate(index);
  note(work, statement, allowed ? 'counted' : 'refused');
  if (allowed) {
    window.count += 1;
    window.isShared ||= window.caller !== by;
    return { window, allowed };
  }
  if (window.isShared) note(work, statement, 'refused together');
  const others = [...state.windows].filter(([other]) => rateOf(rates, other)?.name === name);
  if (others.some(([, other]) => other.refusedPast !== null && other.refusedPast !== most))
    note(work, statement, 'refused past another number');
  window.refusedPast = most;
  return { window, allowed };
}
