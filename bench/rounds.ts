import { type Cell, placesDrafts, titleOf } from './cells.ts';
import type { Job } from './load/main.ts';
import type { Measured } from './load/measure.ts';
import { WORKS } from './load/requests.ts';
import type { Loader } from './loader.ts';
import { Running, type Where } from './process.ts';
import type { Templates } from './rows.ts';
import type { Server } from './servers.ts';
import type { Storage } from './storage/storage.ts';
import { delaySyncs } from './syncs.ts';

/** One measurement: a server, a cell, in one round. */
export interface Measurement extends Measured {
  readonly round: number;
  readonly server: string;
  readonly cell: Cell;
}

export interface Plan {
  readonly servers: readonly Server[];
  readonly cells: readonly Cell[];
  readonly rounds: number;
  readonly seconds: number;
  /** How long each cell is worked at before it counts, in seconds. */
  readonly warmup: number;
  /** How long a server that has been started works before any cell, in seconds. */
  readonly start: number;
  /** How many processes of each server share its rows. */
  readonly nodes: number;
}

/** Starts processes of a server, which share a copy of the rows. */
export async function startFresh(
  server: Server,
  where: Where,
  { storage }: { readonly storage: Pick<Storage, 'copy'> },
  nodes: number,
): Promise<readonly Running[]> {
  const data = server.rows ? await storage.copy(server.rows, server.name) : '';
  const all: Running[] = [];
  try {
    while (all.length < nodes) all.push(await Running.start(server, { ...where, data }));
  } catch (error) {
    await stopAll(all);
    throw error;
  }
  return all;
}

/** Ends processes in good order, or at all. */
export async function stopAll(running: readonly Running[]): Promise<void> {
  for (const one of running) await one.stop();
}

/** What a run has at hand. */
interface Setting {
  readonly plan: Plan;
  readonly where: Where;
  readonly templates: Templates;
  readonly loader: Loader;
}

/** A server that runs and is warm. */
interface Standing {
  readonly server: Server;
  running: readonly Running[];
  /** The share of its drafts that is left to be placed. */
  left: number;
}

/**
 * Measures the servers round by round. In each round all of them are started anew and warmed; then each cell is
 * measured of one after the other, so that what a ratio is taken of lies seconds apart. One alone works at a time; whoever
 * is first in one cell is last in the next. Gives what there is where it is interrupted, and throws where that is nothing.
 */
export async function measureRounds(setting: Setting, say: (line: string) => void): Promise<Measurement[]> {
  const { plan } = setting;
  const { soon } = setting.where.interrupted;
  const out: Measurement[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    say(`Round ${round + 1} of ${plan.rounds}`);
    const all: Standing[] = [];
    try {
      for (const server of turned(plan.servers, round)) {
        if (soon.aborted) break;
        all.push(await startWarm(server, setting));
      }
      for (const [i, cell] of plan.cells.entries())
        for (const one of turned(all, i)) {
          if (soon.aborted) break;
          out.push({ round, ...(await measureCell(one, cell, setting)) });
        }
    } finally {
      for (const { running } of all) await stopAll(running);
    }
    if (soon.aborted) break;
  }
  if (out.length === 0) soon.throwIfAborted();
  return out;
}

/** The same in the same order, from another one on. */
const turned = <T>(all: readonly T[], by: number): T[] => {
  const first = by % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
};

/** How much of the drafts has to be left for a cell that places some. */
const ENOUGH = 0.5;

async function measureCell(one: Standing, cell: Cell, setting: Setting): Promise<Omit<Measurement, 'round'>> {
  const { where, loader } = setting;
  const { server } = one;
  if (placesDrafts(cell) && one.left < ENOUGH && !server.dialect.placesAgain) {
    await stopAll(one.running);
    Object.assign(one, await startWarm(server, setting));
  }
  if (where.syncs !== null) delaySyncs(where.syncs, cell.delay);
  const measured = await loader.measure(jobOf(server, one.running, cell, setting));
  if (where.syncs !== null) delaySyncs(where.syncs, 0);
  refuseUnexpected(server, cell, measured);
  one.left = measured.draftsLeft;
  return { server: server.name, cell, ...measured };
}

/**
 * Starts a server, and lets it work for a while at everything that will be asked of it before anything counts: what is
 * measured is a service that has been running, and not how long a process takes until its code is compiled.
 */
async function startWarm(server: Server, setting: Setting): Promise<Standing> {
  const { where, templates, loader, plan } = setting;
  const running = await startFresh(server, where, templates, plan.nodes);
  await loader.fresh(server);
  const kinds = new Set(plan.cells.flatMap(({ work }) => WORKS[work].mix.map(([kind]) => kind)));
  let left = 1;
  for (const work of kinds) {
    const cell: Cell = { work, connections: 64, delay: 0 };
    const job = { ...jobOf(server, running, cell, setting), seconds: plan.start / kinds.size };
    const measured = await loader.measure(job);
    refuseUnexpected(server, cell, measured);
    left = measured.draftsLeft;
  }
  return { server, running, left };
}

function jobOf(server: Server, running: readonly Running[], { work, connections }: Cell, setting: Setting): Job {
  const { plan, where, templates } = setting;
  const { seconds, warmup } = plan;
  const { databasePid } = templates.storage;
  const nodes = running.map(({ port, pid, adminPort }) => ({ port, pid, adminPort }));
  return { server: server.name, nodes, databasePid, syncs: where.syncs, work, connections, seconds, warmup };
}

/** A server that answers otherwise than expected has done other work: there is nothing to compare. */
function refuseUnexpected(server: Server, cell: Cell, { unexpected, requests }: Measured): void {
  const told = Object.entries(unexpected).map(([status, count]) => `${count} times ${status}`);
  if (told.length) throw new Error(`${server.title} answered ${told.join(', ')} to “${titleOf(cell)}”`);
  if (requests === 0) throw new Error(`${server.title} answered nothing to “${titleOf(cell)}”: it takes more --rows`);
}
