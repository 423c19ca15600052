import type { Machine } from '../machine.ts';
import type { Measurement, Plan } from '../rounds.ts';
import type { Summary } from '../summary.ts';

/** Everything that was measured, for other programs; `format` changes when its form does. */
export function jsonReport(
  machine: Machine,
  plan: Plan & { readonly rows: number },
  measurements: readonly Measurement[],
  summaries: readonly Summary[],
  interrupted: boolean,
): string {
  const { rounds, seconds, warmup, start, rows, nodes } = plan;
  const terms = { rounds, seconds, warmup, start, rows, nodes };
  const report = { format: 2, machine, terms, interrupted, summaries, measurements };
  return `${JSON.stringify(report, null, 1)}\n`;
}
