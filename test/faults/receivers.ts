import { setTimeout as sleep } from 'node:timers/promises';
import { RAISED, type Service, until, Workspace } from '../harness.ts';
import { Receiver } from '../receiver.ts';
import { FakedClock, lacksFaketime } from './faked.ts';
import { complaints, type Figure, type Gate, quantile } from './gate.ts';
import { Start } from './start.ts';

const RECEIVERS = 20;
const ORDERS = 40;
/** How much longer the others may take where one hangs. */
const MOST = 2;
/** How often the document has a delivery tried. */
const ATTEMPTS = 8;

/** Receivers that hang, or are down for as long as the document has them tried. */
export const receivers: Gate = {
  name: 'receivers',
  about: 'twenty receivers of which one hangs; one that is down for the whole schedule',
  lacks: () => null,
  async *run({ long, say }) {
    yield await oneHangs(long ? 15 : 5, say);
    const lacks = lacksFaketime();
    if (lacks === null) {
      yield await down(ATTEMPTS - 1);
      yield await down(ATTEMPTS);
    } else yield { what: 'down for the whole schedule', figure: lacks, held: false };
  },
};

/** The same orders are told of with one receiver that hangs and without, in turns. */
async function oneHangs(rounds: number, say: (line: string) => void): Promise<Figure> {
  await using space = new Workspace(RAISED);
  const key = await space.key(await space.customer());
  const all = await Promise.all(Array.from({ length: RECEIVERS }, () => new Receiver().up()));
  try {
    for (const one of all) await space.receiver(one.url, '--events', 'order.opened');
    const service = await space.serve();
    const ratios = { median: [] as number[], tail: [] as number[] };
    let next = 0;
    const told = async (): Promise<number[]> => tell(service, key, all.slice(1), next++);
    await told();
    for (let round = 0; round < rounds; round++) {
      const well = await told();
      await settled(space);
      const hung = Promise.withResolvers<number>();
      all[0]!.answer = () => hung.promise;
      const hanging = await told();
      hung.resolve(204);
      all[0]!.answer = () => 204;
      await settled(space);
      ratios.median.push(quantile(hanging, 0.5) / quantile(well, 0.5));
      ratios.tail.push(quantile(hanging, 0.99) / quantile(well, 0.99));
      say(`round ${round + 1}: ${quantile(well, 0.5)} ms, with one that hangs ${quantile(hanging, 0.5)} ms`);
    }
    const [median, tail] = [quantile(ratios.median, 0.5), quantile(ratios.tail, 0.5)];
    return {
      what: `${RECEIVERS} receivers, one of which hangs`,
      figure: `the others’ deliveries take ${median.toFixed(2)} times as long (99th percentile ${tail.toFixed(2)}), medians of ${rounds} pairs`,
      held: median <= MOST,
    };
  } finally {
    for (const one of all) await one.down();
  }
}

/** Opens orders one after another; gives how long each took to reach each of the receivers, in milliseconds. */
async function tell(service: Service, key: string, who: readonly Receiver[], round: number): Promise<number[]> {
  const began = new Map<string, number>();
  for (let n = 0; n < ORDERS; n++) {
    const at = Date.now();
    began.set(await service.opened(key, `R${String.fromCharCode(65 + round)}A-${1000 + n}`), at);
    await sleep(20);
  }
  const times = (): number[] =>
    who.flatMap((one) =>
      one.got.flatMap(({ data, at }) => {
        const from = began.get(data.id as string);
        return from === undefined ? [] : [at - from];
      }),
    );
  await until(() => times().length >= ORDERS * who.length, 'every delivery to the others', 60);
  return times();
}

async function settled(space: Workspace): Promise<void> {
  const pending = (): number => space.select(`SELECT 1 FROM ninefold_delivery WHERE state = 'pending'`).length;
  await until(() => pending() === 0, 'all to be delivered', 120);
}

interface Delivery {
  readonly attempts: number;
  readonly state: string;
  readonly due: number | null;
}

/** A receiver that is down for so many attempts at what it is sent, each at the instant that the document states. */
async function down(attempts: number): Promise<Figure> {
  await using receiver = await new Receiver().up();
  using start = await Start.fresh(receiver.url);
  await using space = start.space();
  await receiver.down();
  const faked = new FakedClock(space.dir);
  const service = await space.serve({ env: faked.env });
  const ids: string[] = [];
  for (const n of [1, 2, 3]) {
    const id = await service.opened(start.key, `DOW-000${n}`);
    ids.push(id);
    for (const verb of ['place', 'cancel']) await service.request('POST', `/orders/${id}/${verb}`, { key: start.key });
  }
  const began = faked.now;
  await failed(space, faked, attempts);
  const hours = (faked.now - began) / 3_600_000;
  await receiver.up();
  const givenUp = space.select(`SELECT 1 FROM ninefold_delivery WHERE state = 'given up'`).length;
  if (attempts === ATTEMPTS) await replayed(space);
  else faked.jump(secondsUntilDue(space, faked));
  const wrong: string[] = [];
  const all = (): boolean => receiver.accepted.length >= 9;
  await until(all, 'every event delivered', 30).catch(() => wrong.push(`${receiver.accepted.length} came`));
  const order = ids.map((id) => receiver.accepted.filter(({ data }) => data.id === id).map(({ type }) => type));
  if (order.some((types) => types.join() !== 'order.opened,order.placed,order.cancelled')) wrong.push('out of order');
  await service.stop();
  return {
    what: `down for ${attempts} of ${ATTEMPTS} attempts`,
    figure: `${hours.toFixed(1)} hours by its clock, ${givenUp} of 9 deliveries given up${givenUp ? ' and replayed' : ''}; all came, in order${wrong.length ? `: ${complaints(wrong)}` : ''}`,
    held: wrong.length === 0 && givenUp === (attempts === ATTEMPTS ? 9 : 0),
  };
}

const deliveries = (space: Workspace): Delivery[] => space.select('SELECT attempts, state, due FROM ninefold_delivery');

function secondsUntilDue(space: Workspace, faked: FakedClock): number {
  const dues = deliveries(space).flatMap(({ state, due }) => (state === 'pending' && due !== null ? [due] : []));
  return Math.max(0, Math.ceil((Math.max(...dues) - faked.now) / 1000));
}

/** Moves the clock from one attempt to the next, until each that is being tried has failed so often. */
async function failed(space: Workspace, faked: FakedClock, attempts: number): Promise<void> {
  const over = (): boolean =>
    deliveries(space).every(({ attempts: made, due, state }) =>
      attempts === ATTEMPTS ? state === 'given up' : due === null || made >= attempts,
    );
  const tried = (): number => deliveries(space).reduce((sum, one) => sum + one.attempts, 0);
  while (!over()) {
    const before = tried();
    faked.jump(secondsUntilDue(space, faked));
    await until(() => tried() >= before + 3 || over(), 'the next attempts', 60);
  }
}

/** The operator has all that was given up sent again, in the order in which it happened. */
async function replayed(space: Workspace): Promise<void> {
  for (const { id } of space.select<{ id: string }>('SELECT id FROM ninefold_event ORDER BY seq')) {
    const ran = await space.cli('events', 'replay', id);
    if (ran.code !== 0) throw new Error(ran.err);
  }
}
