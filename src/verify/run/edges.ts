import type { EndpointContract } from '../../contract/endpoint.ts';
import { isSuccess } from '../../plan/status.ts';
import type { Oracle, Prediction } from '../oracle/oracle.ts';
import { type Quantity, quantityRequests } from '../requests/by-chance.ts';
import type { Candidate } from '../requests/candidate.ts';
import { renewed } from '../requests/renewed.ts';
import type { Session } from '../session/session.ts';
import type { Request } from '../target/exchange.ts';
import { rightRequests } from './candidates.ts';
import { decidersOf, endpointsWriting } from './deciding.ts';
import type { Exploration } from './exploration.ts';
import { aboutSame, type LooksLeft, mayTry, progressToSuccess } from './goal-requests.ts';
import { shownOf } from './rivals.ts';
import { endpointsOf } from './step-goals.ts';
import { isOfRows } from './trace-coverage.ts';

/** The number of valid requests to each endpoint from which the one that passes the most steps is chosen. */
const LOOKED_AT = 40;
/** The number of candidates to each endpoint whose requests may come before. */
const LOOKED_AT_BEFORE = 10;
/**
 * The number of candidates that are considered to find accepted ones, and of accepted ones before which other requests
 * are tried.
 */
const LOOKED_AT_LATER = 24;
const MOST_LATER = 4;
/** The largest number of predictions for requests that change nothing. */
const LOOKED_AT_READINGS = 3000;
/** The number of accepted earlier requests in which a quantity shows no edge, after which that quantity is skipped. */
const MOST_FRUITLESS = 3;
/** The number of doublings after which the search for a different answer ends. */
const MOST_DOUBLINGS = 48;

/** Two adjacent quantities with different answers, in the order in which they are sent. */
interface Edge {
  readonly sides: readonly [number, number];
}

/** A number greater than the number of steps of any request. */
const LEAST_OF_TAKEN = 1_000_000;

/** The result for a quantity whose earlier request is refused. */
const REFUSED_BEFORE = 'refused before';

/** The endpoint that is tested, the session and the instant. */
interface Place {
  readonly run: Exploration;
  readonly session: Session;
  readonly endpoint: EndpointContract;
  readonly look: LooksLeft;
  readonly now: number;
}

/**
 * Sends requests on both sides of each edge. An edge is a quantity (such as a number or an instant in a request) at
 * which the predicted answer changes, either to the request itself or to a later one. Edges are found by predicting
 * answers, whatever expression causes them. `resource`: only endpoints whose answers depend on rows of it; null for all
 * endpoints.
 */
export async function reachEdges(run: Exploration, resource: string | null, look: LooksLeft): Promise<void> {
  const session = await run.session();
  for (const endpoint of endpointsOf(run)) {
    if (!endpoint.writes || !endpoint.answers.some(isOfRows)) continue;
    const decidedBy = decidersOf(run.subject.plan, endpoint.name);
    if (resource !== null && !decidedBy.has(resource)) continue;
    if (run.isOver() || !run.isOn(session) || look.left <= 0) return;
    const place = { run, session, endpoint, look, now: await session.now() };
    await reachOwnEdges(place);
    if (run.isOn(session)) await reachLaterEdges({ ...place, now: await session.now() }, decidedBy);
  }
}

/**
 * Sends both sides of edges to endpoints that change nothing. On both sides of a bound, a list returns different rows.
 */
export async function reachReadingEdges(run: Exploration): Promise<void> {
  const session = await run.session();
  const look = { left: LOOKED_AT_READINGS };
  for (const endpoint of endpointsOf(run).filter(({ writes }) => !writes)) {
    if (run.isOver() || !run.isOn(session) || look.left <= 0) return;
    await reachOwnEdges({ run, session, endpoint, look, now: await session.now() });
  }
}

/** Sends both sides of edges of the quantities of a request itself. */
async function reachOwnEdges(place: Place): Promise<void> {
  const { run, session, endpoint } = place;
  for (const one of furthestOf(place)) {
    const answerOf = (at: number): string | null => answerTo(place, session.oracle, one.withQuantity(at)?.request);
    const own = answerOf(one.quantity);
    if (own === null) continue;
    for (const edge of edgesOf(place, one, own, answerOf))
      for (const quantity of edge.sides) {
        const side = one.withQuantity(quantity);
        if (side && !run.isOver() && run.isOn(session)) await run.dispatch(renewed(side, endpoint, run.random));
      }
  }
}

