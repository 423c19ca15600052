import { cpSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { processIo } from '../../src/cli/io.ts';
import { withOperator } from '../../src/cli/open.ts';
import type { Where } from '../process.ts';
import { addCustomers, type Customer } from '../rows.ts';
import { Bulk, checkBulk, emptyFolder } from './bulk.ts';
import { CUSTOMERS, type Mass } from './orders.ts';

const EVENTS = ['order.opened', 'order.placed', 'order.cancelled'];

/** What every store of the orders service begins with. */
export interface Setting {
  readonly where: Where;
  /** A store with customers and their keys, and nothing else. */
  readonly base: string;
  readonly customers: readonly Customer[];
  /** What the text begins with that is kept ready beside an order. */
  readonly tag: string;
  /** The instant at which the last order has come. */
  readonly now: number;
}

/** Makes the store that others are copied from, and sees that what is put in in bulk is what requests make. */
export async function makeSetting(where: Where): Promise<Setting> {
  const base = emptyFolder(join(where.data, 'growth', 'base'));
  const { customers } = await addCustomers(where.document, base, CUSTOMERS);
  const tag = await checkBulk(base, where, customers[0]!.key);
  return { where, base, customers, tag, now: Date.now() };
}

/** A folder for the store of one size of one thing that grows. */
export const folderOf = ({ where }: Setting, thing: string, size: number): string =>
  emptyFolder(join(where.data, 'growth', `${thing}-${size}`));

/** Makes a store with that many orders, and whatever else is put in. */
export function fillOrders(
  setting: Setting,
  data: string,
  mass: Mass,
  more?: (bulk: Bulk, ids: string[]) => void,
): void {
  cpSync(setting.base, data, { recursive: true });
  fill(setting, data, mass, more);
}

function fill(setting: Setting, data: string, mass: Mass, more?: (bulk: Bulk, ids: string[]) => void): void {
  const ids = setting.customers.map(({ id }) => id);
  const bulk = new Bulk(data);
  try {
    bulk.orders(mass, ids, setting.tag);
    more?.(bulk, ids);
  } finally {
    bulk.close();
  }
}

/** The same, with a receiver that hears of every event at a port of this machine. */
export async function fillWithReceiver(
  setting: Setting,
  data: string,
  mass: Mass,
  port: number,
  more: (bulk: Bulk, ids: string[]) => void,
): Promise<void> {
  cpSync(setting.base, data, { recursive: true });
  await withOperator(setting.where.document, { data }, processIo(), async (operator) => {
    await operator.receivers.add(`http://127.0.0.1:${port}/`, EVENTS, null, true);
  });
  fill(setting, data, mass, more);
}

/** A receiver that takes what it is sent and never answers. */
export class SilentReceiver {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.server = server;
    server.on('connection', (socket) => {
      this.sockets.add(socket.on('error', () => {}).on('close', () => this.sockets.delete(socket)));
      socket.resume();
    });
  }

  static open(): Promise<SilentReceiver> {
    const server = createServer();
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(new SilentReceiver(server))));
  }

  get port(): number {
    return (this.server.address() as { port: number }).port;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

/** A port at which nobody listens. */
export async function deadPort(): Promise<number> {
  const receiver = await SilentReceiver.open();
  const { port } = receiver;
  receiver.close();
  return port;
}

/** Writes a document beside the stores. */
export function writeDocument({ where }: Setting, name: string, text: string): string {
  const path = join(where.data, 'growth', name);
  writeFileSync(path, text);
  return path;
}
