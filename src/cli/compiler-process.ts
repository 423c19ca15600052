import { fork } from 'node:child_process';
import { setPriority } from 'node:os';
import type { DocumentReport } from '../compiler/report.ts';
import type { Plan } from '../plan/step.ts';
import type { Answers } from '../store/migration/answers.ts';
import type { MigrationOptions } from './answers.ts';

/** An edited document, and what its service was started with. */
export interface EditRequest {
  readonly file: string;
  readonly settledOnly: boolean;
  /** Where the service lives, as the operator says; null where nobody said so. */
  readonly url: string | null;
  /** Whether findings are shown in colour. */
  readonly color: boolean;
  readonly answers: MigrationOptions;
}

/** What an edited document compiles to: plain data, since it comes from another process. */
export type EditOutcome =
  | {
      readonly kind: 'compiled';
      readonly name: string;
      readonly plan: Plan;
      readonly answers: Answers | { readonly problem: string };
      readonly report: DocumentReport;
    }
  /** It has findings, each as it is printed. */
  | { readonly kind: 'findings'; readonly findings: readonly string[] }
  /** It can’t be read, or not be served as the operator has set things up. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Compiling or starting it broke, which is a defect of ours. */
  | { readonly kind: 'defect'; readonly reason: string }
  /** It took more time or memory than it may, or the process was ended by somebody else. */
  | { readonly kind: 'ended'; readonly reason: string };

/** How long an edited document may take to compile and to start once, and how large its process’s heap may grow. */
interface CompilerLimits {
  readonly seconds: number;
  readonly mebibytes: number;
}

const COMPILER_LIMITS: CompilerLimits = { seconds: 60, mebibytes: 512 };

/**
 * Compiles an edited document in a process of its own, which comes after the service: whatever the document does to the
 * compiler, the service goes on. Never rejects. `signal` ends it, when nobody waits for it any more.
 */
export function compileApart(
  request: EditRequest,
  signal: AbortSignal,
  limits: CompilerLimits = COMPILER_LIMITS,
): Promise<EditOutcome> {
  // Node runs TypeScript as it is; the built package holds JavaScript.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const script = new URL(`./compiler-child.${extension}`, import.meta.url);
  const child = fork(script, {
    execArgv: [`--max-old-space-size=${limits.mebibytes}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const { promise, resolve } = Promise.withResolvers<EditOutcome>();
  const ended = (reason: string): void => resolve({ kind: 'ended', reason });
  const over = setTimeout(() => {
    ended(`compiling took longer than ${limits.seconds} seconds`);
    child.kill('SIGKILL');
  }, limits.seconds * 1000);
  const abort = (): void => {
    ended('the document has changed again');
    child.kill('SIGKILL');
  };
  signal.addEventListener('abort', abort);
  child.on('message', (outcome: EditOutcome) => resolve(outcome));
  child.on('error', (error) => ended(`the compiler could not start: ${error.message}`));
  // V8 aborts the process when its heap is full.
  child.on('exit', (code, killed) =>
    ended(
      killed === 'SIGABRT' || code === 134
        ? `compiling took more than ${limits.mebibytes} MiB`
        : `the compiler ended early (${killed ?? `exit code ${code}`})`,
    ),
  );
  if (child.pid !== undefined) yieldTo(child.pid);
  if (child.connected) child.send(request, () => {});
  if (signal.aborted) abort();
  return promise.finally(() => {
    clearTimeout(over);
    signal.removeEventListener('abort', abort);
  });
}

/** By how much the service goes first, where there are fewer processors than work: about twice as often. */
const NICENESS = 3;

function yieldTo(pid: number): void {
  try {
    setPriority(pid, NICENESS);
  } catch {
    // It has ended already.
  }
}
