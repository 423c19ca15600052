import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { edited, until } from '../harness.ts';
import { freePort } from '../ports.ts';

const FILES = join(import.meta.dirname, '../../deploy');

/** The proxies for which the project has a configuration. */
export const PROXIES = ['nginx', 'caddy'] as const;

/** Why a test with a proxy can’t be run; false where it can. */
export const withoutProxy = (name: string): string | false =>
  spawnSync(name, name === 'nginx' ? ['-v'] : ['version']).error ? `there is no ${name} here` : false;

/** What a proxy answered. */
export interface ProxyAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** What is asked of a proxy: `from` is the client’s address, and `lines` are names and values as they are sent. */
interface Asked {
  readonly from?: string;
  readonly method?: string;
  readonly lines?: readonly string[];
  readonly body?: string;
}

/** A proxy in front of a service, by the configuration in `deploy/`: only names, ports and paths are replaced. */
export class FrontProxy {
  readonly port: number;
  /** What it wrote to its log. */
  readonly log: string;
  private readonly child: ChildProcess;
  private readonly reloads: readonly string[];
  private said = '';

  private constructor(port: number, log: string, run: readonly string[], reloads: readonly string[], home: string) {
    this.port = port;
    this.log = log;
    this.reloads = reloads;
    const [program = '', ...rest] = run;
    this.child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, HOME: home } });
    for (const stream of [this.child.stdout!, this.child.stderr!]) stream.on('data', (chunk) => (this.said += chunk));
  }

  /** Starts one in front of `service`, which is `127.0.0.1:PORT` or `unix:PATH`, with all its files in `dir`. */
  static async start(name: (typeof PROXIES)[number], service: string, dir: string): Promise<FrontProxy> {
    const port = await freePort();
    const log = join(dir, `${name}.log`);
    const [certificate, key] = [join(dir, 'proxy.pem'), join(dir, 'proxy.key')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const pair = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-keyout',
      key,
      '-out',
      certificate,
    ];
    execFileSync('openssl', ['req', '-x509', '-days', '2', ...pair, ...subject], { stdio: 'ignore' });
    const file = join(dir, name);
    const proxy =
      name === 'nginx'
        ? FrontProxy.nginx(port, service, dir, log, file)
        : FrontProxy.caddy(port, service, dir, log, file, await freePort());
    await until(() => proxy.listens() || proxy.failed(), `${name} listens`, 60);
    if (proxy.failed()) throw new Error(`${name} ended: ${proxy.said}`);
    return proxy;
  }

  private static nginx(port: number, service: string, dir: string, log: string, file: string): FrontProxy {
    mkdirSync(join(dir, 'temp'), { recursive: true });
    const site = edited(
      readFileSync(join(FILES, 'nginx.conf'), 'utf8'),
      ['server 127.0.0.1:3000;', `server ${service};`],
      ['listen 443', `listen 127.0.0.1:${port}`],
      ['server_name api.example.com', 'server_name localhost'],
      ['/etc/ssl/api.example.com.pem', join(dir, 'proxy.pem')],
      ['/etc/ssl/api.example.com.key', join(dir, 'proxy.key')],
      ['/var/log/nginx/ninefold.log', log],
    );
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((one) => `${one}_temp_path ${join(dir, 'temp')};`)
      .join('\n');
    // Its workers go on as who starts them, who alone may read what is in a temporary directory.
    const whole = `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 2;
pid ${join(dir, 'nginx.pid')};
error_log stderr;
events { worker_connections 512; }
http {
${temporary}
${site}
}`;
    writeFileSync(file, whole);
    const words = ['nginx', '-e', 'stderr', '-p', dir, '-c', file];
    return new FrontProxy(port, log, words, [...words, '-s', 'reload'], dir);
  }

  private static caddy(
    port: number,
    service: string,
    dir: string,
    log: string,
    file: string,
    admin: number,
  ): FrontProxy {
    const site = edited(
      readFileSync(join(FILES, 'Caddyfile'), 'utf8'),
      ['reverse_proxy 127.0.0.1:3000', `reverse_proxy ${service.replace(/^unix:/, 'unix/')}`],
      [
        'api.example.com {',
        `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${join(dir, 'proxy.pem')} ${join(dir, 'proxy.key')}`,
      ],
      ['/var/log/caddy/ninefold.log', log],
    );
    writeFileSync(file, `{\n\tadmin 127.0.0.1:${admin}\n\tauto_https disable_redirects\n}\n${site}`);
    const config = ['--config', file, '--adapter', 'caddyfile'];
    const reload = ['caddy', 'reload', ...config, '--address', `127.0.0.1:${admin}`, '--force'];
    return new FrontProxy(port, log, ['caddy', 'run', ...config], reload, dir);
  }

  private failed(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  private listens(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      }).on('error', () => resolve(false));
    });
  }

  /** Reads its configuration anew, as operators have it do. */
  reload(): void {
    const [program = '', ...rest] = this.reloads;
    execFileSync(program, rest, { stdio: 'ignore' });
  }

  /** Asks it over TLS. Rejects where no whole answer comes. */
  ask(path: string, { from = '127.0.0.1', method = 'GET', lines = [], body }: Asked = {}): Promise<ProxyAnswer> {
    const headers = ['Host', `localhost:${this.port}`, ...lines];
    if (body !== undefined) headers.push('Content-Length', String(Buffer.byteLength(body)));
    return new Promise((resolve, reject) => {
      const where = { host: '127.0.0.1', servername: 'localhost', port: this.port, path, method, localAddress: from };
      const asked = request({ ...where, headers, agent: false, rejectUnauthorized: false }, async (response) => {
        try {
          const text = Buffer.concat(await response.toArray()).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        } catch (error) {
          reject(error);
        }
      });
      asked.on('error', reject).end(body);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.failed()) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await ended;
  }
}
