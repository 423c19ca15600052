import { aligned } from '../report/columns.ts';
import { spread } from '../statistics.ts';
import type { Kind } from './asks.ts';
import { judge, type Verdict } from './fit.ts';
import type { Installed } from './install.ts';
import type { GrowthMeasured } from './measure.ts';
import type { Thing } from './things.ts';

/** The growth of one kind of requests. */
export interface Growth {
  readonly thing: string;
  readonly kind: Kind;
  readonly points: readonly GrowthPoint[];
  /** Null where the server's processor time can't be known. */
  readonly verdict: Verdict | null;
}

/** Medians over the rounds: the processor's time in microseconds for each request, latencies in milliseconds. */
export interface GrowthPoint {
  readonly size: number;
  readonly cpu: number | null;
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
}

const middle = (values: ReadonlyArray<number | null>): number | null =>
  spread(values.filter((one) => one !== null))?.median ?? null;

/** What the rounds come to. */
export function growthsOf(thing: Thing, measured: readonly GrowthMeasured[]): Growth[] {
  const bySize = [...Map.groupBy(measured, (one) => one.size)].sort(([a], [b]) => a - b);
  return thing.kinds.map((kind) => {
    const points = bySize.map(([size, rounds]): GrowthPoint => {
      const of = (pick: 'rate' | 'p50' | 'p99'): number => middle(rounds.map(({ kinds }) => kinds[kind]![pick]))!;
      const cpu = middle(rounds.map(({ kinds }) => kinds[kind]!.cpu));
      return { size, cpu, rate: of('rate'), p50: of('p50'), p99: of('p99') };
    });
    const costs = points.flatMap(({ size, cpu }) => (cpu === null ? [] : [{ size, cost: cpu }]));
    return { thing: thing.name, kind, points, verdict: costs.length < 2 ? null : judge(costs, thing.bound) };
  });
}

const whole = (value: number): string => Math.round(value).toLocaleString('en-GB');
const mebibytes = (bytes: number | null): string => (bytes === null ? '–' : whole(bytes / 2 ** 20));

const cpuText = (milliseconds: number | null): string => (milliseconds === null ? '–' : whole(milliseconds));

/** Tables and verdicts of one thing. */
export function growthText(thing: Thing, growths: readonly Growth[], measured: readonly GrowthMeasured[]): string {
  const lines = [['', thing.unit, 'CPU µs', '×', 'requests/s', 'p50 ms', 'p99 ms']];
  for (const { kind, points } of growths)
    for (const { size, cpu, rate, p50, p99 } of points) {
      const base = points[0]!.cpu;
      const times = cpu !== null && base !== null ? (cpu / base).toFixed(2) : '–';
      lines.push([kind, whole(size), cpu?.toFixed(1) ?? '–', times, whole(rate), p50.toFixed(2), p99.toFixed(2)]);
    }
  const verdicts = growths.map(
    ({ kind, verdict }) => `  ${kind}: ${verdict ? verdictText(verdict) : 'not known here'}`,
  );
  return [thing.title, aligned(lines), servers(thing, measured), verdicts.join('\n')].join('\n\n');
}

/** What each size takes to start, and of memory and disk. */
function servers(thing: Thing, measured: readonly GrowthMeasured[]): string {
  const bySize = [...Map.groupBy(measured, (one) => one.size)].sort(([a], [b]) => a - b);
  const lines = bySize.map(([size, rounds]) => [
    whole(size),
    whole(middle(rounds.map((one) => one.start))!),
    cpuText(middle(rounds.map((one) => one.startCpu))),
    mebibytes(middle(rounds.map((one) => one.rest))),
    mebibytes(middle(rounds.map((one) => one.memory))),
    mebibytes(rounds[0]!.bytes),
  ]);
  return aligned([[thing.unit, 'start ms', 'CPU ms', 'MiB at rest', 'MiB under load', 'MiB of disk'], ...lines]);
}

/** A verdict in a line. */
export function verdictText({ holds, ratio, most, exponent, a, b, bend }: Verdict): string {
  const grown = `${ratio.toFixed(2)} times from the smallest to the largest, as the power ${exponent.toFixed(3)}`;
  const said = holds ? 'within its bound' : 'FASTER THAN ITS BOUND';
  if (bend === null)
    return `${said}: ${grown}, where ${most!.toFixed(2)} times is the most; ${a.toFixed(1)} ${signed(b, 1)} µs · log10(n)`;
  const line = `${a.toFixed(1)} ${signed(b, 4)} µs · n`;
  return `${said}: ${grown}; ${line}, of which one more costs ${bend.toFixed(2)} times as much in the upper half as in the lower`;
}

const signed = (value: number, digits: number): string => `${value < 0 ? '−' : '+'} ${Math.abs(value).toFixed(digits)}`;

/** What an installation takes. */
export function installText(one: Installed): string {
  const kilo = (bytes: number): string => `${whole(bytes / 1000)} kB`;
  return [
    'Install size',
    `  published: ${kilo(one.tarballBytes)}, unpacked ${kilo(one.unpackedBytes)} in ${one.publishedFiles} files`,
    `  installed: ${kilo(one.installedBytes)} in ${whole(one.installedFiles)} files of ${one.packages} packages`,
    `  the largest: ${one.largest.map(([name, bytes]) => `${name} ${kilo(bytes)}`).join(', ')}`,
  ].join('\n');
}
