import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ALL_CELLS, type Cell, CONNECTIONS, MAIN_CELLS, WORK_NAMES } from './cells.ts';
import { EARLIER, MAIN, namesOn, SERVERS, type Server, STORES, type StoreName } from './servers.ts';

export interface Options {
  readonly store: StoreName;
  readonly servers: readonly Server[];
  readonly cells: readonly Cell[];
  readonly rounds: number;
  readonly seconds: number;
  readonly warmup: number;
  readonly start: number;
  readonly rows: number;
  readonly nodes: number;
  readonly data: string;
  readonly json: string | null;
  readonly svg: string | null;
  readonly profiles: string | null;
  /** The commit that Ninefold is measured beside, or null. */
  readonly before: string | null;
  readonly checkOnly: boolean;
  /** Whether round trips to the database are counted, and nothing else is measured. */
  readonly trips: boolean;
}

/** A command line that can't be followed, and why. */
export class WrongUse extends Error {}

const SPEC = {
  servers: { type: 'string' },
  store: { type: 'string', default: 'sqlite' },
  nodes: { type: 'string', default: '1' },
  work: { type: 'string' },
  connections: { type: 'string' },
  sync: { type: 'string' },
  all: { type: 'boolean', default: false },
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '3' },
  warmup: { type: 'string', default: '0.7' },
  start: { type: 'string', default: '12' },
  rows: { type: 'string', default: '100000' },
  data: { type: 'string', default: join(import.meta.dirname, 'data') },
  json: { type: 'string' },
  svg: { type: 'string' },
  profile: { type: 'string' },
  before: { type: 'string' },
  check: { type: 'boolean', default: false },
  trips: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

export const HELP = `npm run bench -- [options]

Runs the orders service as Ninefold serves examples/orders.md and as peers written by
hand, checks that all answer alike, and measures them one at a time over the same rows:
each cell of one server after the other, in rounds, each round with servers that are new
and have been warmed. Medians over the rounds; ratios are taken in each round and then
their median.

  --servers a,b      ${namesOn('sqlite').join(', ')}
                     (unless given: ${MAIN.sqlite.join(', ')})
  --store S          sqlite (unless given) or postgres: databases of a PostgreSQL server of
                     the bench's own, with full durability. The servers there:
                     ${namesOn('postgres').join(', ')}
  --nodes N          how many processes of each server share one database (1); PostgreSQL only
  --work x,y         ${WORK_NAMES.join(', ')}
  --connections N,M  how many requests are under way at once (64)
  --sync 2ms         delays each sync of the server, as a slower disk would
  --all              every server and work, at ${CONNECTIONS.join(', ')} connections
  --rounds N         how often each cell of each server is measured (5)
  --seconds S        how long each cell is measured (3), after a warm-up
  --warmup S         how long that is (0.7)
  --start S          how long each server works at everything, once it has started (12)
  --rows N           how many orders there are (100000)
  --data DIR         where the rows are: on the disk that is to be measured
  --json FILE        writes every measurement of every round
  --svg FILE         draws the ratios to Fastify
  --profile DIR      writes a profile of each server's turns, a folder for each server;
                     taking it slows them, so that the figures of such a run are none
  --before COMMIT    measures Ninefold as it was at that commit too, and prints the ratios to it
  --check            checks the answers, and measures nothing
  --trips            counts the round trips to PostgreSQL for each kind of request, and
                     measures nothing else
  -h, --help

Unless one of --work, --connections and --sync is given, the cells are those of the
project's marks, and a mix of 80% reads. Keep the machine quiet: whatever else runs is measured too. Interrupted,
it reports what it has measured; once more ends it at once.

Examples:
  $ npm run bench
  $ npm run bench -- --work create --connections 1,64 --rounds 3
  $ npm run bench -- --servers ninefold,fastify --work reads-90 --sync 2ms
  $ npm run bench -- --servers ninefold,fastify --before HEAD~1
  $ npm run bench -- --store postgres --connections 1,16,64 --work create --nodes 2
  $ npm run bench -- --store postgres --trips --before HEAD~1
  $ npm run bench -- --json ratios.json --svg ratios.svg
`;

