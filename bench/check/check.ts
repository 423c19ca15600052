import { Connection } from '../load/connection.ts';
import { type Kind, Requests } from '../load/requests.ts';
import type { Where } from '../process.ts';
import { startFresh, stopAll } from '../rounds.ts';
import type { Templates } from '../rows.ts';
import { type Server, serverOf } from '../servers.ts';
import type { Durable } from '../storage/storage.ts';
import { type Heard, hear } from './heard.ts';
import { checkOther, Unequal } from './other.ts';
import { scriptOf } from './script.ts';

/**
 * Asks every server the same, and holds each answer against Ninefold's, byte by byte but for identities, times and
 * cursors; then sees that each write that is answered has been synced. Throws Unequal with the difference.
 */
export async function checkServers(
  servers: readonly Server[],
  where: Where,
  templates: Templates,
  say: (line: string) => void,
): Promise<void> {
  const ninefold = serverOf('ninefold')!;
  const others = servers.filter((one) => one !== ninefold && one.alike);
  const { dataset } = templates;
  const steps = scriptOf(dataset);
  const known = new Set(dataset.orders.map(({ id }) => id));
  let expected: readonly Heard[] = [];
  for (const server of [ninefold, ...others]) {
    where.interrupted.soon.throwIfAborted();
    const running = await startFresh(server, where, templates, 1);
    const { port } = running[0]!;
    try {
      const heard = await hear(port, steps, known);
      if (server === ninefold) expected = heard;
      const differences = steps.flatMap(({ title }, i) => differencesOf(title, expected[i]!, heard[i]!));
      if (differences.length)
        throw new Unequal(`${server.title} (+) answers otherwise than Ninefold (-):\n\n${differences.join('\n\n')}`);
      const requests = new Requests(dataset, server.dialect);
      const synced = await checkSyncs(server, port, requests, templates.storage.durable);
      say(`${server.title}: ${steps.length} answers alike${synced}`);
    } finally {
      await stopAll(running);
    }
  }
  for (const server of servers.filter((one) => !one.alike && one.rows)) {
    where.interrupted.soon.throwIfAborted();
    const running = await startFresh(server, where, templates, 1);
    const { port } = running[0]!;
    try {
      const requests = new Requests(dataset, server.dialect);
      await checkOther(server, port, requests);
      const synced = await checkSyncs(server, port, requests, templates.storage.durable);
      say(`${server.title}: statuses and fields alike${synced}`);
    } finally {
      await stopAll(running);
    }
  }
}

function differencesOf(title: string, expected: Heard, heard: Heard): string[] {
  if (expected.join('\n') === heard.join('\n')) return [];
  const less = expected.filter((line) => !heard.includes(line)).map((line) => `  - ${line}`);
  const more = heard.filter((line) => !expected.includes(line)).map((line) => `  + ${line}`);
  return [`${title}:\n${[...less, ...more].join('\n')}`];
}

const WRITES = 20;

const round = (value: number): number => Math.round(value * 100) / 100;

/** Writes one after another: each of them has to be durable before it is answered. */
async function checkSyncs(server: Server, port: number, requests: Requests, durable: Durable | null): Promise<string> {
  if (durable === null) return '';
  const failed = Promise.withResolvers<never>();
  const connection = await Connection.open(port, failed.reject);
  const counted: string[] = [];
  for (const kind of ['create', 'transition'] satisfies Kind[]) {
    const before = await durable.read();
    for (let i = 0; i < WRITES; i++) {
      const last = await durable.read();
      const { status } = await Promise.race([connection.ask(requests.next(kind)!), failed.promise]);
      if (status !== requests.expected) throw new Unequal(`${server.title} answers ${status} to a ${kind}`);
      if ((await durable.read()) === last) throw new Unequal(`${server.title} answers a ${kind} that was not synced`);
    }
    counted.push(`${round(((await durable.read()) - before) / WRITES)} for a ${kind}`);
  }
  connection.close();
  return `; ${durable.unit}: ${counted.join(', ')}`;
}
