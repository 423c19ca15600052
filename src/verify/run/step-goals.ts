import type { EndpointContract } from '../../contract/endpoint.ts';
import { isSameId, type StatementId } from '../../plan/lines.ts';
import type { Prediction } from '../oracle/oracle.ts';
import { meets } from '../oracle/trace.ts';
import type { Statement } from '../statements/statement.ts';
import { decidersOf, stepsAt } from './deciding.ts';
import type { Exploration } from './exploration.ts';
import { type LooksLeft, progressToSuccess, reach, stepsOf } from './goal-requests.ts';
import type { TraceCoverage } from './trace-coverage.ts';

/**
 * Brings endpoints that have accepted no request of this session yet to accept one, since other endpoints need its
 * rows.
 */
export async function reachSuccess(run: Exploration, look: LooksLeft): Promise<void> {
  for (const endpoint of endpointsOf(run)) {
    const { name } = endpoint;
    const isReached = (): boolean => run.hasSucceeded(name);
    await reach(run, { name: null, endpoint, progress: progressToSuccess, isReached, decidedBy: null }, look);
  }
}

/** Sends requests for the cases of steps that statements need and that were not tried yet. */
export async function reachSteps(
  run: Exploration,
  statements: readonly Statement[],
  coverage: TraceCoverage,
  look: LooksLeft,
): Promise<void> {
  for (const endpoint of endpointsOf(run)) {
    const { name } = endpoint;
    const lines = stepsAt(run.subject.plan, name).map(({ line }) => line ?? 0);
    // Rows decide what a step of a read meets, and most needs of a list take several rows.
    const decidedBy = endpoint.writes ? null : decidersOf(run.subject.plan, name);
    for (const { id, needs } of statements)
      for (const { traces } of id.kind === 'step' && lines.includes(id.line) ? needs : []) {
        const before = new Set(lines.slice(0, id.kind === 'step' ? lines.indexOf(id.line) + 1 : 0));
        const takesRows = decidedBy !== null && !traces.some(({ what }) => what === ROUNDS[0]);
        const progress = (prediction: Prediction): number => {
          if (meets(prediction.trace, traces)) return Number.POSITIVE_INFINITY;
          const passed = [...stepsOf(prediction)].filter((one) => before.has(one)).length;
          return passed + (takesRows ? roundsOf(prediction, id) : 0);
        };
        await reach(
          run,
          {
            name: `${name} ${JSON.stringify(traces)}`,
            endpoint,
            progress,
            isReached: () => coverage.hasAny(traces),
            decidedBy,
          },
          look,
        );
      }
  }
}

const ROUNDS: readonly string[] = ['rounds 0', 'rounds 1', 'rounds more'];

/** The share of a step that its rows or groups count as: none, one, or several. */
function roundsOf({ trace }: Prediction, id: StatementId): number {
  const rounds = trace.flatMap(({ statement, what }) => (isSameId(statement, id) ? ROUNDS.indexOf(what) : []));
  return Math.max(0, ...rounds) / ROUNDS.length;
}

/** The endpoints of the current version that a run is about, but for streams, which their probe opens. */
export function endpointsOf(run: Exploration): readonly EndpointContract[] {
  const [version] = run.subject.contract.versions;
  const streams = run.subject.plan.endpoints.filter(({ after }) => after?.body?.kind === 'stream');
  const isStream = ({ name }: EndpointContract): boolean => streams.some((one) => one.name === name);
  return version?.endpoints.filter((one) => run.concerns(one) && !isStream(one)) ?? [];
}
