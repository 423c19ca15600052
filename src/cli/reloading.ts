import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { EditGiven } from '../console/editing.ts';
import type { ServingOutcome } from '../console/protocol.ts';
import type { Plan } from '../plan/step.ts';
import type { Log } from '../runtime/log.ts';
import type { Service } from '../runtime/service.ts';
import { acceptedAs, describeChange } from '../store/migration/change-kinds.ts';
import type { Answers } from '../store/migration/upgrade.ts';
import { baseUrl } from '../text/address.ts';
import { oneLine } from '../text/visible.ts';
import type { MigrationOptions } from './answers.ts';
import { compileApart, type EditOutcome } from './compiler-process.ts';
import type { OpenConsole } from './console.ts';
import type { Io } from './io.ts';
import { differs, migrate, reviewOf } from './migrating.ts';
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

const STOPS: ServingOutcome = { kind: 'stops' };

const UNASKED: EditGiven = { confirmed: [], answers: {} };

/** One reading of the document, and whoever waits for its outcome. */
interface Reading {
  readonly abort: AbortController;
  readonly given: EditGiven;
  readonly waiting: ReadonlyArray<(outcome: ServingOutcome) => void>;
  isDone: boolean;
}

/** Serves changed documents, one edit after the other. */
export class Reloading {
  private readonly file: string;
  private readonly watched: Watched;
  private timer: NodeJS.Timeout | undefined;
  private working = Promise.resolve();
  private last: Reading | null = null;
  /** The answers and the waiting callers of the reading that begins soon. */
  private given: EditGiven = UNASKED;
  private waiting: Array<(outcome: ServingOutcome) => void> = [];
  private readonly watching: Array<() => void> = [];
  private isClosed = false;

  constructor(file: string, watched: Watched) {
    this.file = file;
    this.watched = watched;
  }

  /** Reads the document again soon, and serves it if possible. */
  soon(cause: Cause): void {
    clearTimeout(this.timer);
    if (this.isClosed) return;
    this.timer = setTimeout(() => this.begin(cause), SETTLES_MS);
  }

  /** Reads the document again soon, and gives whether it is served: this edit, or one that came right after it. */
  serve(given: EditGiven): Promise<ServingOutcome> {
    if (this.isClosed) return Promise.resolve(STOPS);
    const { promise, resolve } = Promise.withResolvers<ServingOutcome>();
    this.given = together(this.given, given);
    this.waiting.push(resolve);
    this.soon('changed');
    return promise;
  }

  private begin(cause: Cause): void {
    // The result of compiling the previous edit is no longer needed, and those who wait for it get this one's.
    const before = this.last?.isDone === false ? this.last : null;
    before?.abort.abort();
    const reading: Reading = {
      abort: new AbortController(),
      given: before ? together(before.given, this.given) : this.given,
      waiting: [...(before?.waiting ?? []), ...this.waiting],
      isDone: false,
    };
    this.last = reading;
    this.given = UNASKED;
    this.waiting = [];
    this.working = this.working.then(async () => {
      const outcome = await reload(this.file, cause, this.watched, reading);
      if (outcome === null) return;
      reading.isDone = true;
      for (const tell of reading.waiting) tell(outcome);
    });
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
    this.isClosed = true;
    clearTimeout(this.timer);
    this.last?.abort.abort();
    for (const end of this.watching) end();
    for (const tell of [...(this.last?.waiting ?? []), ...this.waiting]) tell(STOPS);
  }
}

/** The answers of two edits that are served as one. */
const together = (one: EditGiven, other: EditGiven): EditGiven => ({
  confirmed: [...one.confirmed, ...other.confirmed],
  answers: joined(one.answers, other.answers),
});

/** Two sets of options as one; an option that both give is given once. */
export function joined(one: MigrationOptions, other: MigrationOptions): MigrationOptions {
  const both = (name: keyof MigrationOptions): string[] => [...new Set([...(one[name] ?? []), ...(other[name] ?? [])])];
  return { accept: both('accept'), rename: both('rename'), fill: both('fill'), replace: both('replace') };
}

/** Watches a directory; null if the system cannot watch more, so that the file is only polled. */
function watchDirectory(directory: string, changed: (name: string | null) => void): FSWatcher | null {
  try {
    return watch(directory, (_event, name) => changed(name)).on('error', () => {});
  } catch {
    return null;
  }
}

/**
 * Serves a changed document, and gives whether it is served; null where another reading has taken the place of this one.
 * Prints failures, and rejects only if no document is being served.
 */
