import { join } from 'node:path';
import { type Cell, placesDrafts, titleOf } from './cells.ts';
import type { Job, Measured } from './load/measure.ts';
import type { Loader } from './loader.ts';
import { Running, type Where } from './process.ts';
import { copyRows, type Templates } from './rows.ts';
import type { Server } from './servers.ts';
import { delaySyncs, makeSyncFile } from './syncs.ts';

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
  readonly warmup: number;
}

/** Starts a server on a copy of the rows. Syncs are counted, and not delayed. */
export function startFresh(server: Server, where: Where, templates: Templates): Promise<Running> {
  const data = join(where.data, 'run');
  if (server.rows) copyRows(templates.directory(server.rows), data);
  if (where.syncs !== null) makeSyncFile(where.syncs);
  return Running.start(server, { ...where, data });
}

/** Measures each server in turn, round by round, one at a time; whoever is first in one round is last in the next. */
export async function measureRounds(
  plan: Plan,
  where: Where,
  templates: Templates,
  loader: Loader,
  say: (line: string) => void,
): Promise<Measurement[]> {
  const out: Measurement[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    const first = round % plan.servers.length;
    const inTurn = [...plan.servers.slice(first), ...plan.servers.slice(0, first)];
    for (const server of inTurn) {
      say(`Round ${round + 1} of ${plan.rounds}: ${server.title}`);
      out.push(...(await measureServer({ server, round, plan, where, templates, loader })));
    }
  }
  return out;
}

/** What one server's turn in one round is measured with. */
interface Turn {
  readonly server: Server;
  readonly round: number;
  readonly plan: Plan;
  readonly where: Where;
  readonly templates: Templates;
  readonly loader: Loader;
}

/** How much of the drafts has to be left for a cell that places some. */
const ENOUGH = 0.5;

async function measureServer(turn: Turn): Promise<Measurement[]> {
  const { server, round, plan, where } = turn;
  const out: Measurement[] = [];
  let running = await startWarm(turn);
  let left = 1;
  try {
    for (const cell of plan.cells) {
      if (placesDrafts(cell) && left < ENOUGH) {
        await running.stop();
        running = await startWarm(turn);
      }
      if (where.syncs !== null) delaySyncs(where.syncs, cell.delay);
      const measured = await turn.loader.measure(jobOf(turn, running, cell));
      refuseUnexpected(server, cell, measured);
      left = measured.draftsLeft;
      out.push({ round, server: server.name, cell, ...measured });
    }
  } finally {
    await running.stop();
  }
  return out;
}

/** Starts a server on rows of its own, and lets it do some of everything before anything counts. */
async function startWarm(turn: Turn): Promise<Running> {
  const { server, where, templates, loader, plan } = turn;
  const running = await startFresh(server, where, templates);
  await loader.fresh(server.dialect);
  await loader.measure({ ...jobOf(turn, running, WARMING), seconds: plan.warmup });
  return running;
}

const WARMING: Cell = { work: 'reads-80', connections: 64, delay: 0 };

function jobOf({ where, plan }: Turn, { port, pid }: Running, { work, connections }: Cell): Job {
  return { port, pid, syncs: where.syncs, work, connections, seconds: plan.seconds, warmup: plan.warmup };
}

/** A server that answers otherwise than expected has done other work: there is nothing to compare. */
function refuseUnexpected(server: Server, cell: Cell, { unexpected, requests }: Measured): void {
  const told = Object.entries(unexpected).map(([status, count]) => `${count} times ${status}`);
  if (told.length) throw new Error(`${server.title} answered ${told.join(', ')} to “${titleOf(cell)}”`);
  if (requests === 0) throw new Error(`${server.title} answered nothing to “${titleOf(cell)}”: it takes more --rows`);
}
