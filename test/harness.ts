import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { runHere } from '../src/cli/harness.test.ts';
import { type Running, serve } from '../src/cli/serve.ts';
import { compile } from '../src/compiler/compile.ts';
import { contractOf } from '../src/contract/contract-of.ts';
import { ContractJudge } from '../src/verify/contract/answers.ts';
import { faultText } from './contract/fault-text.ts';
import { noteTraffic } from './export/traffic.ts';

const ROOT = join(import.meta.dirname, '..');
export const BIN = join(ROOT, 'bin', 'ninefold.js');
const run = promisify(execFile);

/** The orders document as it stands in the examples. */
export const ORDERS = readFileSync(join(ROOT, 'examples', 'orders.md'), 'utf8');

/** The orders document with only the numbers of its two rates raised, for load: counting and headers stay on. */
export const RAISED = ORDERS.replace('600 requests per minute  ', '9000000 requests per minute').replace(
  '6000 requests per minute ',
  '90000000 requests per minute',
);

/** The commands that have a database file to themselves. */
const ALONE = ['migrate', 'backup', 'restore'];

/** The same with a raised time-out, where how long a busy machine takes is not what is looked at. */
export const PATIENT = RAISED.replace('| Time-out     | 5 seconds ', '| Time-out     | 120 seconds ');

export const ALL_SCOPES = 'orders:read,orders:write,orders:fulfil';

/** A document with texts replaced, each of which has to be in it. */
export function edited(document: string, ...edits: ReadonlyArray<readonly [from: string, to: string]>): string {
  return edits.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`The document doesn’t say “${from}”`);
    return text.replace(from, () => to);
  }, document);
}

/** Waits until something is so, and gives what was found. The bound only ends a wait that would never end. */
export async function until<T>(check: () => T | Promise<T>, what: string, seconds = 240): Promise<NonNullable<T>> {
  for (const end = Date.now() + seconds * 1000; ; await sleep(15)) {
    const found = await check();
    if (found) return found;
    if (Date.now() > end) throw new Error(`It never came to this: ${what}`);
  }
}

/** What a command printed, and how it ended. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A document and a data directory of their own, with the real command line to work on them. */
export class Workspace {
  readonly dir = mkdtempSync(join(tmpdir(), 'ninefold-'));
  readonly file: string;
  readonly data: string;
  /** The options that say where rows are kept. */
  place: readonly string[];
  private readonly services: Service[] = [];
  private readonly servedHere: ServedHere[] = [];

  constructor(document: string, name = 'orders.md') {
    this.file = join(this.dir, name);
    this.data = join(this.dir, 'data');
    this.place = ['--data', this.data];
    writeFileSync(this.file, document);
  }

  /**
   * Runs `ninefold COMMAND FILE …` on the rows of this place: in this process, which takes a tenth of the time, but for
   * what goes on, and for what takes a database file from others. Their locks are those of a process.
   */
  async cli(command: string, ...args: string[]): Promise<Ran> {
    const alone = command === 'serve' || (this.place[0] === '--data' && ALONE.includes(command));
    return alone ? this.cliUnder([], command, ...args) : this.cliHere(command, ...args);
  }

  /** Does the same under another program, such as strace. */
  async cliUnder(prefix: readonly string[], command: string, ...args: string[]): Promise<Ran> {
    const words = [BIN, ...this.words(command, args)];
    try {
      const [program = '', ...rest] = [...prefix, process.execPath, ...words];
      const { stdout, stderr } = await run(program, rest, { maxBuffer: 64 << 20 });
      return { code: 0, out: stdout, err: stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, out: stdout, err: stderr };
    }
  }

  /** Runs a command in this process. One that takes a database file from others may be where nobody has it open. */
  async cliHere(command: string, ...args: string[]): Promise<Ran> {
    const { code, out, err } = await runHere(...this.words(command, args));
    return { code: code ?? 0, out, err };
  }

  private words(command: string, args: readonly string[]): string[] {
    const place = ['check', 'plan', 'types'].includes(command) ? [] : this.place;
    return [command, this.file, ...args, ...place];
  }

  /** Runs `serve` where it is refused before it serves anybody: no process of its own is needed for that. */
  async serveRefused(...args: string[]): Promise<Ran> {
    return this.cliHere('serve', ...args);
  }

  /** Does what has to go well; gives what it printed. */
  private async prepared(command: string, ...args: string[]): Promise<string> {
    const { code, out, err } = await this.cliHere(command, ...args);
    if (code !== 0) throw new Error(err);
    return out.trim();
  }

  /** Enters a customer; gives its id. */
  async customer(name = 'Ada'): Promise<string> {
    const id = randomUUID();
    await this.prepared('rows', 'add', 'Customer', `id=${id}`, `name=${name}`, `email=${id}@example.com`);
    return id;
  }

  async key(customer: string, scopes = ALL_SCOPES): Promise<string> {
    return this.prepared('keys', 'issue', 'Customer', customer, '--scopes', scopes);
  }

  /** Registers a receiver on a private address for every event of the orders; gives its secret. */
  async receiver(url: string, ...args: string[]): Promise<string> {
    const events = args.includes('--events') ? [] : ['--events', 'order.opened,order.placed,order.cancelled'];
    return this.prepared('receivers', 'add', url, '--allow-private', ...events, ...args);
  }

  /** Asks the stored tables, whether or not a service runs. */
  select<T = Record<string, unknown>>(sql: string, ...values: unknown[]): T[] {
    const db = new Database(join(this.data, 'ninefold.sqlite'), { readonly: true });
    try {
      return db.prepare(sql).all(...values) as T[];
    } finally {
      db.close();
    }
  }

