import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compile } from '../../src/compiler/compile.ts';
import type { Plan } from '../../src/plan/step.ts';
import { RAISED, type Service } from '../harness.ts';
import { Ledger } from '../ledger.ts';
import { Receiver } from '../receiver.ts';
import { STRACE } from '../strace.ts';
import { complaints, type Figure, type Gate } from './gate.ts';
import { withoutPower } from './power.points.ts';
import { type Did, readTrace, TRACED } from './power.trace.ts';
import { complaintOf, promise } from './rebuilt.ts';
import { lacksStrace, Start } from './start.ts';

const CLIENTS = 4;
const LIVES = 5;
/** So many of each client make a log of small pages long enough to be copied, and begun anew, more than once. */
const LONG_LIVES = 100;

interface Series {
  readonly name: string;
  readonly start: Start;
  readonly inject: readonly string[];
  readonly points: number;
  /** Whether so much is written that the log is copied while the service runs. */
  readonly copies: boolean;
}

/** What was traced of a scripted run, and how many answers it has acknowledged orders with. */
interface Traced {
  readonly did: Did[];
  readonly directory: string;
  readonly acknowledged: number;
}

/** The power fails at any point of a scripted run: the files are rebuilt from what was synced by then. */
export const power: Gate = {
  name: 'power',
  about: 'power loss at every point: what was synced, and several selections of what wasn’t',
  lacks: lacksStrace,
  async *run({ long, say }) {
    await using receiver = await new Receiver().up();
    using fresh = await Start.fresh(receiver.url);
    using grown = await Start.withLongLog(fresh);
    using small = Start.withSmallPages(fresh);
    const slow = ['-e', 'inject=fdatasync:delay_enter=20000'];
    const all: Series[] = [
      { name: 'from a closed store', start: fresh, inject: [], points: 100, copies: false },
      { name: 'from a closed store, on a slow disk', start: fresh, inject: slow, points: 100, copies: false },
      { name: 'from a long log', start: grown, inject: [], points: 30, copies: false },
      { name: 'from a long log, on a slow disk', start: grown, inject: slow, points: 30, copies: false },
      { name: 'while the log is copied', start: small, inject: [], points: 60, copies: true },
      { name: 'while the log is copied, on a slow disk', start: small, inject: slow, points: 60, copies: true },
    ];
    const { plan } = compile('orders.md', RAISED);
    for (const series of all) yield await lost(series, await traced(series), plan!, long, say);
  },
};

async function traced({ start, inject, copies }: Series): Promise<Traced> {
  await using space = start.space();
  const file = join(space.dir, 'trace');
  const service = await space.serve({ prefix: [...STRACE, '-o', file, ...TRACED, ...inject] });
  const ledger = new Ledger(start.key);
  const over = new AbortController();
  const looking = reads(service, start.key, over.signal);
  const lives = copies ? LONG_LIVES : LIVES;
  await Promise.all(Array.from({ length: CLIENTS }, () => ledger.live(service, lives)));
  over.abort();
  await looking;
  await service.stop();
  // Of each order: that it was opened, placed and cancelled.
  return { did: readTrace(file, space.data), directory: space.data, acknowledged: ledger.opened.size * 3 };
}

/** What a client has been shown has to be there afterwards too, whoever wrote it. */
async function reads(service: Service, key: string, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await service.request('GET', '/orders?limit=100', { key });
    await sleep(5);
  }
}

async function lost(
  { name, start, points, copies }: Series,
  { did, directory, acknowledged }: Traced,
  plan: Plan,
  long: boolean,
  say: (line: string) => void,
): Promise<Figure> {
  const promised = new Map<string, number>();
  const most = long ? did.length : points;
  const { at, rebuilt, answers, wrong } = await withoutPower({ did, directory, from: start.dir }, most, {
    say: (count) => say(`${name}: ${did.length} steps, ${count} points`),
    tell: (text) => promise(text, promised),
    complaint: (files) => complaintOf(files, promised, plan),
  });
  const whole = answers >= acknowledged;
  // The log is begun anew by a write at its beginning: once at the start, and again once it has been copied.
  const begun = did.filter((one) => one.did === 'write' && one.path.endsWith('-wal') && one.at === 0).length;
  const copied = !copies || begun > 1;
  const figure = `${rebuilt} disks at ${at} of ${did.length} points, ${promised.size} orders acknowledged in ${answers} answers`;
  const seen = whole ? '' : `; the trace shows fewer than the ${acknowledged} that clients were given`;
  const anew = copied ? '' : '; the log was never copied';
  return {
    what: name,
    figure: `${figure}${wrong.length ? `; ${wrong.length} wrong: ${complaints(wrong).slice(0, 600)}` : ''}${seen}${anew}`,
    held: wrong.length === 0 && whole && copied && rebuilt > 0,
  };
}
