import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compile } from '../../src/compiler/compile.ts';
import type { Plan } from '../../src/plan/step.ts';
import { EXIT_UNSYNCED } from '../../src/store/sqlite/errors.ts';
import { RAISED, type Service, type Workspace } from '../harness.ts';
import { Ledger } from '../ledger.ts';
import { Receiver } from '../receiver.ts';
import { STRACE } from '../strace.ts';
import { complaints, type Figure, type Gate, messageOf, spread } from './gate.ts';
import { Disk, losses, selections } from './power.disk.ts';
import { type Did, readTrace, TRACED } from './power.trace.ts';
import { complaintOf, numbers, promise } from './rebuilt.ts';
import { lacksStrace, Start } from './start.ts';

const CLIENTS = 4;
/** So many orders of each client make a log of small pages long enough to be copied more than once. */
const LIVES = 100;
/** How many after a start that follows a refusal. */
const LIVES_AFTER = 3;
/** At how many points after a refusal the disk is rebuilt, unless at all of them. */
const POINTS = 8;

const REFUSING = pathToFileURL(join(import.meta.dirname, 'refusing.ts')).href;
const READING = join(import.meta.dirname, 'reading.ts');

/** A sync that is refused: one of SQLite's, or one that the service makes itself, of a file whose path ends so. */
type Refusal = { readonly fsync: number } | { readonly end: string; readonly nth: number };

interface Series {
  readonly name: string;
  readonly start: Start;
  readonly refusals: readonly Refusal[];
  readonly slow: boolean;
}

/** What one life of a service left in its trace. */
interface Life {
  readonly did: readonly Did[];
  /** Its exit code; null where it had to be stopped, since no sync was refused. */
  readonly code: number | null;
  readonly err: string;
}

/** The disk refuses one sync, once: the service ends, and what it has acknowledged outlives every power loss after it. */
export const refused: Gate = {
  name: 'refused',
  about: 'a sync that is refused once, beside a reader, across kills and starts: what Linux then drops',
  lacks: lacksStrace,
  async *run({ long, say }) {
    await using receiver = await new Receiver().up();
    using fresh = await Start.fresh(receiver.url);
    using small = Start.withSmallPages(fresh);
    using grown = await Start.withLongLog(fresh);
    const log = (nth: number): Refusal => ({ end: '-wal', nth });
    const database = (nth: number): Refusal => ({ end: '.sqlite', nth });
    const own = (...all: number[]): Refusal[] => all.map((fsync) => ({ fsync }));
    const all: Series[] = [
      { name: 'the log', start: fresh, refusals: [2, 1, 60].map(log), slow: false },
      { name: 'the log, on a slow disk', start: fresh, refusals: [9, 2].map(log), slow: true },
      { name: 'the log, while it is copied', start: small, refusals: [400, 200].map(log), slow: false },
      { name: 'the database, by the other thread', start: small, refusals: [1, 2, 3].map(database), slow: false },
      { name: 'what SQLite syncs', start: small, refusals: own(2, 3, 5, 6, 7, 8, 9), slow: false },
      { name: 'at a start with a log', start: grown, refusals: [log(1), ...own(1, 2, 3)], slow: false },
    ];
    const { plan } = compile('orders.md', RAISED);
    for (const series of all) yield await tried(series, plan!, long, say);
  },
};

/** What came of a series. */
interface Seen {
  readonly wrong: string[];
  ended: number;
  disks: number;
  acknowledged: number;
}

async function tried(series: Series, plan: Plan, long: boolean, say: (line: string) => void): Promise<Figure> {
  const seen: Seen = { wrong: [], ended: 0, disks: 0, acknowledged: 0 };
  // The disk recovers, or refuses the next start too, before it does.
  for (const [n, refusal] of series.refusals.entries())
    for (const again of n === 0 || long ? [false, true] : [false]) {
      const name = `${JSON.stringify(refusal)}${again ? ', and again at the start' : ''}`;
      say(`${series.name}: ${name}`);
      const before = seen.wrong.length;
      await run(series, refusal, again, plan, long, seen).catch((error) => seen.wrong.push(messageOf(error)));
      for (let i = before; i < seen.wrong.length; i++) seen.wrong[i] = `${name}: ${seen.wrong[i]}`;
    }
  const { wrong, ended, disks, acknowledged } = seen;
  const figure = `${ended} services ended with ${EXIT_UNSYNCED}, ${disks} disks rebuilt after that, ${acknowledged} orders acknowledged`;
  return {
    what: series.name,
    figure: wrong.length
      ? `${figure}; ${wrong.length} wrong: ${complaints(wrong).slice(0, 1500)}`
      : `${figure}, none lost`,
    held: wrong.length === 0 && ended > 0 && disks > 0,
  };
}

async function run(
  series: Series,
  refusal: Refusal,
  again: boolean,
  plan: Plan,
  long: boolean,
  seen: Seen,
): Promise<void> {
  await using space = series.start.space();
  const ledger = new Ledger(series.start.key);
  const lives: Life[] = [await lived(space, 'first', refusal, series.slow, ledger, LIVES)];
  mustHaveSaidSo(lives[0]!, refusal, space.data, seen);
  if (again) {
    const atStart: Refusal = { end: '-wal', nth: 1 };
    const next = await lived(space, 'second', atStart, false, ledger, LIVES_AFTER);
    mustHaveSaidSo(next, atStart, space.data, seen);
    lives.push(next);
  }
  lives.push(await lived(space, 'last', null, series.slow, ledger, LIVES_AFTER));
  if (lives.at(-1)!.code !== null) seen.wrong.push(`it does not start any more: ${lives.at(-1)!.err}`);
  seen.acknowledged += ledger.opened.size;
  await lost(space, series.start, lives, plan, long, seen);
}

