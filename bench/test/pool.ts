import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Job, Outcome } from './job.ts';

const WORKER = join(import.meta.dirname, 'worker.ts');
/** How much longer than its budget a run may take: for its start and its end, and on a machine that does other work. */
const GRACE_MS = 1_200_000;
/** After how many runs a process is replaced, so that nothing grows over thousands of them. */
const RUNS_OF_PROCESS = 40;

/** Runs jobs, so many at a time, each in a process apart: one that hangs or crashes ends alone. */
export async function runAll(
  jobs: Iterable<Job>,
  atOnce: number,
  done: (job: Job, outcome: Outcome) => void,
  signal: AbortSignal,
): Promise<void> {
  const queue = jobs[Symbol.iterator]();
  const work = async (): Promise<void> => {
    let worker: Worker | null = null;
    for (let next = queue.next(); !next.done && !signal.aborted; next = queue.next()) {
      worker ??= new Worker();
      const outcome = await worker.run(next.value, signal);
      if (outcome) done(next.value, outcome);
      if (worker.used) {
        worker.end();
        worker = null;
      }
    }
    worker?.end();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

class Worker {
  private readonly child: ChildProcess;
  private runs = 0;
  private over = false;

  constructor() {
    this.child = fork(WORKER, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
    });
  }

  /** Whether another process should take over. */
  get used(): boolean {
    return this.over || this.runs >= RUNS_OF_PROCESS;
  }

  /** The outcome of a job; null where the bench was interrupted meanwhile. */
  async run(job: Job, signal: AbortSignal): Promise<Outcome | null> {
    this.runs++;
    const { promise, resolve } = Promise.withResolvers<Outcome | null>();
    const fail = (why: string): void => {
      this.over = true;
      resolve({
        key: job.key,
        breaks: [],
        requests: 0,
        milliseconds: 0,
        statements: { all: 0, kept: 0, untestable: 0 },
        ofLines: [],
        stopped: null,
        failed: why,
      });
    };
    const ended = (): void => fail('The process of the run has ended');
    const interrupted = (): void => {
      this.over = true;
      resolve(null);
    };
    const timer = setTimeout(() => fail('The run hangs'), job.budget + GRACE_MS);
    this.child.once('message', (outcome: Outcome) => resolve(outcome)).once('exit', ended);
    signal.addEventListener('abort', interrupted, { once: true });
    this.child.send(job);
    const outcome = await promise;
    clearTimeout(timer);
    this.child.off('exit', ended).removeAllListeners('message');
    signal.removeEventListener('abort', interrupted);
    return outcome;
  }

  end(): void {
    this.child.kill('SIGKILL');
  }
}
