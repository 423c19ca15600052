import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expose } from './exposition.ts';
import type { Metrics } from './metrics.ts';

/** The operator’s own port: `/livez`, `/readyz` and `/metrics`. Never the service’s. */
export class AdminServer {
  private readonly server: Server;

  /** `notReady` says why requests can’t be answered now, or null. It never rejects. */
  constructor(metrics: Metrics, notReady: () => Promise<string | null>) {
    const registry = expose(metrics);
    this.server = createServer((request, response) => {
      const text = (status: number, body: string, type = 'text/plain; charset=utf-8'): void => {
        response.writeHead(status, { 'Content-Type': type });
        response.end(body);
      };
      const path = (request.url ?? '').split('?')[0];
      if (request.method !== 'GET') text(405, 'GET only\n');
      else if (path === '/livez') text(200, 'live\n');
      else if (path === '/readyz')
        void notReady().then((why) => (why === null ? text(200, 'ready\n') : text(503, `not ready: ${why}\n`)));
      else if (path === '/metrics')
        registry.metrics().then(
          (body) => text(200, body, registry.contentType),
          () => text(500, 'the metrics could not be gathered\n'),
        );
      else text(404, 'There is /livez, /readyz and /metrics\n');
    });
  }

  /** Listens; gives the port. Rejects where it can’t be had. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => resolve((this.server.address() as AddressInfo).port));
    });
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
