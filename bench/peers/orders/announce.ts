import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';

/** What a service adds to its server before the server says where it listens. */
export interface Served {
  serve(server: Server): void;
}

/** How long an idle connection is kept, as Ninefold keeps it: the header tells it. */
export const KEEP_ALIVE = 60_000;

const OPTIONS = {
  data: { type: 'string', default: '' },
  grouped: { type: 'boolean', default: false },
  serializable: { type: 'boolean', default: false },
  /** The rates that orders.md states, webhooks, and the routes by which a test does what an operator does. */
  testing: { type: 'boolean', default: false },
} as const;

/** What the command line says. */
export const argumentsOf = () => parseArgs({ options: OPTIONS }).values;

/** Says where a server listens, in the words that Ninefold says it, and ends it when it is told to. */
export function announce(server: Server, orders?: Served): void {
  orders?.serve(server);
  const { port } = server.address() as AddressInfo;
  console.log(`Orders at http://127.0.0.1:${port}`);
  process.once('SIGTERM', () => process.exit(0));
}
