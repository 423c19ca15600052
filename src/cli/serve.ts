import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Compiled } from '../compiler/compile.ts';
import { describing } from '../export/served/describing.ts';
import type { EndpointPlan, Plan } from '../plan/step.ts';
import { createLog, type Log } from '../runtime/log.ts';
import { Service } from '../runtime/service.ts';
import type { DirectoryLock } from '../store/sqlite/lock.ts';
import type { Store } from '../store/store.ts';
import { baseUrl } from '../text/address.ts';
import { showDuration, showSize } from '../text/units.ts';
import { oneLine } from '../text/visible.ts';
import { type MigrationOptions, migrationOptions, readAnswers } from './answers.ts';
import { compileApart, type EditOutcome } from './compiler-process.ts';
import { type OpenConsole, openConsole } from './console.ts';
import { loadDocument } from './document.ts';
import { holdYoungGeneration } from './garbage.ts';
import { EXIT, type Io } from './io.ts';
import { differs, migrate, tooMuchAtOnce } from './migrating.ts';
import { addressProblem, reportFailure, settledPlan } from './open.ts';
import { LEVELS, readPorts } from './ports.ts';
import { secretsIn } from './secrets.ts';
import { stopOnSignals } from './stopping.ts';
import { holdPlace, openStore, type Place, placeName, withPlace } from './stores.ts';
import { tryOut } from './trial.ts';

export interface ServeOptions extends Place, MigrationOptions {
  readonly host: string;
  readonly port: string;
  readonly url?: string;
  readonly admin?: string;
  readonly settledOnly?: boolean;
  readonly watch?: boolean;
  readonly allowPrivate?: boolean;
  readonly console?: string;
  readonly log: string;
}

const AFTER = `
The service starts when the document has no findings. Otherwise the command lists the findings and ends with 1.

On the first SIGTERM, SIGINT or SIGHUP, the service stops in order. Requests under way have the longest time-out of
the document to finish (10 seconds when some endpoint has none). Deliveries and outside handlers have 10 seconds; they
are then cut off, and repeated after the next start. A running migration finishes. On the second signal, the service
ends at once.

Logs go to standard error: text on a terminal, otherwise JSON lines. They contain no key, secret or value of a request.

When the document has changed, the service first migrates the stored rows, and prints the changes.
\`ninefold migrate --help\` describes the options of a migration.

The signing key of a token scheme is in NINEFOLD_KEY_<SCHEME>, or in the file that NINEFOLD_KEY_<SCHEME>_FILE names.

Examples:
  $ ninefold serve orders.md
  $ ninefold serve orders.md --port 8080 --data /var/lib/orders --admin 127.0.0.1:9090
  $ ninefold serve orders.md --store postgres://ninefold@127.0.0.1:5432/orders
  $ ninefold serve orders.md --watch`;

/** Adds `serve FILE`. */
export function register(program: Command, io: Io): void {
  const command = withPlace(program.command('serve'))
    .summary('run the service')
    .description('Runs the service that a document describes.')
    .argument('<FILE>', 'the document')
    .option('--host <HOST>', 'the address to listen on', '127.0.0.1')
    .option('--port <PORT>', 'the port to listen on; 0 picks a free one', '3000')
    .option('--url <URL>', 'the public address; required where the document uses service.url')
    .option(
      '--admin <HOST:PORT>',
      'the address of the console, /livez, /readyz, /metrics, /openapi.json and /asyncapi.json; none unless given',
    )
    .option('--console <on|off>', 'whether --admin has the console, which a browser shows', 'on')
    .option('--settled-only', 'serve the endpoints without findings, and answer 501 at the others')
    .option('--watch', 'serve the document again when it changes; after a bad edit, serve the last good one')
    .option('--allow-private', 'allow webhooks to private addresses, for receivers that callers register')
    .option('--log <LEVEL>', `the lowest level that is logged: ${LEVELS.join(', ')}`, 'info');
  migrationOptions(command)
    .addHelpText('after', AFTER)
    .action(async (file: string, options: ServeOptions) => {
      await serve(file, options, io, (running) => stopOnSignals(() => running.stop()));
    });
}