function mustHaveSaidSo({ did, code, err }: Life, refusal: Refusal, directory: string, seen: Seen): void {
  // SQLite is silent where the directory is refused, whose names the service has synced when it opened the database.
  const at = did.findIndex((one) => one.did === 'refuse' && one.path !== directory);
  if (at < 0) return;
  if (code === EXIT_UNSYNCED) seen.ended++;
  else seen.wrong.push(`it ended with ${code}`);
  if (!/^error: The disk refused to sync/m.test(err)) seen.wrong.push(`it said ${err.slice(0, 200)}`);
  // Until the service hears of another thread's sync of the database, what it answers is in the log, and synced there.
  const beside = 'end' in refusal && refusal.end === '.sqlite';
  if (!beside && did.slice(at).some((one) => one.did === 'tell' && /^HTTP.1\.1 2/.test(one.text)))
    seen.wrong.push('it answered after the refusal');
  if (did.slice(at).some((one) => one.did === 'truncate' || one.did === 'remove'))
    seen.wrong.push('it truncated or removed a file after the refusal');
}

/** Serves until a sync is refused, or until clients have had enough, with another process reading beside; then kills what is left. */
async function lived(
  space: Workspace,
  name: string,
  refusal: Refusal | null,
  slow: boolean,
  ledger: Ledger,
  times: number,
): Promise<Life> {
  const file = join(space.dir, `trace-${name}`);
  const inject = [
    ...(slow ? ['-e', 'inject=fdatasync:delay_enter=12000'] : []),
    ...(refusal && 'fsync' in refusal ? ['-e', `inject=fsync:error=EIO:when=${refusal.fsync}`] : []),
  ];
  const env =
    refusal && 'end' in refusal
      ? { NODE_OPTIONS: `--import=${REFUSING}`, NINEFOLD_REFUSE: `${refusal.end}@${refusal.nth}` }
      : {};
  const prefix = [...STRACE, '-o', file, ...TRACED, ...inject];
  const service = await space.serve({ prefix, env }).catch((error: Error) => error);
  if (service instanceof Error) {
    const code = Number(/ended with (\d+)/.exec(service.message)?.[1] ?? Number.NaN);
    return { did: readTrace(file, space.data), code, err: service.message };
  }
  const stop = await reader(space);
  await Promise.all(Array.from({ length: CLIENTS }, () => ledger.live(service, times).catch(() => {})));
  const code = await endedBy(service);
  await stop();
  return { did: readTrace(file, space.data), code, err: service.err };
}

/** The exit code of a service that is ending; null where it isn't, and is killed. */
async function endedBy(service: Service): Promise<number | null> {
  const gone = await service.request('GET', '/orders').then(
    () => false,
    () => true,
  );
  if (gone) return service.ended;
  await service.kill();
  return null;
}

/** Starts a process that reads the database; gives how to end it. */
async function reader(space: Workspace): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [READING, join(space.data, 'ninefold.sqlite')], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), ended]);
  return async () => {
    child.kill('SIGKILL');
    await ended;
  };
}

/** The power fails at points after the first refusal: what is wrong with the disks that may then be found. */
async function lost(
  space: Workspace,
  start: Start,
  lives: readonly Life[],
  plan: Plan,
  long: boolean,
  seen: Seen,
): Promise<void> {
  const all: Did[] = [];
  for (const life of lives) all.push(...shifted(life.did, all.length));
  const first = all.findIndex((one) => one.did === 'refuse');
  if (first < 0) return;
  const random = numbers(1);
  const critical = all.flatMap((one, i) =>
    i >= first && ['sync', 'refuse', 'tell'].includes(one.did) ? [i, i + 1] : [],
  );
  // While a start copies the log, the database has some of its pages and not others.
  const copied = all.flatMap((one, i) =>
    i >= first && one.did === 'write' && one.path.endsWith('.sqlite') ? [i + 1] : [],
  );
  const chosen = (those: readonly number[]): number[] =>
    spread(those.length, long ? those.length : POINTS).map((n) => those[n - 1]!);
  const rest = Array.from({ length: all.length - first }, (_, i) => first + 1 + i);
  const at = new Set([first + 1, ...chosen(critical), ...chosen(copied), ...chosen(rest)]);
  for (const loss of losses(random)) {
    const disk = new Disk(space.data, start.dir, loss);
    const promised = new Map<string, number>();
    for (const [i, one] of [...all, null].entries()) {
      if (at.has(i))
        for (const selection of selections(random)) {
          seen.disks++;
          const complaint = await complaintOf(disk.after(selection), promised, plan);
          if (complaint !== null) seen.wrong.push(`${loss.name}, then ${selection.name}: ${complaint}`);
        }
      if (one === null) break;
      disk.take(one);
      if (one.did === 'tell') promise(one.text, promised);
    }
  }
}

/** What was done in a later life comes after all that was done before it. */
function shifted(did: readonly Did[], by: number): Did[] {
  return did.map((one) => ('from' in one ? { ...one, from: one.from + by } : one));
}
