import { setTimeout as sleep } from 'node:timers/promises';
import { call, type Store, StoreError } from '../../store/store.ts';

/** How long the store may take to answer whoever asks whether requests can be answered, in milliseconds. */
const TIMEOUT_MS = 1000;

/** The query to the store, which several requests may wait for. */
interface Question {
  /** Why it can't be done, in a sentence without a full stop; null where it can. Never rejects. */
  readonly ask: () => Promise<string | null>;
  /** How much of its kind has been done: where that grows, there is only much to do. */
  readonly done: () => number;
  readonly late: string;
  /** The one that is on its way. */
  asking: Promise<string | null> | null;
}

/**
 * Whether rows can be read and changed now. Each check runs a query and an empty commit, since nothing else shows
 * whether the store works.
 */
export class Readiness {
  private readonly questions: Question[];
  /** How many requests have been answered with success. */
  private answered = 0;

  constructor(store: Store) {
    const meta = store.prepare({ kind: 'system', name: 'read meta' });
    const read: Question = {
      ask: () => whyNot(() => store.read(() => call(meta, ['secret']))),
      done: () => this.answered,
      late: 'the store has not answered within a second',
      asking: null,
    };
    const commit: Question = {
      ask: () => whyNot(() => store.commits?.()),
      done: () => store.figures.commits.count,
      late: 'the store has not answered a commit within a second',
      asking: null,
    };
    this.questions = store.commits ? [read, commit] : [read];
  }

  /** A request has been answered with this status. */
  note(status: number): void {
    if (status < 300) this.answered++;
  }

  /** Why requests can’t be answered, in a sentence without a full stop; null where they can. Never rejects. */
  async ask(): Promise<string | null> {
    const answers = await Promise.all(this.questions.map((question) => answerTo(question)));
    return answers.find((why) => why !== null) ?? null;
  }
}

async function answerTo(question: Question): Promise<string | null> {
  const before = question.done();
  question.asking ??= question.ask().finally(() => {
    question.asking = null;
  });
  const late = new AbortController();
  const why = await Promise.race([
    question.asking,
    sleep(TIMEOUT_MS, 'late' as const, { signal: late.signal }).catch(() => null),
  ]);
  late.abort();
  if (why !== 'late') return why;
  // Where others are answered meanwhile, there is only much to do: sent elsewhere, it would be too much there as well.
  return question.done() > before ? null : question.late;
}

async function whyNot(ask: () => unknown): Promise<string | null> {
  try {
    await ask();
    return null;
  } catch (error) {
    return error instanceof StoreError ? error.message.replace(/\.$/, '') : 'the store has failed';
  }
}
