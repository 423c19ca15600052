import { randomUUID } from 'node:crypto';
import { type Dataset, skuOf } from '../load/requests.ts';
import type { Where } from '../process.ts';
import { Running } from '../process.ts';
import type { Server } from '../servers.ts';
import { delaySyncs, readSyncs } from '../syncs.ts';
import { Asker, type Said } from './asker.ts';
import type { Spoken } from './engine.ts';
import { tryEvents } from './events.ts';

/** What was tried of an engine: whether it does so, and what it did. */
export interface Tried {
  readonly of: string;
  /** Null where it could not be tried. */
  readonly does: boolean | null;
  readonly did: string;
}

/** By how many milliseconds each sync is delayed where it is tried whether an answer waits for one. */
const DELAY = 300;
/** SKUs from here on are nobody's: neither the rows nor the load have them. */
const FREE = 150_000_000;

/** What a trial works with. */
export interface Stand {
  readonly spoken: Spoken;
  readonly server: Server;
  readonly where: Where;
  readonly dataset: Dataset;
}

/** Tries what a server does, and throws where it does not even read, list and create. */
export async function tryServer(stand: Stand): Promise<Tried[]> {
  const running = await Running.start(stand.server, stand.where);
  const out: Tried[] = [];
  const skus = freeSkus();
  try {
    const [own, other] = stand.dataset.customers as [Customer, Customer];
    const asker = new Asker(running.port, stand.spoken, own);
    const foreign = new Asker(running.port, stand.spoken, other);
    await cells(asker, stand, skus);
    out.push(await guard(asker));
    out.push(await visibility(asker, foreign, stand.dataset));
    out.push(await durability(asker, stand.where, skus));
    out.push(await idempotency(asker, skus));
    out.push(await uniqueDraft(asker, skus));
    out.push(await transitions(asker, skus));
    out.push(await refused(asker, 'a quantity of 0 is refused', { sku: skus(), quantity: 0 }));
    out.push(await refused(asker, 'unknown fields are refused', { sku: skus(), quantity: 12, surprise: true }));
    out.push(await given(asker, other.id, skus));
  } finally {
    await running.stop();
  }
  out.push(await tryEvents(stand, skus));
  return out;
}

type Customer = Dataset['customers'][number];
export type Skus = () => string;

function freeSkus(): Skus {
  let next = FREE;
  return () => skuOf(next++);
}

/** An order for twelve of a product. */
export const twelve = (sku: string): Record<string, unknown> => ({ sku, quantity: 12 });

/** The three cells: without them there is nothing to measure. */
async function cells(asker: Asker, { dataset }: Stand, skus: Skus): Promise<void> {
  const first = dataset.orders.findIndex(({ customer }) => customer === 0);
  const { id } = dataset.orders[first]!;
  const read = await asker.read(id);
  if (read.order?.sku !== skuOf(first)) throw new Error(`It does not read an order: ${told(read)}`);
  const list = await asker.list();
  const sorted = list.orders.map(({ created }) => Date.parse(String(created)));
  const latest = sorted.every((at, i) => i === 0 || at <= sorted[i - 1]!);
  if (list.orders.length !== 20 || !latest) throw new Error(`It does not list twenty of the latest: ${told(list)}`);
  const created = await asker.create(twelve(skus()));
  if (!isDone(created) || created.order?.quantity !== 12) throw new Error(`It does not create: ${told(created)}`);
  const again = await asker.read(String(created.order.id));
  if (again.order?.quantity !== 12) throw new Error(`It does not read what it has created: ${told(again)}`);
  const latestNow = (await asker.list()).orders[0]?.id;
  if (latestNow !== created.order.id) throw new Error('It does not list first what it has created last');
}

async function guard(asker: Asker): Promise<Tried> {
  const said = await asker.withKey('not-a-key').list();
  return { of: 'an unknown key is refused', does: !isDone(said), did: String(said.status) };
}

async function visibility(own: Asker, foreign: Asker, dataset: Dataset): Promise<Tried> {
  const { id } = dataset.orders.find(({ customer }) => customer === 0)!;
  const seen = await foreign.read(id);
  const listed = (await own.list()).orders.every(({ customer }) => customer === undefined || customer === own.customer);
  const did = `reads another's order: ${seen.status}; ${listed ? 'lists only own ones' : "lists others' orders"}`;
  return { of: 'callers see their own orders alone', does: seen.order?.id !== id && listed, did };
}

