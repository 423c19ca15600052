import { setTimeout as sleep } from 'node:timers/promises';
import { edited, PATIENT, type Service, until } from './harness.ts';
import { sku } from './nodes.ts';
import type { PostgresServer } from './postgres.ts';

/** Every create takes the same row of a counter, and holds it until it is committed. */
export const NUMBERED = edited(PATIENT, [
  '| created  | timestamp |        |                                                     | on create `now()`  |          |          |',
  `| created  | timestamp |        |                                                     | on create \`now()\`  |          |          |
| number   | integer   |        |                                                     | sequence           |          |          |`,
]);

/** A server that soon has no room for what serializable transactions have read, where an old one is left open. */
export const CRAMPED = { max_pred_locks_per_transaction: '10' };

const HELD = `SELECT pid FROM pg_stat_activity WHERE application_name = 'ninefold' AND state = 'idle in transaction'
  AND state_change < now() - interval '150 ms'`;

/** Clients that open orders at a node until they are told to end. */
export class Clients {
  readonly statuses: number[] = [];
  /** The longest time in which none of them was answered, in milliseconds; `measure` begins anew. */
  longest = 0;
  private readonly done: Promise<unknown>;
  private over = false;
  private n = 0;
  private last = performance.now();

  constructor(count: number, node: Service, key: string, letters: string) {
    this.done = Promise.all(Array.from({ length: count }, () => this.ask(node, key, letters)));
  }

  private async ask(node: Service, key: string, letters: string): Promise<void> {
    while (!this.over) {
      const n = this.n++;
      // A customer has one draft of a product: a fast node needs more products than four digits tell apart.
      const third = String.fromCharCode(65 + Math.floor(n / 10_000));
      const { status } = await node.open(key, { sku: sku(`${letters}${third}`, n % 10_000), quantity: 1 });
      this.statuses.push(status);
      const now = performance.now();
      this.longest = Math.max(this.longest, now - this.last);
      this.last = now;
      await sleep(5);
    }
  }

  /** Measures the longest wait for an answer from now on. */
  measure(): void {
    this.longest = 0;
    this.last = performance.now();
  }

  /** How many were answered otherwise than with success, or what else is expected. */
  other(...expected: readonly number[]): number[] {
    return this.statuses.filter((status) => status !== 201 && !expected.includes(status));
  }

  get made(): number {
    return this.statuses.filter((status) => status === 201).length;
  }

  async end(): Promise<void> {
    this.over = true;
    await this.done;
  }
}

/** Stops a node in the middle of a transaction, of which PostgreSQL then waits for the rest. */
export async function stopMidway(server: PostgresServer, node: Service, url: string): Promise<void> {
  await until(async () => {
    node.child.kill('SIGSTOP');
    // What had been sent already is done, and what others wait for is left.
    await sleep(200);
    if ((await server.query(url, HELD)).length) return true;
    node.child.kill('SIGCONT');
    await sleep(20);
    return false;
  }, 'a node that is stopped in a transaction');
}
