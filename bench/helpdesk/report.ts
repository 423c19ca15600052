import { aligned } from '../report/columns.ts';
import { type Spread, spread } from '../statistics.ts';
import { LEFT_OUT_BY_HAND, LEFT_OUT_BY_NINEFOLD } from './left-out.ts';
import type { Measurement } from './measure.ts';
import { KINDS } from './requests.ts';
import type { Size } from './size.ts';

const count = (value: number): string => Math.round(value).toLocaleString('en-GB');

/** How much was written for each, and what each leaves out. */
export function sizesText({ ninefold, fastify }: { readonly ninefold: Size; readonly fastify: Size }): string {
  const row = (title: string, { files, lines, words, characters }: Size): string[] => [
    title,
    ...[files, lines, words, characters].map(count),
  ];
  const ratio = (of: keyof Size): string => (fastify[of] / ninefold[of]).toFixed(2);
  const table = aligned([
    ['written', 'files', 'lines', 'words', 'characters'],
    row('helpdesk.md, helpdesk.ts', ninefold),
    row('Fastify, by hand', fastify),
    ['by hand ÷ Ninefold', '', ratio('lines'), ratio('words'), ratio('characters')],
  ]);
  const listed = (title: string, all: readonly string[]): string =>
    `${title}\n${all.map((one) => `- ${one}`).join('\n')}`;
  return [
    `${table}\nWithout blank lines, comments and indentation.`,
    listed('The service by hand leaves out:', LEFT_OUT_BY_HAND),
    listed('Ninefold leaves out:', LEFT_OUT_BY_NINEFOLD),
  ].join('\n\n');
}

const HEADINGS = [
  '',
  'requests/s',
  '(least–most)',
  '× Fastify',
  'CPU µs',
  '(least–most)',
  '÷ Fastify',
  'p50 ms',
  'p99 ms',
  'syncs',
  'MiB',
];

/** A table for each kind of request: medians over the rounds; ratios are taken in each round. */
export function measuredText(measured: readonly Measurement[]): string {
  const kinds = Map.groupBy(measured, ({ kind }) => kind);
  return [...kinds]
    .map(([kind, all]) => {
      const of = (name: string): Measurement[] => all.filter(({ server }) => server === name);
      const rows = [rowOf('Ninefold', of('ninefold'), of('fastify')), rowOf('Fastify', of('fastify'), null)];
      return `${KINDS[kind]}\n${aligned([HEADINGS, ...rows])}`;
    })
    .join('\n\n');
}

function rowOf(title: string, all: readonly Measurement[], fastify: readonly Measurement[] | null): string[] {
  const over = (pick: (one: Measurement) => number | null): Spread | null => {
    const values = all.map(pick).filter((one) => one !== null);
    return spread(values);
  };
  const ratio = (pick: (one: Measurement) => number | null): string => {
    if (fastify === null) return '';
    const ratios = all.flatMap((one) => {
      const other = fastify.find(({ round }) => round === one.round);
      const [a, b] = [pick(one), other ? pick(other) : null];
      return a === null || b === null ? [] : [a / b];
    });
    return spread(ratios)?.median.toFixed(2) ?? '–';
  };
  const middle = (value: Spread | null, digits: number): string => value?.median.toFixed(digits) ?? '–';
  const range = (value: Spread | null): string => (value ? `(${count(value.least)}–${count(value.most)})` : '–');
  const [rate, cpu] = [over((one) => one.rate), over((one) => one.cpu)];
  return [
    title,
    rate ? count(rate.median) : '–',
    range(rate),
    ratio((one) => one.rate),
    middle(cpu, 0),
    range(cpu),
    ratio((one) => one.cpu),
    middle(
      over((one) => one.p50),
      2,
    ),
    middle(
      over((one) => one.p99),
      2,
    ),
    middle(
      over((one) => one.syncs),
      2,
    ),
    middle(
      over((one) => (one.memory === null ? null : one.memory / 2 ** 20)),
      0,
    ),
  ];
}
