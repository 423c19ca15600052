import { constants } from 'node:os';
import { type Command, Option } from 'commander';
import type { Compiled } from '../compiler/compile.ts';
import { descriptions } from '../export/served/descriptions.ts';
import { show } from '../expression/tree/expression.ts';
import { unitText } from '../plan/limits.ts';
import type { EndpointPlan, Plan } from '../plan/step.ts';
import { PROXY_HEADERS } from '../runtime/http/client-address.ts';
import { createLog, describeError, type Log } from '../runtime/log.ts';
import { Service } from '../runtime/service.ts';
import { Tracing } from '../runtime/tracing/tracing.ts';
import type { DirectoryLock } from '../store/sqlite/lock.ts';
import type { Store } from '../store/store.ts';
import { baseUrl } from '../text/address.ts';
import { showDuration, showSize } from '../text/units.ts';
import { oneLine } from '../text/visible.ts';
import { type MigrationOptions, migrationOptions, readAnswers } from './answers.ts';
import { type OpenConsole, openConsole } from './console.ts';
import { loadDocument } from './document.ts';
import { holdYoungGeneration } from './garbage.ts';
import { EXIT, type Io } from './io.ts';
import { differs, migrate } from './migrating.ts';
import { addressProblem, reportFailure, settledPlan } from './open.ts';
import { editProblem, LEVELS, type Ports, readPorts } from './ports.ts';
import { Reloading, stateOf } from './reloading.ts';
import { secretsIn } from './secrets.ts';
import { holdPlace, openStore, type Place, placeName, withPlace } from './stores.ts';
import { notifierOf } from './systemd.ts';
import { tryOut } from './trial.ts';
import { programVersion } from './version.ts';

export interface ServeOptions extends Place, MigrationOptions {
  readonly host: string;
  readonly port: string;
  readonly listen?: string;
  readonly trustProxy?: string;
  readonly proxyHeaders?: string;
  readonly url?: string;
  readonly admin?: string;
  readonly adminNames?: string;
  readonly settledOnly?: boolean;
  readonly watch?: boolean;
  readonly edit?: boolean;
  readonly allowPrivate?: boolean;
  readonly console?: string;
  readonly log: string;
}

const AFTER = `
The service starts when the document has no findings. Otherwise the command lists the findings and ends with 1.

On SIGHUP, the service reads the document and the keys of token schemes again. When it can’t serve the new document,
it continues with the old one. (When a terminal closes, its SIGHUP stops the service.)

On the first SIGTERM or SIGINT, the service finishes its work and stops. Requests under way have the longest time-out of
the document to finish (10 seconds when some endpoint has none). Deliveries and outside handlers have 10 seconds; the
service then aborts them, and repeats them after the next start. A running migration finishes. On the second signal,
the service ends at once.

Logs go to standard error: text on a terminal, otherwise JSON lines. They contain no key, secret or value of a request.

When the document has changed, the service first migrates the stored rows, and prints the changes.
\`ninefold migrate --help\` describes the options of a migration.

The signing key of a token scheme is in NINEFOLD_KEY_<SCHEME>, or in the file that NINEFOLD_KEY_<SCHEME>_FILE names.

Examples:
  $ ninefold serve orders.md
  $ ninefold serve orders.md --port 8080 --data /var/lib/orders --admin 127.0.0.1:9090
  $ ninefold serve orders.md --store postgres://ninefold@127.0.0.1:5432/orders
  $ ninefold serve orders.md --watch
  $ ninefold serve orders.md --edit --admin 127.0.0.1:9090`;

