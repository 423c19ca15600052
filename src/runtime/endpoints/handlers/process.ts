import type { HandlerPlan } from '../../../plan/step.ts';
import { HandlerError, HandlerThread } from './thread.ts';

/** The longest time for loading a module, in milliseconds. */
export const LOAD_TIMEOUT_MS = 10_000;

/**
 * The longest time for loading a module again for a call, in milliseconds: the call's lease lasts little longer than
 * its run.
 */
export const RELOAD_INTERVAL_MS = 5000;

/** An outside handler in one thread, where its runs are concurrent. */
export class HandlerProcess {
  private readonly plan: HandlerPlan;
  private readonly url: string;
  private thread: HandlerThread;
  private closed = false;
  /** Settles once the module has been loaded in a new thread; null where none is loading. */
  private reloading: Promise<void> | null = null;

  private constructor(plan: HandlerPlan, url: string, thread: HandlerThread) {
    this.plan = plan;
    this.url = url;
    this.thread = thread;
  }

  /** Loads a handler; rejects with HandlerError where its module is broken or doesn't export the function. */
  static async load(plan: HandlerPlan, url: string): Promise<HandlerProcess> {
    return new HandlerProcess(plan, url, await HandlerThread.start(plan.name, url, LOAD_TIMEOUT_MS));
  }

  /** Runs the handler, from JSON to JSON. Rejects with HandlerError where it fails or takes too long. */
  async run(takes: string, key: string): Promise<string> {
    const { name, within } = this.plan;
    if (this.closed) throw new HandlerError(`“${name}” is not run any more`);
    if (this.thread.ended)
      this.reloading ??= this.reload().finally(() => {
        this.reloading = null;
      });
    await this.reloading;
    const { thread } = this;
    const id = thread.begin(takes, key);
    const came = await thread.outcomeOf(id, within);
    if (came === null) {
      thread.abort(id);
      throw new HandlerError(`“${name}” failed: it took longer than ${within} ms`);
    }
    if ('gives' in came) return came.gives;
    throw new HandlerError(came.error);
  }

  /** Ends the thread; runs in progress are rejected. */
  async close(): Promise<void> {
    this.closed = true;
    await this.thread.close();
  }

  private async reload(): Promise<void> {
    const thread = await HandlerThread.start(this.plan.name, this.url, RELOAD_INTERVAL_MS);
    if (this.closed) void thread.close();
    this.thread = thread;
  }
}
