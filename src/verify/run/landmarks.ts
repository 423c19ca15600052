import { keyHeaderOf } from '../../plan/idempotency-key.ts';
import { isSuccess } from '../../plan/status.ts';
import { TOKEN_UNIT_MS } from '../oracle/callers.ts';
import { duesOf, HORIZON_MS } from '../oracle/dues.ts';
import type { Oracle, Prediction } from '../oracle/oracle.ts';
import type { Candidate } from '../requests/candidate.ts';
import type { Session } from '../session/session.ts';
import { headerOf } from '../target/exchange.ts';

/**
 * One or more instants of a timed change that are too close together to be distinguished, with candidates whose answers
 * show the change.
 */
interface Landmark {
  /** The two sides, in milliseconds since the epoch, by the service’s clock. */
  readonly before: number;
  readonly after: number;
  /** Candidates whose answers show the change. */
  readonly candidates: readonly Candidate[];
  /** Whether rows change: any request that concerns rows may then show the change. */
  readonly ofRows: boolean;
}

/** The instant of a timed change, such as a timed transition or the end of a token. */
interface Instant {
  readonly at: number;
  /** The uncertainty of the instant, in milliseconds: within it, the change may or may not have happened. */
  readonly blur: number;
  /** The candidate whose answer shows the change; null if any request that concerns rows may show it. */
  readonly candidate: Candidate | null;
}

/** The number of upcoming timed changes of rows that are considered. */
const MOST_DUE = 6;
/** The number of token expiries that are considered. */
const MOST_OVER = 2;

/**
 * The next instants at which timed transitions happen, kept answers expire, versions and endpoints end and tokens expire: the nearest
 * first. `keyed`: answered requests with idempotency keys. `slack`: the distance of requests from an instant, in
 * milliseconds.
 */
export function landmarksOf(
  oracle: Oracle,
  now: number,
  keyed: readonly Candidate[],
  any: (version: string) => Candidate | null,
  at: (endpoint: string) => Candidate | null,
  slack: number,
): Landmark[] {
  const { state } = oracle;
  const instants: Instant[] = [];
  const add = (at: number, candidate: Candidate | null, blur = 0): void => {
    if (at > now && at < now + HORIZON_MS) instants.push({ at, candidate, blur });
  };
  const dues = duesOf(oracle, now).slice(0, MOST_DUE);
  for (const at of new Set(dues.map((one) => one.at))) add(at, null);
  for (const one of keyed) {
    const endpoint = state.plan.endpoints.find(({ name }) => name === one.endpoint);
    const key = headerOf(one.request.headers, (endpoint && keyHeaderOf(endpoint)) ?? '') ?? '';
    const kept = [...state.kept].find(([name]) => name.includes(JSON.stringify(key).slice(1, -1)));
    if (kept) add(kept[1].until, one);
  }
  const expiries = [...state.credentials.values()].flatMap(({ issued, expiresAt }) =>
    issued && expiresAt !== null ? [expiresAt] : [],
  );
  for (const at of [...new Set(expiries)].sort((a, b) => a - b).slice(0, MOST_OVER)) add(at, null, TOKEN_UNIT_MS);
  for (const { name, sunset } of state.plan.versions?.older ?? []) if (sunset !== null) add(sunset, any(name));
  for (const { name, deprecation } of state.plan.endpoints) if (deprecation?.until) add(deprecation.until.at, at(name));
  return together(instants, slack);
}

/**
 * Merges instants whose sides overlap: a row may change by itself at the very instant at which the kept answer of the
 * request that created it ends.
 */
function together(instants: readonly Instant[], slack: number): Landmark[] {
  const out: Landmark[] = [];
  for (const { at, blur, candidate } of instants.toSorted((a, b) => a.at - b.at)) {
    const sides = { before: at - Math.max(1, slack) - blur, after: at + slack };
    const last = out.at(-1);
    const one = { ...sides, candidates: candidate ? [candidate] : [], ofRows: candidate === null };
    if (!last || sides.before > last.after) out.push(one);
    else
      out[out.length - 1] = {
        before: Math.min(last.before, sides.before),
        after: sides.after,
        candidates: [...last.candidates, ...one.candidates],
        ofRows: last.ofRows || one.ofRows,
      };
  }
  return out;
}

/**
 * The candidates whose predicted answers differ before and after an instant. `both` has reads, which are sent before
 * and after it. `later` has writes that succeed before it and are refused after it; these are sent only after it.
 */
export function telling(
  session: Session,
  candidates: Iterable<Candidate>,
  { before, after }: { readonly before: number; readonly after: number },
  most: number,
): { readonly both: Candidate[]; readonly later: Candidate[] } {
  const both: Candidate[] = [];
  const later: Candidate[] = [];
  for (const one of candidates) {
    if (!one.valid) continue;
    const [early, late] = [before, after].map((at) => session.predict(one.request, at, 'foreseen'));
    if (!early || !late || sameAnswer(early, late)) continue;
    const writes = early.endpoint?.writes ?? false;
    if (!writes && both.length < most) both.push(one);
    if (writes && isSuccess(early.expected.status) && late.expected.status >= 400 && later.length < most)
      later.push(one);
  }
  return { both, later };
}

const sameAnswer = ({ expected: a }: Prediction, { expected: b }: Prediction): boolean =>
  a.status === b.status && a.code === b.code && JSON.stringify(a.body ?? null) === JSON.stringify(b.body ?? null);
