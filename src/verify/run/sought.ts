import type { AnswerContract, BecauseContract } from '../../contract/endpoint.ts';
import { parseJson } from '../../http/json.ts';
import { parseQuery } from '../../http/query.ts';
import type { Plan } from '../../plan/step.ts';
import { isObject } from '../../text/own-member.ts';
import type { Prediction } from '../oracle/oracle.ts';
import type { Trace } from '../oracle/trace.ts';
import type { Candidate } from '../requests/candidate.ts';
import type { Subject } from '../session/subject.ts';
import { triedBy } from '../statements/tried.ts';
import type { TraceCoverage } from './trace-coverage.ts';

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
  statement: `sought ${endpoint} ${version}`,
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
  if (expected.status >= 300) return [answer];
  const query = parseQuery(request.target.split('?')[1] ?? '') ?? [];
  const holds = [...query.map(([name]) => `reads ${name}`), ...membersOf(request.body)];
  return [answer, ...holds.map((what) => sought(endpoint, version, what))];
}

/** The members of a request body, with a suffix if the member is null, and one if it is the only member. */
function membersOf(body: Buffer | null): string[] {
  const parsed = body === null ? null : parseJson(body);
  if (!parsed?.ok || !isObject(parsed.value)) return [];
  const members = Object.entries(parsed.value);
  const held = members.map(([name, value]) => `holds ${name}${value === null ? ' as null' : ''}`);
  return members.length === 1 ? [...held, ...held.map((one) => `${one} alone`)] : held;
}
