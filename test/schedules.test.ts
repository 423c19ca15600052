import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { MovedStore } from '../src/cli/testing/moved-store.ts';
import { ownStoresOf } from '../src/cli/testing/own-stores.ts';
import { FixedSources } from '../src/exchanges/fixed-sources.ts';
import { Operator } from '../src/runtime/operator.ts';
import { Service } from '../src/runtime/service.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import type { Program, Store } from '../src/store/store.ts';
import { PostgresServer } from './postgres.ts';
import { schedule, tick, ticking } from './schedules/ticks.ts';
import { IN_WHOLE } from './share.ts';
import { planOf } from './subject.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-11-29T12:00:30Z');

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

interface Logged {
  readonly event: string;
  readonly [field: string]: unknown;
}

/** Services of one document that share rows and a clock, which the test moves. */
class World {
  readonly clock: FixedSources;
  readonly services: Service[] = [];
  readonly logged: Logged[] = [];
  /** The address of the database, on PostgreSQL. */
  url = '';
  readonly open: (text: string) => Promise<Store>;

  private constructor(start: number, open: World['open']) {
    this.clock = new FixedSources(start);
    this.open = open;
  }

  static async on(t: TestContext, kind: 'sqlite' | 'postgres', start = START): Promise<World> {
    if (kind === 'sqlite') {
      const stores = ownStoresOf('sqlite');
      let inner: Store | null = null;
      const world = new World(start, async (text) => {
        inner ??= await stores.open(planOf(text), {
          now: () => world.clock.now(),
          random: new FixedSources(start).random,
        });
        return world.slowed(
          new MovedStore(inner, { now: () => world.clock.now(), random: inner.random }, 'stays open'),
        );
      });
      t.after(() =>
        world
          .stop()
          .then(() => inner?.close())
          .then(() => stores.close()),
      );
      return world;
    }
    const url = await server.database();
    const world: World = new World(start, async (text) => {
      const inner = await PostgresStore.open(url, planOf(text));
      return world.slowed(new MovedStore(inner, { now: () => world.clock.now(), random: inner.random }));
    });
    world.url = url;
    t.after(() => world.stop());
    return world;
  }

  async serve(text: string): Promise<Service> {
    const log = (_level: string, event: string, said?: unknown): void => {
      this.logged.push({ event, ...(said as object) });
    };
    const service = new Service({ host: '127.0.0.1', port: 0, admin: null, url: 'https://ticks.example', log });
    await service.start(planOf(text), await this.open(text));
    await service.catchUp();
    this.services.push(service);
    return service;
  }

  /** The time that the next run takes, in milliseconds of the clock. */
  slowness = 0;

  /** A store in which the next row that is created takes the time of `slowness`. */
  private slowed(store: Store): Store {
    const { write } = store;
    const take = (): void => {
      this.clock.pass(this.slowness);
      this.slowness = 0;
    };
    function* slow<T>(program: Program<T>): Program<T> {
      for (let next = program.next(); ; ) {
        if (next.done) return next.value;
        if (next.value[0].spec.kind === 'insert') take();
        try {
          const rows = yield next.value;
          next = program.next(rows);
        } catch (error) {
          next = program.throw(error);
        }
      }
    }
    store.write = (program, ...others) => write.call(store, () => slow(program()), ...others) as never;
    return store;
  }

  /** Moves the clock at once, and lets every service do what is due. */
  async jump(milliseconds: number): Promise<void> {
    this.clock.pass(milliseconds);
    await this.catchUp();
  }

