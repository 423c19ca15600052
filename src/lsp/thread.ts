import { Worker } from 'node:worker_threads';
import type { Feature, Where } from './analyses.ts';
import type { FromWorker, ToWorker } from './worker.ts';

/** The purpose of a thread: to compile a document once, or to try it with many texts. Findings never wait for a try. */
export type Purpose = 'checking' | 'trying';

export const purposeOf = (feature: Feature): Purpose =>
  feature === 'completion' || feature === 'actions' ? 'trying' : 'checking';

/** A question that a thread did not answer. */
export class ThreadError extends Error {
  /** Whether the question is refused, such as a name that cannot be given; otherwise the thread failed. */
  readonly isRefused: boolean;

  constructor(message: string, isRefused: boolean) {
    super(message);
    this.isRefused = isRefused;
  }
}

/** The options of a thread. */
interface ThreadOptions {
  /** Receives an error outside of the answers. The thread has ended then. */
  readonly failed: (error: Error) => void;
  /** The largest heap, in mebibytes. */
  readonly mebibytes?: number;
}

/** A thread that compiles documents, so that nobody waits for them who does not ask. */
export class CompilerThread {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  private last = 0;

  constructor({ failed, mebibytes }: ThreadOptions) {
    // Node runs TypeScript directly; the built package contains JavaScript.
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    this.worker = new Worker(new URL(`./worker.${extension}`, import.meta.url), {
      ...(mebibytes !== undefined && { resourceLimits: { maxOldGenerationSizeMb: mebibytes } }),
    });
    this.worker.on('message', (message: FromWorker) => this.take(message));
    this.worker.on('error', failed);
  }

  tell(message: Exclude<ToWorker, { do: 'ask' }>): void {
    this.worker.postMessage(message satisfies ToWorker);
  }

  /** Rejects with `ThreadError`. */
  ask(feature: Feature, uri: string, where: Where): Promise<unknown> {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ do: 'ask', id, feature, uri, where } satisfies ToWorker);
    });
  }

  /** Ends the thread. Its open questions are rejected, for the reason. */
  end(why = 'The thread has ended.'): void {
    for (const { reject } of this.waiting.values()) reject(new ThreadError(why, false));
    this.waiting.clear();
    void this.worker.terminate();
  }

  private take(message: FromWorker): void {
    const asked = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if ('result' in message) asked?.resolve(message.result);
    else asked?.reject(new ThreadError(message.problem, message.refused));
  }
}
