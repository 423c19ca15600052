import { Loader } from '../loader.ts';
import { serverOf } from '../servers.ts';
import { spread } from '../statistics.ts';
import type { Benched } from './opened.ts';

const CONNECTIONS = 64;
const WARMUP_SECONDS = 1;
/** Views that follow the live numbers. */
const LIVE = ['activity', 'states'];

/** One round: requests a second, and microseconds of the service’s processor for each. */
interface Round {
  readonly rate: number;
  readonly cpu: number | null;
}

/** Requests a second with the console open against closed, in a sentence for each figure; null without a pair. */
export async function measureCost(
  { console, dataset, pinned }: Benched,
  pairs: number,
  seconds: number,
  say: (line: string) => void,
): Promise<string | null> {
  const server = serverOf('ninefold');
  const pid = console.service.child.pid;
  if (!server || pid === undefined) throw new Error('Nothing is served');
  const loader = new Loader(dataset, pinned);
  const measure = async (): Promise<Round> => {
    const { rate, cpu, unexpected } = await loader.measure({
      server: server.name,
      nodes: [{ port: Number(new URL(console.service.url).port), pid, adminPort: null }],
      databasePid: null,
      syncs: null,
      work: 'reads-90',
      connections: CONNECTIONS,
      warmup: WARMUP_SECONDS,
      seconds,
    });
    if (Object.keys(unexpected).length) throw new Error(`Answers of ${JSON.stringify(unexpected)}`);
    return { rate, cpu };
  };
  const opened = async (): Promise<Round> => {
    const visits = await Promise.all(LIVE.map((path) => console.visit(path)));
    try {
      return await measure();
    } finally {
      for (const visit of visits) await visit.end();
    }
  };
  const ratios: number[] = [];
  const costs: number[] = [];
  try {
    await loader.fresh(server);
    for (let i = 0; i < pairs; i++) {
      const first = i % 2 === 0 ? await opened() : null;
      const closed = await measure();
      const open = first ?? (await opened());
      ratios.push(open.rate / closed.rate);
      if (open.cpu !== null && closed.cpu !== null) costs.push(open.cpu / closed.cpu);
      say(`  open ${Math.round(open.rate)}/s, closed ${Math.round(closed.rate)}/s, ${ratios.at(-1)?.toFixed(3)}`);
    }
  } finally {
    loader.close();
  }
  const rates = spread(ratios);
  const processor = spread(costs);
  return rates === null
    ? null
    : `Requests a second, open against closed: median ${rates.median.toFixed(3)} of ${pairs} pairs (${rates.least.toFixed(3)} to ${rates.most.toFixed(3)})${
        processor ? `; processor for each request ${processor.median.toFixed(3)}` : ''
      }`;
}
