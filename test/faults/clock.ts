import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { edited, ORDERS, type Service, until, type Workspace } from '../harness.ts';
import { Receiver } from '../receiver.ts';
import { FakedClock, lacksFaketime } from './faked.ts';
import { complaints, type Figure, type Gate } from './gate.ts';
import { asking, Start } from './start.ts';

const HOUR = 3600;
/** How long what has fallen due may take to be done, in seconds: timers look once a second. */
const SOON = 10;
/** The window of the rate that is jumped over, in seconds, and how many requests it has room for. */
const WINDOW = 5;
const RATE = 20;

const RATED = edited(ORDERS, ['600 requests per minute  ', `${RATE} requests per ${WINDOW} seconds  `]);

/** The wall clock jumps by hours, forward and backward, while the service runs. */
export const clock: Gate = {
  name: 'clock',
  about: 'the clock jumps by hours, forward and backward',
  lacks: lacksFaketime,
  async *run({ long }) {
    await using receiver = await new Receiver().up();
    using start = await Start.fresh(receiver.url);
    yield await timersAndKeys(start);
    yield await underLoad(start, receiver, long ? 40 : 8);
    yield await retried(start, receiver);
    yield await windows();
  },
};

async function served(space: Workspace): Promise<{ service: Service; faked: FakedClock }> {
  const faked = new FakedClock(space.dir);
  return { faked, service: await space.serve({ env: faked.env }) };
}

const idOf = (answer: { body: unknown }): string => (answer.body as { id: string }).id;

/** Drafts expire after a day, and keys are kept for one. */
async function timersAndKeys(start: Start): Promise<Figure> {
  await using space = start.space();
  const { service, faked } = await served(space);
  const wrong: string[] = [];
  const { key } = start;
  const keys = Array.from({ length: 5 }, () => randomUUID());
  const open = async (n: number) => service.open(key, { sku: `CLO-000${n}`, quantity: 1 }, keys[n]);
  const first = await Promise.all(keys.map((_, n) => open(n)));
  const again = idOf(await open(0)) === idOf(first[0]!);
  if (!again) wrong.push('a key was not replayed');
  const began = performance.now();
  faked.jump(25 * HOUR);
  const expired = (): boolean =>
    space.select(`SELECT 1 FROM "order" WHERE status = 'cancelled'`).length === keys.length;
  await until(expired, 'the drafts to expire', SOON).catch(() => wrong.push('drafts did not expire'));
  const took = performance.now() - began;
  const second = await open(1);
  if (second.status !== 201 || idOf(second) === idOf(first[1]!)) wrong.push('a key was kept for longer than a day');
  faked.jump(-25 * HOUR);
  if (idOf(await open(1)) !== idOf(second)) wrong.push('a key was forgotten by a clock that went back');
  faked.jump(-5 * HOUR);
  await service.opened(key, 'CLO-0009');
  faked.jump(5 * HOUR);
  await sleep(3000);
  const events = space.select<{ n: number }>(
    'SELECT count(*) AS n FROM ninefold_event GROUP BY row, type ORDER BY n DESC',
  );
  if (events.some(({ n }) => n > 1)) wrong.push('something was fired twice');
  await service.stop();
  return {
    what: 'timers and idempotency keys, 25 hours forward and 30 back',
    figure: `5 drafts expired ${(took / 1000).toFixed(1)} s after the jump, ${events.length} events, each once${wrong.length ? `; ${complaints(wrong)}` : ''}`,
    held: wrong.length === 0,
  };
}

/** Clients go on through all jumps, and every event is delivered once. */
async function underLoad(start: Start, receiver: Receiver, jumps: number): Promise<Figure> {
  await using space = start.space();
  receiver.got.length = 0;
  const { service, faked } = await served(space);
  const over = new AbortController();
  const statuses = new Map<number, number>();
  let n = 0;
  const clients = Array.from({ length: 4 }, async () => {
    while (!over.signal.aborted) {
      const sku = `JUM-${String(n++ % 10_000).padStart(4, '0')}`;
      const { status } = await service.open(start.key, { sku, quantity: 1 });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      await sleep(20);
    }
  });
  for (let jump = 0; jump < jumps; jump++) {
    await sleep(500);
    faked.jump((jump % 2 ? -1 : 1) * (1 + ((jump * 7) % 11)) * HOUR);
  }
  over.abort();
  await Promise.all(clients);
  const events = (): number => space.select<{ n: number }>('SELECT count(*) AS n FROM ninefold_event')[0]!.n;
  const began = performance.now();
  const delivered = (): boolean => new Set(receiver.accepted.map(({ id }) => id)).size === events();
  const all = await until(delivered, 'every event to be delivered', 60).catch(() => false);
  const took = (performance.now() - began) / 1000;
  const twice = receiver.accepted.length - new Set(receiver.accepted.map(({ id }) => id)).size;
  await service.stop();
  asking(space.data, (select) => select('PRAGMA integrity_check'));
  // A request that is under way when hours pass is late by its own time-out.
  const odd = [...statuses.keys()].filter((status) => status !== 201 && status !== 503);
  const told = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
  return {
    what: `${jumps} jumps under load`,
    figure: `${told}; ${receiver.accepted.length} of ${events()} events delivered, ${twice} twice, the last ${took.toFixed(1)} s after the end`,
    held: all && twice === 0 && odd.length === 0 && took < SOON,
  };
}

/** A delivery that is to be tried again 5 seconds later is, also by a clock that has gone back meanwhile. */
async function retried(start: Start, receiver: Receiver): Promise<Figure> {
  await using space = start.space();
  receiver.got.length = 0;
  receiver.answer = () => (receiver.got.length === 1 ? 500 : 204);
  const { service, faked } = await served(space);
  await service.opened(start.key, 'RET-0001');
  await until(() => space.select('SELECT 1 FROM ninefold_delivery WHERE attempts = 1').length, 'a failed attempt');
  faked.jump(-5 * HOUR);
  const began = performance.now();
  const came = await until(() => receiver.accepted.length === 1, 'the retry', 5 + SOON).catch(() => false);
  const took = (performance.now() - began) / 1000;
  await service.stop();
  return {
    what: 'a retry due in 5 seconds, 5 hours back',
    figure: came ? `delivered after ${took.toFixed(1)} s` : `not delivered in ${took.toFixed(0)} s`,
    held: came !== false,
  };
}

/** A caller whose window is used up waits for one window at most, whatever the clock does. */
async function windows(): Promise<Figure> {
  using start = await Start.fresh(null, RATED);
  await using space = start.space();
  const { service, faked } = await served(space);
  const ask = async (): Promise<number> => (await service.request('GET', '/summary', { key: start.key })).status;
  const wrong: string[] = [];
  const waits: string[] = [];
  for (const hours of [-5, 5, -1]) {
    for (let n = 0; n <= RATE * 2 && (await ask()) === 200; n++);
    faked.jump(hours * HOUR);
    const began = performance.now();
    const open = await until(async () => (await ask()) === 200, 'room', WINDOW * 2).catch(() => false);
    const took = (performance.now() - began) / 1000;
    waits.push(`${hours > 0 ? '+' : ''}${hours} h: ${took.toFixed(1)} s`);
    if (!open || took > WINDOW + 1) wrong.push(`locked out after a jump of ${hours} hours`);
  }
  await service.stop();
  return {
    what: `a rate of ${RATE} in ${WINDOW} s, used up`,
    figure: `room again after ${waits.join(', ')}${wrong.length ? `; ${complaints(wrong)}` : ''}`,
    held: wrong.length === 0,
  };
}
