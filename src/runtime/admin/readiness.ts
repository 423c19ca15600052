import { setTimeout as sleep } from 'node:timers/promises';
import { isSuccess } from '../../plan/status.ts';
import { call, type Store, StoreError } from '../../store/store.ts';

/** The longest time for the store to answer a readiness check, in milliseconds. */
const TIMEOUT_MS = 1000;

/** A check of the store, which several requests may await together. */
interface Question {
  /**
   * Resolves to the reason why the check fails, in a sentence without a full stop; to null where it succeeds. Never
   * rejects.
   */
  readonly ask: () => Promise<string | null>;
  /** Returns the amount of finished work of this kind: where it grows, a late answer means load and no failure. */
  readonly done: () => number;
  readonly late: string;
  /** The check in progress. */
  asking: Promise<string | null> | null;
}

/**
 * Whether rows can be read and changed now. Each check runs a query and an empty commit, since nothing else shows
 * whether the store works.
 */
export class Readiness {
  private readonly questions: Question[];
  /** The number of successful answers. */
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

  /** Counts an answer by its status. */
  note(status: number): void {
    if (isSuccess(status)) this.answered++;
  }

  /**
   * Resolves to the reason why requests can't be answered, in a sentence without a full stop; to null where they can.
   * Never rejects.
   */
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
  // Where other work finishes meanwhile, the node is only under load: routing requests elsewhere would overload the
  // other nodes.
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
