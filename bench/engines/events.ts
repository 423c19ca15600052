import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Running } from '../process.ts';
import { Asker } from './asker.ts';
import { isDone, plural, type Skus, type Stand, type Tried, told, twelve } from './trial.ts';

/** How long a receiver is waited for that is told late: the second attempt of Standard Webhooks comes after five seconds. */
const PATIENCE = 12_000;
/** How long it is waited for after a crash: what was under way then is taken up again once its time-out is over. */
const PATIENCE_AFTER_CRASH = 25_000;

/** A receiver of webhooks on this machine. */
class Receiver {
  /** What it answers. */
  status = 503;
  private readonly heard: string[] = [];
  private readonly server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    this.heard.push(text);
    response.writeHead(this.status).end();
  });

  async open(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** How often it was told of an order for a product. */
  count(sku: string): number {
    return this.heard.filter((text) => text.includes(sku)).length;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/**
 * Has a server tell a receiver that fails, then ends the server as a crash would, and starts it again: what was stored
 * with the order is told then, and what was in memory is not.
 */
export async function tryEvents(stand: Stand, skus: Skus): Promise<Tried> {
  const of = 'events outlast a failing receiver and a crash';
  if (stand.spoken.addReceiver === null) return { of, does: false, did: 'it has no events for receivers outside' };
  const receiver = new Receiver();
  try {
    await addReceiver(stand, await receiver.open());
    const sku = skus();
    const { first, again } = await toldAgain(stand, receiver, sku);
    const lost = skus();
    const late = await toldAfterCrash(stand, receiver, lost);
    const did = `told ${plural(first, 'time')} at once, ${plural(again, 'time')} again after the receiver had failed, ${plural(late, 'time')} after a crash`;
    return { of, does: again > 0 && late > 0, did };
  } finally {
    receiver.close();
  }
}

/** Adds a receiver, and ends the server in good order: some know of what was added once they start. */
async function addReceiver({ server, spoken, where }: Stand, url: string): Promise<void> {
  const running = await Running.start(server, where);
  try {
    await spoken.addReceiver!({ port: running.port, data: where.data, where }, url);
  } finally {
    await running.stop();
  }
}

async function toldAgain(stand: Stand, receiver: Receiver, sku: string): Promise<{ first: number; again: number }> {
  const running = await Running.start(stand.server, stand.where);
  try {
    await create(stand, running, sku);
    await sleep(2000);
    const first = receiver.count(sku);
    receiver.status = 204;
    await sleep(PATIENCE);
    return { first, again: receiver.count(sku) - first };
  } finally {
    await running.stop();
  }
}

async function toldAfterCrash(stand: Stand, receiver: Receiver, sku: string): Promise<number> {
  receiver.status = 503;
  const crashing = await Running.start(stand.server, stand.where);
  await create(stand, crashing, sku);
  process.kill(crashing.pid, 'SIGKILL');
  await sleep(200);
  receiver.status = 204;
  const before = receiver.count(sku);
  const running = await Running.start(stand.server, stand.where);
  try {
    const late = (): number => receiver.count(sku) - before;
    for (const end = Date.now() + PATIENCE_AFTER_CRASH; Date.now() < end && late() === 0; ) await sleep(200);
    return late();
  } finally {
    await running.stop();
  }
}

async function create({ spoken, dataset }: Stand, { port }: Running, sku: string): Promise<void> {
  const said = await new Asker(port, spoken, dataset.customers[0]!).create(twelve(sku));
  if (!isDone(said)) throw new Error(`It does not create: ${told(said)}`);
}
