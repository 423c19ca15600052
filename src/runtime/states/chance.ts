import type { ResourcePlan, TransitionPlan } from '../../plan/step.ts';

/** Functions that return a different value at each call. */
const RANDOM: ReadonlySet<unknown> = new Set(['uuid', 'secret']);
/** The steps that may create a row. */
const CREATING: ReadonlySet<unknown> = new Set(['create', 'ensure']);

type Node = Readonly<Record<string, unknown>>;

/** Yields every object in plain data, itself included. */
function* nodesOf(data: unknown): Generator<Node> {
  if (data === null || typeof data !== 'object') return;
  if (!Array.isArray(data)) yield data as Node;
  for (const part of Object.values(data)) yield* nodesOf(part);
}

const isRandom = (data: unknown): boolean =>
  [...nodesOf(data)].some((node) => node.do === 'issue' || (node.op === 'call' && RANDOM.has(node.fn)));

/**
 * Whether a move, or a step that follows it, may give a row a random value, which would differ if the move were made
 * again. Steps that follow may make other moves, so all steps that follow any transition are checked; in doubt, the
 * result is true.
 */
export function movesAtRandom(
  resource: ResourcePlan,
  move: TransitionPlan,
  resources: readonly ResourcePlan[],
): boolean {
  const follows = move.then.length > 0;
  const touched = follows ? resources : [resource];
  const steps = follows ? resources.flatMap((one) => one.states?.transitions.map(({ then }) => then) ?? []) : [];
  const creates = [...nodesOf(steps)].some((node) => CREATING.has(node.do));
  const givings = touched.flatMap((one) => one.givings.filter(({ moment }) => creates || moment !== 'create'));
  return isRandom(steps) || isRandom(givings);
}
