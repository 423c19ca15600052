import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Preview, PreviewOutcome } from '../console/protocol.ts';
import type { Plan } from '../plan/step.ts';
import type { MigrationOptions } from './answers.ts';
import { databaseFile, type Place } from './stores.ts';

/** A document on disk, and the service that it would take over. */
export interface PreviewRequest {
  readonly file: string;
  readonly settledOnly: boolean;
  readonly url: string | null;
  readonly place: Place;
  readonly answers: MigrationOptions;
  /** What is served now. */
  readonly plan: Plan;
}

/** What the process that works it out tells. */
export type PreviewMessage = { readonly step: string } | { readonly outcome: PreviewOutcome };

/** How long it may take, in milliseconds, and how large its heap may grow, in mebibytes. */
const MOST_MS = 600_000;
const MOST_HEAP = 1024;
/** How many steps are kept. */
const MOST_STEPS = 200;
/** It comes after the service where there are fewer processors than work. */
const NICENESS = 10;

/** What would become of the rows and callers of a service: worked out on a copy, by a process of its own. */
export class MigrationTrial {
  private preview: Preview | null = null;
  private running: AbortController | null = null;

  get current(): Preview | null {
    return this.preview;
  }

  /** Begins anew: what one that runs would say may be of another text. */
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

  /** The service stops: nobody waits for it any more. */
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
    // A process that is ended leaves its copy of the rows behind.
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
    // It has ended already.
  }
}
