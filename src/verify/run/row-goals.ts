import type { AnswerContract, EndpointContract } from '../../contract/endpoint.ts';
import { idText, type StatementId } from '../../plan/lines.ts';
import { isSuccess } from '../../plan/status.ts';
import type { Plan } from '../../plan/step.ts';
import type { Oracle, Prediction } from '../oracle/oracle.ts';
import { meets } from '../oracle/trace.ts';
import type { Candidate } from '../requests/candidate.ts';
import { renewed } from '../requests/renewed.ts';
import { boundTold } from '../statements/bounds.ts';
import type { Need, Statement } from '../statements/statement.ts';
import { requestsAt, rightRequests } from './candidates.ts';
import { decidersOf, derivedReadAt, endpointsWriting, stepsAt } from './deciding.ts';
import type { Exploration } from './exploration.ts';
import { changes, type LooksLeft, mayTry, type RequestGoal, reach, stepsOf } from './goal-requests.ts';
import { shownOf } from './rivals.ts';
import { endpointsOf } from './step-goals.ts';
import { isOfRows, type TraceCoverage, unheardAt } from './trace-coverage.ts';

/**
 * The largest number of attempts to rule out rivals with one refused request. A rival is the document with one
 * statement altered.
 */
const MOST_TOLD = 3;
/** The number of reads of an endpoint that are considered to rule out rivals by its answer. */
const MOST_READS = 6;
/** The number of valid requests that are considered to find one with the same refusal. */
const LOOKED_AT = 60;

/**
 * Tests rules about several rows in cases that were not tried yet, such as rows that the rule does not count, or rows
 * that differ in one field.
 */
export async function reachRules(
  run: Exploration,
  statements: readonly Statement[],
  coverage: TraceCoverage,
  look: LooksLeft,
): Promise<void> {
  for (const { name } of run.subject.plan.resources)
    for (const { id, needs } of statements)
      if ((id.kind === 'unique' || id.kind === 'holds' || id.kind === 'overlap') && id.resource === name)
        for (const need of needs) for (const goal of ruleGoals(run, name, need, coverage)) await reach(run, goal, look);
}

/** The goals of a rule's need, at each endpoint that creates or changes rows of its resource. */
function ruleGoals(run: Exploration, resource: string, { traces }: Need, coverage: TraceCoverage): RequestGoal[] {
  const decidedBy = new Set([resource]);
  const writing = endpointsWriting(run.subject.plan, decidedBy);
  const rules = new Set(traces.map(({ statement }) => idText(statement)));
  const progress = (prediction: Prediction): number => {
    if (meets(prediction.trace, traces)) return Number.POSITIVE_INFINITY;
    return stepsOf(prediction).size + (prediction.trace.some(({ statement }) => rules.has(idText(statement))) ? 1 : 0);
  };
  const isReached = (): boolean => coverage.hasAny(traces);
  return endpointsOf(run).flatMap((endpoint) => {
    const name = `${endpoint.name} ${JSON.stringify(traces)}`;
    return writing.has(endpoint.name) ? [{ name, endpoint, progress, isReached, decidedBy }] : [];
  });
}

/**
 * Makes endpoints refuse with each code that depends on rows: all such codes, or those that depend on rows of one
 * resource.
 */
export async function reachRefusals(
  run: Exploration,
  coverage: TraceCoverage,
  resource: string | null,
  look: LooksLeft,
): Promise<void> {
  for (const endpoint of run.random.shuffled(endpointsOf(run))) {
    const { name } = endpoint;
    const decidedBy = decidersOf(run.subject.plan, name);
    if (resource !== null && !decidedBy.has(resource)) continue;
    const unheard = unheardAt(name, run.subject, coverage);
    for (const { status, code } of endpoint.answers.filter(isOfRows)) {
      if (!unheard.some((one) => one.status === status && one.code === code)) {
        await tellHeard(run, endpoint, { status, code }, decidedBy, look);
        continue;
      }
      const progress = (prediction: Prediction): number =>
        prediction.expected.status === status && prediction.expected.code === code
          ? Number.POSITIVE_INFINITY
          : stepsOf(prediction).size;
      const isReached = (): boolean =>
        !unheardAt(name, run.subject, coverage).some((one) => one.status === status && one.code === code);
      const goal = { name: `${name} ${status} ${code}`, endpoint, progress, isReached, decidedBy };
      const refused = await reach(run, goal, look);
      for (let i = 0; refused && i < MOST_TOLD; i++)
        if (!(await tellApart(run, endpoint, refused, decidedBy, look))) break;
    }
  }
}

/**
 * Tries to rule out rivals with a refusal that was answered before, using a request that is refused for the same
 * reason.
 */
