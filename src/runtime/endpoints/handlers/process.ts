import type { HandlerPlan } from '../../../plan/step.ts';
import { HandlerError, HandlerThread } from './thread.ts';

/** How long a module may take to load, in milliseconds. */
export const LOAD_TIMEOUT_MS = 10_000;

/** How long one may take that is loaded anew for a call, which is leased for its time and not much longer, in milliseconds. */
export const RELOAD_INTERVAL_MS = 5000;

/** A handler that reaches outside, in one thread in which its runs go on beside one another. */
export class HandlerProcess {
  private readonly plan: HandlerPlan;
  private readonly url: string;
  private thread: HandlerThread;
  private closed = false;
  /** Settles once the thread that was started anew has loaded its module. */
  private reloading: Promise<void> | null = null;

  private constructor(plan: HandlerPlan, url: string, thread: HandlerThread) {
    this.plan = plan;
    this.url = url;
    this.thread = thread;
  }

  /** Loads a handler; rejects with HandlerError where its module is broken, or exports no such function. */
  static async load(plan: HandlerPlan, url: string): Promise<HandlerProcess> {
    return new HandlerProcess(plan, url, await HandlerThread.start(plan.name, url, LOAD_TIMEOUT_MS));
  }

  /** Runs it: JSON in, JSON out. Rejects with HandlerError where it fails or takes too long. */
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

  /** Ends the thread; what is waited for is rejected. */
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
