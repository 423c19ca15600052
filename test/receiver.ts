import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { listenApart } from './ports.ts';

/** One request that a receiver got, whatever it answered. */
export interface Got {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** What was answered, once it was. */
  status: number | null;
}

/** A real receiver of webhooks on 127.0.0.1. */
export class Receiver {
  readonly got: Got[] = [];
  /** The status to answer; may take its time. Never called for what isn't a webhook. */
  answer: (got: Got) => number | Promise<number> = () => 204;
  /** The body of each answer. */
  body = '';
  port = 0;
  private server: Server | null = null;

  get url(): string {
    return `http://127.0.0.1:${this.port}/hooks`;
  }

  /** Listens: on the port that it had before, if it had one. */
  async up(): Promise<this> {
    const server = createServer((request, response) => void this.take(request, response));
    this.server = server;
    if (this.port === 0) this.port = await listenApart(server);
    else await once(server.listen(this.port, '127.0.0.1'), 'listening');
    return this;
  }

  /** Stops listening and cuts every connection. */
  async down(): Promise<void> {
    const { server } = this;
    this.server = null;
    server?.closeAllConnections();
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down();
  }

  /** What was answered with success, in the order in which it came. */
  get accepted(): Got[] {
    return this.got.filter(({ status }) => status !== null && status < 300);
  }

  /** Each payload as the reference implementation of Standard Webhooks verifies it; throws where a signature is wrong. */
  verified(secret: string): unknown[] {
    const webhook = new Webhook(secret);
    return this.got.map(({ body, headers }) => webhook.verify(body, { ...headers }));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = Date.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { type, data } = JSON.parse(body) as { type: string; data: Record<string, unknown> };
    const headers = request.headers as Record<string, string>;
    const got: Got = { id: headers['webhook-id'] ?? '', type, data, headers, body, at, status: null };
    this.got.push(got);
    const status = await this.answer(got);
    if (response.destroyed) return;
    got.status = status;
    response.writeHead(status).end(this.body);
  }
}
