import { join } from 'node:path';
import { LoadProcess } from '../child.ts';
import type { Measured } from '../load/measure.ts';
import { Running, type Startable, type Where } from '../process.ts';
import { copyRows, templateIn } from '../storage/sqlite.ts';
import type { Tells, Told } from './load.ts';
import type { Options } from './options.ts';
import { KINDS, type Kind } from './requests.ts';
import { datasetFile } from './rows.ts';
import { FASTIFY_HELPDESK, NINEFOLD_HELPDESK } from './servers.ts';

/** One measurement: a service, a kind of request, in one round. */
export interface Measurement extends Measured {
  readonly round: number;
  readonly server: string;
  readonly kind: Kind;
}

const SERVERS = [NINEFOLD_HELPDESK, FASTIFY_HELPDESK];

/**
 * Measures both services round by round. In each round both are started anew on fresh rows and warmed; then each kind of
 * request is measured of one after the other; whoever is first at one is last at the next.
 */
export async function measureBoth(options: Options, where: Where, say: (line: string) => void): Promise<Measurement[]> {
  const load = new LoadProcess<Told, Tells>(join(import.meta.dirname, 'load.ts'), where.pinned);
  const out: Measurement[] = [];
  try {
    for (let round = 0; round < options.rounds && !where.interrupted.soon.aborted; round++) {
      say(`Round ${round + 1} of ${options.rounds}`);
      const running = new Map<Startable, Running>();
      try {
        for (const server of turned(round)) running.set(server, await startWarm(server, options, where, load));
        for (const [i, kind] of options.kinds.entries())
          for (const server of turned(i)) {
            if (where.interrupted.soon.aborted) break;
            const measured = await measureOne(server, running.get(server)!, kind, options, where, load);
            out.push({ round, server: server.name, kind, ...measured });
          }
      } finally {
        for (const one of running.values()) await one.stop();
      }
    }
  } finally {
    load.close();
  }
  if (out.length === 0) where.interrupted.soon.throwIfAborted();
  return out;
}

const turned = (by: number): readonly Startable[] => (by % 2 ? SERVERS.toReversed() : SERVERS);

async function startWarm(
  server: Startable,
  options: Options,
  where: Where,
  load: LoadProcess<Told, Tells>,
): Promise<Running> {
  const data = join(where.data, 'run', server.name);
  copyRows(templateIn(where.data, server.name), data);
  const running = await Running.start(server, { ...where, data });
  try {
    await load.tell({ fresh: { server: server.name, dataset: datasetFile(where.data), port: running.port } });
    const seconds = options.start / options.kinds.length;
    for (const kind of options.kinds) await measureOne(server, running, kind, { ...options, seconds }, where, load);
  } catch (error) {
    await running.stop();
    throw error;
  }
  return running;
}

async function measureOne(
  server: Startable,
  { port, pid }: Running,
  kind: Kind,
  { connections, warmup, seconds }: Options,
  { syncs }: Where,
  load: LoadProcess<Told, Tells>,
): Promise<Measured> {
  const nodes = [{ port, pid, adminPort: null }];
  const job = { server: server.name, kind, nodes, databasePid: null, syncs, connections, warmup, seconds };
  const tells = await load.tell({ job });
  if (!('measured' in tells)) throw new Error('The load generator has measured nothing');
  const unexpected = Object.entries(tells.measured.unexpected).map(([status, count]) => `${count} times ${status}`);
  if (unexpected.length) throw new Error(`${server.title} answered ${unexpected.join(', ')} to “${KINDS[kind]}”`);
  return tells.measured;
}
