import { randomUUID } from 'node:crypto';
import type { Dataset } from '../load/requests.ts';
import type { Spoken } from './engine.ts';

/** What was answered. */
export interface Said {
  readonly status: number;
  readonly text: string;
  /** The order that was answered with, where it is one. */
  readonly order: Readonly<Record<string, unknown>> | undefined;
  readonly orders: ReadonlyArray<Readonly<Record<string, unknown>>>;
}

/** Asks a server as one customer, in its own words. */
export class Asker {
  readonly customer: string;
  private readonly port: number;
  private readonly spoken: Spoken;
  private readonly key: string;

  constructor(port: number, spoken: Spoken, { id, key }: Dataset['customers'][number]) {
    this.port = port;
    this.spoken = spoken;
    this.customer = id;
    this.key = key;
  }

  withKey(key: string): Asker {
    return new Asker(this.port, this.spoken, { id: this.customer, key });
  }

  read(id: string): Promise<Said> {
    return this.ask('GET', `${this.path}/${id}`);
  }

  list(): Promise<Said> {
    return this.ask('GET', this.spoken.dialect.list.replace('{customer}', this.customer));
  }

  create(fields: Readonly<Record<string, unknown>>, headers = { 'Idempotency-Key': randomUUID() }): Promise<Said> {
    return this.ask('POST', this.path, this.spoken.body(fields, this.customer), headers);
  }

  change(id: string, fields: Readonly<Record<string, unknown>>): Promise<Said> {
    return this.ask(this.spoken.change, `${this.path}/${id}`, this.spoken.body(fields, this.customer));
  }

  place(id: string): Promise<Said> {
    const { method, suffix, body } = this.spoken.dialect.place;
    return this.ask(method, `${this.path}/${id}${suffix}`, body === null ? undefined : JSON.parse(body));
  }

  private get path(): string {
    return this.spoken.dialect.orders ?? '/orders';
  }

  private async ask(method: string, path: string, body?: unknown, more: Record<string, string> = {}): Promise<Said> {
    const headers = { Authorization: `Bearer ${this.key}`, 'Content-Type': 'application/json', ...more };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`http://127.0.0.1:${this.port}${path}`, { method, headers, ...sent });
    const text = await answer.text();
    const held = answer.ok ? this.spoken.held(parsed(text)) : undefined;
    const orders = Array.isArray(held) ? held : [];
    const order = Array.isArray(held) ? undefined : (held as Said['order']);
    return { status: answer.status, text, order, orders };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
