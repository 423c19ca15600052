import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Running, serve } from '../cli/serve.ts';

// Helpers of the tests of this folder. The name without tests keeps the file out of the build.

export const ORDERS = readFileSync(new URL('../../examples/orders.md', import.meta.url), 'utf8');

/** A customer of the orders. */
export const ADA = '0195c2a0-0000-7000-8000-000000000001';

/** A response. */
export interface Came {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** The options of a request. */
export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** A service with its console, and a client that sends plain HTTP requests. */
export class Shown {
  readonly running: Running;
  readonly file: string;
  readonly folder: string;
  readonly said: string;
  cookie = '';

  private constructor(running: Running, folder: string, file: string, said: string) {
    this.running = running;
    this.folder = folder;
    this.file = file;
    this.said = said;
  }

  /** Serves a document on free ports. */
  static async start(document = ORDERS, more: Readonly<Record<string, unknown>> = {}): Promise<Shown> {
    const folder = mkdtempSync(join(tmpdir(), 'ninefold-console-'));
    const file = join(folder, 'service.md');
    writeFileSync(file, document);
    let said = '';
    const say = (text: string): void => {
      said += text;
    };
    const io = { out: say, err: say, color: false, exit: () => {} };
    const data = join(folder, 'data');
    const running = await serve(
      file,
      { host: '127.0.0.1', port: '0', admin: '127.0.0.1:0', log: 'error', data, ...more },
      io,
    );
    if (!running) throw new Error(said);
    return new Shown(running, folder, file, said);
  }

  /** Serves a document, and opens the link of the console. */
  static async open(document = ORDERS, more: Readonly<Record<string, unknown>> = {}): Promise<Shown> {
    const shown = await Shown.start(document, more);
    await shown.enter();
    return shown;
  }

  async stop(): Promise<void> {
    await this.running.stop();
    rmSync(this.folder, { recursive: true });
  }

  get port(): number {
    return this.running.adminPort ?? 0;
  }

  /** The path and query of the link that was printed. */
  get link(): string {
    return /http:\/\/[^/\s]+(\/console\?key=\S+)/.exec(this.said)?.[1] ?? '/none';
  }

  async enter(): Promise<Came> {
    const came = await this.ask(this.link);
    this.cookie = String(came.headers['set-cookie'] ?? '').split(';')[0] ?? '';
    return came;
  }

  /** Sends a request without a session. */
  ask(path: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Came> {
    const { promise, resolve, reject } = Promise.withResolvers<Came>();
    const asked = { host: '127.0.0.1', port: this.port, path, method, headers, agent: false };
    const request = httpRequest(asked, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.on('error', reject);
    request.end(body);
    return promise;
  }

  /** Reads data with the session; `http` is the status. */
  async get<T>(path: string): Promise<T & { readonly http: number }> {
    const came = await this.ask(`/console/api${path}`, { headers: { cookie: this.cookie } });
    return { ...JSON.parse(came.text), http: came.status };
  }

  /** Sends a POST in the way the page does. */
  async post<T>(path: string, body: unknown): Promise<T & { readonly http: number }> {
    const came = await this.ask(`/console/api${path}`, {
      method: 'POST',
      headers: { cookie: this.cookie, 'content-type': 'application/json', 'x-ninefold-console': '1' },
      body: JSON.stringify(body),
    });
    return { ...JSON.parse(came.text), http: came.status };
  }

  /** Adds a customer. */
  async customer(id = ADA, name = 'Ada'): Promise<void> {
    const came = await this.post('/rows/Customer', { fields: { id, name, email: `${id}@example.com` } });
    if (came.http !== 200) throw new Error(JSON.stringify(came));
  }

  /** Places an order of a customer through the service, and returns its identity. */
  async order(sku: string, quantity = 1, more: object = {}): Promise<string> {
    const came = await this.post<{ readonly body: string }>('/try', {
      method: 'POST',
      path: '/orders',
      headers: [
        ['Content-Type', 'application/json'],
        ['Idempotency-Key', crypto.randomUUID()],
      ],
      body: JSON.stringify({ sku, quantity, ...more }),
      caller: { scheme: 'API key', id: ADA, scopes: ['orders:write'] },
    });
    return (JSON.parse(came.body) as { readonly id: string }).id;
  }
}

/** Waits for a condition, and returns its result. The limit only ends a wait that would never end. */
export async function until<T>(check: () => Promise<T | null | false>, what: string): Promise<T> {
  for (const end = Date.now() + 240_000; ; await sleep(25)) {
    const found = await check();
    if (found) return found;
    if (Date.now() > end) throw new Error(`It never came to this: ${what}`);
  }
}
