// `npm run bench:tracing`: what spans cost. The same service with an SDK against itself without one, side by side.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Cell, titleOf } from '../cells.ts';
import { Loader } from '../loader.ts';
import { type Measurement, measureRounds } from '../rounds.ts';
import { makeRows } from '../rows.ts';
import { EARLIER, type Server, serverOf } from '../servers.ts';
import { datasetFile, setUp } from '../setup.ts';
import { spread } from '../statistics.ts';
import { sqliteStorage } from '../storage/sqlite.ts';

const HELP = `npm run bench:tracing -- [options]

Measures the orders service with an SDK of OpenTelemetry that samples 1%, 10% and all requests, against the same service
without one: each cell of one after the other, in short turns. Spans go to a BatchSpanProcessor, whose exporter lets them go.

  --rounds N       how often all services are started anew (3)
  --turns N        how often each cell of each is measured in a round (8)
  --seconds S      how long each time (1)
  --start S        how long each service works before (8)
  --before COMMIT  measures Ninefold as it was at that commit too, without an SDK
  --data DIR       where the rows are
  --json FILE      writes every measurement
`;
const ROWS = 100_000;
const CELLS: readonly Cell[] = (['read', 'create'] as const).map((work) => ({ work, connections: 64, delay: 0 }));
const SDK = new URL('sdk.ts', import.meta.url).href;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** The service with an SDK that samples so large a share. */
function traced(off: Server, ratio: number): Server {
  const name = `traced-${ratio}`;
  const args: Server['arguments'] = (...where) => [`--import=${SDK}?ratio=${ratio}`, ...off.arguments(...where)];
  return { ...off, name, title: `${ratio * 100}% sampled`, arguments: args };
}

/** A line for each server and cell: requests and processor as ratios to the service without an SDK, in each round. */
function ratiosOf(measured: readonly Measurement[], servers: readonly Server[], off: Server): string[] {
  return CELLS.flatMap((cell) =>
    servers.flatMap((server) => {
      if (server === off) return [];
      const of = (name: string) => measured.filter((one) => one.server === name && one.cell === cell);
      const others = of(off.name);
      const pairs = of(server.name).flatMap((one, i) => {
        const other = others[i];
        return other ? [{ rate: one.rate / other.rate, cpu: one.cpu && other.cpu ? one.cpu / other.cpu : null }] : [];
      });
      const rate = spread(pairs.map((pair) => pair.rate));
      const cpu = spread(pairs.flatMap((pair) => pair.cpu ?? []));
      if (!rate) return [];
      const told = ({ median, least, most }: typeof rate): string =>
        `${median.toFixed(3)} (${least.toFixed(3)} to ${most.toFixed(3)})`;
      const processor = cpu ? `, processor for each ${told(cpu)}` : '';
      return [`${titleOf(cell)}: ${server.title}, ${pairs.length} pairs: requests ${told(rate)}${processor}`];
    }),
  );
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    turns: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '1' },
    start: { type: 'string', default: '8' },
    before: { type: 'string' },
    data: { type: 'string', default: join(import.meta.dirname, '..', 'data') },
    json: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) process.stdout.write(HELP);
else {
  const off = serverOf('ninefold')!;
  const { where } = setUp(values.data, values.before ?? null, say);
  const earlier = values.before === undefined ? [] : [EARLIER];
  const servers = [off, ...earlier, ...[0.01, 0.1, 1].map((ratio) => traced(off, ratio))];
  const templates = await makeRows(ROWS, where, sqliteStorage(values.data, where.syncs), values.before !== undefined);
  const loader = new Loader(datasetFile(values.data), where.pinned);
  try {
    const [rounds, seconds, start] = [values.rounds, values.seconds, values.start].map(Number) as [
      number,
      number,
      number,
    ];
    // Short turns, so that the two of a pair meet the same conditions.
    const cells = Array.from({ length: Number(values.turns) }, () => CELLS).flat();
    const plan = { servers, cells, rounds, seconds, start, warmup: 0.3, nodes: 1 };
    const measured = await measureRounds({ plan, where, templates, loader }, say);
    for (const line of ratiosOf(measured, servers, off)) process.stdout.write(`${line}\n`);
    if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(measured));
  } finally {
    loader.close();
  }
}
