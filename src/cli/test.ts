import { basename, dirname } from 'node:path';
import { type Command, Option } from 'commander';
import { contractOf } from '../contract/contract-of.ts';
import type { Plan } from '../plan/step.ts';
import { lookAt } from '../store/paths.ts';
import { counted, readDuration, showDuration } from '../text/units.ts';
import { oneLine } from '../text/visible.ts';
import { jsonReport } from '../verify/report/json.ts';
import { junitReport } from '../verify/report/junit.ts';
import { keptShareOf, type Report } from '../verify/report/report.ts';
import { textReport } from '../verify/report/text.ts';
import { wfcReport } from '../verify/report/wfc.ts';
import { type Only, OnlyError, onlyOf } from '../verify/run/only.ts';
import type { Progress, VerifyOptions } from '../verify/run/options.ts';
import { messageOf, SetupError } from '../verify/setup/failures.ts';
import type { Statement } from '../verify/statements/statement.ts';
import { statementsOf } from '../verify/statements/statements.ts';
import { AddressError } from '../verify/target/loopback.ts';
import { loadDocument } from './document.ts';
import { EXIT, type Io } from './io.ts';
import { reportFailure, settledPlan } from './open.ts';
import { dryRunJson, dryRunText } from './testing/dry-run.ts';
import { OwnStoreError } from './testing/own-stores.ts';
import { Unreachable, withTested } from './testing/tested.ts';
import { programVersion } from './version.ts';
import { WriteError, writeWhole } from './write-whole.ts';

const AFTER = `
The test sends requests that the document allows and requests that it refuses, and compares every
answer with the document. Without --url, the command starts the document's own service in memory,
with a clock that the test can move. With --url, the command tests any service, and --setup does the
operator's part.

The test creates, changes and removes rows, and sends requests until limits refuse them. The command
tests only addresses of this machine, unless --allow-remote allows others.

The report lists each statement of the document as kept, broken or untestable. A statement is
untestable when the test could not try all parts of it; the report gives the reason. For each break,
the report lists the fewest requests that reproduce the break, as curl commands.

--setup FILE is a JSON file that lists the rows, callers and receivers of the service:

  {
    "rows": [{ "resource": "Customer", "fields": { "id": "7d0c…", "name": "Ada", "email": "ada@example.com" } }],
    "callers": [{ "scheme": "API key", "identity": "7d0c…", "scopes": ["orders:read"], "credentials": "k_…" }],
    "receivers": [{ "url": "http://127.0.0.1:4000/", "events": ["order.placed"], "version": null, "secret": "whsec_…" }]
  }

or a module (.js, .mjs, .ts) that exports functions, or setup(url), which returns an object with them:

  export const row = async (resource, fields) => …             // adds a row; returns all its fields
  export const caller = async (scheme, identity, scopes) => …  // returns new credentials of a row
  export const receiver = async (url, events, version) => …    // registers a receiver; returns its secret
  export const clock = { now: async () => …, pass: async (ms) => … }  // the service's time, in milliseconds
  export const reset = async () => …                           // removes all rows and counts
  export const close = async () => …                           // called once at the end

Each member is optional. Without a member, the statements that need it are untestable.

Exit codes:
  0  nothing is broken
  1  a statement is broken, or the document has findings
  2  wrong use of the command line
  3  the service can't be reached or stopped answering, the setup failed, or the run was interrupted
  4  nothing is broken, but fewer statements are kept than --require-kept says

Examples:
  $ ninefold test orders.md
  $ ninefold test orders.md --only "POST /orders" --seed 7
  $ ninefold test orders.md --url http://127.0.0.1:3000 --setup setup.mjs
  $ ninefold test orders.md --url http://127.0.0.1:3000 --setup setup.json --dry-run
  $ ninefold test orders.md --budget 5m --require-kept 90% --junit report.xml`;

interface TestOptions {
  readonly url?: string;
  readonly setup?: string;
  readonly serviceUrl?: string;
  readonly store?: string;
  readonly seed: string;
  readonly only?: string;
  readonly budget: string;
  readonly timeout: string;
  readonly maxBreaks: string;
  readonly requireKept: string;
  readonly dryRun?: boolean;
  readonly allowRemote?: boolean;
  readonly json?: boolean;
  readonly junit?: string;
  readonly wfc?: string;
}

