import type { ResourcePlan, TransitionPlan } from '../../plan/step.ts';

/** What gives another value each time that it is asked. */
const RANDOM: ReadonlySet<unknown> = new Set(['uuid', 'secret']);
/** The steps after which there is a row that has not been there. */
const CREATING: ReadonlySet<unknown> = new Set(['create', 'ensure']);

type Node = Readonly<Record<string, unknown>>;

/** Every object of a piece of plain data, itself included. */
function* nodesOf(data: unknown): Generator<Node> {
  if (data === null || typeof data !== 'object') return;
  if (!Array.isArray(data)) yield data as Node;
  for (const part of Object.values(data)) yield* nodesOf(part);
}

const isRandom = (data: unknown): boolean =>
  [...nodesOf(data)].some((node) => node.do === 'issue' || (node.op === 'call' && RANDOM.has(node.fn)));

/**
 * Whether a move, or what follows it, may give a row a value at random: one that would be another if the move were made
 * again. What follows a move may make others, so that all that may follow any is looked at; what is in doubt is random.
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
