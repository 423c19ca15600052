import { titleOf } from '../cells.ts';
import { aligned } from '../report/columns.ts';
import type { Server } from '../servers.ts';
import type { Spread } from '../statistics.ts';
import type { Summary } from '../summary.ts';
import type { Tried } from './trial.ts';

const HEADINGS = ['', 'requests/s', '× Fastify', '(least–most)', 'p50 ms', 'p99 ms', 'syncs', 'MiB'];

/** A table for each cell, of medians over the rounds. */
export function tablesText(summaries: readonly Summary[], servers: readonly Server[]): string {
  const place = (one: Summary): number => servers.findIndex(({ name }) => name === one.server);
  return [...Map.groupBy(summaries, ({ cell }) => titleOf(cell))]
    .map(([title, rows]) => {
      const lines = rows
        .toSorted((a, b) => place(a) - place(b))
        .map((one) => [servers[place(one)]!.title, ...cells(one)]);
      return `${title}\n${aligned([HEADINGS, ...lines])}`;
    })
    .join('\n\n');
}

function cells({ rate, toFastify, p50, p99, syncs, memory }: Summary): string[] {
  const ratio = toFastify?.rate;
  return [
    fine(rate.median),
    ratio ? fine(ratio.median) : '–',
    ratio ? `(${fine(ratio.least)}–${fine(ratio.most)})` : '–',
    p50.median.toFixed(1),
    p99.median.toFixed(1),
    middle(syncs, 2),
    memory ? (memory.median / 2 ** 20).toFixed(0) : '–',
  ];
}

const middle = (value: Spread | null, digits: number): string => (value ? value.median.toFixed(digits) : '–');

/** As many digits as a number of its size needs: some engines do a thousandth of what others do. */
const fine = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en-GB') : value >= 0.1 ? value.toFixed(2) : value.toPrecision(2);

/** What was tried of one server, a line each. */
export function triedText(title: string, tried: readonly Tried[]): string {
  const mark = ({ does }: Tried): string => (does === null ? '?' : does ? 'yes' : 'no');
  return [title, ...tried.map((one) => `  ${mark(one).padEnd(3)}  ${one.of}: ${one.did}`)].join('\n');
}
