import type { AnswerContract, BecauseContract } from '../../contract/endpoint.ts';
import { parseQuery } from '../../http/query.ts';
import { statementId } from '../../plan/lines.ts';
import { isSuccess } from '../../plan/status.ts';
import type { Plan } from '../../plan/step.ts';
import type { Prediction } from '../oracle/oracle.ts';
import { type Trace, traceKey } from '../oracle/trace.ts';
import type { Candidate } from '../requests/candidate.ts';
import { objectIn } from '../requests/draft.ts';
import type { Subject } from '../session/subject.ts';
import { triedBy } from '../statements/tried.ts';
import { WEIGHT_OF_NEED } from './bounds.ts';
import type { VerifyOptions } from './options.ts';
import type { Rivals } from './rivals.ts';

/** The traces that a run has tried, each once, and the statuses that each endpoint has answered with. */
export class TraceCoverage {
  readonly traces: Trace[] = [];
  private readonly keys = new Set<string>();
  private readonly statuses = new Map<string, Set<number>>();

  get count(): number {
    return this.keys.size;
  }

  has(trace: Trace): boolean {
    return this.keys.has(traceKey(trace));
  }

  /** Whether one of some traces has been tried. */
  hasAny(traces: readonly Trace[]): boolean {
    return traces.some((one) => this.has(one));
  }

  add(trace: Trace): void {
    if (this.has(trace)) return;
    this.keys.add(traceKey(trace));
    this.traces.push(trace);
  }

  answered(endpoint: string, status: number): void {
    this.statuses.set(endpoint, (this.statuses.get(endpoint) ?? new Set()).add(status));
  }

  statusesOf(endpoint: string): number[] {
    return [...(this.statuses.get(endpoint) ?? [])].sort((a, b) => a - b);
  }
}

/**
 * Everything that a candidate tries if its answer is the predicted one: the traces of statements (`triedBy`), and
 * further combinations that a run looks for. A statement counts as kept after a test at one endpoint, but a service may
 * break it at another endpoint. A run therefore tries each answer, parameter and body member at each endpoint, in each
 * version.
 */
export const metBy = (plan: Plan, one: Candidate, prediction: Prediction): Trace[] => [
  ...triedBy(plan, one.request, prediction),
  ...soughtBy(one, prediction),
];

const sought = (endpoint: string, version: string | null, what: string): Trace => ({
  statement: statementId.sought(endpoint, version),
  what,
});

/** The trace of an answer with this status and code at an endpoint, in a version. */
const answerSought = (
  endpoint: string,
  version: string | null,
  { status, code }: { readonly status: number; readonly code: string | null },
): Trace => sought(endpoint, version, `answers ${status} ${code}`);

/** The kinds of refusals that depend on the stored rows. */
const OF_ROWS: readonly BecauseContract['kind'][] = ['step', 'transition', 'rule'];

/** Whether an answer depends on stored rows, rather than on the form of the request. */
export const isOfRows = ({ because, code }: AnswerContract): boolean => code !== null && OF_ROWS.includes(because.kind);

/** The refusals of an endpoint that depend on rows and that no answer in the current version has shown yet. */
export function unheardAt(endpoint: string, { contract }: Subject, coverage: TraceCoverage): readonly AnswerContract[] {
  const [current] = contract.versions;
  const answers = current?.endpoints.find(({ name }) => name === endpoint)?.answers ?? [];
  const refusals = answers.filter(isOfRows);
  return refusals.filter((one) => !coverage.has(answerSought(endpoint, current?.name ?? null, one)));
}

function soughtBy({ endpoint, version, request }: Candidate, { expected }: Prediction): Trace[] {
  if (endpoint === null) return [];
  const answer = answerSought(endpoint, version, expected);
  if (!isSuccess(expected.status)) return [answer];
  const query = parseQuery(request.target.split('?')[1] ?? '') ?? [];
  const holds = [...query.map(([name]) => `reads ${name}`), ...membersOf(request)];
  return [answer, ...holds.map((what) => sought(endpoint, version, what))];
}

/** The members of a request body, with a suffix if the member is null, and one if it is the only member. */
function membersOf(request: Candidate['request']): string[] {
  const members = Object.entries(objectIn(request) ?? {});
  const held = members.map(([name, value]) => `holds ${name}${value === null ? ' as null' : ''}`);
  return members.length === 1 ? [...held, ...held.map((one) => `${one} alone`)] : held;
}

/** A weight for the untested parts of the statements that requests to an endpoint try. */
export function openAt(
  endpoint: string,
  { statements, subject }: Pick<VerifyOptions, 'statements' | 'subject'>,
  coverage: TraceCoverage,
  rivals: Rivals,
): number {
  const tried = rivals.triedAt(endpoint);
  const needs = statements.filter(({ key }) => tried.has(key)).flatMap((one) => one.needs);
  const unmet = needs.filter(({ traces }) => !coverage.hasAny(traces)).length;
  return WEIGHT_OF_NEED * (unmet + unheardAt(endpoint, subject, coverage).length) + rivals.openAt(endpoint);
}
