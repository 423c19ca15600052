import type { ResourceContract, StatesContract } from '../../contract/contract.ts';
import type { EndpointContract, StepContract } from '../../contract/endpoint.ts';

/** A call that moves a row, or makes it, and the state that it leaves the row in; null where that isn’t known. */
export interface Call {
  readonly endpoint: EndpointContract;
  /** The transition; null where the call makes the row. */
  readonly transition: string | null;
  readonly to: string | null;
  /** What has to be so for the call to do this, as the document says it. */
  readonly if: readonly string[];
}

/** A life of a row: how it is made, where callers make it, and the transitions that follow. */
export interface LifeCycle {
  readonly made: Call | null;
  readonly moves: readonly Call[];
  /** The state that it ends in. */
  readonly end: string;
}

/** The lives of a resource, and what of its states no caller can make. */
interface LifeCycles {
  readonly lives: readonly LifeCycle[];
  /** Transitions that no call makes for a row that is there. */
  readonly unreachable: readonly string[];
}

interface Edge {
  readonly from: string;
  readonly call: Call & { readonly to: string };
}

/**
 * Each transition from each state that a row can come to, with the shortest way there, and from there the shortest way to
 * a final state. A life that only begins another isn’t told twice.
 */
export function lifeCyclesOf(
  resource: ResourceContract,
  states: StatesContract,
  endpoints: readonly EndpointContract[],
): LifeCycles {
  const made = makerOf(resource.name, states, endpoints);
  const edges = states.transitions.flatMap(({ name, from, to, guard }): Edge[] => {
    const mover = moverOf(resource.name, name, endpoints);
    if (!mover) return [];
    const conditions = [...(guard ? [guard.text.replaceAll('this.', '')] : []), ...mover.step.under];
    return from.map((one) => ({ from: one, call: { endpoint: mover.endpoint, transition: name, to, if: conditions } }));
  });
  const begin = made?.to ?? states.initial;
  const lives = edges.flatMap((edge): LifeCycle[] => {
    const before = shortest(edges, begin, (state) => state === edge.from);
    if (!before) return [];
    const after = shortest(edges, edge.call.to, (state) => states.final.includes(state)) ?? [];
    const moves = [...before, edge, ...after].map((one) => one.call);
    return [{ made, moves, end: moves.at(-1)?.to ?? begin }];
  });
  const longest = lives.filter(
    (one, i) => !lives.some((other, k) => begins(one, other) && (i > k || !begins(other, one))),
  );
  const moved = new Set(edges.map((one) => one.call.transition));
  return { lives: longest, unreachable: states.transitions.map((one) => one.name).filter((name) => !moved.has(name)) };
}

/** The calls of the shortest way to a state, in the order of the document where several are as short. */
function shortest(edges: readonly Edge[], from: string, is: (state: string) => boolean): Edge[] | null {
  const ways = new Map<string, Edge[]>([[from, []]]);
  for (const [state, way] of ways) {
    if (is(state)) return way;
    for (const edge of edges)
      if (edge.from === state && !ways.has(edge.call.to)) ways.set(edge.call.to, [...way, edge]);
  }
  return null;
}

/** Whether one life is the other’s, or its beginning. */
const begins = (one: LifeCycle, other: LifeCycle): boolean =>
  one !== other && one.moves.every((move, i) => move.transition === other.moves[i]?.transition);

const ofRow = (step: StepContract, resource: string, kinds: readonly string[]): boolean =>
  step.resource === resource && kinds.includes(step.do);

/** The first endpoint that makes a row whatever is sent, and the state that it is in then. */
function makerOf(resource: string, states: StatesContract, endpoints: readonly EndpointContract[]): Call | null {
  const endpoint = endpoints.find((one) =>
    one.steps.some((step) => ofRow(step, resource, ['create']) && !step.under.length),
  );
  if (!endpoint) return null;
  const moves = endpoint.steps.filter((step) => ofRow(step, resource, ['move', 'move to']));
  return { endpoint, transition: null, to: stateAfter(states, moves), if: [] };
}

/** The state after steps that surely move a row, each by one transition; null where they may move it or not. */
function stateAfter(states: StatesContract, moves: readonly StepContract[]): string | null {
  let state: string | null = states.initial;
  for (const { by, under } of moves) {
    const transition = states.transitions.find((one) => one.name === by[0]);
    if (by.length !== 1 || under.length || !transition) return null;
    state = transition.to;
  }
  return state;
}

/** The endpoint that makes a transition of a row that is there: one that does it whatever is sent before others. */
function moverOf(
  resource: string,
  transition: string,
  endpoints: readonly EndpointContract[],
): { readonly endpoint: EndpointContract; readonly step: StepContract } | null {
  const found = endpoints
    .filter((one) => !one.steps.some((step) => ofRow(step, resource, ['create', 'create each', 'ensure'])))
    .flatMap((endpoint) =>
      endpoint.steps
        .filter((step) => ofRow(step, resource, ['move', 'move to']) && step.by.includes(transition))
        .map((step) => ({ endpoint, step })),
    );
  const sure = found.find(({ step }) => step.by.length === 1 && step.under.length === 0);
  return sure ?? found[0] ?? null;
}