async function tellHeard(
  run: Exploration,
  endpoint: EndpointContract,
  { status, code }: Pick<AnswerContract, 'status' | 'code'>,
  decidedBy: ReadonlySet<string>,
  look: LooksLeft,
): Promise<void> {
  const { name } = endpoint;
  const session = await run.session();
  if (run.isOver() || !run.isOn(session) || look.left <= 0 || !mayTry(run, `tell ${name} ${status} ${code}`)) return;
  const now = await session.now();
  for (const one of rightRequests(run, session.known(now), { most: LOOKED_AT }, (each) => each === name)) {
    look.left -= 1;
    const expected = session.predict(one.request, now, 'refused')?.expected;
    if (expected?.status !== status || expected.code !== code) continue;
    await tellApart(run, endpoint, one, decidedBy, look);
    return;
  }
}

/**
 * Tries to rule out rivals that differ in a bound of a step of an endpoint that changes nothing: writes rows with values
 * at the constants of the document before a read.
 */
export async function reachBounds(run: Exploration, statements: readonly Statement[], look: LooksLeft): Promise<void> {
  const { plan } = run.subject;
  for (const endpoint of endpointsOf(run).filter(({ writes }) => !writes)) {
    const lines = stepsAt(plan, endpoint.name).map(({ line }) => line);
    const ids = statements.flatMap(({ id }) => (id.kind === 'step' && lines.includes(id.line) ? [id] : []));
    for (const id of ids) for (let i = 0; i < MOST_TOLD; i++) if (!(await tellBound(run, endpoint, id, look))) break;
  }
}

/** Tries to rule out a rival that differs in a bound of a step. Returns whether requests were sent. */
async function tellBound(
  run: Exploration,
  endpoint: EndpointContract,
  id: StatementId,
  look: LooksLeft,
): Promise<boolean> {
  const session = await run.session();
  const { plan } = run.subject;
  const others = run.rivals(id).filter((other) => boundTold(plan, other, id) !== null);
  if (others.length === 0) return false;
  const known = session.known(await session.now());
  const writing = endpointsWriting(plan, decidersOf(plan, endpoint.name));
  for (const read of rightRequests(run, known, { most: MOST_READS }, (name) => name === endpoint.name)) {
    const changes = requestsAt(run, known, (name) => writing.has(name));
    if (await tellBy(run, { one: read, others, changes }, look)) return true;
  }
  return false;
}

/**
 * Tries to rule out a rival: sends a change, then the refused request again, where the document and the rival predict
 * different answers after the change. One more row or another state often makes this difference, such as at a bound.
 * Returns whether there was such a change.
 */
async function tellApart(
  run: Exploration,
  endpoint: EndpointContract,
  refused: Candidate,
  decidedBy: ReadonlySet<string>,
  look: LooksLeft,
): Promise<boolean> {
  const session = await run.session();
  const now = await session.now();
  const one = renewed(refused, endpoint, run.random);
  const prediction = session.predict(one.request, now, 'refused');
  const statement = prediction?.trace.findLast(({ what }) => what.startsWith('refused'))?.statement;
  const { plan } = run.subject;
  const others = [...(statement === undefined ? [] : [statement]), ...derivedReadAt(plan, endpoint.name)].flatMap(
    (id) => run.rivals(id),
  );
  if (others.length === 0 || !run.isOn(session)) return false;
  return tellBy(run, { one, others, changes: changes(run, session.known(now), decidedBy, one) }, look);
}

/** A request before which a change may show the difference between the document and rivals. */
interface Telling {
  readonly one: Candidate;
  readonly others: readonly Plan[];
  readonly changes: Iterable<Candidate>;
}

/** Sends the first change after which the document and a rival predict different answers to a request, and the request. */
async function tellBy(run: Exploration, { one, others, changes }: Telling, look: LooksLeft): Promise<boolean> {
  const session = await run.session();
  const now = await session.now();
  for (const change of changes) {
    if (look.left <= 0 || run.isOver()) return false;
    look.left -= others.length;
    const foreseen = session.foresee(change.request, now, 'before');
    if (!foreseen || !isSuccess(foreseen.prediction.expected.status)) continue;
    const shown = (known: Oracle): string | null => {
      const after = session.foreseeBy(known, one.request, now, 'after');
      return after && shownOf(after.prediction);
    };
    const own = shown(foreseen.oracle);
    const isTold = (plan: Plan): boolean => {
      const other = shown(foreseen.oracle.under(plan));
      return own !== null && other !== null && other !== own;
    };
    if (!others.some(isTold)) continue;
    await run.dispatch(change);
    if (run.isOn(session)) await run.dispatch(one);
    return true;
  }
  return false;
}
