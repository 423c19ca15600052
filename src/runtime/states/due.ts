import { DRAWING } from '../../expression/tree/expression.ts';
import type { Row } from '../../expression/values/value.ts';
import { transitionsIn } from '../../plan/machines.ts';
import type { ResourcePlan, TransitionPlan } from '../../plan/step.ts';
import { type Program, type Statement, StoreError } from '../../store/store.ts';
import { Refusal } from '../context/refusal.ts';
import { Pause } from '../context/rerun-state.ts';
import type { CompiledMove, Resource } from '../resources/rules.ts';

/** A timed transition or timed event of a resource. */
export interface Clock {
  readonly resource: Resource;
  /** The transition to make; null for a timed event. */
  readonly move: CompiledMove | null;
  readonly name: string;
  readonly column: number;
  readonly due: Statement;
  readonly next: Statement;
  /** Whether making the move twice may give the row different values. */
  readonly random: boolean;
}

/** The row that is due first. */
export interface First {
  readonly clock: Clock;
  readonly row: Row;
  readonly at: number;
}

/** Whether an error is the store's own, and would occur again at once. */
export const isRefused = (error: unknown): error is StoreError =>
  error instanceof StoreError && (error.kind === 'full' || error.kind === 'failed' || error.kind === 'unreadable');

export const isSame = (one: First, other: First): boolean => {
  const { identity } = one.clock.resource;
  return one.clock === other.clock && one.at === other.at && one.row[identity] === other.row[identity];
};

/** An error of a move or of its following steps, which another attempt would repeat. */
export class Broken {
  readonly first: First;
  readonly cause: unknown;

  constructor(first: First, cause: unknown) {
    this.first = first;
    this.cause = cause;
  }
}

/** Runs a move. Throws Broken for an error of the move itself; errors of the store are thrown unchanged. */
export function* told(first: First, move: Program<void>): Program<void> {
  let met: unknown;
  try {
    let next = move.next();
    while (!next.done) {
      let rows: Row[];
      try {
        rows = yield next.value;
      } catch (error) {
        met = error;
        next = move.throw(error);
        continue;
      }
      next = move.next(rows);
    }
  } catch (error) {
    if (error instanceof Pause || (error === met && error instanceof StoreError)) throw error;
    throw new Broken(first, error);
  }
}

/** Returns the reason why a move was given up; messages of errors contain no values. */
export function whyOf(cause: unknown): string {
  if (cause instanceof Refusal) return cause.outcome?.code ?? cause.rule ?? '';
  return cause instanceof Error ? cause.message : 'it failed';
}

/** Functions that return a different value at each call. */
const RANDOM: ReadonlySet<unknown> = new Set(DRAWING);
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
  [...nodesOf(data)].some(
    (node) => node.do === 'issue' || node.do === 'issue secret' || (node.op === 'call' && RANDOM.has(node.fn)),
  );

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
  const steps = follows ? resources.flatMap((one) => transitionsIn(one.machines).map(({ then }) => then)) : [];
  const creates = [...nodesOf(steps)].some((node) => CREATING.has(node.do));
  const givings = touched.flatMap((one) => one.givings.filter(({ moment }) => creates || moment !== 'create'));
  const entries = touched.flatMap(({ audit }) => resources.find(({ name }) => name === audit?.entries)?.givings ?? []);
  return isRandom(steps) || isRandom(givings) || isRandom(entries);
}