  /** Puts another text in the document's place. */
  write(document: string): void {
    writeFileSync(this.file, document);
  }

  /**
   * Serves the document on a free port, or at what `listen` says; `prefix` runs the process under another program, such
   * as strace. `declared` holds each answer to the contract of the document.
   */
  async serve(
    options: { args?: string[]; prefix?: string[]; env?: NodeJS.ProcessEnv; listen?: string; declared?: boolean } = {},
  ): Promise<Service> {
    const where = options.listen === undefined ? ['--port', '0'] : ['--listen', options.listen];
    const words = [BIN, 'serve', this.file, ...this.place, ...where, ...(options.args ?? [])];
    const [program = process.execPath, ...rest] = [...(options.prefix ?? []), process.execPath, ...words];
    const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...options.env } });
    const service = new Service(child, options.declared ? judgeOf(this.file) : null);
    this.services.push(service);
    await service.ready;
    return service;
  }

  /**
   * Serves the document on a free port in this process, by the code of the command: for tests of what a service answers
   * and stores. A process of its own, which `serve` starts, takes a second.
   */
  async serveHere({ declared = false } = {}): Promise<ServedHere> {
    const said: string[] = [];
    const io = { out: () => {}, err: (text: string) => void said.push(text), color: false, exit: () => {} };
    const [option, where = ''] = this.place;
    const place = option === '--store' ? { data: this.data, store: where } : { data: where };
    const running = await serve(this.file, { ...place, host: '127.0.0.1', port: '0', log: 'error' }, io);
    if (!running) throw new Error(said.join(''));
    const service = new ServedHere(running, declared ? judgeOf(this.file) : null);
    this.servedHere.push(service);
    return service;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const service of this.services) await service.kill();
    for (const service of this.servedHere) await service.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Holds answers to the contract of a document. */
function judgeOf(file: string): ContractJudge {
  const { plan } = compile(file, readFileSync(file, 'utf8'));
  if (!plan) throw new Error(`${file} has findings`);
  return new ContractJudge(contractOf(plan), 'all declared');
}

/** A document that is served, as its callers have it. */
export class Served {
  url = '';
  private readonly declared: ContractJudge | null;

  constructor(declared: ContractJudge | null) {
    this.declared = declared;
  }

  /** Sends a request; the body, where there is one, is sent as JSON. */
  async request(
    method: string,
    path: string,
    options: { key?: string; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<{ status: number; headers: Headers; body: unknown; text: string }> {
    const headers: Record<string, string> = { ...options.headers };
    if (options.key) headers.authorization = `Bearer ${options.key}`;
    if (options.body !== undefined) headers['content-type'] ??= 'application/json';
    const body = options.body === undefined ? null : JSON.stringify(options.body);
    const response = await fetch(this.url + path, { method, headers, body, redirect: 'manual' });
    const text = await response.text();
    const { status } = response;
    const answer = { status, headers: [...response.headers], body: text };
    const sent = Object.entries(headers);
    noteTraffic({ method, target: path, headers: sent, body, answer });
    const came = { ...answer, body: Buffer.from(text) };
    const faults = this.declared?.faults({ method, target: path, headers: sent }, came) ?? [];
    if (faults.length > 0) throw new Error(`${method} ${path}: ${faults.map(faultText).join('; ')}`);
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : null, text };
  }

  /** Opens an order under an idempotency key of its own, unless one is given. */
  async open(key: string, body: Readonly<Record<string, unknown>>, idempotency: string = randomUUID()) {
    return this.request('POST', '/orders', { key, body, headers: { 'idempotency-key': idempotency } });
  }

  /** Opens an order that has to be taken; gives its id. */
  async opened(key: string, sku: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const answer = await this.open(key, { sku, quantity: 1, ...more });
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    return (answer.body as { id: string }).id;
  }
}

/** A served document in a process of its own. */
export class Service extends Served {
  readonly child: ChildProcess;
  readonly ready: Promise<void>;
  /** Settles when the process has ended. */
  readonly ended: Promise<number | null>;
  /** All that it has printed. */
  out = '';
  err = '';

  constructor(child: ChildProcess, declared: ContractJudge | null = null) {
    super(declared);
    this.child = child;
    this.ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
    this.ready = new Promise((resolve, reject) => {
      child.stdout!.on('data', (chunk: Buffer) => {
        this.out += chunk;
        const at = / at (http:\/\/127\S+|unix:\S+)/.exec(this.out);
        if (at && this.out.includes('Rows are in')) {
          this.url = at[1]!;
          resolve();
        }
      });
      child.stderr!.on('data', (chunk: Buffer) => {
        this.err += chunk;
      });
      child.once('exit', (code) => reject(new Error(`serve ended with ${code}\n${this.out}\n${this.err}`)));
    });
  }

  /** Stops it in good order; gives its exit code. */
  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    return this.ended;
  }

  /** Ends it at once, as a crash would. */
  async kill(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
    await this.ended;
  }
}

/** A document that is served in the process of the test. */
class ServedHere extends Served {
  private readonly running: Running;
  private stopped: Promise<void> | null = null;

  constructor(running: Running, declared: ContractJudge | null) {
    super(declared);
    this.running = running;
    this.url = `http://127.0.0.1:${running.port}`;
  }

  /** Stops it in good order, once. */
  async stop(): Promise<void> {
    this.stopped ??= this.running.stop();
    await this.stopped;
  }
}
