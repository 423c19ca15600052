import { setTimeout as sleep } from 'node:timers/promises';
import { edited, ORDERS, RAISED, type Service, until } from '../harness.ts';
import { each, Nodes, sku } from '../nodes.ts';
import { PostgresServer } from '../postgres.ts';
import { Receiver } from '../receiver.ts';
import { FakedClock, lacksFaketime } from './faked.ts';
import { complaints, type Figure, type Gate } from './gate.ts';

const HOUR = 3600;
/** How many are let through in a window, of how many seconds, and by how much two nodes are apart. */
const RATE = 100;
const WINDOW = 5;
const AHEAD = 8;

/** One rate alone: requests that are refused come so fast that the one of each address would end the rest. */
const RATED = edited(
  ORDERS,
  ['600 requests per minute  ', `${RATE} requests per ${WINDOW} seconds  `],
  ['6000 requests per minute ', '6000000 requests per minute '],
);

/** The clocks of two nodes differ, and are set while they run. */
export const apart: Gate = {
  name: 'apart',
  about: 'two nodes whose clocks differ by more than a rate’s window, and by more than a day',
  lacks: lacksFaketime,
  async *run({ long }) {
    await using server = await PostgresServer.start();
    yield await windows(server, long ? 12 : 4);
    yield await leases(server, long ? 20 : 5);
  },
};

/** Two nodes on one database, each with a clock of its own. */
async function started(server: PostgresServer, document: string, receiver?: Receiver) {
  const nodes = await Nodes.on(server, document);
  if (receiver) await nodes.space.receiver(receiver.url);
  const clock = new FakedClock(nodes.space.dir);
  const [one, other] = [await nodes.space.serve(), await nodes.space.serve({ env: clock.env })];
  return { nodes, one, other, clock };
}

/** From when the first is let through, no window lets through more than it has room for. */
async function windows(server: PostgresServer, rounds: number): Promise<Figure> {
  const { nodes, one, other, clock } = await started(server, RATED);
  await using _ = nodes;
  clock.jump(AHEAD);
  const let_: number[] = [];
  const both: readonly Service[] = [one, other];
  const began = performance.now();
  const over = (): boolean => performance.now() - began > rounds * WINDOW * 1000;
  let n = 0;
  await each(20, 20, async () => {
    while (!over()) {
      const { status } = await both[n++ % 2]!.request('GET', '/orders', { key: nodes.key });
      if (status === 200) let_.push(performance.now());
      if (n % 400 === 0) clock.jump(n % 800 ? AHEAD : -2 * AHEAD);
    }
  });
  // Any stretch of time that is shorter than a window meets two of them at the most.
  const most = Math.max(...let_.map((at) => let_.filter((one_) => one_ >= at && one_ < at + WINDOW * 1000).length));
  const possible = RATE * (rounds + 1);
  return {
    what: `a rate of ${RATE} in ${WINDOW} s on nodes ${AHEAD} s apart and more`,
    figure: `${let_.length} of ${n} requests let through in ${rounds * WINDOW} s, where ${possible} may be; ${most} at the most in any ${WINDOW} s, where two windows meet`,
    held: let_.length <= possible && let_.length >= RATE * (rounds - 1) && most <= 2 * RATE,
  };
}

/** Deliveries, drafts and keys of a node are what they are for the other, whatever time it takes it to be. */
async function leases(server: PostgresServer, jumps: number): Promise<Figure> {
  await using receiver = await new Receiver().up();
  const { nodes, one, other, clock } = await started(server, RAISED, receiver);
  await using _ = nodes;
  receiver.answer = async () => {
    await sleep(300);
    return 204;
  };
  const wrong: string[] = [];
  const ids: string[] = [];
  for (let jump = 0; jump < jumps; jump++) {
    clock.jump((jump % 2 ? -1 : 1) * (25 + jump) * HOUR);
    const opened = await each(20, 5, (n) => (n % 2 ? one : other).opened(nodes.key, sku('APA', jump * 20 + n)));
    ids.push(...opened);
    await each(20, 5, async (n) => {
      const { status } = await (n % 2 ? other : one).request('POST', `/orders/${opened[n]}/place`, { key: nodes.key });
      if (status !== 200) wrong.push(`a draft could not be placed: ${status}`);
    });
    await sleep(500);
  }
  const expected = ids.length * 2;
  const all = await until(() => receiver.accepted.length >= expected, 'every delivery', 60).catch(() => false);
  if (!all) wrong.push('not everything was delivered');
  await sleep(1500);
  const twice = receiver.got.length - new Set(receiver.got.map(({ id }) => id)).size;
  const placed = new Set<unknown>();
  for (const { type, data } of receiver.got)
    if (type === 'order.placed') placed.add(data.id);
    else if (placed.has(data.id)) wrong.push('one after what follows it');
  const off = receiver.got.filter(
    ({ headers, at }) => Math.abs(Number(headers['webhook-timestamp']) * 1000 - at) > 60_000,
  );
  if (off.length) wrong.push(`${off.length} signed for another time`);
  return {
    what: `deliveries over ${jumps} jumps of a day and more`,
    figure: `${receiver.accepted.length} of ${expected} events delivered, ${twice} more than once${wrong.length ? `; ${complaints(wrong)}` : ''}`,
    held: wrong.length === 0 && twice === 0,
  };
}
