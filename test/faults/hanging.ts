import { setTimeout as sleep } from 'node:timers/promises';
import { Forwarder } from '../forwarder.ts';
import { edited, RAISED, type Service, until } from '../harness.ts';
import { Nodes, sku } from '../nodes.ts';
import { replicated } from './failover.ts';
import { complaints, type Figure, type Gate } from './gate.ts';

const TIMEOUT_MS = 3000;
/** How much later than its time-out an answer may come on a busy machine. */
const LATE_MS = 2000;
/** For how long something hangs: longer than anything is waited for but a commit. */
const HANGS_MS = 12_000;
/** How soon a node goes on by itself. */
const BACK_MS = 15_000;
const CLIENTS = 12;
const DOCUMENT = edited(RAISED, ['| Time-out     | 5 seconds ', '| Time-out     | 3 seconds ']);

/** Stops something; gives how to have it go on. */
type Stop = () => Promise<() => void>;

/** The database, its standby or the network in between does not answer, and nothing is cut off. */
export const hanging: Gate = {
  name: 'hanging',
  about: 'a database, a standby that commits wait for, or the network in between that hangs, and goes on later',
  lacks: () => null,
  async *run() {
    const [primary, standby] = await replicated();
    await using _primary = primary;
    await using _standby = standby;
    await using forwarder = await Forwarder.to(primary.port);
    const nodes = await Nodes.on(primary, DOCUMENT);
    await using _nodes = nodes;
    nodes.space.place = ['--store', forwarder.url(nodes.url)];
    const node = await nodes.space.serve({ args: ['--admin', '127.0.0.1:0'] });
    const acknowledged = new Set<string>();
    const over = (what: string, stop: Stop, letters: string) =>
      hung(what, nodes, node, stop, letters === 'STB', acknowledged, letters);
    const vanished = async (): Promise<() => void> => {
      forwarder.stop();
      return () => forwarder.moveTo(primary.port);
    };
    yield await over('a standby that commits wait for', () => standby.stop(), 'STB');
    yield await over('the whole database', () => primary.stop(), 'PRI');
    yield await over('a machine that vanishes, and another at its address', vanished, 'NET');
    const rows = await primary.query<{ id: string }>(nodes.url, 'SELECT id::text FROM "order"');
    const there = new Set(rows.map(({ id }) => id));
    const lost = [...acknowledged].filter((id) => !there.has(id)).length;
    yield { what: 'acknowledged over all of it', figure: `${there.size} orders, ${lost} lost`, held: lost === 0 };
  },
};

async function ready(node: Service): Promise<number> {
  const port = await until(() => /operator’s port is (\d+)/.exec(node.out)?.[1], 'the operator’s port');
  return (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
}

/** The answers to clients while something hung. */
interface Seen {
  longest: number;
  reads: number;
  /** When the last change was acknowledged. */
  at: number;
}

/** Changes and reads are asked for all the time; `reads` says whether reads are to be answered while it hangs. */
async function hung(
  what: string,
  nodes: Nodes,
  node: Service,
  stop: Stop,
  reads: boolean,
  acknowledged: Set<string>,
  letters: string,
): Promise<Figure> {
  const wrong: string[] = [];
  const seen: Seen = { longest: 0, reads: 0, at: 0 };
  let over = false;
  const timed = async (ask: () => ReturnType<Service['request']>) => {
    const began = performance.now();
    const answer = await ask();
    seen.longest = Math.max(seen.longest, performance.now() - began);
    if (![200, 201, 500, 503].includes(answer.status)) wrong.push(`answered ${answer.status} ${answer.text}`);
    return answer;
  };
  const work = Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      for (let n = client; !over; n += CLIENTS) {
        const body = { sku: sku(letters, n % 10_000), quantity: 1 };
        const made = await timed(() => node.open(nodes.key, body));
        if (made.status === 201) {
          acknowledged.add((made.body as { id: string }).id);
          seen.at = performance.now();
        }
        const read = await timed(() => node.request('GET', '/orders', { key: nodes.key }));
        if (read.status === 200) seen.reads++;
        await sleep(20);
      }
    }),
  );
  await until(() => seen.at > 0, 'some load');
  const goOn = await stop();
  await sleep(TIMEOUT_MS);
  const before = seen.reads;
  await sleep(HANGS_MS - TIMEOUT_MS);
  const told = await ready(node);
  const read = seen.reads - before;
  const gone = performance.now();
  goOn();
  await until(() => seen.at > gone, 'a change that is acknowledged', 120);
  const back = seen.at - gone;
  await until(async () => (await ready(node)) === 200, 'a node that is ready', 60);
  over = true;
  await work;
  if (told !== 503) wrong.push(`/readyz said ${told} meanwhile`);
  if (reads && read === 0) wrong.push('no read was answered meanwhile');
  return {
    what: `${what} hangs for ${HANGS_MS / 1000} s`,
    figure: `with a time-out of ${TIMEOUT_MS} ms, no answer took longer than ${Math.round(seen.longest)} ms; ${read} reads meanwhile; a change again ${Math.round(back)} ms after${wrong.length ? `; ${complaints(wrong)}` : ''}`,
    held: wrong.length === 0 && seen.longest < TIMEOUT_MS + LATE_MS && back < BACK_MS,
  };
}
