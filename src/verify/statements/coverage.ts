import type { Lines } from '../../plan/lines.ts';
import { lineKey } from '../../plan/lines.ts';
import { PART_ITEMS, type PartName, partAndItem } from '../../plan/parts.ts';
import type { Outcome, Result } from './judge.ts';

/** One of the 31 items: whether the document states it, and the outcomes of its statements. */
export interface ItemCoverage extends Readonly<Record<Outcome, number>> {
  readonly part: PartName;
  readonly item: string;
  readonly stated: boolean;
}

/**
 * The 31 items in document order. `lines`: the lines of the plan. The purpose of the service counts as stated by its
 * line, since no caller can test it.
 */
export function coverageOf(results: readonly Result[], lines: Lines): ItemCoverage[] {
  return PART_ITEMS.map((name) => {
    const [part, item] = partAndItem(name);
    const of = results.filter(({ statement }) => statement.part === part && statement.item === item);
    const count = (outcome: Outcome): number => of.filter((one) => one.outcome === outcome).length;
    const counts = { kept: count('kept'), broken: count('broken'), untestable: count('untestable') };
    const stated = of.length > 0 || (part === 'purpose' && Object.hasOwn(lines, lineKey.part(part, item)));
    return { part, item, stated, ...counts };
  });
}