  async catchUp(): Promise<void> {
    // A service that met a run of another one looks again.
    for (let i = 0; i < 3; i++) await Promise.all(this.services.map((one) => one.catchUp()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.services.splice(0).map((one) => one.stop()));
  }

  /** The instants for which rows were left, as they are stored. */
  async ticks(): Promise<string[]> {
    const answer = await fetch(`http://127.0.0.1:${this.services[0]!.port}/ticks`);
    assert.equal(answer.status, 200);
    return ((await answer.json()) as Array<{ scheduled: string }>).map(({ scheduled }) => scheduled);
  }

  /** The events of a kind that were logged, without their names. */
  events(kind: string): string[] {
    return this.logged.filter(({ event }) => event === kind).map(({ event: _, ...fields }) => JSON.stringify(fields));
  }
}

const minutes = (from: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => iso(Date.parse(from) + i * MINUTE));
const iso = (at: number): string => new Date(at).toISOString().replace('.000Z', 'Z');

for (const kind of ['sqlite', 'postgres'] as const)
  describe(kind === 'sqlite' ? 'SQLite' : 'PostgreSQL, three nodes', () => {
    const nodes = kind === 'sqlite' ? 1 : 3;
    /** Tests of when runs are due, which no store decides: a whole run has them on both. */
    const once = kind === 'sqlite' ? {} : IN_WHOLE;

    async function serving(t: TestContext, text: string, start = START): Promise<World> {
      const world = await World.on(t, kind, start);
      for (let i = 0; i < nodes; i++) await world.serve(text);
      return world;
    }

    test('each due instant runs once, from the first one after the start', async (t) => {
      const world = await serving(t, ticking(schedule('each_minute', {})));
      assert.deepEqual(await world.ticks(), []);
      for (let i = 0; i < 5; i++) await world.jump(MINUTE);
      assert.deepEqual(await world.ticks(), minutes('2026-11-29T12:01:00Z', 5));
    });

    test('after a stop: each missed instant, the last one alone, or none that is too long ago', once, async (t) => {
      const text = (missed: string): string => ticking(schedule('each_minute', { missed }));
      const after = async (missed: string): Promise<string[]> => {
        const world = await serving(t, text(missed));
        await world.jump(MINUTE);
        await world.stop();
        world.clock.pass(10 * MINUTE);
        for (let i = 0; i < nodes; i++) await world.serve(text(missed));
        await world.catchUp();
        const missedLogs = new Set(world.events('schedule.missed'));
        assert.equal(missedLogs.size > 0, missed !== 'each', [...missedLogs].join());
        const found = await world.ticks();
        await world.stop();
        return found;
      };
      assert.deepEqual(await after('each'), minutes('2026-11-29T12:01:00Z', 11));
      assert.deepEqual(await after('run once'), ['2026-11-29T12:01:00Z', '2026-11-29T12:11:00Z']);
      assert.deepEqual(await after('skipped after 2 minutes'), [
        '2026-11-29T12:01:00Z',
        '2026-11-29T12:10:00Z',
        '2026-11-29T12:11:00Z',
      ]);
      assert.deepEqual(await after('skipped after 45 seconds'), ['2026-11-29T12:01:00Z', '2026-11-29T12:11:00Z']);
      assert.deepEqual(await after('skipped after 29 seconds'), []);
    });

    test('a clock that is set forward and back runs no instant twice', async (t) => {
      const world = await serving(t, ticking(schedule('each_minute', {})));
      await world.jump(3 * MINUTE);
      await world.jump(HOUR);
      const there = minutes('2026-11-29T12:01:00Z', 63);
      assert.deepEqual(await world.ticks(), there);
      await world.jump(-HOUR);
      for (let i = 0; i < 4; i++) await world.jump(10 * MINUTE);
      assert.deepEqual(await world.ticks(), there);
      await world.jump(21 * MINUTE);
      assert.deepEqual(await world.ticks(), [...there, ...minutes('2026-11-29T13:04:00Z', 1)]);
    });

    test(
      'a schedule that waits since the clock was set back is shown, and waits no more once it is reset',
      once,
      async (t) => {
        const world = await serving(t, ticking(schedule('each_minute', {}), schedule('other', {})));
        await world.jump(3 * HOUR);
        assert.deepEqual(world.events('schedule.waits'), []);
        const count = (await world.ticks()).length;
        await world.jump(-2 * HOUR);
        const said = {
          schedule: 'each_minute',
          next: '2026-11-29T15:01:00.000Z',
          expected: '2026-11-29T13:02:00.000Z',
        };
        assert.equal(world.events('schedule.waits').filter((one) => one === JSON.stringify(said)).length, nodes);
        const { schedules } = new Operator(world.services[0]!.engine!);
        const [listed] = await schedules.list();
        assert.deepEqual([listed!.next, listed!.expected], [said.next, said.expected]);
        assert.equal(await schedules.reset('each_minute'), '2026-11-29T13:01:00.000Z');
        await assert.rejects(schedules.reset('each_minute'), /nothing to reset/);
        await assert.rejects(schedules.reset('none'), /schedule/);
        assert.equal((await schedules.list())[0]!.expected, null);
        await world.jump(MINUTE);
        await world.jump(MINUTE);
        const later = (await world.ticks()).filter(
          (at) => at === '2026-11-29T13:01:00Z' || at === '2026-11-29T13:02:00Z',
        );
        assert.deepEqual([(await world.ticks()).length - count, later.length], [2, 6]);
      },
    );

    test('the clocks of its zone change: each instant runs once', once, async (t) => {
      const nightly = (clocks: readonly string[]): string =>
        ticking(schedule('nightly', { when: 'every day at 02:30 in `Europe/Berlin`', clocks }));
      const over = async (start: string, clocks: readonly string[]): Promise<string[]> => {
        const world = await serving(t, nightly(clocks), Date.parse(start));
        for (let i = 0; i < 48; i++) await world.jump(HOUR);
        const found = await world.ticks();
        await world.stop();
        return found;
      };
      const once = ['- Skipped times: run at the change', '- Repeated times: run once'];
      const other = ['- Skipped times: not run', '- Repeated times: run twice'];
      assert.deepEqual(await over('2026-03-28T12:00:00Z', once), ['2026-03-29T01:00:00Z', '2026-03-30T00:30:00Z']);
      assert.deepEqual(await over('2026-03-28T12:00:00Z', other), ['2026-03-30T00:30:00Z']);
      assert.deepEqual(await over('2026-10-24T12:00:00Z', once), ['2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z']);
      assert.deepEqual(await over('2026-10-24T12:00:00Z', other), [
        '2026-10-25T00:30:00Z',
        '2026-10-25T01:30:00Z',
        '2026-10-26T01:30:00Z',
      ]);
    });

    test('a run that a step refuses changes nothing, is logged and counted, and is not repeated', async (t) => {
      const steps = [tick('few'), 'Require `Tick.filter(k, true).size() < 3`, else too_much.'];
      const world = await serving(t, ticking(schedule('few', { steps })));
      for (let i = 0; i < 5; i++) await world.jump(MINUTE);
      assert.deepEqual(await world.ticks(), minutes('2026-11-29T12:01:00Z', 2));
      const refused = world.events('schedule.refused');
      assert.equal(refused.length, 3, refused.join('\n'));
      assert.match(
        refused[0]!,
        /"schedule":"few","due":"2026-11-29T12:03:00.000Z","outcome":"refused","reason":"refused: too_much"/,
      );
      const counted = world.services.flatMap(({ metrics }) =>
        metrics.told.filter(({ name }) => name === 'ninefold_schedule_runs_total').flatMap((one) => one.values()),
      );
      const total = (outcome: string): number =>
        counted.reduce((sum, { labels, value }) => (labels.outcome === outcome ? sum + value : sum), 0);
      assert.deepEqual([total('done'), total('refused')], [2, 3]);
    });

    test('instants that come while a run is under way wait for it, or are skipped', once, async (t) => {
      const after = async (missed: string, overlap: string): Promise<string[]> => {
        const world = await serving(t, ticking(schedule('slow', { missed, overlap })));
        world.slowness = 2.5 * MINUTE;
        await world.jump(MINUTE);
        const found = await world.ticks();
        await world.jump(MINUTE);
        const later = await world.ticks();
        await world.stop();
        return [...found, '…', ...later.slice(found.length)];
      };
      assert.deepEqual(await after('each', 'waits'), [
        ...minutes('2026-11-29T12:01:00Z', 4),
        '…',
        '2026-11-29T12:05:00Z',
      ]);
      assert.deepEqual(await after('each', 'skipped'), ['2026-11-29T12:01:00Z', '…', '2026-11-29T12:05:00Z']);
      assert.deepEqual(await after('run once', 'waits'), [
        '2026-11-29T12:01:00Z',
        '2026-11-29T12:04:00Z',
        '…',
        '2026-11-29T12:05:00Z',
      ]);
    });

    test('missed instants that were due before a slow run began are not skipped', once, async (t) => {
      const text = ticking(schedule('slow', { overlap: 'skipped' }));
      const world = await serving(t, text);
      await world.jump(MINUTE);
      await world.stop();
      world.clock.pass(3 * MINUTE);
      world.slowness = 2.5 * MINUTE;
      for (let i = 0; i < nodes; i++) await world.serve(text);
      await world.catchUp();
      assert.deepEqual(await world.ticks(), minutes('2026-11-29T12:01:00Z', 4));
      await world.jump(MINUTE);
      assert.deepEqual(await world.ticks(), [...minutes('2026-11-29T12:01:00Z', 4), '2026-11-29T12:08:00Z']);
    });

    test('a run that takes longer than it may changes nothing, and is not repeated', once, async (t) => {
      const each = (row: string): string => `For each \`${row}\`: Note, earliest \`created\` first:`;
      const steps = [
        tick('long'),
        `${each('a')}\n   1. ${each('b')}\n      1. ${each('c')}\n         1. Change \`c\` with text \`b.text\`.`,
      ];
      const text = ticking(schedule('long', { steps, within: '1 second' })).replace(
        '| request            |          |          |\n| created | timestamp',
        '| request; steps     |          |          |\n| created | timestamp',
      );
      const world = await serving(t, text);
      const url = `http://127.0.0.1:${world.services[0]!.port}/notes`;
      const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"text":"a"}' };
      for (let i = 0; i < 150; i++) assert.equal((await fetch(url, sent)).status, 201);
      await world.jump(MINUTE);
      assert.deepEqual(await world.ticks(), []);
      assert.deepEqual(world.events('schedule.refused'), [
        '{"schedule":"long","due":"2026-11-29T12:01:00.000Z","outcome":"time-out","reason":"time-out"}',
      ]);
      assert.deepEqual(world.events('schedule.failed'), []);
      const [listed] = await new Operator(world.services[0]!.engine!).schedules.list();
      assert.deepEqual([listed!.result, listed!.next], ['time-out', '2026-11-29T12:02:00.000Z']);
      await assert.rejects(new Operator(world.services[0]!.engine!).schedules.run('long'), /longer than “Within”/);
    });

    test('other times in another document: what was due by the old ones is not run', once, async (t) => {
      const world = await serving(t, ticking(schedule('job', {})));
      await world.jump(MINUTE);
      await world.stop();
      world.clock.pass(10 * MINUTE);
      for (let i = 0; i < nodes; i++)
        await world.serve(ticking(schedule('job', { when: 'cron `0 * * * *` in `UTC`' })));
      assert.deepEqual(await world.ticks(), minutes('2026-11-29T12:01:00Z', 1));
      await world.jump(HOUR);
      assert.deepEqual(await world.ticks(), ['2026-11-29T12:01:00Z', '2026-11-29T13:00:00Z']);
    });

    test('a document that is replaced runs no schedule again, while a request under it is in progress', async (t) => {
      const text = (name: string): string => ticking(schedule('job', { steps: [tick(name)] }));
      const world = await World.on(t, kind);
      const service = await world.serve(text('former'));
      const socket = connect(service.port, '127.0.0.1').on('error', () => {});
      t.after(() => socket.destroy());
      const head = 'POST /notes HTTP/1.1\r\nHost: ticks.example\r\nContent-Type: application/json\r\n';
      socket.write(`${head}Content-Length: 14\r\n\r\n{`);
      // The next look of the former document comes before that of the new one.
      await sleep(500);
      const ended = service.replace(planOf(text('new')), await world.open(text('new')));
      await sleep(200);
      world.clock.pass(MINUTE);
      await sleep(1500);
      const answer = await fetch(`http://127.0.0.1:${service.port}/ticks`);
      const names = ((await answer.json()) as Array<{ name: string }>).map(({ name }) => name);
      socket.destroy();
      await ended;
      assert.deepEqual(names, ['new']);
    });

    test('schedules of one instant all run, each with its own times', once, async (t) => {
      const world = await serving(
        t,
        ticking(schedule('one', {}), schedule('two', {}), schedule('five', { when: 'cron `*/5 * * * *` in `UTC`' })),
      );
      for (let i = 0; i < 5; i++) await world.jump(MINUTE);
      const twice = minutes('2026-11-29T12:01:00Z', 5).flatMap((one) => [one, one]);
      assert.deepEqual(await world.ticks(), [...twice, '2026-11-29T12:05:00Z']);
    });
  });

