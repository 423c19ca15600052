import { serverOf } from '../servers.ts';
import { DELAY_MS, KINDS, type Trips } from '../trips/measure.ts';
import { aligned } from './columns.ts';

/** Round trips to the database for each kind of request, and how long they take where each takes longer. */
export function tripsText(all: readonly Trips[]): string {
  const table = (pick: (one: Trips) => string): string =>
    aligned([
      ['server', ...KINDS],
      ...[...Map.groupBy(all, ({ server }) => server)].map(([server, kinds]) => [
        serverOf(server)!.title,
        ...kinds.map(pick),
      ]),
    ]);
  return [
    'Round trips to the database until a request is answered (+ those that follow), asked one at a time',
    table(({ before, after }) => (after.median ? `${before.median} + ${after.median}` : String(before.median))),
    '',
    `Milliseconds until it is answered, where each answer of the database takes ${DELAY_MS} ms longer`,
    table(({ milliseconds }) => milliseconds.median.toFixed(1)),
  ].join('\n');
}