/** Reads the command line; null where help is asked for. Throws WrongUse. */
export function readOptions(args: readonly string[]): Options | null {
  const values = parse(args);
  if (values.help) return null;
  const store = storeOf(values.store);
  const chosen = values.servers === undefined ? undefined : list(values.servers);
  const nodes = number('--nodes', values.nodes, true);
  if (values.trips && store === 'sqlite') throw new WrongUse('--trips takes --store postgres: SQLite has no wire.');
  if (nodes > 1 && store === 'sqlite')
    throw new WrongUse('--nodes takes --store postgres: a SQLite file has one node.');
  return {
    store,
    nodes,
    servers: [
      ...serversOf(chosen ?? (values.all ? namesOn(store) : MAIN[store]), store),
      ...(values.before === undefined ? [] : [EARLIER]),
    ],
    cells: cellsOf(values),
    rounds: number('--rounds', values.rounds, true),
    seconds: number('--seconds', values.seconds),
    warmup: number('--warmup', values.warmup),
    start: number('--start', values.start),
    rows: number('--rows', values.rows, true),
    data: values.data,
    json: values.json ?? null,
    svg: values.svg ?? null,
    profiles: values.profile ?? null,
    before: values.before ?? null,
    checkOnly: values.check,
    trips: values.trips,
  };
}

type Values = ReturnType<typeof parseArgs<{ options: typeof SPEC }>>['values'];

function parse(args: readonly string[]): Values {
  try {
    return parseArgs({ args: [...args], options: SPEC }).values;
  } catch (error) {
    throw new WrongUse((error as Error).message);
  }
}

const list = (text: string): string[] => text.split(',').map((one) => one.trim());

/** Reads a number above 0; throws WrongUse. */
export function number(option: string, text: string, whole = false): number {
  const value = Number(text);
  if (!(value > 0) || (whole && !Number.isInteger(value)))
    throw new WrongUse(`${option} takes ${whole ? 'a whole number' : 'a number'} above 0, and “${text}” is none.`);
  return value;
}

function storeOf(name: string): StoreName {
  const known = STORES.find((one) => one === name);
  if (!known) throw new WrongUse(`“${name}” is no store: ${STORES.join(', ')}.`);
  return known;
}

function serversOf(names: readonly string[], store: StoreName): Server[] {
  const known = namesOn(store);
  for (const name of names)
    if (!known.includes(name)) throw new WrongUse(`“${name}” is no server on ${store}: ${known.join(', ')}.`);
  return SERVERS.filter((one) => names.includes(one.name));
}

function cellsOf(values: Values): readonly Cell[] {
  const { work, connections, sync, all } = values;
  if (work === undefined && connections === undefined && sync === undefined) return all ? ALL_CELLS : MAIN_CELLS;
  const works = work === undefined ? WORK_NAMES : list(work).map(workOf);
  const counts = connections === undefined ? [64] : list(connections).map((one) => number('--connections', one, true));
  const delay = sync === undefined ? 0 : delayOf(sync);
  return works.flatMap((one) => counts.map((count) => ({ work: one, connections: count, delay })));
}

function workOf(name: string): Cell['work'] {
  const known = WORK_NAMES.find((one) => one === name);
  if (!known) throw new WrongUse(`“${name}” is no kind of work: ${WORK_NAMES.join(', ')}.`);
  return known;
}

/** A time such as `2ms` or `500us`, in microseconds. */
function delayOf(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|us)$/.exec(text);
  if (!match) throw new WrongUse(`--sync takes a time such as 2ms or 500us, and “${text}” is none.`);
  return Math.round(Number(match[1]) * (match[2] === 'ms' ? 1000 : 1));
}
