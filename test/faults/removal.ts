import { setTimeout as sleep } from 'node:timers/promises';
import { BOARDS } from '../boards.ts';
import { type Service, Workspace } from '../harness.ts';
import { PostgresServer } from '../postgres.ts';
import { complaints, type Figure, type Gate, quantile } from './gate.ts';

const CARDS = 100_000;
const AT_ONCE = 1000;
const READERS = 4;
/** How long one reader waits between two reads, in milliseconds. */
const BETWEEN_READS = 5;
const EVENTS = 'board.removed,card.removed';

/** A row goes with very many others, while others read and write. */
export const removal: Gate = {
  name: 'removal',
  about: `a row is removed with ${CARDS} rows that go with it, and all at once, while others read and write`,
  lacks: () => null,
  async *run({ say }) {
    for (const store of ['SQLite', 'PostgreSQL'] as const) {
      await using server = store === 'PostgreSQL' ? await PostgresServer.start() : null;
      await using space = new Workspace(BOARDS, 'boards.md');
      const url = server && (await server.database());
      if (url) space.place = ['--store', url];
      await space.cli('receivers', 'add', 'http://127.0.0.1:9/', '--allow-private', '--events', EVENTS);
      const service = await space.serve();
      for (const path of ['/boards/1', '/boards']) {
        say(`${store}: ${CARDS} cards, then DELETE ${path}`);
        const told = async (): Promise<number> => {
          const sql = 'SELECT count(*) AS told FROM ninefold_event';
          const rows = url ? await server!.query(url, sql) : space.select(sql);
          return Number((rows[0] as { told: unknown }).told);
        };
        yield await remove(store, service, path, told);
      }
      await service.stop();
    }
  },
};

async function remove(store: string, service: Service, path: string, told: () => Promise<number>): Promise<Figure> {
  const wrong: string[] = [];
  await add(service, 'boards', [{ id: 1 }]);
  for (let at = 0; at < CARDS; at += AT_ONCE)
    await add(
      service,
      'cards',
      Array.from({ length: AT_ONCE }, (_, i) => ({ id: at + i + 1, board: 1, title: `Card ${at + i}` })),
    );
  const before = await told();
  const { replies } = (await service.request('GET', '/counts')).body as { replies: number };
  let over = false;
  const reads: number[] = [];
  const writes: number[] = [];
  const timed = async (times: number[], expected: readonly number[], ask: () => Promise<{ status: number }>) => {
    const began = performance.now();
    const { status } = await ask();
    times.push(performance.now() - began);
    if (!expected.includes(status)) wrong.push(`another request was answered ${status}`);
  };
  const readers = Array.from({ length: READERS }, async () => {
    for (; !over; await sleep(BETWEEN_READS)) await timed(reads, [200, 404], () => service.request('GET', '/boards/1'));
  });
  const writer = (async () => {
    for (; !over; await sleep(100))
      await timed(writes, [204], () =>
        service.request('POST', '/replies', { body: { rows: [{ id: replies + writes.length + 1, to: null }] } }),
      );
  })();
  const began = performance.now();
  const answer = await service.request('DELETE', path);
  const took = performance.now() - began;
  over = true;
  await Promise.all([...readers, writer]);
  if (answer.status !== 204) wrong.push(`the removal was answered ${answer.status} ${answer.text}`);
  const left = (await service.request('GET', '/counts')).body as Record<string, number>;
  if (left.boards !== 0 || left.cards !== 0) wrong.push(`${left.boards} boards and ${left.cards} cards are left`);
  const events = (await told()) - before;
  if (events !== CARDS + 1) wrong.push(`${events} events were recorded`);
  const ms = (value: number): string => `${Math.round(value)} ms`;
  return {
    what: `${store}, DELETE ${path}`,
    figure: `${ms(took)}, ${events} events; ${reads.length} reads meanwhile: p99 ${ms(quantile(reads, 0.99))}, max ${ms(Math.max(...reads))}; ${writes.length} writes: max ${ms(Math.max(...writes))}${wrong.length ? `; ${complaints(wrong)}` : ''}`,
    held: wrong.length === 0,
  };
}

async function add(service: Service, path: string, rows: readonly unknown[]): Promise<void> {
  const { status, text } = await service.request('POST', `/${path}`, { body: { rows } });
  if (status !== 204) throw new Error(`POST /${path} was answered ${status} ${text}`);
}
