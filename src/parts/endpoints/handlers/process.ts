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

/** A handler’s module, in a thread of its own: one that never ends stops nothing else, and is ended when its time is over. */
export class HandlerProcess {
  private readonly plan: HandlerPlan;
  private readonly url: string;
  private readonly waiting = new Map<number, (told: Told) => void>();
  private worker!: Worker;
  private port!: MessagePort;
  private signal!: Int32Array<SharedArrayBuffer>;
  private asked = 0;

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
    const id = ++this.asked;
    const told = await new Promise<Told | null>((done) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        this.post({ abort: id });
        done(null);
      }, this.plan.within);
      this.waiting.set(id, (one) => {
        clearTimeout(timer);
        done(one);
      });
      this.post({ id, takes, key });
    });
    if (told && 'gives' in told) return told.gives;
    const why = told && 'error' in told ? told.error : `it took longer than ${this.plan.within} ms`;
    throw new HandlerError(`“${this.plan.name}” failed: ${why}`);
  }

  async close(): Promise<void> {
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
    this.worker = new Worker(script, { workerData, transferList: [port2], stdout: false, stderr: false });
    this.worker.unref();
    this.port.unref();
  }

  private mustBeReady(): void {
    const told = this.receive(LOADING);
    if (told && 'ready' in told) return;
    void this.worker.terminate();
    const why = told && 'broken' in told ? told.broken : 'its module takes too long to load';
    throw new HandlerError(`The handler “${this.plan.name}” cannot be run: ${why}`);
  }

  private restart(): void {
    void this.worker.terminate();
    this.start();
    this.mustBeReady();
  }

  private listen(): void {
    this.port.on('message', (told: Told) => {
      if (!('id' in told)) return;
      this.waiting.get(told.id)?.(told);
      this.waiting.delete(told.id);
    });
    this.port.unref();
  }

  private post(asked: Asked): void {
    this.port.postMessage(asked);
  }

  /** Waits for what the worker says next, at most so many milliseconds; null where it says nothing. */
  private receive(milliseconds: number): Told | null {
    const until = Date.now() + milliseconds;
    for (;;) {
      const got = receiveMessageOnPort(this.port) as { message: Told } | undefined;
      if (got) return got.message;
      const left = until - Date.now();
      if (left <= 0) return null;
      Atomics.wait(this.signal, 0, 0, left);
      Atomics.store(this.signal, 0, 0);
    }
  }
}
