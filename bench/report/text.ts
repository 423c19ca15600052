import { titleOf } from '../cells.ts';
import type { Machine } from '../machine.ts';
import { EARLIER, SERVERS, serverOf } from '../servers.ts';
import type { Spread } from '../statistics.ts';
import type { Summary } from '../summary.ts';
import { aligned } from './columns.ts';

/** The machine, in a few lines. */
export function machineText(machine: Machine): string {
  const { processor, cores, memoryBytes, platform, node, sqlite, sync, pinned, syncsCounted } = machine;
  return [
    `${processor}, ${cores} cores, ${(memoryBytes / 2 ** 30).toFixed(1)} GiB, ${platform}`,
    `Node ${node}, SQLite ${sqlite}, a sync of 4 KiB takes ${sync.p50.toFixed(2)} ms (p99 ${sync.p99.toFixed(2)} ms)`,
    pinned
      ? 'The server is kept to one processor, the load to another.'
      : 'Server and load are not kept apart: that needs SQLite, taskset and two processors.',
    ...(syncsCounted ? [] : ['Syncs are neither counted nor delayed here: that needs SQLite, Linux and a C compiler.']),
  ].join('\n');
}

const HEADINGS = [
  'server',
  'requests/s',
  '(least–most)',
  '× Fastify',
  '(least–most)',
  '× floor',
  'p50 ms',
  'p99 ms',
  '× Fastify',
  'max ms',
  'CPU µs',
  'syncs',
  'MiB',
  '× Fastify',
  'load',
];

/** What is known on PostgreSQL in the place of syncs: processor time of the database, and transactions run again. */
const POSTGRES_HEADINGS = ['database µs', 'conflicts'];

/** A table for each cell, of medians over the rounds. */
export function tablesText(summaries: readonly Summary[]): string {
  const cells = Map.groupBy(summaries, (one) => titleOf(one.cell));
  return [...cells].map(([title, rows]) => `${title}\n${table(rows)}${remarks(rows)}`).join('\n\n');
}

function table(rows: readonly Summary[]): string {
  const order = (one: Summary): number => SERVERS.findIndex(({ name }) => name === one.server);
  const isPostgres = rows.some(({ databaseCpu }) => databaseCpu !== null);
  const headings = HEADINGS.flatMap((one) => (one === 'syncs' && isPostgres ? POSTGRES_HEADINGS : [one]));
  return aligned([headings, ...rows.toSorted((a, b) => order(a) - order(b)).map((one) => cells(one, isPostgres))]);
}

function cells(one: Summary, isPostgres: boolean): string[] {
  const { title } = serverOf(one.server)!;
  const compared = isCompared(one.server);
  const toFastify = compared ? one.toFastify : null;
  const toFloor = compared ? one.toFloor : null;
  const whole = (value: number): string => Math.round(value).toLocaleString('en-GB');
  const range = (value: Spread, show: (value: number) => string): string =>
    `(${show(value.least)}–${show(value.most)})`;
  const ratio = (value: number): string => value.toFixed(2);
  const middle = (value: Spread | null, digits: number): string => (value ? value.median.toFixed(digits) : '–');
  return [
    title,
    whole(one.rate.median),
    range(one.rate, whole),
    middle(toFastify?.rate ?? null, 2),
    toFastify ? range(toFastify.rate, ratio) : '–',
    middle(toFloor?.rate ?? null, 2),
    middle(one.p50, 2),
    middle(one.p99, 2),
    middle(toFastify?.p99 ?? null, 2),
    middle(one.max, 1),
    middle(one.cpu, 1),
    ...(isPostgres ? [middle(one.databaseCpu, 1), middle(one.conflicts, 3)] : [middle(one.syncs, 3)]),
    one.memory ? (one.memory.median / 2 ** 20).toFixed(0) : '–',
    middle(toFastify?.memory ?? null, 2),
    `${(one.loadBusy.median * 100).toFixed(0)}%`,
  ];
}

/** Servers that do other work stand beside the rest, and are not compared with it; the floor is what all are compared with. */
function isCompared(name: string): boolean {
  const { alike, rows } = serverOf(name)!;
  return alike || rows === null || name === EARLIER.name;
}

/** From how much on the load generator itself may have been what was measured. */
const BUSY = 0.95;

function remarks(rows: readonly Summary[]): string {
  const titles = (which: readonly Summary[]): string => which.map((one) => serverOf(one.server)!.title).join(', ');
  const busy = rows.filter((one) => one.loadBusy.median > BUSY);
  const usedUp = rows.filter((one) => one.usedUp);
  const others = rows.filter((one) => !isCompared(one.server));
  return [
    others.length ? `\n  ${titles(others)}: not compared, since it does less for each request.` : '',
    busy.length ? `\n  The load generator was busy all the time: ${titles(busy)} may be faster than this.` : '',
    usedUp.length
      ? `\n  Every row was used up before the time was: ${titles(usedUp)} was measured for less of it.`
      : '',
  ].join('');
}