/** Sends both sides of edges in the quantities of earlier requests, and then a later request after each. */
async function reachLaterEdges(place: Place, decidedBy: ReadonlySet<string>): Promise<void> {
  for (const later of takenOf(place)) if (await reachEdgesBefore(place, later, decidedBy)) return;
}

/** Accepted requests about different rows, since other facts about these rows decide whether there is an edge. */
function takenOf({ run, session, endpoint, look, now }: Place): readonly Candidate[] {
  const known = session.known(now);
  const all = [...rightRequests(run, known, { most: LOOKED_AT_LATER }, (name) => name === endpoint.name)];
  look.left -= all.length;
  const taken = new Map<string, Candidate>();
  for (const one of all) {
    const { status } = session.predict(one.request, now, 'later')?.expected ?? {};
    if (status !== undefined && isSuccess(status)) taken.set(one.request.target, one);
  }
  return taken.size > 0 ? [...taken.values()].slice(0, MOST_LATER) : all.slice(0, 1);
}

/**
 * Sends both sides of edges of the quantities of all requests that may come before one request. Returns whether any
 * edge was found.
 */
async function reachEdgesBefore(place: Place, later: Candidate, decidedBy: ReadonlySet<string>): Promise<boolean> {
  const { run, session, endpoint, now } = place;
  const { subject, random } = run;
  const [version] = subject.contract.versions;
  if (!version || !run.isOn(session)) return true;
  const known = aboutSame(session.known(now), later);
  const changing = endpointsWriting(subject.plan, decidedBy);
  let isFound = false;
  for (const other of endpointsOf(run).filter(({ name }) => changing.has(name) && name !== endpoint.name)) {
    const fruitless = new Map<string, number>();
    for (const { quantities } of quantityRequests(
      { ...subject, version, endpoint: other, known, random },
      LOOKED_AT_BEFORE,
    ))
      for (const quantity of quantities) {
        const before = fruitless.get(quantity.slot) ?? 0;
        const came = before < MOST_FRUITLESS ? await sendBefore(place, other, quantity, later) : null;
        if (came === 'no edge') fruitless.set(quantity.slot, before + 1);
        if (came === 'sent') isFound = true;
      }
  }
  return isFound;
}

/** Sends both sides of an edge in one quantity of an earlier request, and the later request after each. */
async function sendBefore(
  place: Place,
  other: EndpointContract,
  of: Quantity,
  later: Candidate,
): Promise<'sent' | 'no edge' | 'not looked for'> {
  const { run, session, endpoint, look, now } = place;
  if (run.isOver() || !run.isOn(session) || look.left <= 0) return 'not looked for';
  const answerOf = (at: number): string | null => {
    const before = of.withQuantity(at);
    const foreseen = before && session.foresee(before.request, now, 'before');
    if (!foreseen || !isSuccess(foreseen.prediction.expected.status)) return REFUSED_BEFORE;
    return answerTo(place, foreseen.oracle, later.request);
  };
  const own = answerOf(of.quantity);
  if (own === null || own === REFUSED_BEFORE) return 'not looked for';
  let isFound = false;
  for (const edge of edgesOf(place, { ...of, slot: `${other.name} ${of.slot}` }, own, answerOf)) {
    isFound = true;
    for (const quantity of edge.sides) {
      const before = of.withQuantity(quantity);
      if (!before || run.isOver() || !run.isOn(session)) return 'sent';
      await run.dispatch(renewed(before, other, run.random));
      if (run.isOn(session)) await run.dispatch(renewed(later, endpoint, run.random));
    }
  }
  return isFound ? 'sent' : 'no edge';
}

