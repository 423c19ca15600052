import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Running, serve } from '../cli/serve.ts';

// What the tests of this folder share. It has no tests of its own: the name keeps it out of the build.

export const ORDERS = readFileSync(new URL('../../examples/orders.md', import.meta.url), 'utf8');

/** What came back, as it is sent. */
export interface Came {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** A service with its console, and somebody who asks it by plain HTTP. */
export interface Shown {
  readonly running: Running;
  readonly port: number;
  readonly file: string;
  readonly data: string;
  /** The link that was printed. */
  readonly link: URL;
  readonly said: () => string;
  /** Opens the link, and keeps the cookie. */
  enter(): Promise<string>;
  ask(path: string, sent?: Sent): Promise<Came>;
  /** Asks with the session. */
  get<T>(path: string): Promise<T>;
  /** Posts as the page does. Gives the body with its status. */
  post<T>(path: string, body: unknown): Promise<T & { readonly status: number }>;
}

/** Serves a document with a console on free ports. */
export async function shown(
  t: TestContext,
  document = ORDERS,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Shown> {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-console-'));
  const file = join(folder, 'service.md');
  writeFileSync(file, document);
  let said = '';
  const io = {
    out: (text: string) => {
      said += text;
    },
    err: (text: string) => {
      said += text;
    },
    color: false,
    exit: () => {},
  };
  const data = join(folder, 'data');
  const options = { host: '127.0.0.1', port: '0', admin: '127.0.0.1:0', log: 'error', data, ...more };
  const running = await serve(file, options, io);
  if (!running) throw new Error(said);
  t.after(async () => {
    await running.stop();
    rmSync(folder, { recursive: true });
  });
  const port = running.adminPort ?? 0;
  let cookie = '';
  const ask = (path: string, sent: Sent = {}): Promise<Came> => asked(port, path, sent);
  const link = new URL(/http:\S+\/console\?key=\S+/.exec(said)?.[0] ?? 'http://none/');
  const enter = async (): Promise<string> => {
    const came = await ask(`${link.pathname}${link.search}`);
    cookie = String(came.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '';
    return cookie;
  };
  return {
    running,
    port,
    file,
    data,
    link,
    said: () => said,
    enter,
    ask,
    get: async <T>(path: string): Promise<T> => {
      const came = await ask(`/console/api${path}`, { headers: { cookie } });
      return JSON.parse(came.text) as T;
    },
    post: async <T>(path: string, body: unknown): Promise<T & { readonly status: number }> => {
      const headers = { cookie, 'content-type': 'application/json', 'x-ninefold-console': '1' };
      const came = await ask(`/console/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return { ...JSON.parse(came.text), status: came.status };
    },
  };
}

function asked(port: number, path: string, { method = 'GET', headers = {}, body }: Sent): Promise<Came> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}
