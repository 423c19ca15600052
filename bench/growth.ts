// `npm run bench:growth`: what a request costs Ninefold as rows become more. Nothing may grow faster than their logarithm.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { WorkName } from './load/requests.ts';
import { Loader } from './loader.ts';
import { aligned } from './report/columns.ts';
import { measureRounds } from './rounds.ts';
import { makeRows } from './rows.ts';
import { serverOf } from './servers.ts';
import { datasetFile, setUp } from './setup.ts';
import { type Summary, summarise } from './summary.ts';

const WORKS: readonly WorkName[] = ['read', 'list', 'create', 'transition', 'refused'];
const CONNECTIONS = 8;

const HELP = `npm run bench:growth -- [options]

Measures what a request costs Ninefold as orders become more, on one server at a time.

  --rows N,M    how many orders there are (1000,10000,100000)
  --rounds N    how often each is measured (3)
  --seconds S   for how long (2)
  --data DIR    where the rows are: on the disk that is to be measured
  -h, --help
`;

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000,10000,100000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
    data: { type: 'string', default: join(import.meta.dirname, 'data') },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  const { where } = setUp(values.data, say);
  const bySize = new Map<number, Summary[]>();
  for (const rows of values.rows.split(',').map(Number)) {
    say(`Making ${rows} orders`);
    const templates = await makeRows(rows, where);
    const loader = new Loader(datasetFile(where.data), where.pinned);
    const plan = {
      servers: [serverOf('ninefold')!],
      cells: WORKS.map((work) => ({ work, connections: CONNECTIONS, delay: 0 })),
      rounds: Number(values.rounds),
      seconds: Number(values.seconds),
      warmup: 0.5,
    };
    try {
      bySize.set(rows, summarise(await measureRounds(plan, where, templates, loader, say)));
    } finally {
      loader.close();
    }
  }
  process.stdout.write(`${table(bySize)}\n`);
}

/** A line for each kind of work and number of rows: its cost, and how many times that of the fewest rows it is. */
function table(bySize: ReadonlyMap<number, readonly Summary[]>): string {
  const lines = [['work', 'rows', 'CPU µs', '×', 'p50 ms', '×', 'p99 ms', 'MiB']];
  const [first = []] = bySize.values();
  for (const [i, work] of WORKS.entries())
    for (const [rows, summaries] of bySize) {
      const one = summaries[i]!;
      const base = first[i]!;
      const times = (value: number | undefined, by: number | undefined): string =>
        value && by ? (value / by).toFixed(2) : '–';
      lines.push([
        work,
        rows.toLocaleString('en-GB'),
        one.cpu?.median.toFixed(1) ?? '–',
        times(one.cpu?.median, base.cpu?.median),
        one.p50.median.toFixed(2),
        times(one.p50.median, base.p50.median),
        one.p99.median.toFixed(2),
        one.memory ? (one.memory.median / 2 ** 20).toFixed(0) : '–',
      ]);
    }
  return aligned(lines);
}

if (values.help) process.stdout.write(HELP);
else await main();
