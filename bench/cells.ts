import { WORKS, type WorkName } from './load/requests.ts';

/** One thing that is measured of each server. */
export interface Cell {
  readonly work: WorkName;
  readonly connections: number;
  /** By how many microseconds each sync is delayed. */
  readonly delay: number;
}

export const CONNECTIONS = [1, 8, 64, 256];
export const WORK_NAMES = Object.keys(WORKS) as WorkName[];

const at = (work: WorkName, connections = 64, delay = 0): Cell => ({ work, connections, delay });

/** What the marks are about. */
export const MAIN_CELLS: readonly Cell[] = [
  ...WORK_NAMES.map((work) => at(work)),
  at('reads-90', 64, 2000),
  at('create', 1),
];

/** Every kind of work at every number of connections, and the main cells beside. */
export const ALL_CELLS: readonly Cell[] = [
  ...WORK_NAMES.flatMap((work) => CONNECTIONS.map((connections) => at(work, connections))),
  at('reads-90', 64, 2000),
];

/** How a cell is called. */
export function titleOf({ work, connections, delay }: Cell): string {
  const plural = connections === 1 ? 'connection' : 'connections';
  const slow = delay === 0 ? '' : `, each sync delayed by ${delay / 1000} ms`;
  return `${WORKS[work].title}, ${connections} ${plural}${slow}`;
}

/** Whether a cell places drafts, of which there are only so many. */
export const placesDrafts = ({ work }: Cell): boolean => WORKS[work].mix.some(([kind]) => kind === 'transition');

export const keyOf = ({ work, connections, delay }: Cell): string => `${work}/${connections}/${delay}`;
