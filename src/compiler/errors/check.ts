import {
  COMMON_1,
  CONDITIONS,
  type Condition,
  type Outcome,
  UNPUBLISHED,
  UNROUTED_CONDITIONS,
  WIRE,
} from '../../plan/conditions.ts';
import { addTo } from '../../text/lists.ts';
import type { Resolved } from '../document/resolve.ts';
import { listNames } from '../endpoints/check/settings.ts';
import type { Scheme } from '../statements/authentication.ts';
import type { ErrorRow } from '../statements/errors.ts';
import { checkColumns, checkPayload } from './check-payload.ts';
import { errorsDiagnostics as d } from './messages.ts';
import { EVERYWHERE, reachable } from './reach.ts';

/** Checks the matrix endpoint × reachable condition, and that every code can be received. */
export function checkErrors(r: Resolved): void {
  const reached = new Map<Condition, string[]>();
  const endpoints = r.effective;
  for (const one of endpoints) for (const condition of reachable(r, one)) addTo(reached, condition, one.endpoint.name);
  if (endpoints.length)
    for (const condition of [...UNROUTED_CONDITIONS, ...EVERYWHERE]) reached.set(condition, ['the service']);
  checkOutcomes(r, reached);
  for (const row of r.model.errors.rows) checkRow(r, row, reached);
  const { common, rows } = r.model.errors;
  const stated = new Set(rows.flatMap((row) => row.when.map(({ value }) => value)));
  const open = [...reached.keys()].filter((condition) => COMMON_1.has(condition) && !stated.has(condition));
  checkPayload(r);
  r.afterAll(() => checkColumns(r, common ? open : []));
  if (common && endpoints.length && open.length === 0) r.notes.findings.push(d.report.commonUnused(common));
}

/**
 * Checks that every condition that can arise has an outcome; a missing one is a question for all endpoints at which the
 * condition can arise.
 */
function checkOutcomes(r: Resolved, reached: ReadonlyMap<Condition, string[]>): void {
  const { rows, common } = r.model.errors;
  const outcomes = new Map<string, ErrorRow[]>();
  for (const row of rows)
    for (const when of new Set(row.when.map(({ value }) => value))) {
      const known = outcomes.get(when) ?? [];
      if (known.length < 2) outcomes.set(when, [...known, row]);
    }
  for (const condition of CONDITIONS) {
    const stated = outcomes.get(condition) ?? [];
    const [first, second] = stated;
    if (first && second) {
      const params = { condition, first: first.code.text, second: second.code.text };
      r.notes.findings.push(d.report.twoOutcomes(second.span, params));
    }
    const where = reached.get(condition);
    const published = COMMON_1.get(condition);
    const proposal = published ?? UNPUBLISHED.get(condition);
    if (!where || !proposal || stated.length || (published && common)) continue;
    const absent = r.model.absences.some((one) => one.part === 'errors' && one.state === 'none');
    if (r.model.errors.rows.length === 0 && !r.model.errors.payload && !absent) continue;
    const params = {
      endpoint: listNames(where),
      condition,
      code: proposal.code,
      status: `${proposal.status}`,
      title: proposal.title,
      codes: rows.map((row) => row.code.text).join(', '),
    };
    const report = published ? d.report.outcome : d.report.ownOutcome;
    r.notes.findings.push(report(null, params, EVERYWHERE.includes(condition) ? null : where));
  }
}

/** Whether a scheme does not say what carries its credentials: it may be a cookie. */
const isCarriedNowhere = ({ header, cookie }: Scheme): boolean => !header && !cookie;

function checkRow(r: Resolved, row: ErrorRow, reached: ReadonlyMap<Condition, string[]>): void {
  const uses = r.codeUses.get(row.code.text) ?? new Set();
  if (r.isSuggested(row.code.text)) return;
  const [only] = row.when;
  const outcome = r.model.errors.common && row.when.length === 1 && only && COMMON_1.get(only.value as Condition);
  if (
    outcome &&
    outcome.code === row.code.text &&
    outcome.status === row.status?.value &&
    outcome.title === row.title?.value
  )
    r.notes.findings.push(d.report.sameAsCommon(row.code, { code: row.code.text }));
  const stated = new Set(row.when.map((when) => when.value));
  for (const [by, when] of [
    ['step', 'a step says so'],
    ['rule', 'a rule says so'],
  ] as const) {
    const [first] = row.when;
    if (uses.has(by) && !stated.has(when) && first)
      r.notes.findings.push(d.report.notSaid(first, { code: row.code.text, by: `a ${by}`, when }));
    const place = row.when.find((one) => one.value === when);
    if (!uses.has(by) && place) {
      r.notes.findings.push(
        d.report.unreachable(place, { code: row.code.text, condition: when, reason: `no ${by} names it` }),
      );
    }
  }
  for (const when of row.when) {
    if (when.value === 'a step says so' || when.value === 'a rule says so') continue;
    // The address of the service determines the hosts that are served.
    if (when.value === 'host not served') r.urlUsed = true;
    if (when.value === 'origin not accepted' && r.model.authentication.schemes.some(isCarriedNowhere)) continue;
    if (reached.has(when.value) || (WIRE.has(when.value) && r.effective.length === 0)) continue;
    const why = when.value === 'address too long' ? ': too long an address is among the headers too large' : '';
    const reason = `“${when.value}” cannot arise${why}`;
    r.notes.findings.push(d.report.unreachable(when, { code: row.code.text, condition: when.value, reason }));
  }
}

/** The outcome of a condition: that of the document's own row, or else that of the published list, if adopted. */
export function outcomeOf(r: Resolved['model'], condition: Condition): Outcome | null {
  const row = r.errors.rows.find((one) => one.when.some((when) => when.value === condition));
  if (row?.status && row.title) return { code: row.code.text, status: row.status.value, title: row.title.value };
  return r.errors.common ? (COMMON_1.get(condition) ?? null) : null;
}
