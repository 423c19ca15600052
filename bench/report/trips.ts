import { serverOf } from '../servers.ts';
import { COUNTED, DELAY_MS, KINDS, type Trips } from '../trips/measure.ts';
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
    `Round trips to the database until a request is answered (+ those that follow it), asked one at a time: the least of
${COUNTED} requests, since a node has trips of its own, such as its heartbeat`,
    table(({ before, after }) => (after.least ? `${before.least} + ${after.least}` : String(before.least))),
    '',
    `Milliseconds until it is answered, where each answer of the database takes ${DELAY_MS} ms longer`,
    table(({ milliseconds }) => milliseconds.median.toFixed(1)),
  ].join('\n');
}