/** The predicted answer to a request, from a given knowledge; null where the answer cannot be predicted. */
function answerTo({ session, endpoint, look, now }: Place, known: Oracle, request: Request | undefined): string | null {
  look.left -= 1;
  const foreseen = request && session.foreseeBy(known, request, now, 'edge');
  if (!foreseen) return null;
  const { prediction } = foreseen;
  // The rows of a list show only in the body of the answer.
  const isBodyTold = !endpoint.writes && isSuccess(prediction.expected.status);
  return isBodyTold ? shownOf(prediction) : shown(prediction.expected);
}

/**
 * The number of steps that a request passes; for a successful read, a number that grows with the length of its answer.
 */
function progressOf(prediction: Prediction, { writes }: EndpointContract): number {
  const { status, body } = prediction.expected;
  return writes || !isSuccess(status)
    ? progressToSuccess(prediction)
    : LEAST_OF_TAKEN + JSON.stringify(body ?? null).length;
}

/** The quantities of random valid requests, each with the request that passes the most steps before it is refused. */
function furthestOf({ run: { subject, random }, session, endpoint, look, now }: Place): Quantity[] {
  const [version] = subject.contract.versions;
  if (!version) return [];
  const furthest = new Map<string, { readonly quantity: Quantity; readonly progress: number }>();
  const given = { ...subject, version, endpoint, known: session.known(now), random };
  for (const { one, quantities } of quantityRequests(given, LOOKED_AT)) {
    look.left -= quantities.length;
    const prediction = quantities.length > 0 ? session.predict(one.request, now, 'edge') : null;
    if (!prediction) continue;
    const progress = progressOf(prediction, endpoint);
    for (const quantity of quantities)
      if (progress > (furthest.get(quantity.slot)?.progress ?? -1)) furthest.set(quantity.slot, { quantity, progress });
  }
  return [...furthest.values()].map(({ quantity }) => quantity);
}

/**
 * The nearest edge in each direction. Leaves out edges where only the form of the value is refused, and those that were
 * sent often enough in this pass.
 */
function* edgesOf(
  { run, endpoint }: Place,
  { slot, quantity, unit }: Quantity,
  own: string,
  answerOf: (at: number) => string | null,
): Generator<Edge> {
  const isDecided = (answer: string): boolean =>
    endpoint.answers.some((each) => isOfRows(each) && shown(each) === answer);
  const isTaken = (answer: string): boolean => answer.startsWith('2');
  for (const step of [unit, -unit]) {
    const further = firstOther(quantity, step, own, answerOf);
    if (!further) continue;
    const [within, beyond] = between(...further, unit, (at) => answerOf(at) === own);
    const answers = [own, answerOf(beyond) ?? ''];
    if (endpoint.writes && !answers.some(isDecided)) continue;
    if (!answers.every((one) => isDecided(one) || isTaken(one))) continue;
    // The refused side is sent first, since a refused request changes nothing.
    if (mayTry(run, `edge ${endpoint.name} ${slot} ${answers.map(codeOf).join(', ')}`))
      yield { sides: isTaken(own) ? [beyond, within] : [within, beyond] };
  }
}

/**
 * Searches in doubling steps for a quantity with another answer. Returns the previous quantity and that one; null if
 * there is none.
 */
function firstOther(
  from: number,
  step: number,
  own: string,
  answerOf: (at: number) => string | null,
): readonly [number, number] | null {
  let within = from;
  for (let i = 0; i < MOST_DOUBLINGS; i++) {
    const at = from + step * 2 ** i;
    const answer = answerOf(at);
    if (answer === null) return null;
    if (answer !== own) return [within, at];
    within = at;
  }
  return null;
}

/**
 * Bisects an interval to two adjacent quantities: the first has the same answer as `first`, and the second has another.
 */
function between(
  first: number,
  last: number,
  unit: number,
  isSame: (at: number) => boolean,
): readonly [number, number] {
  if (Math.abs(last - first) <= unit) return [first, last];
  const middle = first + Math.trunc((last - first) / unit / 2) * unit;
  return isSame(middle) ? between(middle, last, unit, isSame) : between(first, middle, unit, isSame);
}

/** The status and the code of an answer, without its body. */
const codeOf = (answer: string): string => answer.split(' ', 2).join(' ');

const shown = ({ status, code }: { readonly status: number; readonly code: string | null }): string =>
  `${status} ${code}`;
