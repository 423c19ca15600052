import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** The operator’s figures, in the Prometheus text format. Labels are names of the document, never values of requests. */
export class Metrics {
  readonly registry = new Registry();
  readonly requests = new Counter({
    name: 'ninefold_requests_total',
    help: 'Requests answered, by endpoint and status.',
    labelNames: ['endpoint', 'status'],
    registers: [this.registry],
  });
  readonly seconds = new Histogram({
    name: 'ninefold_request_seconds',
    help: 'Time from the head of a request to its answer.',
    labelNames: ['endpoint'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.registry],
  });
  readonly deliveries = new Counter({
    name: 'ninefold_deliveries_total',
    help: 'Attempts at webhook deliveries, by outcome.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  readonly moves = new Counter({
    name: 'ninefold_timed_moves_total',
    help: 'Transitions made because their time had come.',
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }
}

/** The operator’s own port: `/livez`, `/readyz` and `/metrics`. Never the service’s. */
export class AdminServer {
  private readonly server: Server;

  constructor(metrics: Metrics, ready: () => boolean) {
    this.server = createServer((request, response) => {
      const text = (status: number, body: string, type = 'text/plain; charset=utf-8'): void => {
        response.writeHead(status, { 'Content-Type': type });
        response.end(body);
      };
      const path = (request.url ?? '').split('?')[0];
      if (request.method !== 'GET') text(405, 'GET only\n');
      else if (path === '/livez') text(200, 'live\n');
      else if (path === '/readyz') ready() ? text(200, 'ready\n') : text(503, 'not ready\n');
      else if (path === '/metrics')
        metrics.registry.metrics().then(
          (body) => text(200, body, metrics.registry.contentType),
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
