import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { HandlerPlan } from '../../../plan/step.ts';
import type { Asked, Start, Told } from './worker.ts';

/** Why a handler could not be loaded, or did not give what it should; the message is for the operator. */
export class HandlerError extends Error {}

/** How long a module may take to load, in milliseconds. */
const LOADING = 10_000;

/** How long one may take that is loaded anew for a call, which is leased for its time and not much longer, in milliseconds. */
const RELOADING = 5000;

/** Under which number a thread that is started anew is waited for: calls begin with 1. */
const READY = 0;

const reason = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : typeof error);

/** A handler’s module, in a thread of its own: one that never ends stops nothing else, and is ended when its time is over. */
export class HandlerProcess {
  private readonly plan: HandlerPlan;
  private readonly url: string;
  private readonly waiting = new Map<number, (told: Told) => void>();
  private worker!: Worker;
  private port!: MessagePort;
  private signal!: Int32Array<SharedArrayBuffer>;
  private asked = 0;
  /** Whether there is no thread any more: its module may end it, or throw where nobody catches it. */
  private ended = false;
  private closed = false;
  /** Settles once the thread of an outside handler that was started anew has loaded its module. */
  private reloading: Promise<void> | null = null;

  private constructor(plan: HandlerPlan, document: string) {
    this.plan = plan;
    const path = resolve(dirname(document), plan.file);
    if (!existsSync(path)) throw new HandlerError(`The handler “${plan.name}” is not there: ${path}`);
    this.url = pathToFileURL(path).href;
    this.start();
  }

  /** Loads a handler; rejects with HandlerError where its module is missing, broken, or exports no such function. */
  static load(plan: HandlerPlan, document: string): HandlerProcess {
    const made = new HandlerProcess(plan, document);
    made.mustBeReady();
    if (plan.kind === 'outside') made.listen();
    return made;
  }

  /** Runs a pure handler and waits for it: JSON in, JSON out. Throws HandlerError where it fails or takes too long. */
  runNow(takes: string, key: string): string {
    if (this.ended) this.restart();
    const id = ++this.asked;
    this.post({ id, takes, key });
    const told = this.receive(this.plan.within);
    if (told && 'gives' in told && told.id === id) return told.gives;
    if (told === null) {
      this.restart();
      throw new HandlerError(`“${this.plan.name}” took longer than ${this.plan.within} ms`);
    }
    throw new HandlerError(`“${this.plan.name}” failed: ${'error' in told ? told.error : 'it answered out of turn'}`);
  }

  /** Runs an outside handler: JSON in, JSON out. Rejects with HandlerError where it fails or takes too long. */
  async run(takes: string, key: string): Promise<string> {
    if (this.closed) throw new HandlerError(`“${this.plan.name}” is not run any more`);
    if (this.ended)
      this.reloading ??= this.reload().finally(() => {
        this.reloading = null;
      });
    await this.reloading;
    const id = ++this.asked;
    const coming = this.told(id, this.plan.within);
    this.post({ id, takes, key });
    const told = await coming;
    if (told === null) this.post({ abort: id });
    else if ('gives' in told) return told.gives;
    const why = told && 'error' in told ? told.error : `it took longer than ${this.plan.within} ms`;
    throw new HandlerError(`“${this.plan.name}” failed: ${why}`);
  }

  /** Ends the thread; what is waited for is rejected. */
  async close(): Promise<void> {
    this.closed = true;
    this.over('it has been stopped');
    this.port.close();
    await this.worker.terminate();
  }

  private start(): void {
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    this.signal = new Int32Array(new SharedArrayBuffer(4));
    // Node runs TypeScript as it is; the built package holds JavaScript.
    const script = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url);
    const workerData: Start = { url: this.url, name: this.plan.name, port: port2, signal: this.signal };
    const worker = new Worker(script, { workerData, transferList: [port2], stdout: false, stderr: false });
    let why = 'its thread has ended';
    worker.on('error', (error) => {
      why = `its thread has ended: ${reason(error)}`;
    });
    worker.once('exit', () => {
      if (this.worker === worker) this.over(why);
    });
    worker.unref();
    this.worker = worker;
    this.port.unref();
    this.ended = false;
  }

  /** There is no thread any more: whoever waits for it is told, unless it has still answered. */
  private over(why: string): void {
    this.ended = true;
    for (let got = this.received(); got; got = this.received()) this.hear(got);
    for (const [id, tell] of this.waiting) tell({ id, error: why });
    this.waiting.clear();
  }

  private mustBeReady(): void {
    const told = this.receive(LOADING);
    if (told && 'ready' in told) return;
    void this.worker.terminate();
    throw this.notLoaded(told);
  }

  private notLoaded(told: Told | null): HandlerError {
    let why = 'its module takes too long to load';
    if (told && 'broken' in told) why = told.broken;
    else if (told && 'error' in told) why = told.error;
    return new HandlerError(`The handler “${this.plan.name}” cannot be run: ${why}`);
  }

  private restart(): void {
    this.startAnew();
    this.mustBeReady();
  }

  /** The same for an outside handler, for which nothing else waits. */
  private async reload(): Promise<void> {
    this.startAnew();
    this.listen();
    const told = await this.told(READY, RELOADING);
    if (told && 'ready' in told) return;
    this.ended = true;
    void this.worker.terminate();
    throw this.notLoaded(told);
  }

  private startAnew(): void {
    this.port.close();
    void this.worker.terminate();
    this.start();
  }

  private listen(): void {
    this.port.on('message', (told: Told) => this.hear(told));
    this.port.unref();
  }

  private hear(told: Told): void {
    const id = 'id' in told ? told.id : READY;
    this.waiting.get(id)?.(told);
    this.waiting.delete(id);
  }

  /** What is said of one thing that was asked; null where nothing is said for so many milliseconds. */
  private told(id: number, milliseconds: number): Promise<Told | null> {
    return new Promise((done) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        done(null);
      }, milliseconds);
      this.waiting.set(id, (one) => {
        clearTimeout(timer);
        done(one);
      });
    });
  }

  private post(asked: Asked): void {
    this.port.postMessage(asked);
  }

  private received(): Told | null {
    const got = receiveMessageOnPort(this.port) as { message: Told } | undefined;
    return got?.message ?? null;
  }

  /** Waits for what the worker says next, at most so many milliseconds; null where it says nothing. */
  private receive(milliseconds: number): Told | null {
    const until = Date.now() + milliseconds;
    for (;;) {
      const got = this.received();
      if (got) return got;
      const left = until - Date.now();
      if (left <= 0) return null;
      Atomics.wait(this.signal, 0, 0, left);
      Atomics.store(this.signal, 0, 0);
    }
  }
}
