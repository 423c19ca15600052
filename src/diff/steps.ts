import type { StepContract } from '../contract/endpoint.ts';
import { declaresByKind, effectOfKind, refusesByKind } from '../plan/slots.ts';
import { type Compare, meaning, same } from './compare.ts';
import { BREAKS, type Difference, difference, KEEPS, stated, type Verdict } from './difference.ts';

/**
 * The verdicts on an added or removed step of a kind. A step without effect on data is judged by its refusals and
 * variables.
 */
function verdictsOf(kind: string): { readonly added: Verdict; readonly removed: Verdict } {
  // The body is validated before the steps or among them: only the choice among several refusals differs.
  if (kind === 'validate') return { added: KEEPS.accepted, removed: KEEPS.accepted };
  if (effectOfKind(kind) !== 'none') return { added: BREAKS.otherwise, removed: BREAKS.otherwise };
  return {
    added: refusesByKind(kind) ? BREAKS.refused : KEEPS.unmet,
    removed: declaresByKind(kind) ? BREAKS.otherwise : KEEPS.accepted,
  };
}

/** Describes a step with its conditions. */
const stepText = ({ under, text }: StepContract): string => [...under, text].join(': ');

/** The key of a step, which has more facts than its text. */
const keyOf = (step: StepContract): string => meaning(step);

/**
 * Compares sequences of steps: removed, added and changed ones. `refuses`: whether a new step may refuse requests
 * although its kind does not, such as a list with too many rows.
 */
export const steps =
  (where = '', refuses: (step: StepContract) => boolean = () => false): Compare<readonly StepContract[]> =>
  (old, next, here) => {
    if (same(old, next)) return [];
    const kept = new Set(common(old.map(keyOf), next.map(keyOf)));
    const removed = old.filter((_, i) => ![...kept].some(([was]) => was === i));
    const added = next.filter((_, i) => ![...kept].some(([, is]) => is === i));
    const out: Difference[] = [];
    for (const was of removed) {
      const found = added.findIndex((is) => is.do === was.do && is.resource === was.resource);
      const [is] = found < 0 ? [] : added.splice(found, 1);
      const at = stated(here, was, is ?? null);
      if (is && keyOf(is) === keyOf(was))
        out.push(difference(at, `${where}a step stands at another place: ${stepText(is)}`, BREAKS.otherwise));
      else if (is)
        out.push(difference(at, `${where}a step is: ${stepText(is)}, and was: ${stepText(was)}`, BREAKS.otherwise));
      else out.push(difference(at, `${where}a step is gone: ${stepText(was)}`, verdictsOf(was.do).removed));
    }
    for (const is of added)
      out.push(
        difference(
          stated(here, null, is),
          `${where}a step is new: ${stepText(is)}`,
          refuses(is) ? BREAKS.refused : verdictsOf(is.do).added,
        ),
      );
    return out;
  };

/** The longest common subsequence of the keys, as pairs of indexes, by dynamic programming. */
function common(old: readonly string[], next: readonly string[]): Array<readonly [number, number]> {
  /**
   * The previous row of the dynamic programming table: at index j, the longest common subsequence of the suffixes that
   * begin at i + 1 in `old` and at j in `next`.
   */
  let below: ReadonlyArray<Chain | null> = next.map(() => null);
  for (const [i, was] of [...old.entries()].reverse()) {
    const row: Array<Chain | null> = [];
    let right: Chain | null = null;
    for (const [j, is] of [...next.entries()].reverse()) {
      const down: Chain | null = below[j] ?? null;
      const rest: Chain | null = below[j + 1] ?? null;
      const best: Chain | null = was === is ? { pair: [i, j], length: 1 + lengthOf(rest), rest } : longer(down, right);
      row[j] = best;
      right = best;
    }
    below = row;
  }
  const out: Array<readonly [number, number]> = [];
  for (let one = below[0] ?? null; one; one = one.rest) out.push(one.pair);
  return out;
}

interface Chain {
  readonly pair: readonly [number, number];
  readonly length: number;
  readonly rest: Chain | null;
}

const lengthOf = (one: Chain | null): number => one?.length ?? 0;
const longer = (one: Chain | null, other: Chain | null): Chain | null =>
  lengthOf(one) >= lengthOf(other) ? one : other;