/** A service that runs, and how to stop it. */
export interface Running {
  readonly port: number;
  readonly adminPort: number | null;
  stop(): Promise<void>;
}

/** Starts to serve a document, and tells `started` once it runs. Null, after saying why, where it can’t be served. */
export async function serve(
  file: string,
  options: ServeOptions,
  io: Io,
  started: (running: Running) => void = () => {},
): Promise<Running | null> {
  const ports = readPorts(options, io);
  if (!ports) return null;
  const read = stateOf(file);
  const compiled = loadDocument(file, io);
  const plan = compiled && settledPlan(compiled, options.settledOnly ?? false, io);
  if (!plan) return null;
  const given = options.url === undefined ? null : baseUrl(options.url);
  if (!fitsAddress(plan, given, io)) return null;
  const level = LEVELS.find((one) => one === options.log) ?? 'info';
  const logger = createLog(process.stderr, { text: process.stderr.isTTY === true, level });
  const opened = ports.admin && options.console !== 'off' ? await openConsole(file, compiled, options, logger) : null;
  const service = new Service({
    host: options.host,
    port: ports.port,
    admin: ports.admin,
    url: given,
    secrets: secretsIn(process.env),
    allowPrivate: options.allowPrivate ?? false,
    describe: describing(),
    pages: opened?.pages ?? null,
    log: logger,
  });
  opened?.show(service);
  holdYoungGeneration();
  let store: Store | null = null;
  let held: DirectoryLock | null = null;
  try {
    held = holdPlace(options);
    const log = process.stderr.isTTY ? undefined : logger;
    if (!(await bringRows(compiled, plan, options, io, log))) {
      held?.release();
      return null;
    }
    store = await openStore(options, plan, 'service');
    await service.start(plan, store);
  } catch (error) {
    await store?.close();
    held?.release();
    reportFailure(error, options, io);
    return null;
  }
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  const local = `http://${host}:${service.port}`;
  const log = process.stderr.isTTY ? undefined : logger;
  const watcher = options.watch ? watchDocument(file, read, { options, service, io, log, opened }) : null;
  const running: Running = {
    port: service.port,
    adminPort: service.adminPort,
    stop: async () => {
      watcher?.close();
      opened?.end();
      await service.stop();
      held?.release();
    },
  };
  // Before anybody is told that it runs: whoever is told may stop it at once.
  started(running);
  io.out(banner(plan, { url: plan.address.url ?? given ?? local, local }, service, options));
  if (opened) io.out(`The console is at ${opened.link()}\nThe link works once, within ten minutes.\n`);
  return running;
}

/** Whether the document can be served where the operator says; false after saying why not. */
function fitsAddress(plan: Plan, given: string | null, io: Io): boolean {
  const wrong = addressProblem(plan, given);
  if (!wrong) return true;
  io.err(`error: ${oneLine(wrong)}\n`);
  io.exit(EXIT.wrongUse);
  return false;
}

/**
 * Brings the rows of the store to the document, where they are those of another. False, after saying why, where
 * that is refused.
 */
async function bringRows(
  compiled: Compiled,
  plan: Plan,
  options: ServeOptions,
  io: Io,
  log: Log | undefined,
): Promise<boolean> {
  // There is no way back but another document.
  if (await differs(plan, options)) await tryOut(plan, options.url === undefined ? null : baseUrl(options.url));
  const asked = { place: options, dry: false, json: false, back: false, log };
  const outcome = await migrate(compiled.name, plan, readAnswers(compiled, plan, options), asked, io);
  if (outcome === 'wrong use') io.exit(EXIT.wrongUse);
  if (outcome === 'refused') io.exit(EXIT.findings);
  return outcome === 'nothing' || outcome === 'done';
}

