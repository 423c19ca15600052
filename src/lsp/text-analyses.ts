import type { Feature, ResultOf, Where } from './analyses.ts';
import { CompilerThread, type Purpose, purposeOf } from './thread.ts';

/** Limits of an answer: the time, and the heap of the thread. */
interface AnalysisLimits {
  readonly seconds: number;
  readonly mebibytes: number;
}

const ANALYSIS_LIMITS: AnalysisLimits = { seconds: 30, mebibytes: 512 };

/** How long threads are kept without a question, in milliseconds. */
const KEPT_MS = 300_000;

/** How long a thread may take for questions of which nobody awaits the answer, in milliseconds. */
const ABANDONED_MS = 1000;

/** A thread with the text that it has. */
interface TextThread {
  readonly thread: CompilerThread;
  text: string | null;
  /** The number of questions of which somebody awaits the answer. */
  awaited: number;
}

/**
 * Answers questions about texts with the features of the language server. Texts are compiled in threads: no text can hold
 * the process, exhaust its memory or end it. Threads begin with the first question, and end when none has come for a while.
 */
export class TextAnalyses {
  /** The address of the document in answers. */
  readonly address: string;
  private readonly threads = new Map<Purpose, TextThread>();
  private readonly limits: AnalysisLimits;
  private idle: NodeJS.Timeout | undefined;

  /** `name`: the name of the document. */
  constructor(name: string, limits = ANALYSIS_LIMITS) {
    this.limits = limits;
    this.address = `file:///${encodeURIComponent(name)}`;
  }

  /**
   * Rejects with `ThreadError` where the text takes too much time or memory. `signal` says that nobody awaits the answer
   * any more, as when the text has changed: a thread that goes on for long with such questions alone is ended.
   */
  async ask<F extends Feature>(
    feature: F,
    text: string,
    where: Where = {},
    signal?: AbortSignal,
  ): Promise<ResultOf<F> | null> {
    const purpose = purposeOf(feature);
    const one = this.threads.get(purpose) ?? this.begin(purpose);
    if (one.text !== text) one.thread.tell({ do: 'change', uri: this.address, text });
    one.text = text;
    const { seconds } = this.limits;
    const late = setTimeout(() => this.drop(purpose, one, `It took longer than ${seconds} seconds.`), seconds * 1000);
    const answer = one.thread.ask(feature, this.address, where);
    one.awaited++;
    let abandoned: NodeJS.Timeout | undefined;
    const abandon = (): void => {
      one.awaited--;
      const end = (): void => void (one.awaited === 0 && this.drop(purpose, one, 'Nobody awaits the answer.'));
      abandoned = setTimeout(end, ABANDONED_MS);
    };
    signal?.addEventListener('abort', abandon, { once: true });
    if (signal?.aborted) abandon();
    try {
      return (await answer) as ResultOf<F> | null;
    } finally {
      signal?.removeEventListener('abort', abandon);
      if (!abandoned) one.awaited--;
      clearTimeout(abandoned);
      clearTimeout(late);
      this.rest();
    }
  }

  end(): void {
    clearTimeout(this.idle);
    for (const [purpose, one] of this.threads) this.drop(purpose, one);
  }

  private begin(purpose: Purpose): TextThread {
    const failed = (error: Error): void => this.drop(purpose, one, this.reasonOf(error));
    const one: TextThread = {
      thread: new CompilerThread({ failed, mebibytes: this.limits.mebibytes }),
      text: null,
      awaited: 0,
    };
    this.threads.set(purpose, one);
    return one;
  }

  private drop(purpose: Purpose, one: TextThread, why?: string): void {
    if (this.threads.get(purpose) === one) this.threads.delete(purpose);
    one.thread.end(why);
  }

  private rest(): void {
    clearTimeout(this.idle);
    this.idle = setTimeout(() => this.end(), KEPT_MS).unref();
  }

  private reasonOf(error: Error): string {
    return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
      ? `It took more than ${this.limits.mebibytes} MiB.`
      : `The thread failed: ${error.message}`;
  }
}