/** Adds `test FILE`. */
export function register(program: Command, io: Io): void {
  program
    .command('test')
    .description('Tests whether a service does what a document says: the document’s own service, or any other.')
    .argument('<FILE>', 'the document, or - for standard input')
    .option('--url <URL>', 'the service to test (default: the document’s own service)')
    .option('--setup <FILE>', 'the file with rows, credentials, receivers and the clock: JSON, or a module')
    .option('--service-url <URL>', 'the value of service.url, when it differs from --url')
    .addOption(
      new Option(
        '--store <STORE>',
        'the store of the document’s own service: memory, sqlite, or postgres://USER@HOST:PORT/DATABASE',
      ).conflicts('url'),
    )
    .option('--seed <N>', 'the seed of random choices: the same seed makes the same requests', '1')
    .option('--only <NAME>', 'test one part, one endpoint, or the statement in one line')
    .option('--budget <DURATION>', 'how much to do, as the time that it takes on a slow machine: 30s, 5m', '55s')
    .option('--timeout <DURATION>', 'the longest time for one whole answer', '10s')
    .option('--max-breaks <N>', 'end the run after so many breaks', '25')
    .option(
      '--require-kept <PERCENT>',
      'the least share of statements that must be kept, or the command ends with 4',
      '50%',
    )
    .option('--dry-run', 'print what the command would test, and send nothing')
    .option('--allow-remote', 'allow a service on another machine')
    .option('--json', 'print the report as JSON')
    .option('--junit <PATH>', 'write the report as JUnit XML')
    .option('--wfc <PATH>', 'write the report in the Web Fuzzing Commons format')
    .addHelpText('after', AFTER)
    .action((file: string, options: TestOptions) => test(file, options, io));
}

/** The settings of a run, read from the command line. */
interface TestSettings {
  readonly plan: Plan;
  readonly statements: readonly Statement[];
  readonly only: Only | null;
  readonly seed: number;
  readonly budget: number;
  readonly timeout: number;
  readonly mostBreaks: number;
  readonly requireKept: number;
}

async function test(file: string, options: TestOptions, io: Io): Promise<void> {
  const compiled = loadDocument(file, io);
  const plan = compiled && settledPlan(compiled, false, io);
  if (!plan) return;
  const ending = new AbortController();
  const uncaught = new UncaughtErrors(options.setup, ending);
  try {
    const contract = contractOf(plan);
    const statements = statementsOf(plan, contract, compiled.lines.text);
    const settings = readSettings(options, plan, statements);
    const { timeout } = settings;
    await withTested({ plan, contract, options: { ...options, timeout } }, async ({ subject, url }) => {
      const { only, seed, budget, mostBreaks, requireKept } = settings;
      const of = { subject, url, statements, only, seed, budget };
      const about = { ...of, text: compiled.lines.text, mostBreaks, requireKept, version: programVersion() };
      if (options.dryRun) io.out(options.json ? dryRunJson(about) : dryRunText(about));
      else await run(about, ending, options, io);
    });
  } catch (error) {
    failed(error, options, io);
  } finally {
    // With `leave`, the process exits soon: a stray error until then must not change its exit code.
    if (!io.leave) uncaught.stop();
  }
  if (uncaught.message !== null) {
    io.err(`error: ${oneLine(uncaught.message)}\n`);
    io.exit(EXIT.unavailable);
  }
  // Exit even if the setup module has left connections open, which would keep the process alive.
  if (options.setup !== undefined) io.leave?.();
}

/** Reads what the options say. Throws WrongUse or OnlyError. */
function readSettings(options: TestOptions, plan: Plan, statements: readonly Statement[]): TestSettings {
  const { seed, only, budget, timeout, maxBreaks } = options;
  if (!/^\d{1,10}$/.test(seed) || Number(seed) > 0x7fffffff)
    throw new WrongUse(`“${seed}” is not a seed. A seed is a whole number from 0 to 2147483647.`);
  if (!/^[1-9]\d{0,5}$/.test(maxBreaks))
    throw new WrongUse(`“${maxBreaks}” is not a number of breaks. It is a whole number from 1 to 999999.`);
  const problem = placeProblem(options);
  if (problem !== null) throw new WrongUse(problem);
  return {
    plan,
    statements,
    only: only === undefined ? null : onlyOf(only, statements, plan),
    seed: Number(seed),
    budget: durationOf(budget, 'budget'),
    timeout: durationOf(timeout, 'time-out'),
    mostBreaks: Number(maxBreaks),
    requireKept: percentOf(options.requireKept),
  };
}

/** The longest duration that an option accepts. */
const WEEK_MS = 7 * 86_400_000;

function durationOf(text: string, what: string): number {
  const milliseconds = readDuration(text, WEEK_MS);
  if (milliseconds === null)
    throw new WrongUse(`“${text}” is not a ${what}. A ${what} is a number with a unit: 30s, 5m or 1h.`);
  return milliseconds;
}

function percentOf(text: string): number {
  const percent = /^(\d{1,3})%?$/.exec(text)?.[1];
  if (percent === undefined || Number(percent) > 100)
    throw new WrongUse(`“${text}” is not a share of statements. A share is a whole number of percent from 0% to 100%.`);
  return Number(percent);
}

/** An option with an invalid value. */
class WrongUse extends Error {}

const WRONG_USE = [WrongUse, OnlyError, AddressError, OwnStoreError] as const;

