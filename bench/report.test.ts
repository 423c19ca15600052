import assert from 'node:assert/strict';
import { test } from 'node:test';
import { benchedDocument } from './document.ts';
import { readOptions, WrongUse } from './options.ts';
import { chart } from './report/chart.ts';
import { tablesText } from './report/text.ts';
import type { Measurement } from './rounds.ts';
import { summarise } from './summary.ts';

const MACHINE = {
  platform: 'linux x64',
  processor: 'A <processor> & more',
  cores: 2,
  memoryBytes: 2 ** 30,
  node: 'v26.0.0',
  sqlite: '3.54.0',
  sync: { p50: 0.2, p99: 0.3 },
  pinned: true,
  syncsCounted: true,
};

const measured = (server: string, round: number, rate: number): Measurement => ({
  server,
  round,
  cell: { work: 'read', connections: 64, delay: 0 },
  requests: rate,
  seconds: 1,
  rate,
  p50: 1,
  p99: 1000 / rate,
  max: 3,
  cpu: 10,
  loadBusy: 0.5,
  syncs: 0,
  conflicts: null,
  databaseCpu: null,
  memory: 2 ** 20,
  unexpected: {},
  usedUp: false,
  draftsLeft: 1,
});

/** A machine that is slower in the second round: the ratios are the same in each. */
const ROUNDS = [
  measured('ninefold', 0, 300),
  measured('fastify', 0, 100),
  measured('fastify', 1, 50),
  measured('ninefold', 1, 150),
];

test('ratios are taken in each round, and then their middle', () => {
  const [ninefold, fastify] = summarise(ROUNDS);
  assert.equal(ninefold!.rate.median, 225);
  assert.deepEqual(ninefold!.toFastify!.rate, { median: 3, least: 3, most: 3 });
  assert.ok(Math.abs(ninefold!.toFastify!.p99.median - 1 / 3) < 1e-12);
  assert.equal(fastify!.toFastify!.rate.median, 1);
  assert.equal(ninefold!.toFloor, null);
});

test('tables and the chart name every server, and the chart is XML', () => {
  const summaries = summarise(ROUNDS);
  const text = tablesText(summaries);
  assert.match(text, /read one, 64 connections\n {2}server/);
  assert.match(text, /Ninefold +225 +\(150–300\) +3\.00/);
  const svg = chart(summaries, MACHINE)!;
  assert.match(svg, /A &lt;processor> &amp; more/);
  assert.match(svg, />Ninefold<[\s\S]*>3\.0</);
  assert.match(svg, /prefers-color-scheme: dark/);
  assert.equal(chart([], MACHINE), null);
});

test('the benched document differs from orders.md in the numbers of two rates alone', () => {
  assert.match(benchedDocument(), /^\| Rate {9}\| 100000000 requests per minute +\| each caller +\|$/m);
  assert.match(benchedDocument(), /^\| Rate {9}\| 100000000 requests per minute +\| each address, before/m);
});

test('options say what is wrong with them', () => {
  assert.equal(readOptions(['--help']), null);
  const { cells, servers } = readOptions(['--work', 'create', '--connections', '1,64', '--sync', '2ms'])!;
  assert.deepEqual(cells, [
    { work: 'create', connections: 1, delay: 2000 },
    { work: 'create', connections: 64, delay: 2000 },
  ]);
  assert.deepEqual(
    servers.map((one) => one.name),
    ['ninefold', 'fastify', 'fastify-grouped', 'floor'],
  );
  for (const wrong of [['--work', 'sleep'], ['--rounds', '0'], ['--sync', '2'], ['--servers', 'koa'], ['--fast']])
    assert.throws(() => readOptions(wrong), WrongUse);
});

test('each store has servers of its own, and a SQLite file one node', () => {
  const { store, servers, nodes } = readOptions(['--store', 'postgres', '--nodes', '2'])!;
  assert.deepEqual([store, nodes], ['postgres', 2]);
  const names = servers.map((one) => one.name);
  assert.deepEqual(names, ['ninefold', 'fastify-pg', 'fastify-pg-serializable', 'floor']);
  assert.throws(() => readOptions(['--store', 'mysql']), /“mysql” is no store: sqlite, postgres/);
  assert.throws(
    () => readOptions(['--store', 'postgres', '--servers', 'fastify']),
    /“fastify” is no server on postgres/,
  );
  assert.throws(() => readOptions(['--servers', 'fastify-pg']), /“fastify-pg” is no server on sqlite/);
  for (const wrong of [['--nodes', '2'], ['--trips']]) assert.throws(() => readOptions(wrong), WrongUse);
});

test('on PostgreSQL, ratios are those to Fastify there, and transactions that were run again stand in the tables', () => {
  const again = (server: string, rate: number, conflicts: number | null): Measurement => {
    return { ...measured(server, 0, rate), syncs: null, conflicts, databaseCpu: 40 };
  };
  const summaries = summarise([again('ninefold', 300, 0.25), again('fastify-pg', 100, 0), again('floor', 900, null)]);
  assert.equal(summaries[0]!.toFastify!.rate.median, 3);
  const text = tablesText(summaries);
  assert.match(text, /CPU µs +database µs +conflicts +MiB/);
  assert.match(text, /Ninefold .* 40\.0 +0\.250 /);
  assert.doesNotMatch(text, /syncs/);
});
