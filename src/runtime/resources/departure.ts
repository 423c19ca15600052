import type { Row, Value } from '../../expression/values/value.ts';
import { eachOf, type Program } from '../../store/store.ts';
import { addTo } from '../../text/lists.ts';
import type { Keeper } from './checks.ts';
import type { Resource } from './rules.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** The most rows of one statement. */
const PAGE_ROWS = 500;

/** A reference from one row to be removed to another. */
interface Edge {
  readonly from: Going;
  readonly column: number;
  /** Whether the row is removed because of the reference. */
  readonly takes: boolean;
}

/** A row of a removal. */
export interface Going {
  readonly resource: Resource;
  readonly identity: Value;
  /** The row; null until it is read, which only events and rules need. */
  row: Row | null;
  /** The index of the removal, among those of a step, that removes the row. */
  readonly turn: number;
  /** The row's position in the order of removal. */
  place: number;
  readonly edges: Edge[];
  /** Greater than the ranks of the rows that refer to it. */
  rank: number;
  stage: 'found' | 'entered' | 'ordered' | 'leaving' | 'gone';
}

/** All rows of a removal. Each row comes after the rows that are removed because of it. */
export class Departure {
  readonly inOrder: Going[] = [];
  private readonly all = new Map<Resource, Map<Value, Going>>();
  private turn = 0;
  /** The first row that can't be removed, and the rule that prevents it. */
  private first: { readonly going: Going; readonly index: number; readonly by: Keeper } | null = null;

  find(resource: Resource, identity: Value): Going | undefined {
    return this.all.get(resource)?.get(identity);
  }

  has(resource: Resource): boolean {
    return this.all.has(resource);
  }

  /** Adds a row to the removal. Returns null if this removal has the row already, or an earlier step has removed it. */
  add(work: UnitOfWork, resource: Resource, identity: Value, row: Row | null): Going | null {
    const leaving = work.leavingOf(resource.plan.name);
    if (leaving.has(identity)) return null;
    leaving.add(identity);
    const { turn } = this;
    const going: Going = { resource, identity, row, turn, place: 0, edges: [], rank: 0, stage: 'found' };
    const known = this.all.get(resource);
    if (known) known.set(identity, going);
    else this.all.set(resource, new Map([[identity, going]]));
    return going;
  }

  point(at: Going, from: Going, column: number, takes: boolean): void {
    at.edges.push({ from, column, takes });
  }

  /**
   * Orders a row after the rows that are removed because of it. A row that is added later is removed because of
   * another.
   */
  *order(root: Going): Program<void> {
    const left = (going: Going): void => {
      going.stage = 'ordered';
      going.place = this.inOrder.push(going);
    };
    yield* eachOf(
      walk([root], 'found', 'entered', ({ takes }) => takes),
      left,
    );
    this.turn++;
  }

  /** Notes a rule that prevents a row's removal; the first row's first rule is kept. */
  keep(going: Going, index: number, by: Keeper): void {
    const { first } = this;
    const place = first ? going.place - first.going.place || index - first.index : -1;
    if (place < 0) this.first = { going, index, by };
  }

  get kept(): Keeper | null {
    return this.first?.by ?? null;
  }

  /** Groups the rows by resource, so that rows come before those that they refer to. References in cycles are cut. */
  *leave(): Program<Leaving> {
    const cuts = new Map<Going, number[]>();
    const ranks: Array<Map<Resource, Going[]>> = [];
    const follows = ({ from, column }: Edge): boolean => {
      const { nullable, references } = from.resource.plan.columns[column]!;
      if (from.stage === 'leaving' && (nullable || references !== undefined)) addTo(cuts, from, column);
      return true;
    };
    const left = (going: Going): void => {
      for (const { from } of going.edges) if (from.stage === 'gone') going.rank = Math.max(going.rank, from.rank + 1);
      going.stage = 'gone';
      ranks[going.rank] ??= new Map();
      addTo(ranks[going.rank]!, going.resource, going);
    };
    yield* eachOf(walk(this.inOrder, 'ordered', 'leaving', follows), left);
    return { cuts, groups: ranks.flatMap((rank) => [...rank]) };
  }
}

/** The order of the deletions, and the references that are set to null before. */
interface Leaving {
  readonly cuts: ReadonlyMap<Going, readonly number[]>;
  readonly groups: ReadonlyArray<readonly [Resource, Going[]]>;
}

/**
 * Walks from each row to the rows that refer to it, depth first, among rows of the stage `from`; yields each row after
 * all that refer to it. It is not recursive, since chains may be as long as there are rows.
 */
function* walk(
  roots: readonly Going[],
  from: Going['stage'],
  entered: Going['stage'],
  follows: (edge: Edge) => boolean,
): Iterable<Going> {
  for (const root of roots) {
    if (root.stage !== from) continue;
    root.stage = entered;
    const path = [{ going: root, next: 0 }];
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const edge = top.going.edges[top.next++];
      if (!edge) {
        path.pop();
        yield top.going;
      } else if (follows(edge) && edge.from.stage === from) {
        edge.from.stage = entered;
        path.push({ going: edge.from, next: 0 });
      }
    }
  }
}

/** Groups rows by resource, in the order in which the resources first occur. */
export function byResource(goings: readonly Going[]): Map<Resource, Going[]> {
  const out = new Map<Resource, Going[]>();
  for (const going of goings) addTo(out, going.resource, going);
  return out;
}

/** Yields parts of a list with as many items as one statement takes. */
export function* pagesOf<T>(all: readonly T[]): Iterable<readonly T[]> {
  for (let at = 0; at < all.length; at += PAGE_ROWS) yield all.slice(at, at + PAGE_ROWS);
}
