import { noteTraffic } from '../export/traffic.ts';
import type { Workspace } from '../harness.ts';
import type { Contract } from './contract.ts';
import { judge } from './oracle.ts';
import { describe, type Sent, serialise } from './sent.ts';
import { headerOf, Line, type Reply } from './wire.ts';

/** A customer with a key for each set of scopes. */
export interface Customer {
  readonly id: string;
  readonly keys: ReadonlyArray<{ readonly scopes: readonly string[]; readonly key: string }>;
}

/** An order as the test knows it. */
export interface Order {
  readonly id: string;
  readonly owner: Customer;
  readonly sku: string;
  readonly quantity: number;
  readonly note: string | null;
  readonly status: string;
  readonly etag: string;
}

const SCOPES = ['orders:read', 'orders:write', 'orders:fulfil'];
const SETS = [[0, 1, 2], [0], [1], [2], [0, 1], [0, 2], []].map((set) => set.map((at) => SCOPES[at]!));

/** Answers that the document doesn’t state, or that aren’t the ones expected. */
export class Wrong extends Error {}

/** Enters customers and issues their keys; the first customer has a revoked key besides. */
export async function populate(
  workspace: Workspace,
  count: number,
): Promise<{ customers: Customer[]; revoked: string }> {
  const customers: Customer[] = [];
  for (let i = 0; i < count; i++) {
    const id = await workspace.customer(`Customer ${i}`);
    const sets = i < 2 ? SETS : SETS.slice(0, 3);
    const keys = await Promise.all(
      sets.map(async (scopes) => ({ scopes, key: await workspace.key(id, scopes.join(',') || 'none') })),
    );
    customers.push({ id, keys });
  }
  const revoked = await workspace.key(customers[0]!.id);
  const listed = await workspace.cli('keys', 'list', '--json');
  const ids = (JSON.parse(listed.out) as Array<{ id: string }>).map((one) => one.id);
  const ran = await workspace.cli('keys', 'revoke', ids.find((id) => revoked.includes(id))!);
  if (ran.code !== 0) throw new Error(ran.err);
  return { customers, revoked };
}

/** What the generators ask: a service to talk to, and what has been said to it. Every answer is judged. */
export class World {
  readonly contract: Contract;
  readonly url: string;
  readonly customers: readonly Customer[];
  readonly revoked: string;
  readonly statuses = new Map<number, number>();
  readonly codes: Map<string, number>;
  requests = 0;

  /** `codes` counts the codes of errors, perhaps those of other worlds too. */
  constructor(
    contract: Contract,
    url: string,
    people: { customers: readonly Customer[]; revoked: string },
    codes = new Map<string, number>(),
  ) {
    this.codes = codes;
    this.contract = contract;
    this.url = url;
    this.customers = people.customers;
    this.revoked = people.revoked;
  }

  count(reply: Reply, code: string): void {
    this.requests++;
    this.statuses.set(reply.status, (this.statuses.get(reply.status) ?? 0) + 1);
    if (reply.status >= 400) this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
  }
}

/** A client of the world, with a connection that it uses for as long as it lasts. */
export class Client {
  readonly world: World;
  /** Orders that requests are sent to which are refused before anything is done to them. */
  readonly untouched = new Map<string, Order>();
  private line: Line | null = null;

  constructor(world: World) {
    this.world = world;
  }

  /** Sends a request and judges the answer. */
  async send(sent: Sent, codeOf: (reply: Reply) => string): Promise<Reply> {
    if (!this.line || this.line.ended) this.line = new Line(this.world.url);
    let reply: Reply;
    try {
      reply = await this.line.exchange(serialise(sent), sent.method);
    } catch (error) {
      this.line.close();
      throw new Wrong(`${(error as Error).message}\n${describe(sent)}`);
    }
    if (reply.last) {
      const rest = await this.line.untilEnd();
      if (rest) throw new Wrong(`After the last answer came ${JSON.stringify(rest)}\n${describe(sent)}`);
      this.line.close();
    }
    this.world.count(reply, codeOf(reply));
    const { method, target, headers, body, broken } = sent;
    // What is no HTTP is no request to anybody who judges those.
    if (!broken) noteTraffic({ method, target, headers, body: body?.toString('latin1') ?? null, answer: reply });
    const faults = judge(this.world.contract, sent, reply);
    if (faults.length) throw new Wrong(`${faults.join('\n')}\n${describe(sent)}\n→ ${JSON.stringify(reply)}`);
    return reply;
  }

  close(): void {
    this.line?.close();
  }
}

/** The key of a customer with exactly all scopes. */
export const fullKey = (customer: Customer): string =>
  customer.keys.find((one) => one.scopes.length === SCOPES.length)!.key;

/** A plain valid request. */
export function plain(
  method: string,
  path: string,
  key: string,
  body?: unknown,
  ...headers: Array<[string, string]>
): Sent {
  const typed: Array<[string, string]> = body === undefined ? [] : [['Content-Type', 'application/json']];
  return {
    method,
    target: path,
    headers: [['Host', 'orders.example'], ['Authorization', `Bearer ${key}`], ...typed, ...headers],
    body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
    framing: body === undefined ? 'none' : 'length',
    broken: null,
  };
}

const WAYS: Readonly<Record<string, readonly string[]>> = {
  draft: [],
  placed: ['place'],
  shipped: ['place', 'ship'],
  delivered: ['place', 'ship', 'deliver'],
  cancelled: ['cancel'],
};

/** Makes an order in a state, by requests that have to succeed. */
export async function makeOrder(
  send: (sent: Sent) => Promise<Reply>,
  owner: Customer,
  status: string,
  given: { sku: string; quantity: number; note: string | null; key: string; version?: string },
): Promise<Order> {
  const key = fullKey(owner);
  const { sku, quantity, note } = given;
  const body = note === null ? { sku, quantity } : { sku, quantity, note };
  const must = async (sent: Sent): Promise<Reply> => {
    const reply = await send(sent);
    if (reply.status >= 300) throw new Wrong(`A valid request got ${reply.status} ${reply.body}\n${describe(sent)}`);
    return reply;
  };
  const made = await must(plain('POST', '/orders', key, body, ['Idempotency-Key', given.key]));
  const { id } = JSON.parse(made.body) as { id: string };
  for (const way of WAYS[status]!) await must(plain('POST', `/orders/${id}/${way}`, key));
  // An entity tag is that of a representation, and a version is another one.
  const version: Array<[string, string]> = given.version === undefined ? [] : [['Orders-Version', given.version]];
  const read = await must(plain('GET', `/orders/${id}`, key, undefined, ...version));
  return { id, owner, sku, quantity, note, status, etag: headerOf(read, 'etag')! };
}
