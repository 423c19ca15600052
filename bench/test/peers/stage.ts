import { randomUUID } from 'node:crypto';
import type { Setup } from '../../../src/verify/setup/setup.ts';
import { setup } from '../setups/orders.ts';

export const SCOPES = ['orders:read', 'orders:write', 'orders:fulfil'] as const;
export type Scope = (typeof SCOPES)[number];
export type State = 'draft' | 'placed' | 'shipped' | 'delivered' | 'cancelled';

/** A service may hang, or drop the connection: its tool has to see that too. */
const ANSWER_LASTS_MS = 3000;

/** The transitions that lead from a draft to a state. */
const WAYS: Readonly<Record<State, readonly string[]>> = {
  draft: [],
  placed: ['place'],
  shipped: ['place', 'ship'],
  delivered: ['place', 'ship', 'deliver'],
  cancelled: ['cancel'],
};

/** A customer, with a key that has every scope. */
export interface Member {
  readonly id: string;
  readonly key: string;
}

export interface StagedOrder {
  readonly id: string;
  readonly sku: string;
  readonly etag: string;
}

interface Answer {
  readonly etag: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * A service that is being set up for a tool: customers and keys come from the operator, orders from requests, as a team
 * does it before its tests. A request of the set-up that the service answers wrongly is not complained of here: the tool
 * has to see it.
 */
export class Stage {
  readonly url: string;
  private readonly operator: Setup;
  private skus = 0;

  private constructor(url: string) {
    this.url = url;
    this.operator = setup(url);
  }

  /** Has the service begin anew. */
  static async at(url: string): Promise<Stage> {
    const stage = new Stage(url);
    await stage.operator.reset?.();
    return stage;
  }

  async member(): Promise<Member> {
    const id = String((await this.operator.row?.('Customer', {}))?.id);
    return { id, key: await this.key({ id, key: '' }, SCOPES) };
  }

  /** Another key of a customer. */
  async key({ id }: Member, scopes: readonly Scope[]): Promise<string> {
    return String(await this.operator.caller?.('API key', id, scopes));
  }

  /** A SKU that no order of this stage has. */
  sku(): string {
    return `STG-${String(this.skus++).padStart(4, '0')}`;
  }

  async order(owner: Member, state: State, fields: Readonly<Record<string, unknown>> = {}): Promise<StagedOrder> {
    const sku = this.sku();
    const made = await this.send('POST', '/orders', owner.key, { sku, quantity: 3, note: 'as agreed', ...fields });
    // Where the service gives no identity, what is asked for is an order that is not there.
    const id = typeof made.body.id === 'string' ? made.body.id : randomUUID();
    for (const move of WAYS[state]) await this.send('POST', `/orders/${id}/${move}`, owner.key);
    const { etag } = await this.send('GET', `/orders/${id}`, owner.key);
    return { id, sku: String(fields.sku ?? sku), etag: etag ?? '"none"' };
  }

  /** Sends a request of the set-up, under an idempotency key of its own. */
  async send(
    method: string,
    path: string,
    key: string,
    body?: unknown,
    idempotencyKey: string = randomUUID(),
  ): Promise<Answer> {
    const headers: Record<string, string> = { Authorization: `Bearer ${key}` };
    if (body !== undefined)
      Object.assign(headers, { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey });
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    try {
      const answer = await fetch(this.url + path, {
        method,
        headers,
        signal: AbortSignal.timeout(ANSWER_LASTS_MS),
        ...sent,
      });
      const text = await answer.text();
      return { etag: answer.headers.get('etag'), body: objectIn(text) };
    } catch {
      return { etag: null, body: {} };
    }
  }
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
