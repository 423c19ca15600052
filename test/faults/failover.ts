import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { edited, type Service, until } from '../harness.ts';
import { Nodes, sku } from '../nodes.ts';
import { PostgresServer } from '../postgres.ts';
import { type Got, Receiver } from '../receiver.ts';
import { NUMBERED } from '../stalling.ts';
import { complaints, type Figure, type Gate } from './gate.ts';

const CLIENTS = 6;
/** How many changes are acknowledged before the primary is killed, and after the standby has taken its place. */
const CHANGES = 150;
const DOCUMENT = edited(NUMBERED, ['| Time-out     | 120 seconds ', '| Time-out     | 5 seconds ']);

/** The primary dies under load, and its standby takes its place. */
export const failover: Gate = {
  name: 'failover',
  about: 'the primary of PostgreSQL is killed under load, and a synchronous standby is promoted',
  lacks: () => null,
  async *run({ long }) {
    for (let round = 0; round < (long ? 5 : 1); round++) yield* failedOver();
  },
};

/** A client's request under a key. */
interface Asked {
  readonly idempotency: string;
  readonly sku: string;
  readonly node: number;
  /** The order that was acknowledged, and when; null where no success was. */
  id: string | null;
  at: number;
}

/** A primary, and a standby that each commit waits for. */
export async function replicated(): Promise<[primary: PostgresServer, standby: PostgresServer]> {
  const primary = await PostgresServer.start({ wal_level: 'replica' });
  const standby = await primary.standby('one');
  await primary.query('postgres', "ALTER SYSTEM SET synchronous_standby_names = 'one'");
  await primary.query('postgres', 'SELECT pg_reload_conf()');
  const waitedFor = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
  await until(async () => (await primary.query('postgres', waitedFor)).length, 'a standby that is waited for');
  return [primary, standby];
}

async function* failedOver(): AsyncIterable<Figure> {
  const [primary, standby] = await replicated();
  await using _primary = primary;
  await using _standby = standby;
  await using receiver = await new Receiver().up();
  const nodes = await Nodes.on(primary, DOCUMENT);
  await using _nodes = nodes;
  await nodes.space.receiver(receiver.url);
  const there = new URL(nodes.url);
  const { username, password, pathname } = there;
  const hosts = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`;
  nodes.space.place = [
    '--store',
    `postgres://${username}:${password}@${hosts}${pathname}?target_session_attrs=read-write`,
  ];
  await nodes.serve();
  const asked: Asked[] = [];
  const wrong: string[] = [];
  let over = false;
  const client = async (node: Service, n: number): Promise<void> => {
    while (!over) {
      const one: Asked = {
        idempotency: randomUUID(),
        sku: sku('FAI', asked.length % 10_000),
        node: n,
        id: null,
        at: 0,
      };
      asked.push(one);
      const { status, body, text } = await node.open(nodes.key, { sku: one.sku, quantity: 1 }, one.idempotency);
      if (status === 201) {
        one.id = (body as { id: string }).id;
        one.at = performance.now();
        await node.request('POST', `/orders/${one.id}/place`, { key: nodes.key });
      } else if (![500, 503].includes(status)) wrong.push(`answered ${status} ${text}`);
      await sleep(10);
    }
  };
  const clients = Promise.all(nodes.nodes.flatMap((node, n) => Array.from({ length: CLIENTS }, () => client(node, n))));
  const acknowledged = (): Asked[] => asked.filter(({ id }) => id !== null);
  await until(() => acknowledged().length >= CHANGES, 'some load');
  const killed = performance.now();
  await primary.down('SIGQUIT');
  await standby.promote();
  const promoted = performance.now();
  const after = (n: number): number[] =>
    acknowledged().flatMap(({ node, at }) => (node === n && at > promoted ? [at] : []));
  await until(() => nodes.nodes.every((_, n) => after(n).length >= CHANGES / 2), 'both nodes go on', 120);
  over = true;
  await clients;
  const lost = await lostOf(standby, pathname.slice(1), acknowledged(), wrong);
  const doubtful = asked.filter(({ id }) => id === null);
  await settled(nodes, doubtful);
  const first = nodes.nodes.map((_, n) => Math.round(Math.min(...after(n)) - promoted));
  const silence = Math.max(...nodes.nodes.map((_, n) => Math.min(...after(n)) - killed));
  yield {
    what: 'changes over a failover',
    figure: `${acknowledged().length - doubtful.length} acknowledged, ${lost} lost; promoted after ${Math.round(promoted - killed)} ms, first successes ${first.join(' and ')} ms after that, ${Math.round(silence)} ms without one; ${doubtful.length} not acknowledged, each done once when asked again${wrong.length ? `; ${complaints(wrong)}` : ''}`,
    held: lost === 0 && wrong.length === 0,
  };
  yield await deliveries(standby, pathname.slice(1), receiver, asked);
}

/** How many acknowledged orders are not there; what else is wrong with what is there is complained of. */
async function lostOf(
  server: PostgresServer,
  database: string,
  acknowledged: readonly Asked[],
  wrong: string[],
): Promise<number> {
  const rows = await server.query<{ id: string; number: string }>(database, 'SELECT id::text, number FROM "order"');
  const there = new Set(rows.map(({ id }) => id));
  const numbers = new Set(rows.map(({ number }) => number));
  if (numbers.size !== rows.length) wrong.push(`${rows.length - numbers.size} numbers given twice`);
  return acknowledged.filter(({ id }) => !there.has(id!)).length;
}

/** Sends each request that was not acknowledged again under its key, to the other node. */
async function settled(nodes: Nodes, doubtful: readonly Asked[]): Promise<void> {
  for (const one of doubtful) {
    const node = nodes.nodes[1 - one.node]!;
    const body = { sku: one.sku, quantity: 1 };
    const answer = await until(
      async () => {
        const given = await node.open(nodes.key, body, one.idempotency);
        return given.status === 201 ? given : null;
      },
      'an answer to a key',
      60,
    );
    one.id = (answer.body as { id: string }).id;
  }
}

const rowOf = ({ data }: Got): string => (data as { id: string }).id;

/** One order for each key, and each event delivered, those of an order in their order. */
async function deliveries(
  server: PostgresServer,
  database: string,
  receiver: Receiver,
  asked: readonly Asked[],
): Promise<Figure> {
  const count = async (sql: string): Promise<number> =>
    Number((await server.query<{ n: string }>(database, `SELECT count(*) AS n FROM ${sql}`))[0]!.n);
  const sent = async (): Promise<boolean> => (await count("ninefold_delivery WHERE state = 'pending'")) === 0;
  const all = await until(sent, 'every delivery', 120).catch(() => false);
  const [rows, events] = [await count('"order"'), await count('ninefold_event')];
  const ids = new Set(receiver.accepted.map(({ id }) => id));
  const opened = new Set<string>();
  let early = 0;
  for (const got of receiver.accepted)
    if (got.type === 'order.opened') opened.add(rowOf(got));
    else if (!opened.has(rowOf(got))) early++;
  const untold = asked.filter(({ id }) => !opened.has(id!)).length;
  return {
    what: 'keys and deliveries after it',
    figure: `${rows} orders for ${asked.length} keys; ${ids.size} of ${events} events delivered, ${receiver.accepted.length - ids.size} more than once, ${early} before what they follow, ${untold} orders not told of`,
    held: all !== false && rows === asked.length && ids.size === events && untold === 0 && early === 0,
  };
}
