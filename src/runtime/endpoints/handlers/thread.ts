import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { Alarm } from '../../http/alarm.ts';
import type { Start, WorkerReply, WorkerRequest } from './worker.ts';

/** The reason why a handler could not be loaded or did not return a valid result; the message is for the operator. */
export class HandlerError extends Error {}

/** The outcome of one run: the handler's output as JSON, or the reason why there is none. */
export type Outcome = { readonly gives: string } | { readonly error: string };

/** The id under which the start of the thread is awaited; the ids of runs begin with 1. */
const READY = 0;

const reason = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : typeof error);

/**
 * A handler's module in a thread of its own: a run that never ends blocks nothing else, and its thread is stopped at
 * the run's deadline.
 */
export class HandlerThread {
  private readonly name: string;
  private readonly waiting = new Map<number, (told: WorkerReply) => void>();
  private readonly worker: Worker;
  private readonly port: MessagePort;
  private readonly signal = new Int32Array(new SharedArrayBuffer(4));
  private asked = READY;
  /** Whether the thread has ended: its module may exit, or throw outside a run. */
  ended = false;

  private constructor(name: string, url: string) {
    this.name = name;
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    // Node runs TypeScript as it is; the built package holds JavaScript.
    const script = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url);
    const workerData: Start = { url, name, port: port2, signal: this.signal };
    this.worker = new Worker(script, { workerData, transferList: [port2], stdout: false, stderr: false });
    let why = 'its thread has ended';
    this.worker.on('error', (error) => {
      why = `its thread has ended: ${reason(error)}`;
    });
    this.worker.once('exit', () => this.over(why));
    this.port.on('message', (told: WorkerReply) => this.hear(told));
    this.worker.unref();
    this.port.unref();
  }

  /**
   * Loads a module in at most `milliseconds`; rejects with HandlerError if the module is broken or doesn't export the
   * function.
   */
  static async start(name: string, url: string, milliseconds: number): Promise<HandlerThread> {
    const thread = new HandlerThread(name, url);
    const told = await thread.told(READY, milliseconds);
    if (told && 'ready' in told) return thread;
    void thread.close();
    let why = 'its module takes too long to load';
    if (told && 'broken' in told) why = told.broken;
    else if (told && 'error' in told) why = told.error;
    throw new HandlerError(`The handler “${name}” cannot be run: ${why}`);
  }

  /** Begins a run, and returns its id. */
  begin(takes: string, key: string): number {
    const id = ++this.asked;
    this.port.postMessage({ id, takes, key } satisfies WorkerRequest);
    return id;
  }

  /**
   * Blocks for at most so many milliseconds, and returns the outcome of a run; null where the run has not ended by
   * then.
   */
  now(id: number, milliseconds: number): Outcome | null {
    const found: WorkerReply[] = [];
    this.waiting.set(id, (told) => found.push(told));
    const until = performance.now() + milliseconds;
    for (;;) {
      this.drain();
      const left = until - performance.now();
      if (found.length || left <= 0) break;
      Atomics.wait(this.signal, 0, 0, left);
      Atomics.store(this.signal, 0, 0);
    }
    this.waiting.delete(id);
    return found.length ? this.outcome(found[0]!) : null;
  }

  /** Resolves to the outcome of a run; to null where the run has not ended within so many milliseconds. */
  async outcomeOf(id: number, milliseconds: number): Promise<Outcome | null> {
    const told = await this.told(id, milliseconds);
    return told && this.outcome(told);
  }

  /** Aborts a run for which nobody waits any more. */
  abort(id: number): void {
    this.port.postMessage({ abort: id } satisfies WorkerRequest);
  }

  /** Ends the thread; runs in progress fail. */
  async close(): Promise<void> {
    this.over('it has been stopped');
    this.port.close();
    await this.worker.terminate();
  }

  /** Ends the waits for a thread that has stopped: each run without an answer gets an error. */
  private over(why: string): void {
    if (this.ended) return;
    this.ended = true;
    this.drain();
    for (const [id, tell] of this.waiting) tell({ id, error: why });
    this.waiting.clear();
  }

  private drain(): void {
    for (;;) {
      const got = receiveMessageOnPort(this.port) as { message: WorkerReply } | undefined;
      if (!got) return;
      this.hear(got.message);
    }
  }

  private hear(told: WorkerReply): void {
    const id = 'id' in told ? told.id : READY;
    const tell = this.waiting.get(id);
    this.waiting.delete(id);
    tell?.(told);
  }

  /** Resolves to the worker's reply to one message; to null where none comes within so many milliseconds. */
  private told(id: number, milliseconds: number): Promise<WorkerReply | null> {
    return new Promise((done) => {
      if (this.ended) return done({ id, error: 'its thread has ended' });
      const alarm = new Alarm(milliseconds, () => {
        this.waiting.delete(id);
        done(null);
      });
      this.waiting.set(id, (one) => {
        alarm.clear();
        done(one);
      });
    });
  }

  private outcome(told: WorkerReply): Outcome {
    if ('gives' in told) return told;
    return { error: `“${this.name}” failed: ${'error' in told ? told.error : 'it answered out of turn'}` };
  }
}
