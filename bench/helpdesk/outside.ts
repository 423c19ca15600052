import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request that the service has sent. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What a service calls: one server for its mail and its webhooks, which refuses the first request to a path that says so. */
export class Outside implements AsyncDisposable {
  readonly received: Received[] = [];
  private readonly server: Server;
  private readonly refused = new Set<string>();

  private constructor() {
    this.server = createServer(async (request, response) => {
      const body = (await buffer(request)).toString();
      const path = request.url ?? '';
      this.received.push({ path, headers: request.headers, body });
      const isRefused = path.includes('first-refused') && !this.refused.has(path);
      this.refused.add(path);
      response.writeHead(isRefused ? 503 : 204).end();
    });
  }

  static async open(): Promise<Outside> {
    const outside = new Outside();
    outside.server.listen(0, '127.0.0.1');
    await once(outside.server, 'listening');
    return outside;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** What has come to a path, once there are so many. */
  async heard(path: string, count: number): Promise<Received[]> {
    for (const end = Date.now() + 60_000; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
      const found = this.received.filter((one) => one.path === path);
      if (found.length >= count) return found;
      if (Date.now() > end) throw new Error(`${found.length} of ${count} requests have come to ${path}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** Whether a webhook is signed with a secret (Standard Webhooks). */
export function isSigned({ headers, body }: Received, secret: string): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}
