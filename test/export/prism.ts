import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../src/export/json.ts';
import { until } from '../harness.ts';
import type { Traffic } from './traffic.ts';

const PRISM = join(import.meta.dirname, 'tools', 'node_modules', '.bin', 'prism');

/** What Prism makes of an exchange. */
export type Verdict =
  | { readonly kind: 'judged'; readonly violations: readonly string[] }
  /** The export has no such operation, or Prism fails at it itself. */
  | { readonly kind: 'no operation' | 'not judged' };

/** Of a connection, and not of what is said over it. */
const HOPS = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'host', 'trailer', 'expect']);
/** Prism writes each violation into a header. */
const HEADER_BYTES = 1 << 20;
/** How long Prism may take for one exchange. */
const PATIENCE_MS = 60_000;

/**
 * Prism’s validating proxy over an export. What stands behind it gives the answer that the service gave: the exchange goes
 * through the proxy as it was, and whoever made the request was answered by the service alone.
 */
export class Prism {
  private readonly folder = mkdtempSync(join(tmpdir(), 'ninefold-prism-'));
  private readonly behind: Server;
  private child: ChildProcess | null = null;
  private port = 0;
  private answer: Traffic['answer'] = { status: 204, headers: [], body: '' };

  private constructor() {
    this.behind = createServer((asked, out) => {
      asked.resume();
      const { status, headers, body } = this.answer;
      for (const [name, value] of headers) if (!HOPS.has(name.toLowerCase())) out.appendHeader(name, value);
      out.writeHead(status).end(body);
    });
  }

  static async start(document: JsonObject): Promise<Prism> {
    const prism = new Prism();
    await new Promise<void>((resolve) => prism.behind.listen(0, '127.0.0.1', resolve));
    writeFileSync(join(prism.folder, 'openapi.json'), JSON.stringify(document));
    await prism.listen();
    return prism;
  }

  private async listen(): Promise<void> {
    const upstream = `http://127.0.0.1:${(this.behind.address() as AddressInfo).port}`;
    this.port = await freePort();
    const words = ['proxy', 'openapi.json', upstream, '--port', String(this.port), '--verboseLevel', 'fatal'];
    const child = spawn(process.execPath, [`--max-http-header-size=${HEADER_BYTES}`, PRISM, ...words], {
      cwd: this.folder,
      stdio: 'ignore',
    });
    this.child = child;
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`Prism ended with ${child.exitCode}`);
      return this.send({ method: 'GET', target: '/', headers: [], body: null }).catch(() => null);
    }, 'Prism listens');
  }

  /** Has an exchange go through the proxy; gives what it finds wrong with the answer. */
  async judge(traffic: Traffic): Promise<Verdict> {
    if (!readsAsSent(traffic)) return { kind: 'not judged' };
    this.answer = traffic.answer;
    const said = await this.send(traffic).catch(() => null);
    // There are requests that it ends at.
    if (said === null && this.child?.exitCode !== null) await this.listen();
    if (said?.status !== traffic.answer.status) return { kind: 'not judged' };
    // Where a request has more wrong than fits into a header, Prism says only that.
    if (said.violations?.startsWith('Too many')) return { kind: 'not judged' };
    const found: ReadonlyArray<{ location: readonly string[]; message: string }> = JSON.parse(said.violations ?? '[]');
    if (found.some((one) => one.message === 'Selected route not found')) return { kind: 'no operation' };
    const about = found.filter((one) => one.location[0] === 'response');
    return { kind: 'judged', violations: about.map((one) => `${one.location.join('.')}: ${one.message}`) };
  }

  private send(sent: Omit<Traffic, 'answer'>): Promise<{ status: number; violations: string | undefined }> {
    return new Promise((resolve, reject) => {
      const headers: Record<string, string[]> = {};
      for (const [name, value] of sent.headers)
        if (!HOPS.has(name.toLowerCase())) headers[name] = [...(headers[name] ?? []), value];
      const { method, target: path, body } = sent;
      const asked = request(
        // What Prism never ends with must not hold up the rest.
        {
          timeout: PATIENCE_MS,
          port: this.port,
          host: '127.0.0.1',
          method,
          path,
          headers,
          maxHeaderSize: HEADER_BYTES,
        },
        (answer) => {
          const violations = answer.headers['sl-violations'];
          answer.resume();
          answer.once('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              violations: Array.isArray(violations) ? violations[0] : violations,
            }),
          );
        },
      );
      asked.once('timeout', () => asked.destroy(new Error('Prism did not answer')));
      asked.once('error', reject);
      asked.end(body ?? undefined);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child?.kill('SIGKILL');
    await new Promise((resolve) => this.behind.close(resolve));
    rmSync(this.folder, { recursive: true });
  }
}

/**
 * Whether Prism looks at a request as it was sent. It reads an address as browsers do, which may be another one, and takes
 * an empty segment for a parameter’s value; of the answer to HEAD it waits for a body; and with a body in another encoding
 * than UTF-8, or that is no JSON, it never ends.
 */
function readsAsSent({ method, target, headers, body }: Traffic): boolean {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  if (method === 'HEAD' || /charset=(?!"?utf-8)/i.test(type) || !isJson(body)) return false;
  const base = 'http://service.example';
  const url = target.startsWith('/') ? URL.parse(base + target) : null;
  if (url === null || url.pathname + url.search !== target) return false;
  return url.pathname === '/' || !/\/(\/|$)/.test(url.pathname);
}

function isJson(body: string | null): boolean {
  try {
    return !body || JSON.parse(body) !== undefined;
  } catch {
    return false;
  }
}

/** A port that nobody has now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
