import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Service, Workspace } from '../harness.ts';
import { Ledger } from '../ledger.ts';
import { Receiver } from '../receiver.ts';
import { STRACE } from '../strace.ts';
import { complaints, type Figure, type Gate, messageOf, spread } from './gate.ts';
import { asking, lacksStrace, Start, storedPaths } from './start.ts';

/** What the store asks of the disk. */
const CALLS = ['pwrite64', 'write', 'fdatasync', 'fsync', 'ftruncate'] as const;

const CLIENTS = 4;

/** How often each client of the scripted run opens, places and cancels an order. */
const LIVES = 4;
/** So many make a log of small pages long enough to be copied. */
const LONG_LIVES = 70;

/** A way to run the script, and at how many points it is killed unless all of them are asked for. */
interface Series {
  readonly name: string;
  readonly start: Start;
  readonly inject: readonly string[];
  readonly samples: number;
  /** How many orders each client makes. */
  readonly lives: number;
}

/** SIGKILL at the k-th write or sync, for every k of a scripted run or some of them. */
export const kill: Gate = {
  name: 'kill',
  about: 'SIGKILL at every write and sync of a scripted run',
  lacks: lacksStrace,
  async *run({ long, say }) {
    await using receiver = await new Receiver().up();
    using fresh = await Start.fresh(receiver.url);
    using grown = await Start.withLongLog(fresh);
    using small = Start.withSmallPages(fresh);
    const slow = ['-e', 'inject=fdatasync:delay_enter=15000'];
    const all: Series[] = [
      { name: 'from a closed store', start: fresh, inject: [], samples: 12, lives: LIVES },
      { name: 'from a long log', start: grown, inject: [], samples: 12, lives: LIVES },
      { name: 'while the log is copied', start: small, inject: [], samples: 12, lives: LONG_LIVES },
      { name: 'on a slow disk', start: grown, inject: slow, samples: 8, lives: LIVES },
    ];
    for (const series of all) yield await killed(series, long, say);
  },
};

async function killed(series: Series, long: boolean, say: (line: string) => void): Promise<Figure> {
  const counts = await counted(series);
  const wrong: string[] = [];
  let kills = 0;
  let acknowledged = 0;
  for (const [call, count] of counts) {
    // A delay and a signal can't both be asked of the same call.
    if (series.inject.some((one) => one.includes(call))) continue;
    const samples = Math.max(2, Math.round((series.samples * count) / sum(counts)));
    say(`${series.name}: ${count} calls of ${call}`);
    for (const k of spread(count, long ? count : samples)) {
      const told = await killedAt(series, call, k, wrong);
      if (told === null) continue;
      kills++;
      acknowledged += told;
    }
  }
  const figure = `${kills} kills over ${[...counts].map(([call, count]) => `${count} ${call}`).join(', ')}; ${acknowledged} orders acknowledged`;
  return {
    what: series.name,
    figure: wrong.length ? `${figure}; ${complaints(wrong)}` : `${figure}, none lost, none in part`,
    held: wrong.length === 0 && kills > 0,
  };
}

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((all, one) => all + one, 0);

/** Starts a service whose calls on the stored files strace sees. */
function served(space: Workspace, inject: readonly string[]): Promise<Service> {
  const what = ['-e', `trace=${CALLS.join(',')}`, ...inject];
  return space.serve({ prefix: [...STRACE, '-o', join(space.dir, 'trace'), ...storedPaths(space.data), ...what] });
}

async function script(service: Service, ledger: Ledger, lives: number): Promise<void> {
  await Promise.all(Array.from({ length: CLIENTS }, () => ledger.live(service, lives)));
}

/** How many calls of each kind one thread makes in the scripted run, from its start to its end in good order. */
async function counted({ start, inject, lives }: Series): Promise<Map<string, number>> {
  await using space = start.space();
  const service = await served(space, inject);
  await script(service, new Ledger(start.key), lives);
  await service.stop();
  const lines = readFileSync(join(space.dir, 'trace'), 'utf8').split('\n');
  const out = new Map<string, number>();
  for (const call of CALLS) {
    // The system counts the calls of each thread for itself.
    const threads = Map.groupBy(
      lines.filter((line) => new RegExp(`^\\d+ +${call}\\(`).test(line)),
      (line) => line.split(' ')[0],
    );
    const most = Math.max(0, ...[...threads.values()].map((all) => all.length));
    if (most > 0) out.set(call, most);
  }
  return out;
}

/** Kills the scripted run at one call; gives how many orders were acknowledged, and null where it ended before that. */
async function killedAt(series: Series, call: string, k: number, wrong: string[]): Promise<number | null> {
  const { start, inject, lives } = series;
  await using space = start.space();
  const ledger = new Ledger(start.key);
  const service = await served(space, [...inject, '-e', `inject=${call}:signal=KILL:when=${k}`]).catch(() => null);
  if (service) {
    await script(service, ledger, lives);
    if (service.child.exitCode === null && service.child.signalCode === null) {
      await service.stop();
    }
    if (service.child.signalCode !== 'SIGKILL') return null;
  }
  try {
    const again = await space.serve();
    await ledger.live(again, 1);
    await again.kill();
    asking(space.data, (select) => ledger.mustBeKept(select));
  } catch (error) {
    wrong.push(`${call} ${k}: ${messageOf(error)}`);
  }
  return ledger.opened.size;
}
