import { setTimeout as sleep } from 'node:timers/promises';
import { RAISED, type Service, until, Workspace } from '../harness.ts';
import type { Figure, Gate } from './gate.ts';

const CLIENTS = 32;
/** How long the load lasts, in seconds: whole, and as a sample. */
const WHOLE = 300;
const SAMPLE = 45;
/** In how many spans memory is looked at; the first one fills caches. */
const SPANS = 5;
/** How much the heap may grow from the second span to the last, in bytes, after all that can be collected is. */
const FLAT = 4 << 20;

/** Full load for a while. */
export const saturation: Gate = {
  name: 'saturation',
  about: `${SAMPLE} seconds of full load (${WHOLE} with --long): memory is flat after collection`,
  lacks: () => null,
  async *run({ long, say }) {
    yield await saturated(long ? WHOLE : SAMPLE, say);
  },
};

async function saturated(seconds: number, say: (line: string) => void): Promise<Figure> {
  await using space = new Workspace(RAISED);
  const key = await space.key(await space.customer());
  const service = await space.serve({ env: { NODE_OPTIONS: '--inspect=127.0.0.1:0' } });
  const inspector = await Inspector.of(service);
  const over = new AbortController();
  const counts = new Map<number, number>();
  const clients = Array.from({ length: CLIENTS }, (_, n) => load(service, key, n, counts, over.signal));
  const heaps: number[] = [];
  const resident: number[] = [];
  for (let span = 0; span < SPANS; span++) {
    await Promise.race([sleep((seconds * 1000) / SPANS), Promise.all(clients)]);
    const { heapUsed, rss } = await inspector.memory();
    say(`heap ${mebibytes(heapUsed)}, resident ${mebibytes(rss)}`);
    heaps.push(heapUsed);
    resident.push(rss);
  }
  over.abort();
  await Promise.all(clients);
  inspector.close();
  const grown = heaps.at(-1)! - heaps[1]!;
  const total = [...counts.values()].reduce((sum, one) => sum + one, 0);
  const odd = [...counts].filter(([status]) => status >= 500);
  const failed = odd.length ? `; ${odd.map(([status, count]) => `${count} × ${status}`).join(', ')}` : '';
  return {
    what: `${seconds} seconds, ${CLIENTS} clients`,
    figure: `${total} requests; heap ${heaps.map(mebibytes).join(', ')}; resident ${resident.map(mebibytes).join(', ')}${failed}`,
    held: grown < FLAT && odd.length === 0,
  };
}

const mebibytes = (bytes: number): string => `${(bytes / (1 << 20)).toFixed(1)} MiB`;

/** A client that opens, reads, lists and cancels as fast as it is answered. */
async function load(service: Service, key: string, client: number, counts: Map<number, number>, over: AbortSignal) {
  const count = ({ status }: { status: number }): void => void counts.set(status, (counts.get(status) ?? 0) + 1);
  for (let n = 0; !over.aborted; n++) {
    const letters = `S${String.fromCharCode(65 + (client % 26))}${String.fromCharCode(65 + Math.floor(client / 26))}`;
    const opened = await service.open(key, { sku: `${letters}-${String(n % 10_000).padStart(4, '0')}`, quantity: 1 });
    count(opened);
    const { id } = opened.body as { id?: string };
    if (id === undefined) continue;
    count(await service.request('GET', `/orders/${id}`, { key }));
    count(await service.request('GET', '/orders', { key }));
    count(await service.request('POST', `/orders/${id}/cancel`, { key }));
  }
}

/** The inspector of a service's own process, which is how garbage can be collected from outside. */
class Inspector {
  private readonly socket: WebSocket;
  private readonly waiting = new Map<number, (result: unknown) => void>();
  private asked = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
      if (id !== undefined) this.waiting.get(id)?.(result);
    });
  }

  static async of(service: Service): Promise<Inspector> {
    const url = await until(() => /ws:\/\/\S+/.exec(service.err)?.[0], 'the inspector');
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', reject);
    });
    return new Inspector(socket);
  }

  /** What is in use once all garbage is collected. */
  async memory(): Promise<{ heapUsed: number; rss: number }> {
    await this.ask('HeapProfiler.collectGarbage', {});
    const given = await this.ask('Runtime.evaluate', { expression: 'process.memoryUsage()', returnByValue: true });
    return (given as { result: { value: { heapUsed: number; rss: number } } }).result.value;
  }

  close(): void {
    this.socket.close();
  }

  private ask(method: string, params: unknown): Promise<unknown> {
    const id = ++this.asked;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }
}
