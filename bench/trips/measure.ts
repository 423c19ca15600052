import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '../load/connection.ts';
import { type Dataset, type Kind, Requests } from '../load/requests.ts';
import type { Where } from '../process.ts';
import { startFresh, stopAll } from '../rounds.ts';
import type { Templates } from '../rows.ts';
import type { Server } from '../servers.ts';
import { type Spread, spread } from '../statistics.ts';
import { Wire } from './wire.ts';

/** What a request of a kind costs a server on the wire to its database. */
export interface Trips {
  readonly server: string;
  readonly kind: Kind;
  /** Round trips until the request is answered. */
  readonly before: Spread;
  /** Round trips in the time after it in which nothing is asked. */
  readonly after: Spread;
  /** How long the answer takes, in milliseconds. */
  readonly milliseconds: Spread;
}

export const KINDS = ['read', 'list', 'create', 'transition', 'refused'] as const satisfies readonly Kind[];

/** How much longer each answer of the database takes. */
export const DELAY_MS = 10;
const QUIET_MS = 6 * DELAY_MS;
/** A server is asked so often before anything counts: it has then prepared its statements, and knows the keys. */
const WARM_UP = 100;
/** How many requests of each kind are counted. */
export const COUNTED = 15;

/** Counts the round trips of each kind of request, asked one at a time, for each server in turn. */
export async function measureTrips(
  servers: readonly Server[],
  where: Where,
  { dataset, storage }: Templates,
  say: (line: string) => void,
): Promise<Trips[]> {
  const out: Trips[] = [];
  for (const server of servers.filter(({ rows }) => rows !== null)) {
    where.interrupted.soon.throwIfAborted();
    say(`Counting the round trips of ${server.title}`);
    let wire: Wire | null = null;
    const copy = async (rows: string, name: string): Promise<string> => {
      const address = new URL(await storage.copy(rows, name));
      wire = await Wire.to(Number(address.port), DELAY_MS);
      address.port = String(wire.port);
      return address.href;
    };
    const running = await startFresh(server, where, { storage: { copy } }, 1);
    try {
      out.push(...(await countAll(server, running[0]!.port, wire!, dataset)));
    } finally {
      await stopAll(running);
      (wire as Wire | null)?.close();
    }
  }
  return out;
}

async function countAll(server: Server, port: number, wire: Wire, dataset: Dataset): Promise<Trips[]> {
  const requests = new Requests(dataset, server.dialect);
  const failed = Promise.withResolvers<never>();
  const connection = await Connection.open(port, failed.reject);
  const ask = async (kind: Kind): Promise<void> => {
    const { status } = await Promise.race([connection.ask(requests.next(kind)!), failed.promise]);
    if (status !== requests.expected) throw new Error(`${server.title} answers ${status} to a ${kind}`);
  };
  const out: Trips[] = [];
  for (let i = 0; i < WARM_UP; i++) await ask(KINDS[i % KINDS.length]!);
  for (const kind of KINDS) {
    const counts = { before: [] as number[], after: [] as number[], milliseconds: [] as number[] };
    for (let i = 0; i < COUNTED; i++) {
      await sleep(QUIET_MS);
      const asked = { trips: wire.trips, at: performance.now() };
      await ask(kind);
      counts.milliseconds.push(performance.now() - asked.at);
      const answered = wire.trips;
      counts.before.push(answered - asked.trips);
      await sleep(QUIET_MS);
      counts.after.push(wire.trips - answered);
    }
    const { before, after, milliseconds } = counts;
    out.push({
      server: server.name,
      kind,
      before: spread(before)!,
      after: spread(after)!,
      milliseconds: spread(milliseconds)!,
    });
  }
  connection.close();
  return out;
}
