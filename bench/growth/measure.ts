import { closeSync, createReadStream, fsyncSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadProcess } from '../child.ts';
import { memoryNow, processorTime } from '../load/measure.ts';
import { Running } from '../process.ts';
import { serverOf } from '../servers.ts';
import { copyRows } from '../storage/sqlite.ts';
import { makeSyncFile } from '../syncs.ts';
import type { GrowthTells, GrowthTold } from './load.ts';
import type { Chosen, GrowthOptions } from './options.ts';
import type { Setting } from './setting.ts';
import type { Prepared } from './things.ts';
import type { TurnMeasured } from './turn.ts';

/** What one turn has shown of one size. */
export interface GrowthMeasured extends TurnMeasured {
  readonly thing: string;
  readonly size: number;
  readonly round: number;
  /** From the start of the process until it says where it listens, in milliseconds. */
  readonly start: number;
  /** What of the processor that takes, in milliseconds. */
  readonly startCpu: number | null;
  /** The memory that is resident when nothing has been asked yet, in bytes. */
  readonly rest: number | null;
  /** The bytes of the store before the turn. */
  readonly bytes: number;
}

/** Larger stores are not copied, and have one turn alone: it leaves some of their orders changed. */
const LARGE = 2 * 2 ** 30;
/** How long a server is left alone before its memory counts as at rest, in milliseconds. */
const REST = 500;

const bytesOf = (data: string): number =>
  readdirSync(data).reduce((sum, name) => sum + statSync(join(data, name)).size, 0);

/** What was copied is written now: the server's own syncs would wait for it. */
function syncAll(data: string): void {
  for (const name of readdirSync(data)) {
    const file = openSync(join(data, name), 'r+');
    fsyncSync(file);
    closeSync(file);
  }
}

/** Measures one thing at each of its sizes, round by round; the order of the sizes turns round as well. */
export async function measureThing(
  { thing, sizes }: Chosen,
  options: GrowthOptions,
  setting: Setting,
  say: (line: string) => void,
): Promise<GrowthMeasured[]> {
  const load = new LoadProcess<GrowthTold, GrowthTells>(join(import.meta.dirname, 'load.ts'), setting.where.pinned);
  const prepared = new Map<number, Prepared>();
  const { soon } = setting.where.interrupted;
  try {
    for (const size of sizes) {
      if (soon.aborted) return [];
      say(`${thing.title}: making ${size.toLocaleString('en-GB')}`);
      prepared.set(size, await thing.prepare(size, setting));
    }
    const out: GrowthMeasured[] = [];
    for (let round = 0; round < options.rounds; round++)
      for (const size of round % 2 ? sizes.toReversed() : sizes) {
        const one = prepared.get(size)!;
        const bytes = bytesOf(one.data);
        const inPlace = bytes > LARGE;
        if (soon.aborted) return out.filter((measured) => measured.round < round);
        if (inPlace && round > 0) continue;
        say(`${thing.title}: round ${round + 1} of ${options.rounds}, ${size.toLocaleString('en-GB')}`);
        const turn = await measureOne(one, inPlace, { kinds: thing.kinds, ...options }, setting, load);
        out.push({ thing: thing.name, size, round, bytes, ...turn });
      }
    return out;
  } finally {
    load.close();
    for (const one of prepared.values()) {
      one.close?.();
      rmSync(one.data, { recursive: true, force: true });
    }
  }
}

/** What has been copied is in the system's memory, and so is what is read, as far as it has room. */
async function readThrough(directory: string): Promise<void> {
  for (const name of readdirSync(directory))
    await createReadStream(join(directory, name), { highWaterMark: 2 ** 20 }).forEach(() => {});
}

type TurnOptions = Pick<GrowthOptions, 'connections' | 'warmup' | 'seconds'> & {
  readonly kinds: Chosen['thing']['kinds'];
};

async function measureOne(
  { document, data, script }: Prepared,
  inPlace: boolean,
  options: TurnOptions,
  { where }: Setting,
  load: LoadProcess<GrowthTold, GrowthTells>,
): Promise<TurnMeasured & Pick<GrowthMeasured, 'start' | 'startCpu' | 'rest'>> {
  const run = inPlace ? data : join(where.data, 'run');
  if (inPlace) await readThrough(run);
  else copyRows(data, run);
  syncAll(run);
  if (where.syncs !== null) makeSyncFile(where.syncs);
  await load.tell({ script });
  const before = performance.now();
  const running = await Running.start(serverOf('ninefold')!, { ...where, document, data: run });
  const start = performance.now() - before;
  const taken = processorTime(running.pid);
  const startCpu = taken === null ? null : taken * 1000;
  try {
    await sleep(REST);
    const { port, pid } = running;
    const rest = memoryNow(pid);
    const { kinds, connections, warmup, seconds } = options;
    const told = await load.tell({ job: { port, pid, kinds, connections, warmup, seconds } });
    if (!('measured' in told)) throw new Error('The load generator has measured nothing');
    return { ...told.measured, start, startCpu, rest };
  } finally {
    await running.stop();
    if (!inPlace) rmSync(run, { recursive: true, force: true });
  }
}