async function reload(
  file: string,
  cause: Cause,
  watched: Watched,
  { abort: { signal }, given }: Reading,
): Promise<ServingOutcome | null> {
  const { options, io, log, opened } = watched;
  const told = cause === 'changed' ? ['has changed', 'The new document', 'the change'] : ['is read again', 'It', 'it'];
  const [what, served, change] = told;
  const still = `${file} ${what}, and ${change} is not served. The last good document is still served.\n`;
  const url = options.url === undefined ? null : baseUrl(options.url);
  const { settledOnly = false } = options;
  const answers = joined(options, given.answers);
  const edit = await compileApart({ file, settledOnly, url, color: io.color, answers }, signal);
  if (signal.aborted) return null;
  if (edit.kind !== 'compiled') {
    const reasons = edit.kind === 'findings' ? edit.findings.map((one) => `${one}\n`) : [`error: ${describe(edit)}`];
    for (const reason of reasons) io.err(`${reason}\n`);
    io.err(still);
    log?.('error', 'document.refused', { document: file, reason: edit.kind === 'findings' ? 'findings' : edit.reason });
    return edit.kind === 'findings'
      ? { kind: 'findings', count: edit.findings.length }
      : { kind: 'refused', reason: describe(edit) };
  }
  const quiet: Io = { ...io, exit: () => {} };
  try {
    const outcome = await inForce(edit, given.confirmed, watched, quiet);
    if (outcome !== null) {
      io.err('The last good document is still served.\n');
      return outcome;
    }
    opened?.replace(edit.report);
    io.out(`${file} ${what}. ${served} is served.\n`);
    return { kind: 'served' };
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
    return { kind: 'refused', reason };
  }
}

function describe({ kind, reason }: Exclude<EditOutcome, { kind: 'compiled' | 'findings' }>): string {
  if (kind === 'defect') return `this is a defect of Ninefold, not of the document.\n${reason}`;
  return kind === 'ended' ? `the document can’t be compiled: ${reason}.` : reason;
}

async function replace(plan: Plan, options: ServeOptions, service: Service): Promise<void> {
  const store = await openStore(options, plan, 'successor');
  try {
    await service.replace(plan, store);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** No document is being served, so requests would wait for ever: the process ends, for its supervisor to restart it. */
class Stranded extends Error {}

/** Puts an edited document in force; gives the reason, after printing it, if the old document stays. */
async function inForce(
  edit: CompiledEdit,
  confirmed: readonly string[],
  { options, service }: Watched,
  io: Io,
): Promise<ServingOutcome | null> {
  if (await differs(edit.plan, options)) return takeUp(edit, confirmed, { options, service }, io);
  await replace(edit.plan, options, service);
  return null;
}

type CompiledEdit = Extract<EditOutcome, { kind: 'compiled' }>;

/** Migrates rows to an edited document, and serves it. */
async function takeUp(
  { name, plan, answers }: CompiledEdit,
  confirmed: readonly string[],
  { options, service }: Pick<Watched, 'options' | 'service'>,
  io: Io,
): Promise<ServingOutcome | null> {
  const { mistakes, narrowing } = await reviewOf(plan, answers, options);
  const unconfirmed = narrowing.map(describeChange).filter((one) => !confirmed.includes(one));
  if (mistakes.length || unconfirmed.length) {
    for (const one of [...mistakes, ...unconfirmed]) io.err(`  ${oneLine(one)}\n`);
    if (mistakes.length) return { kind: 'refused', reason: mistakes.join(' ') };
    const remedy = options.edit ? 'Confirm it in the console, or restart the service' : 'Restart the service';
    io.err(`${name} drops or narrows stored values. ${remedy} to migrate them.\n`);
    return { kind: 'unconfirmed', changes: unconfirmed };
  }
  const accepted = narrowing.flatMap((one) => acceptedAs(one) ?? []);
  const said: string[] = [];
  const told: Io = {
    ...io,
    err: (text) => {
      said.push(text);
      io.err(text);
    },
  };
  let outcome = '';
  const opened = service.exchange(async (before) => {
    try {
      const asked = { place: options, dry: false, json: false, back: false };
      outcome = await migrate(name, plan, accepting(answers, accepted), asked, told);
    } catch (error) {
      reportFailure(error, options, told);
    }
    const next = outcome === 'done' || outcome === 'nothing' ? plan : before;
    return { plan: next, store: await openStore(options, next, 'successor') };
  });
  await opened.catch((error: unknown) => {
    throw new Stranded('The service can serve neither the new document nor the old one', { cause: error });
  });
  return outcome === 'done' || outcome === 'nothing' ? null : { kind: 'refused', reason: said.join('').trim() };
}

/** Answers that accept further changes. */
const accepting = (
  answers: Answers | { readonly problem: string },
  names: readonly string[],
): Answers | { readonly problem: string } =>
  'problem' in answers ? answers : { ...answers, accepted: new Set([...answers.accepted, ...names]) };
