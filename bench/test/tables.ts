import { untriedIn } from '../../src/verify/statements/judge.ts';
import type { Fault } from './faults/fault.ts';
import type { LineOutcome, Outcome } from './job.ts';
import type { Mutant } from './mutants.ts';

/** Something that was to be found, and what became of it. */
export interface Tried {
  /** In which line of the table it counts. */
  readonly groups: readonly string[];
  readonly found: boolean;
  /** Whether the test says itself that it cannot try what is broken, and why. */
  readonly untestable: boolean;
  /** Whether a break names a line that is broken. */
  readonly named: boolean;
  /** Whether the run itself failed: it counts as nothing. */
  readonly failed: boolean;
  readonly requests: readonly number[];
}

/** What became of a mutant. */
export const triedMutant = (mutant: Mutant, { breaks, failed, ofLines }: Outcome): Tried => ({
  groups: [mutant.document, mutant.kind.replace(/:.*/, ''), mutant.differs],
  found: breaks.length > 0,
  untestable: breaks.length === 0 && saidUntestable(ofLines).length > 0,
  named: breaks.some(({ line }) => line !== null && mutant.lines.includes(line)),
  failed: failed !== null,
  requests: breaks.map(({ requests }) => requests),
});

/**
 * Why the test cannot try any statement of the changed lines, by its own report. Empty where it says of one of them that it
 * is kept, or that there was no time to try it: what is broken was missed then.
 */
export function saidUntestable(ofLines: readonly LineOutcome[]): string[] {
  if (ofLines.length === 0) return ['No statement that a caller can meet is in this line.'];
  const isSaid = ({ outcome, because }: LineOutcome): boolean =>
    outcome === 'untestable' && because !== null && untriedIn(because) === undefined;
  return ofLines.every(isSaid) ? [...new Set(ofLines.flatMap(({ because }) => because ?? []))] : [];
}

/** What became of a fault: breaks that the service has without it are none of it. */
export function triedFault(
  fault: Fault,
  lines: readonly number[],
  outcome: Outcome,
  without: ReadonlySet<string>,
): Tried {
  const breaks = outcome.breaks.filter((one) => !without.has(signature(one)));
  return {
    groups: [fault.kind, fault.peer],
    found: breaks.length > 0,
    untestable: false,
    named: breaks.some(({ line }) => line !== null && lines.includes(line)),
    failed: outcome.failed !== null,
    requests: breaks.map(({ requests }) => requests),
  };
}

/** What tells the breaks of a service apart, whatever rows they were found with. */
export const signature = ({ statement, endpoint, why }: Outcome['breaks'][number]): string =>
  `${statement} ${endpoint} ${why.replace(/\d+/g, '#')}`;

const percent = (part: number, whole: number): string => (whole ? `${((100 * part) / whole).toFixed(1)}%` : '-');

/** A line for each group: how many there were, how many were found, and how often a right line was named. */
export function table(title: string, tried: readonly Tried[]): string {
  const counted = tried.filter(({ failed }) => !failed);
  const depths = Math.max(0, ...counted.map(({ groups }) => groups.length));
  const groups = Array.from({ length: depths }, (_, depth) => [
    ...new Set(counted.map(({ groups }) => groups[depth] ?? '')),
  ]);
  const row = (name: string, some: readonly Tried[]): string => {
    const found = some.filter((one) => one.found);
    const named = found.filter((one) => one.named);
    const untestable = some.filter((one) => one.untestable).length;
    return [
      name.padEnd(26),
      `${some.length}`.padStart(7),
      `${found.length}`.padStart(7),
      percent(found.length, some.length).padStart(8),
      `${untestable}`.padStart(12),
      percent(found.length, some.length - untestable).padStart(13),
      percent(named.length, found.length).padStart(12),
    ].join('');
  };
  const requests = counted.flatMap(({ requests }) => requests).sort((a, b) => a - b);
  return [
    `${title.padEnd(26)}  tried  found          untestable  of the others  right line`,
    ...groups.flat().map((name) =>
      row(
        name,
        counted.filter(({ groups }) => groups.includes(name)),
      ),
    ),
    row('all', counted),
    `Runs that failed: ${tried.length - counted.length}. Requests of a break: median ${requests[requests.length >> 1] ?? '-'}, most ${requests.at(-1) ?? '-'}, at most eight in ${percent(requests.filter((one) => one <= 8).length, requests.length)}.`,
  ].join('\n');
}
