import { existsSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './harness.ts';

/** What the system tells of its connections, where it does (https://docs.kernel.org/networking/proc_net_tcp.html). */
const TOLD = '/proc/net/tcp';

/**
 * What a server has not read yet of what a client has sent it, in bytes; null where their connection is not there, or has
 * been ended by either.
 */
function unread(server: number, client: number): number | null {
  const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');
  // The server’s address and the client’s, the state (open), and what waits to be sent and to be read.
  const open = new RegExp(`:${hex(server)} [0-9A-F]+:${hex(client)} 01 [0-9A-F]+:([0-9A-F]+) `);
  const left = open.exec(readFileSync(TOLD, 'utf8'))?.[1];
  return left === undefined ? null : Number.parseInt(left, 16);
}

/** Waits until a server has read what was written to it over a connection. */
export async function isRead(url: string, socket: Socket): Promise<void> {
  if (!existsSync(TOLD)) return void (await sleep(1000));
  const server = Number(new URL(url).port);
  await until(
    () => socket.writableLength === 0 && unread(server, socket.localPort ?? 0) === 0,
    'what was sent is read',
  );
}

/** Waits until a server knows that a client has gone, whose port this was. */
export async function isKnownToHaveGone(url: string, client: number): Promise<void> {
  if (!existsSync(TOLD)) return void (await sleep(1000));
  await until(() => unread(Number(new URL(url).port), client) === null, 'that the client has gone is known');
}
