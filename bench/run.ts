// `npm run bench`: Ninefold and its peers, checked against each other and measured.
import { writeFileSync } from 'node:fs';
import { checkServers } from './check/check.ts';
import { Unequal } from './check/other.ts';
import { Interruption } from './interrupted.ts';
import { Loader } from './loader.ts';
import type { Machine } from './machine.ts';
import { HELP, type Options, readOptions, WrongUse } from './options.ts';
import type { Where } from './process.ts';
import { chart } from './report/chart.ts';
import { jsonReport } from './report/json.ts';
import { beforeText, marksText } from './report/marks.ts';
import { tablesText } from './report/text.ts';
import { tripsText } from './report/trips.ts';
import { measureRounds } from './rounds.ts';
import { makeRows } from './rows.ts';
import { datasetFile, setUp } from './setup.ts';
import { PostgresStorage } from './storage/postgres.ts';
import { sqliteStorage } from './storage/sqlite.ts';
import type { Storage } from './storage/storage.ts';
import { summarise } from './summary.ts';
import { measureTrips } from './trips/measure.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

const INTERRUPTED = 'The run was interrupted: medians are of the rounds that were measured, and no chart is drawn.';

async function main(options: Options): Promise<void> {
  const { where, machine } = setUp(options.data, options.before, say, options.store);
  if (options.store === 'sqlite') return bench(options, where, machine, sqliteStorage(options.data, where.syncs));
  const storage = await PostgresStorage.start(options.data);
  process.stdout.write(`PostgreSQL ${storage.version} with fsync and synchronous_commit on.\n\n`);
  try {
    await bench(options, where, { ...machine, postgres: storage.version }, storage);
  } finally {
    await storage.close();
  }
}

async function bench(options: Options, where: Where, machine: Machine, storage: Storage): Promise<void> {
  const cells = options.cells.filter((cell) => where.syncs !== null || cell.delay === 0);
  if (cells.length < options.cells.length) say('Syncs cannot be delayed here: cells that ask for it are left out.');
  say(`Making ${options.rows} orders`);
  const templates = await makeRows(options.rows, where, storage, options.before !== null);
  await checkServers(options.servers, where, templates, say);
  if (options.checkOnly) return;
  if (options.trips) {
    const trips = await measureTrips(options.servers, where, templates, say);
    process.stdout.write(`${tripsText(trips)}\n`);
    if (options.json !== null)
      writeFileSync(options.json, `${JSON.stringify({ format: 1, machine, trips }, null, 1)}\n`);
    return;
  }
  const loader = new Loader(datasetFile(options.data), where.pinned);
  try {
    const plan = { ...options, cells };
    const profiled = { ...where, profiles: options.profiles };
    const measured = await measureRounds({ plan, where: profiled, templates, loader }, say);
    const summaries = summarise(measured);
    process.stdout.write(`${tablesText(summaries)}\n`);
    const marks = options.store === 'sqlite' ? marksText(summaries) : null;
    if (marks !== null) process.stdout.write(`\n${marks}\n`);
    if (options.before !== null) process.stdout.write(`\n${beforeText(summaries)}\n`);
    const interrupted = where.interrupted.soon.aborted;
    if (interrupted) process.stdout.write(`\n${INTERRUPTED}\n`);
    if (options.json !== null)
      writeFileSync(options.json, jsonReport(machine, options, measured, summaries, interrupted));
    const drawn = options.svg === null || interrupted ? null : chart(summaries, machine);
    if (drawn !== null) writeFileSync(options.svg!, drawn);
    else if (options.svg !== null && !interrupted)
      say('There is nothing to draw: a chart needs Fastify and another server.');
  } finally {
    loader.close();
  }
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options) await main(options);
  else process.stdout.write(HELP);
} catch (error) {
  if (!(error instanceof WrongUse || error instanceof Unequal || error instanceof Interruption)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode ??= error instanceof WrongUse ? 2 : 1;
}
