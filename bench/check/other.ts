import { Connection } from '../load/connection.ts';
import type { Kind, Requests } from '../load/requests.ts';
import type { Server } from '../servers.ts';

/** A server that answers otherwise than Ninefold, or acknowledges what is not durable: there is nothing to compare. */
export class Unequal extends Error {}

const FIELDS = ['id', 'customer', 'sku', 'quantity', 'status', 'created'];

/** What an answer of each kind has to hold at least, in a server whose answers have a form of their own. */
const HOLDS: Readonly<Record<Kind, (body: unknown) => boolean>> = {
  read: (body) => isOrder(body),
  list: (body) => {
    const orders = itemsOf(body);
    return orders.length === 20 && orders.every(isOrder) && isLatestFirst(orders);
  },
  create: (body) => isOrder(body) && body.status === 'draft',
  transition: (body) => isOrder(body) && body.status === 'placed',
  refused: () => true,
};

/** Looks at the statuses and fields of what a server of another kind answers. Throws Unequal. */
export async function checkOther(server: Server, port: number, requests: Requests): Promise<void> {
  const failed = Promise.withResolvers<never>();
  const connection = await Connection.open(port, failed.reject);
  for (const [kind, holds] of Object.entries(HOLDS) as Array<[Kind, (body: unknown) => boolean]>) {
    const { status, body } = await Promise.race([connection.ask(requests.next(kind)!), failed.promise]);
    const text = body.toString();
    if (status !== requests.expected || !holds(JSON.parse(text)))
      throw new Unequal(`${server.title} answers a ${kind} with ${status} and ${text}`);
  }
  connection.close();
}

/** What a list answers with: the orders themselves, or a page of them as Ninefold has it. */
function itemsOf(body: unknown): Array<Record<string, string>> {
  if (Array.isArray(body)) return body;
  return typeof body === 'object' && body !== null && 'items' in body && Array.isArray(body.items) ? body.items : [];
}

function isOrder(body: unknown): body is Record<string, string> {
  return typeof body === 'object' && body !== null && FIELDS.every((field) => field in body);
}

function isLatestFirst(orders: ReadonlyArray<Record<string, string>>): boolean {
  return orders.every(({ created }, i) => i === 0 || created! <= orders[i - 1]!.created!);
}