/** Adds `serve FILE`. */
export function register(program: Command, io: Io): void {
  const command = withPlace(program.command('serve'))
    .description('Runs the service that a document describes.')
    .argument('<FILE>', 'the document')
    .option('--host <HOST>', 'the address to listen on', '127.0.0.1')
    .option('--port <PORT>', 'the port to listen on; 0 picks a free one', '3000')
    .addOption(
      new Option(
        '--listen <unix:PATH|systemd>',
        'the Unix socket to listen on, or the socket that systemd passes',
      ).conflicts(['host', 'port']),
    )
    .option(
      '--trust-proxy <ADDRESSES>',
      'the proxies that may state the client’s address: addresses, ranges, loopback, unix',
    )
    .option(
      '--proxy-headers <NAMES>',
      `the headers that the proxies write: ${PROXY_HEADERS.join(', ')}. Do not name a header that they only pass on`,
    )
    .option('--url <URL>', 'the public address; required where the document uses service.url')
    .option(
      '--admin <HOST:PORT>',
      'the address of the console, /livez, /readyz, /metrics, /openapi.json and /asyncapi.json (default: none)',
    )
    .option(
      '--admin-names <NAMES>',
      'further host names, separated by commas, that requests for /metrics and the descriptions may have; addresses and localhost are always allowed',
    )
    .option('--console <on|off>', 'whether --admin serves the console for browsers', 'on')
    .option('--settled-only', 'serve the endpoints without findings, and answer 501 at the others')
    .option('--watch', 'reload the document when it changes; after a bad edit, serve the last good one')
    .option('--edit', 'let operators edit the document in the console, and serve what they save')
    .option('--allow-private', 'allow webhooks to private addresses, for receivers that callers register')
    .option('--log <LEVEL>', `the lowest level that is logged: ${LEVELS.join(', ')}`, 'info');
  migrationOptions(command)
    .addHelpText('after', AFTER)
    .action(async (file: string, options: ServeOptions) => {
      await serve(file, options, io, (running) =>
        // A closed terminal also sends SIGHUP, so the signal reloads only without a terminal.
        heedSignals(() => running.stop(), process.stderr.isTTY ? null : () => running.reload()),
      );
    });
}

/** A running service. */
export interface Running {
  readonly port: number;
  readonly adminPort: number | null;
  /** Reads the document and the keys again, and serves them if possible. */
  reload(): void;
  stop(): Promise<void>;
}

/**
 * Starts to serve a document, and calls `started` once it runs. Returns null, after printing the reason, if it cannot
 * be served.
 */
