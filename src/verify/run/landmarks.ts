import type { Oracle } from '../oracle/oracle.ts';
import type { Candidate } from '../requests/candidate.ts';

/** An instant at which something changes by itself, and what shows it. */
interface Landmark {
  /** Milliseconds since the epoch, by the service’s clock. */
  readonly at: number;
  /** Shows it; null where anything that reads rows does. */
  readonly candidate: Candidate | null;
}

/** How many instants of rows are looked at. */
const MOST_DUE = 12;
/** Further on than this nothing is waited for, in milliseconds: 400 days. */
const HORIZON_MS = 400 * 86_400_000;

/**
 * The instants to come at which rows move by themselves, kept answers are forgotten, versions end and tokens are over:
 * each with an instant before it, the nearest first. `keyed`: requests with idempotency keys that were answered.
 * `slack`: how many milliseconds before and after them is looked, where it is not known exactly when a request is heard.
 */
export function landmarksOf(
  { state }: Oracle,
  now: number,
  keyed: readonly Candidate[],
  any: (version: string) => Candidate | null,
  slack: number,
): Landmark[] {
  const instants: Landmark[] = [];
  const add = (at: number, candidate: Candidate | null): void => {
    if (at > now && at < now + HORIZON_MS)
      instants.push({ at: at - Math.max(1, slack), candidate }, { at: at + slack, candidate });
  };
  const due = state.plan.resources
    .flatMap(({ name }) => state.rows.all(name).flatMap((row) => [...row.due.values()]))
    .filter((at) => at > now)
    .sort((a, b) => a - b);
  for (const at of new Set(due.slice(0, MOST_DUE))) add(at, null);
  for (const one of keyed) {
    const claim = state.plan.endpoints
      .find(({ name }) => name === one.endpoint)
      ?.before.find((step) => step.do === 'claim key');
    const header = claim?.do === 'claim key' ? claim.header.toLowerCase() : '';
    const key = one.request.headers.find(([name]) => name.toLowerCase() === header)?.[1] ?? '';
    const kept = [...state.kept].find(([name]) => name.includes(JSON.stringify(key).slice(1, -1)));
    if (kept) add(kept[1].until, one);
  }
  for (const { name, sunset } of state.plan.versions?.older ?? []) if (sunset !== null) add(sunset, any(name));
  return instants.sort((a, b) => a.at - b.at);
}
