import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { RAISED, type Service, until, Workspace } from '../harness.ts';
import { type Figure, type Gate, quantile } from './gate.ts';

/** How much later than it has to be the last one may be closed, in milliseconds. */
const GRACE = 5000;
/** The time-out that the document states, and how long a client may take to take in an answer, in milliseconds. */
const TIMEOUT = 5000;
const READING = 30_000;
/** How many lists each slow reader asks for: 6 MB in all, which is more than the system holds for one connection. */
const READ_BY_EACH = 36;
/** How much longer than without the crowd the others may wait. */
const MOST = 2;
/** How long the others are measured, in milliseconds: the time for which the crowd is held. */
const SPAN = 3000;
/** In how many turns of each second the crowd sends a little more: all at once would keep those who measure waiting. */
const TURNS = 20;
const CLIENTS = 4;

/** Connections that are slow at something. */
interface Crowd {
  readonly name: string;
  readonly size: number;
  readonly document: string;
  /** What each of them sends when it comes, and what it goes on with once in a while; null for nothing more. */
  readonly first: (key: string) => string;
  readonly drip: string | null;
  readonly reads: boolean;
  /** How long the service is given to answer what they have asked for, in milliseconds. */
  readonly settling: number;
  /** Within how many milliseconds they have to be closed. */
  readonly within: number;
}

const CROWDS: readonly Crowd[] = [
  {
    name: '500 slow heads',
    size: 500,
    document: RAISED,
    first: () => 'GET /summary HTTP/1.1\r\nHost: orders.example\r\n',
    drip: 'X-A: 1\r\n',
    reads: true,
    settling: 1000,
    within: TIMEOUT + GRACE,
  },
  {
    name: '500 slow bodies',
    size: 500,
    document: RAISED,
    first: (key) =>
      `POST /orders HTTP/1.1\r\nHost: orders.example\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: slow\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{`,
    drip: ' ',
    reads: true,
    settling: 1000,
    within: TIMEOUT + GRACE,
  },
  {
    name: '200 slow readers',
    size: 200,
    // All that they ask for takes longer than the document gives a request: it is to be answered, and not refused.
    document: RAISED.replace('| 5 seconds ', '| 1 minute '),
    // More than the system takes in for a client that reads nothing.
    first: (key) =>
      `GET /orders?limit=100 HTTP/1.1\r\nHost: orders.example\r\nAuthorization: Bearer ${key}\r\n\r\n`.repeat(
        READ_BY_EACH,
      ),
    drip: null,
    reads: false,
    settling: 15_000,
    within: READING + 15_000 + GRACE,
  },
];

/** Crowds of slow clients. */
export const crowds: Gate = {
  name: 'crowds',
  about: '500 slow heads, 500 slow bodies and 200 slow readers, and what the others feel of them',
  lacks: () => null,
  async *run({ long, say }) {
    for (const crowd of CROWDS) yield await crowded(crowd, long ? 15 : 3, say);
  },
};

async function crowded(crowd: Crowd, rounds: number, say: (line: string) => void): Promise<Figure> {
  await using space = new Workspace(crowd.document);
  const key = await space.key(await space.customer());
  const service = await space.serve();
  for (let n = 0; n < 100; n++) await service.opened(key, `CRO-${1000 + n}`, { note: '漢'.repeat(500) });
  await latencies(service, key, 1000);
  const ratios: number[] = [];
  let slowest = 0;
  let open = 0;
  for (let round = 0; round < rounds; round++) {
    const alone = quantile(await latencies(service, key, SPAN), 0.99);
    const slow = await gather(crowd, service, key);
    await sleep(crowd.settling);
    const among = quantile(await latencies(service, key, SPAN), 0.99);
    ratios.push(among / alone);
    say(`${crowd.name}, round ${round + 1}: 99th percentile ${alone.toFixed(1)} ms, with them ${among.toFixed(1)} ms`);
    await until(() => slow.open() === 0, 'all of them to be closed', crowd.within / 1000).catch(() => null);
    slowest = Math.max(slowest, slow.last());
    open += slow.open();
    slow.leave();
    // What was written for those who did not read is let go.
    await sleep(500);
  }
  const ratio = quantile(ratios, 0.5);
  const closed = open
    ? `${open} of ${crowd.size * rounds} were not closed`
    : `all closed after ${(slowest / 1000).toFixed(1)} s at most`;
  return {
    what: crowd.name,
    figure: `${closed}; the others’ 99th percentile is ${ratio.toFixed(2)} times as long, median of ${rounds} pairs`,
    held: open === 0 && slowest <= crowd.within && ratio <= MOST && service.child.exitCode === null,
  };
}

/** How long requests of clients that are not slow take, in milliseconds. */
async function latencies(service: Service, key: string, span: number): Promise<number[]> {
  const out: number[] = [];
  const end = performance.now() + span;
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const began = performance.now();
      const { status } = await service.request('GET', '/summary', { key });
      if (status !== 200) throw new Error(`answered ${status}`);
      out.push(performance.now() - began);
      await sleep(2);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return out;
}

/** Slow connections: how many are open, when the last was closed after it came, in milliseconds, and how to end them. */
interface Slow {
  readonly open: () => number;
  readonly last: () => number;
  readonly leave: () => void;
}

async function gather(crowd: Crowd, service: Service, key: string): Promise<Slow> {
  const { hostname, port } = new URL(service.url);
  const sockets: Socket[] = [];
  let last = 0;
  let open = 0;
  for (let n = 0; n < crowd.size; n++) {
    const socket = connect({ host: hostname, port: Number(port) });
    const began = performance.now();
    open++;
    if (crowd.reads) socket.resume();
    else socket.pause();
    socket.on('error', () => {});
    socket.once('connect', () => socket.write(crowd.first(key)));
    socket.once('close', () => {
      open--;
      last = Math.max(last, performance.now() - began);
    });
    sockets.push(socket);
  }
  let turn = 0;
  const dripping = setInterval(() => {
    turn = (turn + 1) % TURNS;
    // One that does not read finds out by writing that it was closed.
    for (const [n, socket] of sockets.entries())
      if (n % TURNS === turn && !socket.destroyed) socket.write(crowd.drip ?? '\r\n');
  }, 1000 / TURNS);
  return {
    open: () => open,
    last: () => last,
    leave: () => {
      clearInterval(dripping);
      for (const socket of sockets) socket.destroy();
    },
  };
}
