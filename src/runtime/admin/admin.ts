import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import type { DescriptionFormat } from '../../plan/step.ts';
import { EXPOSITION_TYPE, expose } from './metric.ts';
import type { Metrics } from './metrics.ts';
import { type InForce, ProcessMetrics, ServiceMetrics } from './service-metrics.ts';

/** A request for a description: its standard, and its version (null for the current one). */
export type Asked = readonly [format: DescriptionFormat, version: string | null];

/** Returns a description of the service; null where the document has no such version. */
type Described = (...asked: Asked) => Promise<string | null>;

export type AdminRequest = IncomingMessage;
export type AdminResponse = ServerResponse;

/** Answers further paths of the operator's port; returns false for a path that it doesn't know. Never throws. */
export type AdminPages = (request: AdminRequest, response: AdminResponse) => boolean;

const NOT_NAMED =
  'This port answers requests for an address, for localhost and for the name in --admin. `ninefold serve --admin-names NAME` adds a name\n';

const PATHS = '/livez, /readyz, /metrics, /openapi.json and /asyncapi.json';

/** Paths that describe the service: pages of other origins must not read them. */
const TELLING: ReadonlySet<string> = new Set(['/metrics', '/openapi.json', '/asyncapi.json']);

const OWN: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics', '/openapi.json', '/asyncapi.json']);

/**
 * The operator's port: `/livez`, `/readyz`, `/metrics` and the descriptions, whether or not the document states
 * endpoints for these. It is separate from the service's port.
 */
export class AdminServer {
  private readonly server: Server;
  private readonly described: Described | null;
  private readonly metrics: Metrics;
  private readonly service: ServiceMetrics;
  private readonly process = new ProcessMetrics();

  /**
   * `notReady` returns the reason why requests can't be answered now, or null; it never rejects. `pages` gets every
   * path that is not the server's own. `names` are the host names of the port, in addition to addresses and localhost.
   */
  constructor(
    metrics: { readonly counted: Metrics; readonly inForce: () => InForce | null },
    notReady: () => Promise<string | null>,
    described: Described | null = null,
    pages: AdminPages | null = null,
    names: ReadonlySet<string> = new Set(),
  ) {
    this.described = described;
    this.metrics = metrics.counted;
    this.service = new ServiceMetrics(metrics.inForce);
    this.server = createServer((request, response) => {
      const [path = '', query = ''] = (request.url ?? '').split('?');
      if (hostLines(request.rawHeaders) > 1) return text(response, 400, 'A request has one line Host\n');
      if (!OWN.has(path) && pages?.(request, response)) return;
      if (TELLING.has(path) && !isNamed(request.headers.host, names)) return text(response, 421, NOT_NAMED);
      if (request.method !== 'GET') text(response, 405, 'GET only\n');
      else if (path === '/livez') text(response, 200, 'live\n');
      else if (path === '/readyz')
        void notReady().then((why) =>
          why === null ? text(response, 200, 'ready\n') : text(response, 503, `not ready: ${why}\n`),
        );
      else if (path === '/metrics') void this.exposed().then((body) => text(response, 200, body, EXPOSITION_TYPE));
      else if (path === '/openapi.json' || path === '/asyncapi.json')
        void this.describe(response, path, new URLSearchParams(query));
      else text(response, 404, `There is ${PATHS}\n`);
    });
  }

  private async exposed(): Promise<string> {
    const [service, process] = await Promise.all([this.service.read(), this.process.read()]);
    return expose([...this.metrics.told, ...service, ...process]);
  }

  /** `/openapi.json?version=2026-11-01&openapi=3.2`, `/asyncapi.json?version=2026-11-01`. Never rejects. */
  private async describe(response: ServerResponse, path: string, query: URLSearchParams): Promise<void> {
    const parameters = path === '/openapi.json' ? ['version', 'openapi'] : ['version'];
    const unknown = [...query.keys()].find((name) => !parameters.includes(name));
    const number = query.get('openapi') ?? '3.1';
    const version = query.get('version');
    if (unknown !== undefined) return text(response, 400, `${path} takes ${parameters.join(' and ')}\n`);
    if (number !== '3.1' && number !== '3.2') return text(response, 400, 'openapi is 3.1 or 3.2\n');
    const format = path === '/asyncapi.json' ? 'AsyncAPI 3.1' : (`OpenAPI ${number}` as const);
    try {
      const found = (await this.described?.(format, version)) ?? null;
      if (found === null) text(response, 404, 'The document has no such version, or it is retired\n');
      else text(response, 200, found, 'application/json');
    } catch {
      text(response, 500, 'the description could not be made\n');
    }
  }

  /** Listens; returns the port. Rejects where the port is not available. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => resolve((this.server.address() as AddressInfo).port));
    });
  }

  close(): Promise<void> {
    this.process.close();
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

function text(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'Content-Type': type });
  response.end(body);
}

/**
 * Whether a request of the operator's port has a host name that the operator has given. A page of another origin whose
 * name resolves to this machine (DNS rebinding) sends its own name in `Host`. Any address and port pass, since an
 * address is no such name: monitors use addresses, and tunnels change the port. `host` is the header as received; a
 * request without it comes from no browser.
 */
function isNamed(host: string | undefined, names: ReadonlySet<string>): boolean {
  if (host === undefined) return true;
  const name = host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
  return name === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || names.has(name);
}

/** Returns the number of Host headers of a request. More than one is invalid in HTTP/1.1 (RFC 9112, section 3.2). */
const hostLines = (rawHeaders: readonly string[]): number =>
  rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === 'host').length;
