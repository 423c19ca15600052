import { PART_ITEMS, type PartName, partAndItem } from '../../plan/parts.ts';
import type { Outcome, Result } from './judge.ts';

/** One of the 31 items: whether the document states it, and what became of its statements. */
export interface ItemCoverage extends Readonly<Record<Outcome, number>> {
  readonly part: PartName;
  readonly item: string;
  readonly stated: boolean;
}

/** The 31 items in document order. */
export function coverageOf(results: readonly Result[]): ItemCoverage[] {
  return PART_ITEMS.map((name) => {
    const [part, item] = partAndItem(name);
    const of = results.filter(({ statement }) => statement.part === part && statement.item === item);
    const count = (outcome: Outcome): number => of.filter((one) => one.outcome === outcome).length;
    const counts = { kept: count('kept'), broken: count('broken'), untestable: count('untestable') };
    return { part, item, stated: of.length > 0, ...counts };
  });
}
