// `npm run bench`: Ninefold and its peers, checked against each other and measured.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { build, buildSyncLibrary } from './build.ts';
import { checkServers } from './check/check.ts';
import { Unequal } from './check/other.ts';
import { benchedDocument } from './document.ts';
import { Loader } from './loader.ts';
import { describeMachine } from './machine.ts';
import { HELP, type Options, readOptions, WrongUse } from './options.ts';
import { canPin, type Where } from './process.ts';
import { chart } from './report/chart.ts';
import { jsonReport } from './report/json.ts';
import { marksText } from './report/marks.ts';
import { machineText, tablesText } from './report/text.ts';
import { measureRounds } from './rounds.ts';
import { makeRows } from './rows.ts';
import { summarise } from './summary.ts';
import { makeSyncFile } from './syncs.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(options: Options): Promise<void> {
  build(say);
  const syncsCounted = buildSyncLibrary();
  const pinned = canPin();
  const where: Where = {
    data: options.data,
    document: join(options.data, 'orders.md'),
    syncs: syncsCounted ? join(options.data, 'syncs') : null,
    pinned,
    profiles: null,
  };
  mkdirSync(options.data, { recursive: true });
  if (where.syncs !== null) makeSyncFile(where.syncs);
  const cells = options.cells.filter((cell) => syncsCounted || cell.delay === 0);
  if (cells.length < options.cells.length) say('Syncs cannot be delayed here: cells that ask for it are left out.');
  writeFileSync(where.document, benchedDocument());
  const sqlite = new Database(':memory:').prepare('SELECT sqlite_version()').pluck().get() as string;
  const machine = describeMachine(options.data, sqlite, pinned, syncsCounted);
  process.stdout.write(`${machineText(machine)}\n\n`);
  say(`Making ${options.rows} orders`);
  const templates = await makeRows(options.rows, where);
  await checkServers(options.servers, where, templates, say);
  if (options.checkOnly) return;
  const loader = new Loader(join(options.data, 'dataset.json'), pinned);
  try {
    const measured = await measureRounds(
      { ...options, cells },
      { ...where, profiles: options.profiles },
      templates,
      loader,
      say,
    );
    const summaries = summarise(measured);
    process.stdout.write(`${tablesText(summaries)}\n`);
    const marks = marksText(summaries);
    if (marks !== null) process.stdout.write(`\n${marks}\n`);
    if (options.json !== null) writeFileSync(options.json, jsonReport(machine, options, measured, summaries));
    const drawn = options.svg === null ? null : chart(summaries, machine);
    if (drawn !== null) writeFileSync(options.svg!, drawn);
    else if (options.svg !== null) say('There is nothing to draw: a chart needs Fastify and another server.');
  } finally {
    loader.close();
  }
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options) await main(options);
  else process.stdout.write(HELP);
} catch (error) {
  if (!(error instanceof WrongUse || error instanceof Unequal)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = error instanceof WrongUse ? 2 : 1;
}