/** What is served where: each endpoint with its access and limits. */
function banner(
  plan: Plan,
  { url, local }: { readonly url: string; readonly local: string },
  service: Service,
  options: ServeOptions,
): string {
  const version = plan.versions ? `, version ${plan.versions.current}` : '';
  const lines = [`${plan.title} (${plan.document}${version}) at ${url}`];
  const width = Math.max(...plan.endpoints.map((one) => one.name.length));
  for (const one of plan.endpoints)
    lines.push(`  ${one.name.padEnd(width)}  ${(one.access ?? 'anyone').padEnd(16)}  ${limitsOf(plan, one)}`);
  for (const { method, path } of plan.unsettled)
    lines.push(`  ${`${method} ${path}`.padEnd(width)}  not settled: answers 501`);
  if (url !== local) lines.push(`The service listens at ${local}`);
  lines.push(`Rows are in ${placeName(options)}.`);
  if (service.adminPort !== null)
    lines.push(`The operator’s port is ${service.adminPort}: /livez, /readyz, /metrics, /openapi.json, /asyncapi.json`);
  return `${lines.map(oneLine).join('\n')}\n`;
}

const COUNTED = { address: 'address', caller: 'caller', nobody: 'address without a caller' } as const;

function limitsOf(plan: Plan, endpoint: EndpointPlan): string {
  const out = endpoint.before.flatMap((step) => {
    if (step.do === 'limit') {
      const rate = plan.rates[step.rate]!;
      const counted = step.callers ? 'address' : COUNTED[rate.per];
      return [`${rate.count} in ${showDuration(rate.milliseconds)} each ${counted}`];
    }
    if (step.do === 'read body') return [showSize(step.most)];
    return step.do === 'read page' ? [`${step.page.standard} to ${step.page.most} a page`] : [];
  });
  if (endpoint.timeout !== null) out.push(showDuration(endpoint.timeout));
  return out.join(', ');
}

/** Which file it is, and when it was last changed; null where it can’t be told. */
function stateOf(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? `${found.dev} ${found.ino} ${found.mtimeMs} ${found.size}` : null;
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

/**
 * Serves the document anew when it changes. Editors replace files, so the directory is watched; what has changed since
 * the document was read has, too. A link says nothing when what it points at changes, so that it is looked at as well.
 */
function watchDocument(file: string, read: string | null, watched: Watched): { close(): void } {
  let timer: NodeJS.Timeout | undefined;
  let working = Promise.resolve();
  let compiling = new AbortController();
  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // What the edit before this one compiles to, nobody waits for any more.
      compiling.abort();
      compiling = new AbortController();
      const { signal } = compiling;
      working = working.then(() => reload(file, watched, signal));
    }, 100);
  };
  let seen = read;
  const look = (told: boolean): void => {
    const now = stateOf(file);
    if (told || now !== seen) changed();
    seen = now;
  };
  const watcher = watchDirectory(dirname(resolve(file)), (name) => {
    if (name === basename(file)) look(true);
  });
  const looking = setInterval(() => look(false), POLL_INTERVAL_MS);
  looking.unref();
  look(false);
  return {
    close: () => {
      clearTimeout(timer);
      compiling.abort();
      clearInterval(looking);
      watcher?.close();
    },
  };
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
  { options, service, io, log, opened }: Watched,
  signal: AbortSignal,
): Promise<void> {
  const quiet: Io = { ...io, exit: () => {} };
  const still = `${file} has changed, and the change is not served. The last good document is still served.\n`;
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
    const served = (await differs(edit.plan, options))
      ? await takeUp(edit, options, service, quiet)
      : await replace(edit.plan, options, service);
    if (served) opened?.replace(edit.report);
    if (served) io.out(`${file} has changed. The new document is served.\n`);
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
    io.err(`${name} drops or narrows what is stored: that is done when the service starts, not while it runs.\n`);
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
    throw new Stranded('Neither the new document nor the old one can be served any more', { cause: error });
  });
  return outcome === 'done' || outcome === 'nothing';
}
