import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { EXIT_UNSYNCED } from '../../src/store/sqlite/errors.ts';
import { type Service, until, type Workspace } from '../harness.ts';
import { mustBeWhole, storedOrders } from '../ledger.ts';
import { Receiver } from '../receiver.ts';
import { STRACE } from '../strace.ts';
import { complaints, type Figure, type Gate, messageOf, spread } from './gate.ts';
import { asking, lacksStrace, Start, storedPaths } from './start.ts';

const CLIENTS = 3;
const ORDERS = 6;
/** A little more than what one thread asks of the disk in the script. */
const REACH: Readonly<Record<string, number>> = { pwrite64: 360, fdatasync: 20, fsync: 3, ftruncate: 1 };
/** How many points of each call are tried unless all are asked for. */
const SAMPLES: Readonly<Record<string, number>> = { pwrite64: 5, fdatasync: 3, fsync: 1, ftruncate: 1 };
/** Of how many calls one fails, again and again: more than one commit makes, which would otherwise fail each time. */
const EVERY = 60;
/** How long a client asks again before it gives the service up, in seconds. */
const PATIENCE = 10;

/** One failing disk: which calls it fails, and whether it gets better. */
interface Fault {
  readonly inject: string;
  readonly lasts: boolean;
}

/** EIO at a write or a sync: once, again and again, or from then on. */
export const errors: Gate = {
  name: 'errors',
  about: 'EIO at every write and sync: once, again and again, and for good',
  lacks: lacksStrace,
  async *run({ long, say }) {
    await using receiver = await new Receiver().up();
    using start = await Start.fresh(receiver.url);
    for (const [name, when, lasts] of [
      ['once', (k: number) => `${k}`, false],
      ['again and again', (k: number) => `${k}+${EVERY}`, false],
      ['for good', (k: number) => `${k}+`, true],
    ] as const) {
      const faults = Object.entries(REACH).flatMap(([call, reach]) =>
        spread(reach, long ? reach : SAMPLES[call]!).map((k) => ({
          inject: `${call}:error=EIO:when=${when(k)}`,
          lasts,
        })),
      );
      yield await failing(name, start, faults, say);
    }
  },
};

/** What came of the runs. */
interface Seen {
  readonly opened: Set<string>;
  readonly wrong: string[];
  answers: number;
  refusals: number;
  notStarted: number;
  unrecovered: number;
  /** Whether clients have found the service gone, and how many services have ended since a sync was refused. */
  gone: boolean;
  ended: number;
}

async function failing(
  name: string,
  start: Start,
  faults: readonly Fault[],
  say: (line: string) => void,
): Promise<Figure> {
  const all: Seen = {
    opened: new Set(),
    wrong: [],
    answers: 0,
    refusals: 0,
    notStarted: 0,
    unrecovered: 0,
    gone: false,
    ended: 0,
  };
  for (const [n, fault] of faults.entries()) {
    say(`${name}: ${n + 1} of ${faults.length}, ${fault.inject}`);
    const seen: Seen = { ...all, opened: new Set(), wrong: [], refusals: 0, unrecovered: 0, gone: false };
    await run(start, fault, seen).catch((error) => seen.wrong.push(messageOf(error)));
    all.answers = seen.answers;
    all.notStarted = seen.notStarted;
    all.ended = seen.ended;
    all.refusals += seen.refusals;
    all.unrecovered += seen.unrecovered;
    all.wrong.push(...seen.wrong.map((one) => `${fault.inject}: ${one}`));
  }
  const figure = `${faults.length} runs, ${all.answers} successes, ${all.refusals} refusals, ${all.ended} services ended with ${EXIT_UNSYNCED}, ${all.notStarted} starts refused with their reason${all.unrecovered ? `, ${all.unrecovered} requests given up` : ''}`;
  return {
    what: name,
    figure: all.wrong.length ? `${figure}; ${complaints(all.wrong)}` : `${figure}; nothing acknowledged is lost`,
    held: all.wrong.length === 0 && all.refusals > 0,
  };
}