async function run(about: VerifyOptions, ending: AbortController, options: TestOptions, io: Io): Promise<void> {
  const { verify } = await import('../verify/run/verify.ts');
  const interrupted = (): void => ending.abort();
  // The first interrupt ends the run with its report; the next one ends the process.
  process.once('SIGINT', interrupted);
  const progress = progressTo(io.progress, about.budget);
  try {
    const report = await verify({ ...about, progress: progress.show, signal: ending.signal });
    progress.end();
    printReport(report, options, io);
    io.exit(exitOf(report));
  } finally {
    progress.end();
    process.off('SIGINT', interrupted);
  }
}

/** Breaks decide the exit code first. A run that ended early could not test the statements that it did not reach. */
function exitOf(report: Report): number {
  if (report.breaks.length > 0) return EXIT.findings;
  if (report.stopped !== null) return EXIT.unavailable;
  return keptShareOf(report).suffices ? EXIT.settled : EXIT.untried;
}

/** Says why nothing was tested. */
function failed(error: unknown, options: TestOptions, io: Io): void {
  const wrongUse = WRONG_USE.some((kind) => error instanceof kind);
  const unavailable = error instanceof SetupError || error instanceof Unreachable;
  if (!wrongUse && !unavailable) {
    reportFailure(error, { data: 'memory', ...(options.store !== undefined && { store: options.store }) }, io);
    return;
  }
  io.err(`error: ${oneLine((error as Error).message)}\n`);
  io.exit(wrongUse ? EXIT.wrongUse : EXIT.unavailable);
}

/** Where a report goes. */
type ReportOptions = Pick<TestOptions, 'json' | 'junit' | 'wfc'>;

/** Why a report could not be written in the end, as far as that is known before; null where nothing is in the way. */
function placeProblem({ junit, wfc }: ReportOptions): string | null {
  for (const [option, path] of Object.entries({ junit, wfc })) {
    if (path === undefined) continue;
    if (path === '') return `--${option} names no file.`;
    if (lookAt(path, true)?.isDirectory()) return `--${option}: “${path}” is a directory. Name a file in it.`;
    if (!lookAt(dirname(path), true)?.isDirectory())
      return `--${option}: “${path}” can’t be written: there is no directory “${dirname(path)}”.`;
  }
  return null;
}

/** Writes the report to the files that are named, and prints it. */
function printReport(report: Report, { json, junit, wfc }: ReportOptions, io: Io): void {
  io.out(json ? jsonReport(report) : textReport(report));
  const files = [
    [junit, junitReport],
    [wfc, wfcReport],
  ] as const;
  for (const [path, text] of files) {
    if (path === undefined) continue;
    try {
      writeWhole(path, text(report));
    } catch (error) {
      if (!(error instanceof WriteError)) throw error;
      io.err(`error: ${oneLine(error.message)}\n`);
      io.exit(EXIT.wrongUse);
    }
  }
}

/** The interval at which the line of progress is written, in milliseconds. */
const PROGRESS_INTERVAL_MS = 200;
/** The control sequence that returns to the start of the line, and clears it. */
const CLEAR_LINE = '\r\u001b[K';

/** Shows the progress of a run. */
interface ProgressLine {
  readonly show: (progress: Progress) => void;
  /** Removes the line. */
  end(): void;
}

/**
 * Shows progress in one line that is overwritten. `write` writes to standard error if that is a terminal; if undefined,
 * nothing is shown. The line contains no foreign text.
 */
function progressTo(write: ((text: string) => void) | undefined, budget: number): ProgressLine {
  let last = Number.NEGATIVE_INFINITY;
  let shown = false;
  return {
    show: (progress) => {
      const at = performance.now();
      if (!write || at - last < PROGRESS_INTERVAL_MS) return;
      last = at;
      shown = true;
      write(`${CLEAR_LINE}${progressLine(progress, budget)}`);
    },
    end: () => {
      if (shown) write?.(CLEAR_LINE);
      shown = false;
    },
  };
}

function progressLine({ used, requests, breaks, tried, statements }: Progress, budget: number): string {
  const broken = breaks ? `, ${counted(breaks, 'break')}` : '';
  return `${Math.floor(used / 1000)} s of ${showDuration(budget)}: ${counted(requests, 'request')}, ${tried} of ${counted(statements, 'statement')} tried${broken}`;
}

/**
 * Catches errors that a setup module throws outside of its members, in a timer or in a promise that nobody awaits. Such
 * an error would end the process without a report, with the exit code of a break.
 */
class UncaughtErrors {
  private readonly file: string | undefined;
  private readonly ending: AbortController;
  private first: string | null = null;

  /** `ending` is aborted at the first error. Without a module, no error is caught. */
  constructor(file: string | undefined, ending: AbortController) {
    this.file = file;
    this.ending = ending;
    if (file !== undefined) process.on('uncaughtException', this.note);
  }

  /** A sentence about the first error; null if there was none. */
  get message(): string | null {
    return this.first;
  }

  stop(): void {
    process.off('uncaughtException', this.note);
  }

  private readonly note = (error: unknown): void => {
    this.first ??= `${basename(this.file ?? '')} failed outside of its members: ${messageOf(error)}. Wait for promises, and catch what timers throw.`;
    this.ending.abort();
  };
}