test('PostgreSQL: nodes of two documents leave the schedules of each other, and times that no node states end', async (t) => {
  const world = await World.on(t, 'postgres');
  const hourly = { when: 'cron `0 * * * *` in `UTC`' };
  await world.serve(ticking(schedule('job', {}), schedule('old', {})));
  await world.serve(ticking(schedule('job', hourly), schedule('new', {})));
  const names = async (): Promise<string[]> => {
    const answer = await fetch(`http://127.0.0.1:${world.services[0]!.port}/ticks`);
    return ((await answer.json()) as Array<{ name: string }>).map(({ name }) => name);
  };
  for (let i = 0; i < 3; i++) await world.jump(MINUTE);
  assert.deepEqual((await names()).sort(), ['new', 'new', 'new', 'old', 'old', 'old']);
  await world.services.pop()!.stop();
  const listed = () => new Operator(world.services[0]!.engine!).schedules.list();
  const end = Date.now() + 20_000;
  while ((await listed()).find(({ name }) => name === 'job')?.next !== '2026-11-29T12:04:00.000Z') {
    assert.ok(Date.now() < end, JSON.stringify(await listed()));
    await sleep(200);
  }
  for (let i = 0; i < 2; i++) await world.jump(MINUTE);
  assert.deepEqual((await names()).slice(6).sort(), ['job', 'job', 'old', 'old']);
});

