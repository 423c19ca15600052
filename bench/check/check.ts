import { Connection } from '../load/connection.ts';
import { type Kind, Requests } from '../load/requests.ts';
import type { Where } from '../process.ts';
import { startFresh } from '../rounds.ts';
import type { Templates } from '../rows.ts';
import { type Server, serverOf } from '../servers.ts';
import { readSyncs } from '../syncs.ts';
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
    const running = await startFresh(server, where, templates);
    try {
      const heard = await hear(running.port, steps, known);
      if (server === ninefold) expected = heard;
      const differences = steps.flatMap(({ title }, i) => differencesOf(title, expected[i]!, heard[i]!));
      if (differences.length)
        throw new Unequal(`${server.title} (+) answers otherwise than Ninefold (-):\n\n${differences.join('\n\n')}`);
      const requests = new Requests(dataset, server.dialect);
      const synced = where.syncs === null ? '' : await checkSyncs(server, running.port, requests, where.syncs);
      say(`${server.title}: ${steps.length} answers alike${synced}`);
    } finally {
      await running.stop();
    }
  }
  for (const server of servers.filter((one) => !one.alike && one.rows)) {
    where.interrupted.soon.throwIfAborted();
    const running = await startFresh(server, where, templates);
    try {
      const requests = new Requests(dataset, server.dialect);
      await checkOther(server, running.port, requests);
      const synced = where.syncs === null ? '' : await checkSyncs(server, running.port, requests, where.syncs);
      say(`${server.title}: statuses and fields alike${synced}`);
    } finally {
      await running.stop();
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

/** Writes one after another: each of them has to be synced before it is answered. */
async function checkSyncs(server: Server, port: number, requests: Requests, syncs: string): Promise<string> {
  const failed = Promise.withResolvers<never>();
  const connection = await Connection.open(port, failed.reject);
  const counted: string[] = [];
  for (const kind of ['create', 'transition'] satisfies Kind[]) {
    const before = readSyncs(syncs);
    for (let i = 0; i < WRITES; i++) {
      const last = readSyncs(syncs);
      const { status } = await Promise.race([connection.ask(requests.next(kind)!), failed.promise]);
      if (status !== requests.expected) throw new Unequal(`${server.title} answers ${status} to a ${kind}`);
      if (readSyncs(syncs) === last) throw new Unequal(`${server.title} answers a ${kind} that was not synced`);
    }
    counted.push(`${((readSyncs(syncs) - before) / WRITES).toFixed(2)} for a ${kind}`);
  }
  connection.close();
  return `; syncs: ${counted.join(', ')}`;
}
