import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Preview, PreviewOutcome } from '../console/protocol.ts';
import type { Plan } from '../plan/step.ts';
import type { MigrationOptions } from './answers.ts';
import { databaseFile, type Place } from './stores.ts';

/** A document on disk, and the service that would serve it. */
export interface PreviewRequest {
  readonly file: string;
  /** The text in place of that of the file; null for the file. */
  readonly text: string | null;
  /** Whether changes that lose values are previewed as if the operator had accepted them. */
  readonly isAccepting: boolean;
  readonly settledOnly: boolean;
  readonly url: string | null;
  readonly place: Place;
  readonly answers: MigrationOptions;
  /** The served plan. */
  readonly plan: Plan;
}

/** A message of the preview process. */
export type PreviewMessage = { readonly step: string } | { readonly outcome: PreviewOutcome };

/** Limits of a preview: the time in milliseconds, and the heap in mebibytes. */
const MOST_MS = 600_000;
const MOST_HEAP = 1024;
/** The largest number of steps that a preview keeps for display. */
const MOST_STEPS = 200;
/** The niceness of the process, so that the service runs first. */
const NICENESS = 10;

/** Previews the effects of a document on rows and callers, on a copy of the rows, in a process of its own. */
export class MigrationTrial {
  private preview: Preview | null = null;
  private running: AbortController | null = null;

  get current(): Preview | null {
    return this.preview;
  }

  /** Begins a preview, and aborts a running one, whose document may be outdated. */
  begin(request: PreviewRequest): void {
    this.running?.abort();
    const own = new AbortController();
    this.running = own;
    this.preview = { state: 'running', began: new Date().toISOString(), steps: [], outcome: null };
    const told = (change: (before: Preview) => Preview): void => {
      if (this.running === own && this.preview) this.preview = change(this.preview);
    };
    const add = (step: string): void =>
      told((before) => (before.steps.length < MOST_STEPS ? { ...before, steps: [...before.steps, step] } : before));
    void outcomeOf(request, own.signal, add).then((outcome) => {
      told((before) => ({ ...before, state: 'done', outcome }));
      if (this.running === own) this.running = null;
    });
  }

  /** Aborts the preview when the service stops. */
  end(): void {
    this.running?.abort();
  }
}

/** Runs the process. Never rejects. */
function outcomeOf(
  request: PreviewRequest,
  signal: AbortSignal,
  step: (what: string) => void,
): Promise<PreviewOutcome> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const child = fork(new URL(`./preview-child.${extension}`, import.meta.url), {
    execArgv: [`--max-old-space-size=${MOST_HEAP}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const { promise, resolve } = Promise.withResolvers<PreviewOutcome>();
  const ended = (reason: string): void => resolve({ kind: 'refused', reason });
  const kill = (reason: string): void => {
    ended(reason);
    child.kill('SIGKILL');
  };
  const over = setTimeout(() => kill(`The preview took longer than ${MOST_MS / 60_000} minutes.`), MOST_MS).unref();
  signal.addEventListener('abort', () => kill('The preview was stopped.'));
  child.on('message', (message: PreviewMessage) => {
    if ('step' in message) step(message.step);
    else resolve(message.outcome);
  });
  child.on('error', (error) => ended(`The preview could not start: ${error.message}.`));
  child.on('exit', (code, killed) => {
    clearTimeout(over);
    ended(`The preview ended early (${killed ?? `exit code ${code}`}).`);
    // A killed process leaves its copy of the rows behind.
    const copy = `${databaseFile(request.place.data)}.trial-${child.pid}`;
    if (request.place.store === undefined)
      for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(copy + suffix, { force: true });
  });
  lower(child.pid);
  child.send(request, () => {});
  return promise;
}

function lower(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, NICENESS);
  } catch {
    // The process has ended already.
  }
}
