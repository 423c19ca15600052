import './whole-alone.ts';
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DueInstants, type ScheduleTimes } from '../src/plan/due-instants.ts';
import { until } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { schedule, ticking } from './schedules/ticks.ts';
import { IN_WHOLE, SEED, times } from './share.ts';

/** A minute of the nodes’ clock takes 50 ms. */
const SPEED = 1200;
const HOUR = 3_600_000;
/** An hour and a half before clocks go back in Berlin, and before they go forward. */
const AUTUMN = Date.parse('2026-10-24T23:30:00Z');
const SPRING = Date.parse('2026-03-28T23:30:00Z');

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

/** Random numbers that grow from a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Processes that share a store and a clock, which the test sets, kills and starts again. */
class Fleet {
  readonly folder = mkdtempSync(join(tmpdir(), 'ninefold-schedules-'));
  private readonly place: string;
  private readonly nodes: Array<{ child: ChildProcess; port: number }> = [];
  private shown = 0;
  private at = 0;
  private speed = SPEED;

  constructor(text: string, url: string | null) {
    this.place = url ?? join(this.folder, 'ninefold.sqlite');
    writeFileSync(join(this.folder, 'ticks.md'), text);
  }

  now(): number {
    return this.shown + (Date.now() - this.at) * this.speed;
  }

  /** Sets the clock of all nodes; it runs on from there. */
  set(to: number, speed = SPEED): void {
    this.shown = to;
    this.at = Date.now();
    this.speed = speed;
    writeFileSync(join(this.folder, 'clock.new'), `${this.shown} ${this.at} ${speed}`);
    renameSync(join(this.folder, 'clock.new'), join(this.folder, 'clock'));
  }

  async start(): Promise<void> {
    const args = [join(import.meta.dirname, 'schedules', 'node.ts'), join(this.folder, 'ticks.md'), this.place];
    const child = spawn(process.execPath, [...args, join(this.folder, 'clock')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [port] = await once(child.stdout!, 'data');
    this.nodes.push({ child, port: Number(String(port)) });
  }

  /** Kills a node with SIGKILL. */
  async kill(which: number): Promise<void> {
    const [node] = this.nodes.splice(which % this.nodes.length, 1);
    const ended = once(node!.child, 'exit');
    node!.child.kill('SIGKILL');
    await ended;
  }

  async ticks(): Promise<Array<{ name: string; scheduled: string }>> {
    const answer = await fetch(`http://127.0.0.1:${this.nodes[0]!.port}/ticks`);
    assert.equal(answer.status, 200);
    return (await answer.json()) as Array<{ name: string; scheduled: string }>;
  }

  get size(): number {
    return this.nodes.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    while (this.nodes.length > 0) await this.kill(0);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const MINUTELY: ScheduleTimes = { cron: '* * * * *', zone: 'UTC', skipped: null, repeated: null };
const BERLIN: ScheduleTimes = {
  cron: '*/10 * * * *',
  zone: 'Europe/Berlin',
  skipped: 'run at the change',
  repeated: 'run twice',
};
const ONCE: ScheduleTimes = { ...BERLIN, cron: '7,37 * * * *', repeated: 'run once', skipped: 'not run' };

const TEXT = ticking(
  schedule('minutely', {}),
  schedule('berlin', {
    when: 'cron `*/10 * * * *` in `Europe/Berlin`',
    clocks: ['- Skipped times: run at the change', '- Repeated times: run twice'],
  }),
  schedule('once', {
    when: 'cron `7,37 * * * *` in `Europe/Berlin`',
    clocks: ['- Skipped times: not run', '- Repeated times: run once'],
  }),
  schedule('last', { missed: 'run once', overlap: 'skipped' }),
  schedule('fresh', { missed: 'skipped after 5 minutes' }),
);

function dueBetween(of: ScheduleTimes, first: number, last: number): number[] {
  const instants = new DueInstants(of);
  const out: number[] = [];
  for (let at = instants.after(first - 1); at !== null && at <= last; at = instants.after(at)) out.push(at);
  return out;
}

/** Kills nodes at random points and sets the clock forward and back; in the end, each due instant has one row. */
async function stormed(t: TestContext, start: number, url: string | null): Promise<void> {
  const random = randomOf(SEED);
  const nodes = url === null ? 1 : 3;
  await using fleet = new Fleet(TEXT, url);
  fleet.set(start);
  // The first node makes the tables.
  await fleet.start();
  await Promise.all(Array.from({ length: nodes - 1 }, () => fleet.start()));
  let kills = 0;
  let latest = 0;
  for (let round = 0; round < times(4, 16); round++) {
    await sleep(100 + random() * 700);
    latest = Math.max(latest, fleet.now());
    if (round % 4 === 2) fleet.set(fleet.now() + random() * 2 * HOUR);
    if (round % 4 === 3) fleet.set(fleet.now() - random() * HOUR);
    latest = Math.max(latest, fleet.now());
    await fleet.kill(Math.floor(random() * nodes));
    kills++;
    await fleet.start();
  }
  assert.equal(fleet.size, nodes);
  // The clock stands still, past all that it has shown: what is due by then has to come.
  const end = Math.max(latest, fleet.now(), start + 4 * HOUR);
  fleet.set(end, 0);
  const expected = { minutely: MINUTELY, berlin: BERLIN, once: ONCE };
  const of = async (name: string): Promise<number[]> =>
    (await fleet.ticks()).filter((one) => one.name === name).map(({ scheduled }) => Date.parse(scheduled));
  const counts: string[] = [];
  for (const [name, rule] of Object.entries(expected)) {
    const [first = 0] = await of(name);
    const wanted = dueBetween(rule, first, end);
    await until(async () => (await of(name)).length >= wanted.length, `all runs of ${name}`, 240);
    await sleep(1500);
    assert.deepEqual(await of(name), wanted, name);
    counts.push(`${name} ${wanted.length}`);
  }
  for (const name of ['last', 'fresh']) {
    const found = await of(name);
    assert.equal(new Set(found).size, found.length, `${name}: none twice`);
    assert.ok(found.length > 0 && found.every((at) => at % 60_000 === 0), name);
    counts.push(`${name} ${found.length}`);
  }
  t.diagnostic(`${kills} kills; runs: ${counts.join(', ')}`);
}

test(
  'three nodes on PostgreSQL, killed at random, over clocks that go back: each due instant runs once',
  IN_WHOLE,
  async (t) => {
    await stormed(t, AUTUMN, await server.database());
  },
);

test(
  'three nodes on PostgreSQL, killed at random, over clocks that go forward: each due instant runs once',
  IN_WHOLE,
  async (t) => {
    await stormed(t, SPRING, await server.database());
  },
);

test('a process on SQLite, killed at random, over clocks that go back: each due instant runs once', async (t) => {
  await stormed(t, AUTUMN, null);
});