/** A database in which each new row of Tick takes so long, in seconds. */
async function slowly(t: TestContext, seconds: number, text: string, limit?: string): Promise<World> {
  const world = await World.on(t, 'postgres');
  const { url } = world;
  const client = new pg.Client(url);
  await client.connect();
  if (limit)
    await client.query(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET statement_timeout = '${limit}'`);
  await world.serve(text);
  await client.query(
    `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(${seconds}); RETURN NEW; END'`,
  );
  await client.query('CREATE TRIGGER slow BEFORE INSERT ON tick FOR EACH ROW EXECUTE FUNCTION slow()');
  await client.end();
  return world;
}

test('PostgreSQL: a run whose statement is ended by a limit of the operator fails, and is not repeated', async (t) => {
  const world = await slowly(t, 2, ticking(schedule('long', {})), '300ms');
  await world.jump(MINUTE);
  await sleep(1500);
  await world.catchUp();
  assert.deepEqual(world.events('schedule.refused'), [
    '{"schedule":"long","due":"2026-11-29T12:01:00.000Z","outcome":"failed","reason":"failed: A statement took too long."}',
  ]);
  assert.deepEqual(world.events('schedule.failed'), []);
});

test('PostgreSQL: a statement of a run may take as long as the run', IN_WHOLE, async (t) => {
  const world = await slowly(t, 33, ticking(schedule('long', {})));
  await world.jump(MINUTE);
  assert.deepEqual(await world.ticks(), ['2026-11-29T12:01:00Z']);
  assert.deepEqual([...world.events('schedule.refused'), ...world.events('schedule.failed')], []);
});