async function run(start: Start, fault: Fault, seen: Seen): Promise<void> {
  await using space = start.space();
  const trace = ['-o', join(space.dir, 'trace'), ...storedPaths(space.data)];
  const what = ['-e', `trace=${Object.keys(REACH).join(',')}`, '-e', `inject=${fault.inject}`];
  const started = await space.serve({ prefix: [...STRACE, ...trace, ...what] }).catch((error: Error) => error);
  if (started instanceof Error) {
    seen.notStarted++;
    const said =
      /ended with 3\b[\s\S]*error: the store in .* can’t be used/.test(started.message) || saidOf(started.message);
    if (!said) seen.wrong.push(`a start that fails doesn’t say why: ${messageOf(started)}`);
  } else {
    await Promise.all(Array.from({ length: CLIENTS }, (_, client) => lives(started, start.key, client, fault, seen)));
    const code = seen.gone ? await started.ended : started.child.exitCode;
    const refused = code === EXIT_UNSYNCED && /sync/.test(fault.inject) && saidOf(`ended with ${code}\n${started.err}`);
    if (refused) seen.ended++;
    else if (code !== null) seen.wrong.push(`the process ended with ${code}`);
    else if (seen.unrecovered && !/failed/.test(started.err)) seen.wrong.push('the log doesn’t say why');
    await started.kill();
  }
  await mustHave(space, start.key, seen);
}

/** Whether a process that has ended says that the disk refused a sync. */
const saidOf = (text: string): boolean =>
  new RegExp(`ended with ${EXIT_UNSYNCED}\\b[\\s\\S]*error: The disk refused to sync`).test(text);

/** A client that sends what was refused again, under the same key, until it is taken. */
async function lives(service: Service, key: string, client: number, fault: Fault, seen: Seen): Promise<void> {
  for (let n = 0; n < ORDERS; n++) {
    const sku = `EI${'ABC'[client]}-${String(n).padStart(4, '0')}`;
    const idempotency = randomUUID();
    const opens = (): Promise<string | null> =>
      service.open(key, { sku, quantity: 1 }, idempotency).then((answer) => {
        if (answer.status === 201) return (answer.body as { id: string }).id;
        seen.refusals++;
        if (![500, 503, 507].includes(answer.status)) seen.wrong.push(`answered ${answer.status} ${answer.text}`);
        return null;
      });
    const patience = fault.lasts ? 1 : PATIENCE;
    const id = await until(opens, 'an order taken', patience).catch((error: Error) => error);
    if (id instanceof TypeError) {
      seen.gone = true;
      seen.unrecovered++;
      return;
    }
    if (id instanceof Error) {
      seen.unrecovered++;
      if (!fault.lasts) seen.wrong.push(`given up after ${patience} s: ${messageOf(id)}`);
      return;
    }
    seen.answers++;
    seen.opened.add(id);
    const look = await service.request('GET', `/orders/${id}`, { key }).catch(() => null);
    if (look && look.status !== 200 && look.status < 500) seen.wrong.push(`what was taken is answered ${look.status}`);
  }
}

/** Without the fault it starts again, and has all that was acknowledged: each order once, and whole. */
async function mustHave(space: Workspace, key: string, seen: Seen): Promise<void> {
  const again = await space.serve();
  for (const id of seen.opened) {
    const { status } = await again.request('GET', `/orders/${id}`, { key });
    if (status !== 200) seen.wrong.push(`an acknowledged order is answered ${status}`);
  }
  await again.kill();
  asking(space.data, (select) => {
    mustBeWhole(select);
    const skus = select<{ sku: string }>('SELECT sku FROM "order"').map((row) => row.sku);
    if (new Set(skus).size !== skus.length) seen.wrong.push('an order is there twice');
    const extra = storedOrders(select).length - seen.opened.size;
    if (extra > seen.unrecovered) seen.wrong.push(`${extra} orders are there that nobody was told of`);
  });
}
