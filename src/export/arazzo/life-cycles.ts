import type { ResourceContract, StatesContract } from '../../contract/contract.ts';
import type { EndpointContract, StepContract } from '../../contract/endpoint.ts';

/**
 * A call that creates a row or performs a transition, and the state of the row after it; null if the state is unknown.
 */
export interface Call {
  readonly endpoint: EndpointContract;
  /** The transition; null if the call creates the row. */
  readonly transition: string | null;
  readonly to: string | null;
  /** Conditions under which the call does this, as the document states them. */
  readonly if: readonly string[];
}

/** One life cycle of a row: its creation, if an endpoint creates it, and the transitions that follow. */
export interface LifeCycle {
  readonly made: Call | null;
  readonly moves: readonly Call[];
  /** The state after the last transition. */
  readonly end: string;
}

/** The life cycles of a resource, and the transitions that no endpoint performs. */
interface LifeCycles {
  readonly lives: readonly LifeCycle[];
  /** Transitions that no call performs for an existing row. */
  readonly unreachable: readonly string[];
}

interface Edge {
  readonly from: string;
  readonly call: Call & { readonly to: string };
}

/**
 * Returns life cycles that contain each transition from each reachable state: the shortest path to the state, the
 * transition, and the shortest path to a final state. Life cycles that are the beginning of another one are omitted.
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

/** The transitions of a shortest path to a state; of several, the first in the order of the document. */
function shortest(edges: readonly Edge[], from: string, is: (state: string) => boolean): Edge[] | null {
  const ways = new Map<string, Edge[]>([[from, []]]);
  for (const [state, way] of ways) {
    if (is(state)) return way;
    for (const edge of edges)
      if (edge.from === state && !ways.has(edge.call.to)) ways.set(edge.call.to, [...way, edge]);
  }
  return null;
}

/** Whether one life cycle equals the other one, or its beginning. */
const begins = (one: LifeCycle, other: LifeCycle): boolean =>
  one !== other && one.moves.every((move, i) => move.transition === other.moves[i]?.transition);

const ofRow = (step: StepContract, resource: string, kinds: readonly string[]): boolean =>
  step.resource === resource && kinds.includes(step.do);

/** The first endpoint that creates a row unconditionally, with the state of the row after it. */
function makerOf(resource: string, states: StatesContract, endpoints: readonly EndpointContract[]): Call | null {
  const endpoint = endpoints.find((one) =>
    one.steps.some((step) => ofRow(step, resource, ['create']) && !step.under.length),
  );
  if (!endpoint) return null;
  const isOwn = (by: string): boolean => states.transitions.some((one) => one.name === by);
  const moves = endpoint.steps.filter((step) => ofRow(step, resource, ['move', 'move to']) && step.by.some(isOwn));
  return { endpoint, transition: null, to: stateAfter(states, moves), if: [] };
}

/** The state after steps that move a row unconditionally, each by one transition; null if a step is conditional. */
function stateAfter(states: StatesContract, moves: readonly StepContract[]): string | null {
  let state: string | null = states.initial;
  for (const { by, under } of moves) {
    const transition = states.transitions.find((one) => one.name === by[0]);
    if (by.length !== 1 || under.length || !transition) return null;
    state = transition.to;
  }
  return state;
}

/** The endpoint that performs a transition of an existing row; an unconditional one is preferred. */
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
