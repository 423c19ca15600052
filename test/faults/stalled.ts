import { setTimeout as sleep } from 'node:timers/promises';
import { edited, PATIENT, RAISED, type Service, until } from '../harness.ts';
import { Nodes, sku } from '../nodes.ts';
import { PostgresServer } from '../postgres.ts';
import { type Got, Receiver } from '../receiver.ts';
import { Clients, CRAMPED, NUMBERED, stopMidway } from '../stalling.ts';
import { complaints, type Figure, type Gate } from './gate.ts';

/** How long a node is stopped, in seconds: longer than any bound that the database keeps to, and than a lease. */
const STOPPED = 20;
/** For how long nobody may be without an answer meanwhile, in milliseconds: PostgreSQL ends what is left alone after two seconds. */
const LONGEST = 6000;
const CLIENTS = 12;

/** A delivery’s lease then lasts for twelve seconds. */
const HASTY = edited(RAISED, ['- Time-out: 15 seconds', '- Time-out: 2 seconds']);

/** A node is stopped, and goes on later as if nothing had happened. */
export const stalled: Gate = {
  name: 'stalled',
  about: 'a node is stopped in the middle of changes and deliveries, and goes on later',
  lacks: () => null,
  async *run({ long }) {
    await using server = await PostgresServer.start(CRAMPED);
    for (let round = 0; round < (long ? 3 : 1); round++) {
      yield await changes(server, 'a node with a counter', NUMBERED);
      yield await changes(server, 'a node without one', PATIENT);
      yield await deliveries(server);
    }
  },
};

async function started(server: PostgresServer, document: string, receiver?: Receiver) {
  const nodes = await Nodes.on(server, document);
  if (receiver) await nodes.space.receiver(receiver.url);
  await nodes.serve();
  const [one, other] = nodes.nodes as [Service, Service];
  return { nodes, one, other };
}

/** Whatever the stopped node held, the other goes on, and what was answered is there. */
async function changes(server: PostgresServer, what: string, document: string): Promise<Figure> {
  const { nodes, one, other } = await started(server, document);
  await using _ = nodes;
  const first = new Clients(CLIENTS, one, nodes.key, 'ON');
  await until(() => first.made > 30, 'some load');
  await stopMidway(server, one, nodes.url);
  const second = new Clients(CLIENTS, other, nodes.key, 'TW');
  await sleep(STOPPED * 1000);
  one.child.kill('SIGCONT');
  const { longest } = second;
  const before = first.made;
  const back = await until(() => first.made > before + 20, 'the one goes on', STOPPED).catch(() => false);
  await Promise.all([first.end(), second.end()]);
  const [rows] = await server.query<{ n: string }>(nodes.url, 'SELECT count(*) AS n FROM "order"');
  const wrong = [...second.other(), ...first.other(503)].map((status) => `answered ${status}`);
  if (!back) wrong.push('the node did not go on once it was back');
  if (Number(rows!.n) !== first.made + second.made)
    wrong.push(`${rows!.n} rows for ${first.made + second.made} answers`);
  return {
    what: `${what}, stopped for ${STOPPED} s`,
    figure: `the other made ${second.made} meanwhile and after, and nobody waited longer than ${Math.round(longest)} ms; ${first.other().length} of the one’s were late${wrong.length ? `; ${complaints(wrong)}` : ''}`,
    held: wrong.length === 0 && longest < LONGEST,
  };
}

const rowOf = ({ data }: Got): string => (data as { id: string }).id;

/** What one delivered when it was stopped, the other delivers once the lease is over, and each row’s events are in order. */
async function deliveries(server: PostgresServer): Promise<Figure> {
  await using receiver = await new Receiver().up();
  const { nodes, one, other } = await started(server, HASTY, receiver);
  await using _ = nodes;
  receiver.answer = async () => {
    await sleep(50);
    return 204;
  };
  let over = false;
  const work = Promise.all(
    Array.from({ length: CLIENTS }, async (_one, client) => {
      for (let n = client; !over; n += CLIENTS) {
        const { status, body } = await other.open(nodes.key, { sku: sku('DEL', n % 10_000), quantity: 1 });
        if (status === 201)
          await other.request('POST', `/orders/${(body as { id: string }).id}/place`, { key: nodes.key });
        await sleep(100);
      }
    }),
  );
  await until(() => receiver.accepted.length > 50, 'some deliveries');
  one.child.kill('SIGSTOP');
  await sleep(STOPPED * 1000);
  one.child.kill('SIGCONT');
  await sleep(2000);
  over = true;
  await work;
  const sent = async (): Promise<boolean> =>
    (await server.query(nodes.url, "SELECT 1 FROM ninefold_delivery WHERE state = 'pending'")).length === 0;
  const all = await until(sent, 'every delivery', 60).catch(() => false);
  const [events] = await server.query<{ n: string }>(nodes.url, 'SELECT count(*) AS n FROM ninefold_event');
  const ids = new Set(receiver.accepted.map(({ id }) => id));
  const placed = new Set<string>();
  let late = 0;
  for (const got of receiver.got) {
    if (got.type === 'order.placed') placed.add(rowOf(got));
    else if (placed.has(rowOf(got))) late++;
  }
  const twice = receiver.got.length - new Set(receiver.got.map(({ id }) => id)).size;
  return {
    what: `deliveries of a node that is stopped for ${STOPPED} s`,
    figure: `${ids.size} of ${events!.n} events delivered, ${twice} of them more than once, ${late} after what follows them`,
    held: all !== false && ids.size === Number(events!.n) && late === 0,
  };
}
