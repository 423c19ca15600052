import { createHmac } from 'node:crypto';
import type { Clock } from './clock.ts';
import type { Delivery, OrderStore } from './store.ts';
import { ATTEMPT_DELAYS, ATTEMPT_LASTS, type Order, VERSION } from './terms.ts';
import { shown } from './versions.ts';

const POLL_INTERVAL_MS = 25;

/** Sends webhooks (Standard Webhooks): at least once, and in order for each order. */
export class Dispatcher {
  private readonly store: OrderStore;
  private readonly clock: Clock;
  private readonly expireDue: () => void;
  private readonly underWay = new Set<number>();

  constructor(store: OrderStore, clock: Clock, expireDue: () => void) {
    this.store = store;
    this.clock = clock;
    this.expireDue = expireDue;
  }

  start(): void {
    setInterval(() => this.turn(), POLL_INTERVAL_MS).unref();
  }

  private turn(): void {
    this.expireDue();
    for (const delivery of this.store.dueDeliveries(this.clock.now()))
      if (!this.underWay.has(delivery.id)) void this.deliver(delivery);
  }

  private async deliver(delivery: Delivery): Promise<void> {
    const { id, attempts } = delivery;
    this.underWay.add(id);
    const delivered = await this.post(delivery);
    const delay = ATTEMPT_DELAYS[attempts];
    const again = delivered || delay === undefined ? null : this.clock.now() + delay;
    this.store.attempted(id, again);
    this.underWay.delete(id);
  }

  private async post({ url, secret, version, event, type, at, data }: Delivery): Promise<boolean> {
    const older = version !== VERSION;
    const payload = shown(JSON.parse(data) as Order, older);
    const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data: payload });
    const seconds = Math.floor(this.clock.now() / 1000);
    const headers = {
      'Content-Type': 'application/json',
      'webhook-id': event,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signature(secret, event, seconds, body),
    };
    try {
      const signal = AbortSignal.timeout(ATTEMPT_LASTS);
      const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
      await answer.body?.cancel();
      return answer.status >= 200 && answer.status < 300;
    } catch {
      return false;
    }
  }
}

function signature(secret: string, id: string, seconds: number, body: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
}
