import { fork } from 'node:child_process';
import { setPriority } from 'node:os';
import type { DocumentReport } from '../compiler/report-forms.ts';
import type { Plan } from '../plan/step.ts';
import type { Answers } from '../store/migration/upgrade.ts';
import type { MigrationOptions } from './answers.ts';

/** An edited document, and the options of its service. */
export interface EditRequest {
  readonly file: string;
  readonly settledOnly: boolean;
  /** The public address that the operator has given; null if none. */
  readonly url: string | null;
  /** Whether findings are printed in colour. */
  readonly color: boolean;
  readonly answers: MigrationOptions;
}

/** The result of compiling an edited document: plain data, because it comes from another process. */
export type EditOutcome =
  | {
      readonly kind: 'compiled';
      readonly name: string;
      readonly plan: Plan;
      readonly answers: Answers | { readonly problem: string };
      readonly report: DocumentReport;
    }
  /** The document has findings, as printed text. */
  | { readonly kind: 'findings'; readonly findings: readonly string[] }
  /** The document cannot be read, or not be served with the operator's options. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The document could not be compiled or started because of a defect of Ninefold. */
  | { readonly kind: 'defect'; readonly reason: string }
  /** The process exceeded its limit of time or memory, or another process ended it. */
  | { readonly kind: 'ended'; readonly reason: string };

/** Limits of compiling and starting an edited document: the time, and the heap of its process. */
interface CompilerLimits {
  readonly seconds: number;
  readonly mebibytes: number;
}

const COMPILER_LIMITS: CompilerLimits = { seconds: 60, mebibytes: 512 };

/**
 * Compiles an edited document in a process of its own, with a lower priority than the service, so that no document can
 * stop the service through the compiler. Never rejects. `signal` ends the process when its result is no longer needed.
 */
export function compileApart(
  request: EditRequest,
  signal: AbortSignal,
  limits: CompilerLimits = COMPILER_LIMITS,
): Promise<EditOutcome> {
  // Node runs TypeScript directly; the built package contains JavaScript.
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

/** The niceness of the process: the service gets about twice as much processor time. */
const NICENESS = 3;

function yieldTo(pid: number): void {
  try {
    setPriority(pid, NICENESS);
  } catch {
    // The process has ended already.
  }
}
