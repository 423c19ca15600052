import type { EndpointContract } from '../../contract/endpoint.ts';
import { isSameId, statementId } from '../../plan/lines.ts';
import { transitionsIn } from '../../plan/machines.ts';
import type { TransitionPlan } from '../../plan/rows.ts';
import { CALENDAR_CASES, calendarOf } from '../oracle/calendar.ts';
import { duesOf } from '../oracle/dues.ts';
import type { Oracle } from '../oracle/oracle.ts';
import type { Trace } from '../oracle/trace.ts';
import { requestsByChance } from '../requests/by-chance.ts';
import type { Candidate } from '../requests/candidate.ts';
import { anyReading, firstOfEach } from '../requests/candidates.ts';
import type { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import { AT_INSTANT, LOOKED_AT, MOST_TELLING, slackOf } from './bounds.ts';
import { chat } from './conversations.ts';
import type { Exploration } from './exploration.ts';
import { landmarksOf, telling } from './landmarks.ts';
import type { TraceCoverage } from './trace-coverage.ts';

/**
 * Moves the clock to each timed change, and sends requests before and after it. `keyed`: answered requests with
 * idempotency keys.
 */
export async function waitForLandmarks(
  run: Exploration,
  keyed: readonly Candidate[],
  coverage: TraceCoverage,
): Promise<void> {
  const { contract, plan, setup } = run.subject;
  if (!setup.clock || run.isOver()) return;
  const session = await run.session();
  const isOver = (): boolean => run.isOver() || !run.isOn(session);
  const now = await session.now();
  const slack = slackOf(session);
  for (const one of starting(session, now, coverage, run.random)) if (!isOver()) await run.dispatch(one);
  const reading = (version: string): Candidate | null =>
    anyReading(contract, version, session.known(now), run.random, plan);
  const at = (endpoint: string): Candidate | null => {
    const fits = ({ name }: EndpointContract): boolean => name === endpoint;
    return [...firstOfEach(contract, session.known(now), run.random, plan, 1, fits)][0] ?? null;
  };
  const landmarks = landmarksOf(session.oracle, now, keyed, reading, at, slack);
  for (const { before, after, candidates, ofRows } of landmarks) {
    const sides = { before, after };
    if (isOver() || (await session.now()) >= before) continue;
    const some = firstOfEach(contract, session.known(before), run.random, plan, LOOKED_AT);
    const { both, later } = ofRows ? telling(session, some, sides, MOST_TELLING) : { both: [], later: [] };
    for (const [instant, sent] of [
      [before, [...candidates, ...both]],
      [after, [...candidates, ...both, ...later]],
    ] as const) {
      await run.pass(session, instant - (await session.now()));
      for (const one of sent) if (!isOver()) await run.dispatch(one);
      // The answers to these requests differ before and after the instant, so they show that the timed change did not
      // happen early.
      if (instant === before && both.length > 0 && !isOver())
        for (const trace of notDue(session.oracle, sides)) coverage.add(trace);
      if (ofRows && !isOver()) await chat(run, AT_INSTANT);
    }
  }
  await tryCalendar(run, session, coverage);
  if (!isOver()) await lookAround(run, session);
}

/**
 * Moves the clock to the instant of a timed transition. If no request has shown yet that the transition does not happen
 * too early, such requests are sent just before.
 */
export async function passTo(run: Exploration, session: Session, at: number, coverage: TraceCoverage): Promise<void> {
  const { contract, plan } = run.subject;
  const slack = slackOf(session);
  const sides = { before: at - Math.max(1, slack), after: at + slack };
  const isOn = (): boolean => !run.isOver() && run.isOn(session);
  const untried = notDue(session.oracle, sides).filter((trace) => !coverage.has(trace));
  if (untried.length > 0 && (await session.now()) < sides.before) {
    const some = firstOfEach(contract, session.known(sides.before), run.random, plan, LOOKED_AT);
    const { both } = telling(session, some, sides, MOST_TELLING);
    await run.pass(session, sides.before - (await session.now()));
    for (const one of both) if (isOn()) await run.dispatch(one);
    if (both.length > 0 && isOn()) for (const trace of notDue(session.oracle, sides)) coverage.add(trace);
  }
  if (isOn()) await run.pass(session, sides.after - (await session.now()));
}

/** The timed transitions of rows that happen between two instants, and have not at the first. */
function notDue(oracle: Oracle, { before, after }: { readonly before: number; readonly after: number }): Trace[] {
  return duesOf(oracle, before)
    .filter(({ at }) => at <= after)
    .map(({ row, name }) => ({ statement: statementId.transition(row.resource, name), what: 'not due' }));
}

/** Reads rows in each state after all pauses: a row may have changed that should have stayed unchanged. */
async function lookAround(run: Exploration, session: Session): Promise<void> {
  const { contract, plan } = run.subject;
  for (const one of firstOfEach(contract, session.known(await session.now()), run.random, plan, LOOKED_AT)) {
    if (run.isOver() || !run.isOn(session)) return;
    const prediction = one.valid ? await run.predicted(one) : null;
    if (prediction && prediction.endpoint?.writes === false) await run.dispatch(one);
  }
  for (const version of contract.versions)
    for (const endpoint of version.endpoints) if (run.isOn(session)) await run.goThrough(version, endpoint, LOOKED_AT);
}

/** The number of candidates to each endpoint that are considered for one timer. */
const CANDIDATES_OF_TIMER = 240;

/**
 * For each timed transition that was not seen on both sides of its instant, and for which no row waits, a request that
 * makes a row wait for it.
 */
function* starting(session: Session, now: number, coverage: TraceCoverage, random: Random): Generator<Candidate> {
  const { plan } = session.subject;
  for (const { name: resource, machines } of plan.resources)
    for (const { name, timed } of transitionsIn(machines)) {
      const statement = statementId.transition(resource, name);
      const isSeen = ['due', 'not due'].every((what) => coverage.has({ statement, what }));
      if (timed === null || isSeen) continue;
      const isAwaited = ({ state }: Oracle): boolean =>
        state.rows.all(resource).some((row) => (row.due.get(name) ?? 0) > now);
      if (isAwaited(session.oracle)) continue;
      for (const one of byChance(session, now, random))
        if (isAwaited(session.foresee(one.request, now, 'foreseen')?.oracle ?? session.oracle)) {
          yield one;
          break;
        }
    }
}

/** Makes rows wait for each case of a time by the calendar that no answer has shown, and moves the clock there. */
async function tryCalendar(run: Exploration, session: Session, coverage: TraceCoverage): Promise<void> {
  const { plan } = run.subject;
  const isCalendar = (one: TransitionPlan): boolean => calendarOf(one.timed?.instant ?? null) !== null;
  const cases = plan.resources.flatMap(({ name, machines }) =>
    transitionsIn(machines)
      .filter(isCalendar)
      .flatMap((one) =>
        Object.keys(CALENDAR_CASES).map((what): Trace => ({ statement: statementId.transition(name, one.name), what })),
      ),
  );
  for (const trace of cases) {
    if (run.isOver() || !run.isOn(session)) return;
    const found = waitingFor(session, await session.now(), trace, run.random);
    if (!found) continue;
    await run.dispatch(found.request);
    if (run.isOn(session)) await passTo(run, session, found.at, coverage);
    if (run.isOn(session)) await lookAround(run, session);
  }
}

/** A request that makes a row wait for a case of a time by the calendar, and the instant. */
function waitingFor(
  session: Session,
  now: number,
  { statement, what }: Trace,
  random: Random,
): { readonly request: Candidate; readonly at: number } | null {
  const { contract, plan } = session.subject;
  const writing = ({ writes }: EndpointContract): boolean => writes;
  for (const request of firstOfEach(contract, session.known(now), random, plan, CANDIDATES_OF_TIMER, writing)) {
    const { oracle } = session.foresee(request.request, now, 'foreseen') ?? {};
    for (const { at } of oracle ? duesOf(oracle, now).slice(0, MOST_WAITING) : []) {
      const trace: Trace[] = [];
      oracle?.copy().passTime(at, 'later', trace);
      if (trace.some((one) => one.what === what && isSameId(one.statement, statement))) return { request, at };
    }
  }
  return null;
}

/** The number of timed changes after a request that are considered. */
const MOST_WAITING = 8;

function* byChance(session: Session, now: number, random: Random): Generator<Candidate> {
  const { contract, plan } = session.subject;
  const [version] = contract.versions;
  const known = session.known(now);
  for (const endpoint of version?.endpoints ?? [])
    if (version && endpoint.writes)
      yield* requestsByChance({ contract, version, endpoint, known, random, plan }, CANDIDATES_OF_TIMER);
}