/** Delays syncs, and looks whether answers to creates wait for one. */
async function durability(asker: Asker, { syncs }: Where, skus: Skus): Promise<Tried> {
  const of = 'an answered create survives a power cut';
  if (syncs === null) return { of, does: null, did: 'syncs are not counted here' };
  const before = readSyncs(syncs);
  const count = 20;
  for (let i = 0; i < count; i++) await asker.create(twelve(skus()));
  const each = (readSyncs(syncs) - before) / count;
  delaySyncs(syncs, DELAY * 1000);
  const times: number[] = [];
  for (let i = 0; i < 3; i++) {
    const start = performance.now();
    await asker.create(twelve(skus()));
    times.push(performance.now() - start);
  }
  delaySyncs(syncs, 0);
  const least = Math.min(...times);
  const did = `${each.toFixed(1)} syncs a create; answered after ${Math.round(least)} ms where each took ${DELAY} ms longer`;
  return { of, does: least >= DELAY, did };
}

async function idempotency(asker: Asker, skus: Skus): Promise<Tried> {
  const sku = skus();
  const headers = { 'Idempotency-Key': randomUUID() };
  const first = await asker.create(twelve(sku), headers);
  const second = await asker.create(twelve(sku), headers);
  const count = await countOf(asker, sku);
  const same = second.status === first.status && second.order?.id === first.order?.id;
  const did = `the second time ${same ? 'the same answer' : second.status}, ${plural(count, 'order')}`;
  return { of: 'a repeated Idempotency-Key creates once and answers the same', does: same && count === 1, did };
}

async function uniqueDraft(asker: Asker, skus: Skus): Promise<Tried> {
  const sku = skus();
  await asker.create(twelve(sku));
  const second = await asker.create({ sku, quantity: 13 });
  const count = await countOf(asker, sku);
  const does = second.status >= 400 && second.status < 500 && count === 1;
  return {
    of: 'a second open draft of a product is refused',
    does,
    did: `${second.status}, ${plural(count, 'order')}`,
  };
}

/** Whether a draft may become what it may, and not what it may only become later. */
async function transitions(asker: Asker, skus: Skus): Promise<Tried> {
  const of = 'a draft can be placed, and not be changed to delivered';
  const id = String((await asker.create(twelve(skus()))).order?.id);
  const said = await asker.change(id, { status: 'delivered' });
  const left = (await asker.read(id)).order?.status;
  const other = String((await asker.create(twelve(skus()))).order?.id);
  const placed = await asker.place(other);
  const moved = (await asker.read(other)).order?.status;
  const did = `delivered: ${said.status}, then ${left}; placed: ${placed.status}, then ${moved}`;
  return { of, does: left === 'draft' && moved === 'placed', did };
}

async function refused(asker: Asker, of: string, fields: Record<string, unknown>): Promise<Tried> {
  const said = await asker.create(fields);
  return { of, does: said.status >= 400 && said.status < 500, did: String(said.status) };
}

/** Whether callers can state what only the service gives. */
async function given(asker: Asker, other: string, skus: Skus): Promise<Tried> {
  const said = await asker.create({ ...twelve(skus()), status: 'delivered', customer: other });
  const id = said.order?.id;
  const after = id === undefined ? undefined : (await asker.read(String(id))).order;
  const taken = isDone(said) && (after?.status === 'delivered' || after?.customer !== asker.customer);
  const how = isDone(said) ? `${said.status}, then ${after?.status ?? 'not the caller’s'}` : String(said.status);
  return { of: 'callers cannot state the customer and the status of a create', does: !taken, did: how };
}

/** How many of the caller's latest twenty orders are of a product. */
async function countOf(asker: Asker, sku: string): Promise<number> {
  return (await asker.list()).orders.filter((one) => one.sku === sku).length;
}

export const isDone = ({ status }: Said): boolean => status >= 200 && status < 300;
/** An answer in words. */
export const told = ({ status, text }: Said): string => `${status} ${text.slice(0, 500)}`;
export const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