export async function serve(
  file: string,
  options: ServeOptions,
  io: Io,
  started: (running: Running) => void = () => {},
): Promise<Running | null> {
  const ports = readPorts(options, io);
  if (!ports || !mayEdit(file, options, io)) return null;
  const read = stateOf(file);
  const compiled = loadDocument(file, io);
  const plan = compiled && settledPlan(compiled, options.settledOnly ?? false, io);
  if (!plan) return null;
  const given = options.url === undefined ? null : baseUrl(options.url);
  if (!fitsAddress(plan, given, io)) return null;
  const level = LEVELS.find((one) => one === options.log) ?? 'info';
  const logger = createLog(process.stderr, { text: process.stderr.isTTY === true, level });
  const opened = ports.admin && options.console !== 'off' ? await openConsole(file, compiled, options, logger) : null;
  const tracing = tracingNow(logger);
  const service = serviceOf(options, ports, given, opened, logger, tracing);
  opened?.show(service);
  holdYoungGeneration();
  let store: Store | null = null;
  let held: DirectoryLock | null = null;
  const taken = Promise.withResolvers<void>();
  try {
    held = holdPlace(options, taken.resolve);
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
  const local = options.listen ?? `http://${host}:${service.port}`;
  const log = process.stderr.isTTY ? undefined : logger;
  const reloading = new Reloading(file, { options, service, io, log, opened });
  if (options.watch) reloading.watch(read);
  opened?.follow(reloading);
  const systemd = notifierOf(process.env, logger);
  const running: Running = {
    port: service.port,
    adminPort: service.adminPort,
    reload: () => reloading.soon('asked'),
    stop: async () => {
      systemd.stopping();
      reloading.close();
      opened?.end();
      await service.stop();
      held?.release();
      await tracing?.flush();
    },
  };
  // Before anything reports that the service runs, because a reader of the report may stop it at once.
  started(running);
  void taken.promise.then(() => stopTaken(running, options, io, logger));
  io.outlive?.();
  systemd.ready();
  io.out(banner(plan, { url: plan.address.url ?? given ?? local, local }, service, options));
  if (opened) io.out(`The console is at ${opened.link()}\nThe link works once, within ten minutes.\n`);
  return running;
}

/** Stops a service whose data directory another process has locked. */
async function stopTaken(running: Running, options: ServeOptions, io: Io, log: Log): Promise<void> {
  io.err(`error: ${oneLine(`another service holds ${placeName(options)} now. This one stops.`)}\n`);
  log('error', 'directory.lost', { directory: options.data });
  io.exit(EXIT.unavailable);
  await running.stop();
  io.leave?.();
}

function serviceOf(
  options: ServeOptions,
  ports: Ports,
  url: string | null,
  opened: OpenConsole | null,
  log: Log,
  tracing: Tracing | null,
): Service {
  return new Service({
    host: options.host,
    ...ports,
    url,
    secrets: secretsIn(process.env),
    allowPrivate: options.allowPrivate ?? false,
    describe: descriptions(),
    pages: opened?.pages ?? null,
    answered: opened?.answered ?? null,
    log,
    tracing,
  });
}

/** Tracing through the OpenTelemetry SDK that the operator has registered; null if there is none. */
function tracingNow(log: Log): Tracing | null {
  const tracing = Tracing.registered(programVersion(), (error) => log('error', 'tracing.failed', describeError(error)));
  if (tracing) log('info', 'tracing.on');
  return tracing;
}

/** Whether the service may let operators edit the document, where they ask for it; prints the reason if not. */
function mayEdit(file: string, options: ServeOptions, io: Io): boolean {
  const wrong = options.edit ? editProblem(file, options) : null;
  if (wrong === null) return true;
  io.err(`error: ${oneLine(wrong)}\n`);
  io.exit(EXIT.wrongUse);
  return false;
}

/** Whether the document can be served at the operator's address; prints the reason if not. */
function fitsAddress(plan: Plan, given: string | null, io: Io): boolean {
  const wrong = addressProblem(plan, given);
  if (!wrong) return true;
  io.err(`error: ${oneLine(wrong)}\n`);
  io.exit(EXIT.wrongUse);
  return false;
}

/**
 * Migrates the rows of the store if they have the shape of another document. Returns false, after printing the reason,
 * if the migration is refused.
 */
async function bringRows(
  compiled: Compiled,
  plan: Plan,
  options: ServeOptions,
  io: Io,
  log: Log | undefined,
): Promise<boolean> {
  // A migration can only be undone by another document, so the new one is tried first.
  if (await differs(plan, options)) await tryOut(plan, options.url === undefined ? null : baseUrl(options.url));
  const asked = { place: options, dry: false, json: false, back: false, log };
  const outcome = await migrate(compiled.name, plan, readAnswers(compiled, plan, options), asked, io);
  if (outcome === 'wrong use') io.exit(EXIT.wrongUse);
  if (outcome === 'refused') io.exit(EXIT.findings);
  return outcome === 'nothing' || outcome === 'done';
}

/** The start message: each endpoint with its access and limits. */
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

function limitsOf(plan: Plan, endpoint: EndpointPlan): string {
  const out = endpoint.before.flatMap((step) => {
    if (step.do === 'limit') {
      const rate = plan.rates[step.rate]!;
      const counted = unitText(rate.per, rate.row ? show(rate.row) : '', step.callers);
      const most = typeof rate.count === 'number' ? rate.count : show(rate.count);
      return [`${most} in ${showDuration(rate.milliseconds)} each ${counted}`];
    }
    if (step.do === 'read body') return [showSize(step.most)];
    return step.do === 'read page' ? [`${step.page.standard} to ${step.page.most} a page`] : [];
  });
  if (endpoint.timeout !== null) out.push(showDuration(endpoint.timeout));
  return out.join(', ');
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * The time in milliseconds within which two signals count as one: npm forwards a signal that the terminal has already
 * sent to the whole process group.
 */
const SAME_MS = 100;

/** How long a process that has stopped may take to end by itself, in milliseconds. */
const END_MS = 1000;

/**
 * Handles signals. The first one stops the service gracefully. A further one ends the process at once, with the exit
 * code 128 plus the number of the signal; acknowledged writes are not lost. SIGHUP calls `reload`, or stops the service
 * if there is none.
 */
function heedSignals(stop: () => Promise<void>, reload: (() => void) | null = null): void {
  let first: NodeJS.Signals | null = null;
  let at = 0;
  const heard = (signal: NodeJS.Signals): void => {
    if (first === null && signal === 'SIGHUP' && reload) reload();
    else if (first === null) {
      first = signal;
      at = performance.now();
      // Open handles of the team's modules do not keep the process alive.
      void stop().finally(() => setTimeout(() => process.exit(), END_MS).unref());
    } else if (signal !== first || performance.now() - at > SAME_MS) process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.on(signal, heard);
}
