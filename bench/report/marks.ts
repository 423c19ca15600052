import { type Cell, keyOf, titleOf } from '../cells.ts';
import type { WorkName } from '../load/requests.ts';
import type { Summary } from '../summary.ts';
import { aligned } from './columns.ts';

/** What Ninefold has to reach beside Fastify in a cell: throughput at least. */
interface Mark {
  readonly cell: Cell;
  readonly first: number;
  readonly aim: number;
}

const mark = (work: WorkName, first: number, aim: number, connections = 64, delay = 0): Mark => ({
  cell: { work, connections, delay },
  first,
  aim,
});

const MARKS: readonly Mark[] = [
  mark('read', 1.3, 1.8),
  mark('list', 2, 3.2),
  mark('create', 7, 12),
  mark('transition', 4.5, 8),
  mark('refused', 1.5, 2),
  mark('reads-90', 1.8, 2.8),
  mark('reads-90', 5, 12, 64, 2000),
  mark('create', 0.9, 1.1, 1),
];

const HEADINGS = ['Ninefold to Fastify', 'requests/s', 'first mark', 'aim', 'p99', 'memory', 'to grouped', 'reached'];

/** How far Ninefold is from the project's marks; null where none of their cells was measured. */
export function marksText(summaries: readonly Summary[]): string | null {
  const rows = MARKS.flatMap(({ cell, first, aim }) => {
    const one = summaries.find(({ server, cell: other }) => server === 'ninefold' && keyOf(other) === keyOf(cell));
    if (!one?.toFastify) return [];
    const { rate, p99, memory } = one.toFastify;
    const reached = rate.median >= aim ? 'aim' : rate.median >= first ? 'first mark' : 'not yet';
    const grouped = one.toGrouped?.rate.median.toFixed(2) ?? '–';
    const space = memory?.median.toFixed(2) ?? '–';
    const ratios = [rate.median.toFixed(2), String(first), String(aim), p99.median.toFixed(2), space];
    return [[titleOf(cell), ...ratios, grouped, reached]];
  });
  return rows.length ? aligned([HEADINGS, ...rows]) : null;
}

/** What each cell comes to beside Ninefold at an earlier commit: above 1 is more for throughput, and worse for the others. */
export function beforeText(summaries: readonly Summary[]): string {
  const headings = ['Ninefold to before', 'requests/s', '(least–most)', 'p99', 'memory'];
  const rows = summaries.flatMap(({ server, cell, toBefore }) => {
    if (server !== 'ninefold' || !toBefore) return [];
    const { rate, p99, memory } = toBefore;
    const range = `(${rate.least.toFixed(2)}–${rate.most.toFixed(2)})`;
    return [
      [titleOf(cell), rate.median.toFixed(2), range, p99.median.toFixed(2), memory ? memory.median.toFixed(2) : '–'],
    ];
  });
  return aligned([headings, ...rows]);
}
