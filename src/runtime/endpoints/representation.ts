import { header } from '../../http/headers.ts';
import type { BeforeStep } from '../../plan/step.ts';
import { Refusal } from '../context/refusal.ts';
import type { RequestContext } from '../context/request-context.ts';
import type { Answering } from './answer.ts';
import type { Representation, Step, StepRun } from './steps/context.ts';

/** The steps of a GET that a write runs for its validators. */
interface Looking {
  readonly name: string;
  readonly before: ReadonlyArray<(x: RequestContext) => unknown>;
  readonly inside: readonly Step[];
  readonly answer: Answering;
}

/**
 * Whether a step before the transaction is needed to run a GET within a write: caller and version are known already.
 */
export const isLookedThrough = ({ do: kind }: BeforeStep): boolean =>
  kind === 'read parameters' || kind === 'read page';

/** Runs the steps of a GET inside a write, for the same caller and the same address. */
export function representationOf({ name, before, inside, answer }: Looking): Representation {
  return function* representation({ x, work }) {
    const asked = asGet(x, name);
    for (const step of before) if (step(asked)) return null;
    if (asked.faults.length || asked.refused) return null;
    const run: StepRun = { x: asked, work: work.within(asked.frame), page: null, after: null, extras: [] };
    try {
      for (const step of inside) yield* step(run);
      const { headers } = yield* answer(run);
      return { tag: header(headers, 'etag') ?? null, modified: header(headers, 'last-modified') ?? null };
    } catch (error) {
      if (error instanceof Refusal) return null;
      throw error;
    }
  };
}

/** Returns a request as a GET without preconditions. */
function asGet(x: RequestContext, endpoint: string): RequestContext {
  const { incoming, frame } = x;
  const rawHeaders = incoming.rawHeaders.filter((_, at, all) => !/^if-/i.test(all[at - (at % 2)]!));
  return {
    ...x,
    // The endpoint to which cursors are bound is that of the GET.
    endpoint,
    incoming: { ...incoming, method: 'GET', rawHeaders },
    frame: { ...frame, path: [], query: [], header: [], request: [], vars: [], row: null, results: [], bound: [] },
    faults: [],
    parameters: [],
    page: null,
    refused: null,
    key: null,
  };
}
