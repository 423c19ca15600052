import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Plan } from '../plan/step.ts';
import type { Log } from '../runtime/log.ts';
import type { Service } from '../runtime/service.ts';
import { baseUrl } from '../text/address.ts';
import { oneLine } from '../text/visible.ts';
import { compileApart, type EditOutcome } from './compiler-process.ts';
import type { OpenConsole } from './console.ts';
import type { Io } from './io.ts';
import { differs, migrate, tooMuchAtOnce } from './migrating.ts';
import { reportFailure } from './open.ts';
import type { ServeOptions } from './serve.ts';
import { openStore } from './stores.ts';

/** Identifies a file and its last change; null if it cannot be read. */
export function stateOf(file: string): string | null {
  try {
    const found = statSync(file);
    return `${found.dev} ${found.ino} ${found.mtimeMs} ${found.size}`;
  } catch {
    // Reading the document reports the problem: no such file, a link to itself, a name that is too long.
    return null;
  }
}

/** The running service and its options, which a changed document needs. */
interface Watched {
  readonly options: ServeOptions;
  readonly service: Service;
  readonly io: Io;
  /** The log, if logs are machine-readable. */
  readonly log: Log | undefined;
  readonly opened: OpenConsole | null;
}

/** The interval at which the document is checked, in milliseconds. */
const POLL_INTERVAL_MS = 1000;
/** How long to wait for further edits that belong to the first, in milliseconds. */
const SETTLES_MS = 100;

/** The reason to read a document again: a change of the file, or a signal. */
type Cause = 'changed' | 'asked';

/** Serves changed documents, one edit after the other. */
export class Reloading {
  private readonly file: string;
  private readonly watched: Watched;
  private timer: NodeJS.Timeout | undefined;
  private working = Promise.resolve();
  private compiling = new AbortController();
  private readonly watching: Array<() => void> = [];

  constructor(file: string, watched: Watched) {
    this.file = file;
    this.watched = watched;
  }

  /** Reads the document again soon, and serves it if possible. */
  soon(cause: Cause): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      // The result of compiling the previous edit is no longer needed.
      this.compiling.abort();
      this.compiling = new AbortController();
      const { signal } = this.compiling;
      this.working = this.working.then(() => reload(this.file, cause, this.watched, signal));
    }, SETTLES_MS);
  }

  /**
   * Serves the document again whenever it changes; `read` is its state when it was read. Editors replace files, so the
   * directory is watched. A link gives no event when its target changes, so the file is polled as well.
   */
  watch(read: string | null): void {
    let seen = read;
    const look = (told: boolean): void => {
      const now = stateOf(this.file);
      if (told || now !== seen) this.soon('changed');
      seen = now;
    };
    const watcher = watchDirectory(dirname(resolve(this.file)), (name) => {
      if (name === basename(this.file)) look(true);
    });
    const looking = setInterval(() => look(false), POLL_INTERVAL_MS);
    looking.unref();
    this.watching.push(() => {
      clearInterval(looking);
      watcher?.close();
    });
    look(false);
  }

  close(): void {
    clearTimeout(this.timer);
    this.compiling.abort();
    for (const end of this.watching) end();
  }
}

/** Watches a directory; null if the system cannot watch more, so that the file is only polled. */
function watchDirectory(directory: string, changed: (name: string | null) => void): FSWatcher | null {
  try {
    return watch(directory, (_event, name) => changed(name)).on('error', () => {});
  } catch {
    return null;
  }
}

/** Serves a changed document. Prints failures, and rejects only if no document is being served. */
async function reload(
  file: string,
  cause: Cause,
  { options, service, io, log, opened }: Watched,
  signal: AbortSignal,
): Promise<void> {
  const quiet: Io = { ...io, exit: () => {} };
  const told = cause === 'changed' ? ['has changed', 'The new document', 'the change'] : ['is read again', 'It', 'it'];
  const [what, served, change] = told;
  const still = `${file} ${what}, and ${change} is not served. The last good document is still served.\n`;
  const url = options.url === undefined ? null : baseUrl(options.url);
  const { settledOnly = false } = options;
  const edit = await compileApart({ file, settledOnly, url, color: io.color, answers: options }, signal);
  if (signal.aborted) return;
  if (edit.kind !== 'compiled') {
    const reasons = edit.kind === 'findings' ? edit.findings.map((one) => `${one}\n`) : [`error: ${describe(edit)}`];
    for (const reason of reasons) io.err(`${reason}\n`);
    io.err(still);
    log?.('error', 'document.refused', { document: file, reason: edit.kind === 'findings' ? 'findings' : edit.reason });
    return;
  }
  try {
    const done = (await differs(edit.plan, options))
      ? await takeUp(edit, options, service, quiet)
      : await replace(edit.plan, options, service);
    if (done) opened?.replace(edit.report);
    if (done) io.out(`${file} ${what}. ${served} is served.\n`);
    else io.err('The last good document is still served.\n');
  } catch (error) {
    if (error instanceof Stranded) throw error;
    const reason = error instanceof Error ? error.message : `${error}`;
    log?.('error', 'document.refused', { document: file, reason });
    try {
      reportFailure(error, options, quiet);
    } catch {
      io.err(`error: ${describe({ kind: 'defect', reason: error instanceof Error ? `${error.stack}` : reason })}\n`);
    }
    io.err(still);
  }
}

function describe({ kind, reason }: Exclude<EditOutcome, { kind: 'compiled' | 'findings' }>): string {
  if (kind === 'defect') return `this is a defect of Ninefold, not of the document.\n${reason}`;
  return kind === 'ended' ? `the document can’t be compiled: ${reason}.` : reason;
}

async function replace(plan: Plan, options: ServeOptions, service: Service): Promise<boolean> {
  const store = await openStore(options, plan, 'successor');
  try {
    await service.replace(plan, store);
    return true;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** No document is being served, so requests would wait for ever: the process ends, for its supervisor to restart it. */
class Stranded extends Error {}

/**
 * Migrates rows to an edited document, and serves it. Returns false, after printing the reason, if the old document
 * stays.
 */
async function takeUp(
  { name, plan, answers }: Extract<EditOutcome, { kind: 'compiled' }>,
  options: ServeOptions,
  service: Service,
  io: Io,
): Promise<boolean> {
  const wrong = await tooMuchAtOnce(plan, answers, options);
  if (wrong.length) {
    for (const one of wrong) io.err(`  ${oneLine(one)}\n`);
    io.err(`${name} drops or narrows stored values. Restart the service to migrate them.\n`);
    return false;
  }
  let outcome = '';
  const opened = service.exchange(async (before) => {
    try {
      outcome = await migrate(name, plan, answers, { place: options, dry: false, json: false, back: false }, io);
    } catch (error) {
      reportFailure(error, options, io);
    }
    const next = outcome === 'done' || outcome === 'nothing' ? plan : before;
    return { plan: next, store: await openStore(options, next, 'successor') };
  });
  await opened.catch((error: unknown) => {
    throw new Stranded('The service can serve neither the new document nor the old one', { cause: error });
  });
  return outcome === 'done' || outcome === 'nothing';
}
