import assert from 'node:assert/strict';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newSecret } from '../../expression/values/secret.ts';
import type { WebhookPlan } from '../../plan/step.ts';
import { Dispatcher, type DispatcherOptions, type Due, type Outbox, type Settled, type Settling } from './dispatch.ts';

// Shared helpers of this folder's tests. The file has no tests itself: its name keeps it out of the build.

export interface Entry {
  due: Due;
  /** The row of the event: of the deliveries for a row and a receiver, only the first is due. */
  row: string;
  dueAt: number;
  leasedUntil: number;
  over: boolean;
  outcomes: Settled[];
}

/** An outbox in memory that fulfils the interface's contract, and can be made to fail. */
export class Box implements Outbox {
  readonly entries: Entry[] = [];
  leases = 0;
  nexts = 0;
  /** The duration of lease and nextDue, and the most concurrent leases. */
  takesMs = 0;
  mostLeases = 0;
  #leasing = 0;
  /** Delays the reply to the next lease, after the lease has been made. */
  held: Promise<void> | null = null;
  failLeases = 0;
  failSettles = 0;

  add(receiver: Due['receiver'], row: string, data = '{}'): Entry {
    const delivery = this.entries.length + 1;
    const named = { webhookId: `msg_${delivery}`, type: 'order.placed', timestamp: '2026-11-20T18:00:00Z' };
    const due = { delivery, ...named, data, attempt: 1, trace: null, receiver, earlier: null };
    const entry = { due, row, dueAt: 0, leasedUntil: 0, over: false, outcomes: [] };
    this.entries.push(entry);
    return entry;
  }

  async lease(now: number, leaseMs: number, limit: number, full: ReadonlySet<string>): Promise<Due[]> {
    this.leases += 1;
    if (this.failLeases-- > 0) throw new Error('the store is away');
    const due = this.#heads().filter(
      (one) => Math.max(one.dueAt, one.leasedUntil) <= now && !full.has(one.due.receiver.id),
    );
    const leased = due.slice(0, limit);
    for (const one of leased) one.leasedUntil = now + leaseMs;
    this.mostLeases = Math.max(this.mostLeases, ++this.#leasing);
    if (this.takesMs > 0) await sleep(this.takesMs);
    const { held } = this;
    this.held = null;
    await held;
    this.#leasing -= 1;
    return leased.map((one) => ({ ...one.due }));
  }

  async settle(delivery: number, until: number, outcome: Settled): Promise<Settling> {
    if (this.failSettles-- > 0) throw new Error('the store is away');
    const entry = this.entries[delivery - 1];
    assert.ok(entry !== undefined);
    if (entry.over || entry.leasedUntil !== until) return 'not ours';
    entry.outcomes.push(outcome);
    entry.leasedUntil = 0;
    entry.due.attempt += 1;
    entry.due.earlier = outcome.attempts;
    entry.over = outcome.kind === 'delivered' || outcome.retryAt === null;
    if (outcome.kind === 'failed') entry.dueAt = outcome.retryAt ?? 0;
    return 'settled';
  }

  async nextDue(): Promise<number | null> {
    const times = this.#heads().map((one) => Math.max(one.dueAt, one.leasedUntil));
    this.nexts += 1;
    if (this.takesMs > 0) await sleep(this.takesMs);
    return times.length === 0 ? null : Math.min(...times);
  }

  async recall(now: number, latest: readonly number[]): Promise<void> {
    for (const one of this.entries) {
      const most = latest[one.due.attempt - 1] ?? 0;
      if (one.dueAt > most) one.dueAt = now;
      if (one.leasedUntil > most) one.leasedUntil = now;
    }
  }

  #heads(): Entry[] {
    const lines = new Map<string, Entry>();
    for (const one of this.entries) {
      const line = `${one.due.receiver.id} ${one.row}`;
      if (!one.over && !lines.has(line)) lines.set(line, one);
    }
    return [...lines.values()];
  }
}

/** Listens on 127.0.0.1, on a free port unless one is given, until the test ends; resolves to the port. */
export async function listen(t: TestContext, server: Server, port = 0): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

export interface Hit {
  at: number;
  headers: Record<string, string>;
  body: string;
}

export interface Receiver {
  of: Due['receiver'];
  hits: Hit[];
  ids(): string[];
  most: number;
  kill(): Promise<void>;
}

export type Answer = (response: ServerResponse, hit: Hit, hits: number) => void;
export const ok: Answer = (response) => response.writeHead(204).end();

/** A receiver that records what it gets and the most it got at once. */
export async function receive(t: TestContext, id: string, answer: Answer = ok, port = 0): Promise<Receiver> {
  const hits: Hit[] = [];
  const ids = () => hits.map((hit) => hit.headers['webhook-id'] ?? '');
  const receiver: Receiver = {
    of: { id, url: '', secret: newSecret(), old: null, allowPrivate: true },
    hits,
    ids,
    most: 0,
    kill: async () => undefined,
  };
  let open = 0;
  const server = http.createServer(async (request: IncomingMessage, response) => {
    open += 1;
    receiver.most = Math.max(receiver.most, open);
    response.on('close', () => {
      open -= 1;
    });
    const body = Buffer.concat(await request.toArray()).toString();
    const hit = { at: Date.now(), headers: request.headers as Record<string, string>, body };
    hits.push(hit);
    answer(response, hit, hits.length);
  });
  receiver.kill = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  receiver.of.url = `http://127.0.0.1:${await listen(t, server, port)}/hook`;
  return receiver;
}

export interface Line {
  level: string;
  event: string;
  fields: Record<string, unknown>;
}

export interface Run {
  dispatcher: Dispatcher;
  lines: Line[];
  events(): string[];
}

export function run(
  t: TestContext,
  box: Outbox,
  webhook: Partial<WebhookPlan> = {},
  options: Partial<DispatcherOptions> = {},
): Run {
  const lines: Line[] = [];
  const log: DispatcherOptions['log'] = (level, event, fields) => lines.push({ level, event, fields });
  const stated = { timeout: 30_000, delays: [], order: null, kept: null, receivers: null, ...webhook };
  const dispatcher = new Dispatcher(box, stated, { log, pollMs: 20, ...options });
  t.after(() => dispatcher.stop(0));
  dispatcher.start();
  return { dispatcher, lines, events: () => lines.map((line) => line.event) };
}

/** Waits until something is so. The bound only ends a wait that would never end. */
export async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + 60_000;
  while (!condition()) {
    assert.ok(performance.now() < end, `it never came to this: ${condition}`);
    await sleep(2);
  }
}

export const settled = (box: Box) => box.entries.every((entry) => entry.over);
export const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
