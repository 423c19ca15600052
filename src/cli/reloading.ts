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

/** Which file it is, and when it was last changed; null where it can’t be told. */
export function stateOf(file: string): string | null {
  try {
    const found = statSync(file);
    return `${found.dev} ${found.ino} ${found.mtimeMs} ${found.size}`;
  } catch {
    // Reading the document says what is in the way: no such file, a link to itself, a name that is too long.
    return null;
  }
}

/** What a document that has changed is served by. */
interface Watched {
  readonly options: ServeOptions;
  readonly service: Service;
  readonly io: Io;
  /** Where it is logged as well, where logs are for machines. */
  readonly log: Log | undefined;
  readonly opened: OpenConsole | null;
}

/** How often a document is looked at, in milliseconds. */
const POLL_INTERVAL_MS = 1000;
/** How long an edit may be followed by another that belongs to it, in milliseconds. */
const SETTLES_MS = 100;

/** Why a document is read again: it has changed, or somebody asked for it. */
type Cause = 'changed' | 'asked';

/** Serves a document anew, one edit after the other. */
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

  /** Reads the document again soon, and serves it where that is possible. */
  soon(cause: Cause): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      // What the edit before this one compiles to, nobody waits for any more.
      this.compiling.abort();
      this.compiling = new AbortController();
      const { signal } = this.compiling;
      this.working = this.working.then(() => reload(this.file, cause, this.watched, signal));
    }, SETTLES_MS);
  }

  /**
   * Serves the document anew whenever it changes; `read` is its state when it was read. Editors replace files, so the
   * directory is watched. A link says nothing when what it points at changes, so that it is looked at as well.
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

/** Tells of what changes in a directory. Null where the system watches no more: then it is looked at alone. */
function watchDirectory(directory: string, changed: (name: string | null) => void): FSWatcher | null {
  try {
    return watch(directory, (_event, name) => changed(name)).on('error', () => {});
  } catch {
    return null;
  }
}

/** Serves a document that has changed. Never rejects but where no document is in force: what goes wrong is said. */
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

/** No document is in force, and requests would wait for ever: the process ends, for whoever keeps it running to begin anew. */
class Stranded extends Error {}

/** Serves an edit that rows have to follow. False, after saying why, where the old document goes on. */
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
