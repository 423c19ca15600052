import { type Cell, keyOf } from './cells.ts';
import type { Measurement } from './rounds.ts';
import { BASES } from './servers.ts';
import { type Spread, spread } from './statistics.ts';

/** What the rounds come to, of one server and one cell; null where it was not measured. */
export interface Summary {
  readonly server: string;
  readonly cell: Cell;
  readonly rate: Spread;
  readonly p50: Spread;
  readonly p99: Spread;
  readonly max: Spread;
  readonly cpu: Spread | null;
  readonly databaseCpu: Spread | null;
  readonly syncs: Spread | null;
  readonly conflicts: Spread | null;
  readonly memory: Spread | null;
  readonly loadBusy: Spread;
  /** Throughput, p99 and memory as ratios: computed in each round, then their middle. Each store has a Fastify of its own. */
  readonly toFastify: Ratios | null;
  readonly toGrouped: Ratios | null;
  readonly toFloor: Ratios | null;
  readonly toBefore: Ratios | null;
  readonly usedUp: boolean;
}

export interface Ratios {
  readonly rate: Spread;
  readonly p99: Spread;
  readonly memory: Spread | null;
}

/** Sums the rounds up, in the order of the servers and cells that were measured first. */
export function summarise(all: readonly Measurement[]): Summary[] {
  const groups = Map.groupBy(all, ({ server, cell }) => `${server} ${keyOf(cell)}`);
  return [...groups.values()].map((rounds) => {
    const { server, cell } = rounds[0]!;
    const of = (pick: (one: Measurement) => number | null): Spread | null =>
      spread(rounds.map(pick).filter((value) => value !== null));
    return {
      server,
      cell,
      rate: of((one) => one.rate)!,
      p50: of((one) => one.p50)!,
      p99: of((one) => one.p99)!,
      max: of((one) => one.max)!,
      cpu: of((one) => one.cpu),
      databaseCpu: of((one) => one.databaseCpu),
      syncs: of((one) => one.syncs),
      conflicts: of((one) => one.conflicts),
      memory: of((one) => one.memory),
      loadBusy: of((one) => one.loadBusy)!,
      toFastify: ratios(rounds, all, ...Object.values(BASES)),
      toGrouped: ratios(rounds, all, 'fastify-grouped'),
      toFloor: ratios(rounds, all, 'floor'),
      toBefore: ratios(rounds, all, 'before'),
      usedUp: rounds.some((one) => one.usedUp),
    };
  });
}

/** The ratios to another server, each to what it did in the same round: what slows a round slows both. */
function ratios(rounds: readonly Measurement[], all: readonly Measurement[], ...bases: string[]): Ratios | null {
  const pairs = rounds.flatMap((one) => {
    const other = all.find(
      (two) => bases.includes(two.server) && two.round === one.round && keyOf(two.cell) === keyOf(one.cell),
    );
    return other ? [[one, other] as const] : [];
  });
  const rate = spread(pairs.map(([one, other]) => one.rate / other.rate));
  const p99 = spread(pairs.map(([one, other]) => one.p99 / other.p99));
  const memory = pairs.flatMap(([one, other]) => (one.memory && other.memory ? [one.memory / other.memory] : []));
  return rate && p99 && { rate, p99, memory: spread(memory) };
}
