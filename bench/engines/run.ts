// `npm run bench:engines`: what people would take instead, tried and measured beside Ninefold.
import { rmSync, writeFileSync } from 'node:fs';
import type { Cell } from '../cells.ts';
import { Interruption } from '../interrupted.ts';
import { Loader } from '../loader.ts';
import { WrongUse } from '../options.ts';
import { databaseFile } from '../peers/orders/start.ts';
import type { Where } from '../process.ts';
import { type Measurement, measureRounds } from '../rounds.ts';
import { makeRows, type Templates } from '../rows.ts';
import { type Server, serverOf } from '../servers.ts';
import { datasetFile, setUp } from '../setup.ts';
import { sqliteStorage, templateIn } from '../storage/sqlite.ts';
import { type Summary, summarise } from '../summary.ts';
import { CONTROL } from './control.ts';
import { type Engine, type Spoken, serverOfEngine } from './engine.ts';
import { install } from './install.ts';
import { HELP, type Options, readOptions } from './options.ts';
import { tablesText, triedText } from './report.ts';
import { type Tried, tryServer } from './trial.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

const CELLS: readonly Cell[] = (['read', 'list', 'create'] as const).map((work) => ({
  work,
  connections: 64,
  delay: 0,
}));

/** What became of an engine: what was tried of it, or why it does not take part. */
interface Outcome {
  readonly engine: string;
  readonly tried: readonly Tried[];
  readonly absent: string | null;
}

async function main(options: Options): Promise<void> {
  const { where, machine } = setUp(options.data, null, say);
  say(`Making ${options.rows} orders`);
  const templates = await makeRows(options.rows, where, sqliteStorage(where.data, where.syncs));
  const control = serverOf('ninefold')!;
  const tried = options.tries ? await tryOne(control, CONTROL, control.title, where, templates) : [];
  const outcomes: Outcome[] = [];
  for (const engine of options.engines) outcomes.push(await takeUp(engine, options.tries, where, templates));
  const present = options.engines.filter((_, i) => outcomes[i]!.absent === null);
  if (!options.measures) return;
  const servers = [control, serverOf('fastify')!, ...present.map(serverOfEngine)];
  const { measurements, summaries } = await measureAll(servers, options, where, templates);
  process.stdout.write(`${tablesText(summaries, servers)}\n`);
  if (options.json === null) return;
  const { rounds, seconds, warmup, start, rows } = options;
  const terms = { rounds, seconds, warmup, start, rows };
  const report = { format: 1, machine, terms, control: tried, engines: outcomes, summaries, measurements };
  writeFileSync(options.json, `${JSON.stringify(report, null, 1)}\n`);
}

/** Installs an engine, makes its data and tries it. One that can't be is told with its reason, and the others go on. */
async function takeUp(engine: Engine, tries: boolean, where: Where, templates: Templates): Promise<Outcome> {
  try {
    install(engine, say);
    say(`Making the rows of ${engine.title}`);
    const directory = await templates.storage.create(engine.name);
    const orders = databaseFile(templateIn(where.data, 'orders'));
    await engine.make({ orders, dataset: templates.dataset, where }, directory);
    const heading = `${engine.title}, on ${engine.store}. ${engine.made}`;
    const tried = tries ? await tryOne(serverOfEngine(engine), engine, heading, where, templates) : [];
    return { engine: engine.name, tried, absent: null };
  } catch (error) {
    where.interrupted.soon.throwIfAborted();
    const absent = error instanceof Error ? error.message : String(error);
    process.stdout.write(`${engine.title} does not take part: ${absent}\n\n`);
    return { engine: engine.name, tried: [], absent };
  }
}

/** Tries a server on rows of its own, and prints what it did. */
async function tryOne(
  server: Server,
  spoken: Spoken,
  heading: string,
  where: Where,
  templates: Templates,
): Promise<Tried[]> {
  say(`Trying ${server.title}`);
  const data = await templates.storage.copy(server.rows!, `${server.name}-tried`);
  try {
    const tried = await tryServer({ server, spoken, where: { ...where, data }, dataset: templates.dataset });
    process.stdout.write(`${triedText(heading, tried)}\n\n`);
    return tried;
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

async function measureAll(
  servers: readonly Server[],
  options: Options,
  where: Where,
  templates: Templates,
): Promise<{ measurements: Measurement[]; summaries: Summary[] }> {
  const loader = new Loader(datasetFile(where.data), where.pinned);
  try {
    const plan = { ...options, servers, cells: CELLS, nodes: 1 };
    const measurements = await measureRounds({ plan, where, templates, loader }, say);
    return { measurements, summaries: summarise(measurements) };
  } finally {
    loader.close();
  }
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options) await main(options);
  else process.stdout.write(HELP);
} catch (error) {
  if (!(error instanceof WrongUse || error instanceof Interruption)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode ??= error instanceof WrongUse ? 2 : 1;
}
