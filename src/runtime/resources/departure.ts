import type { Row, Value } from '../../expression/values/value.ts';
import { eachOf, type Program } from '../../store/store.ts';
import { addTo } from '../../text/groups.ts';
import type { Keeper } from './checks.ts';
import type { Resource } from './rules.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** How many rows a statement takes at most. */
const PAGE_ROWS = 500;

/** A reference by which a row that goes points at another one that goes. */
interface Edge {
  readonly from: Going;
  readonly column: number;
  /** Whether the row goes because of it. */
  readonly takes: boolean;
}

/** A row that goes. */
export interface Going {
  readonly resource: Resource;
  readonly identity: Value;
  /** Null until it is read, which only events and rules need. */
  row: Row | null;
  /** Which of the rows that were to be removed takes it along. */
  readonly turn: number;
  /** Its place in the order of removal. */
  place: number;
  readonly edges: Edge[];
  /** Greater than those of the rows that point at it. */
  rank: number;
  stage: 'found' | 'entered' | 'ordered' | 'leaving' | 'gone';
}

/** All that goes with one removal: each row after those that go because of it. */
export class Departure {
  readonly inOrder: Going[] = [];
  private readonly all = new Map<Resource, Map<Value, Going>>();
  private turn = 0;
  /** The rule by which a row that stays keeps the first row that it keeps. */
  private first: { readonly going: Going; readonly index: number; readonly by: Keeper } | null = null;

  find(resource: Resource, identity: Value): Going | undefined {
    return this.all.get(resource)?.get(identity);
  }

  has(resource: Resource): boolean {
    return this.all.has(resource);
  }

  /** Takes a row in; null where it goes already, or an earlier step has removed it. */
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

  /** Puts a row in order, after those that it takes along. A row that is added later is taken along by another row. */
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

  /** Notes a rule that keeps a row: the one of the first row, in the order of its rules. */
  keep(going: Going, index: number, by: Keeper): void {
    const { first } = this;
    const place = first ? going.place - first.going.place || index - first.index : -1;
    if (place < 0) this.first = { going, index, by };
  }

  get kept(): Keeper | null {
    return this.first?.by ?? null;
  }

  /**
   * Groups the rows, many of a resource at a time, so that those that point at others go first. Where rows point at one
   * another, references are cut.
   */
  *leave(): Program<Leaving> {
    const cuts = new Map<Going, number[]>();
    const ranks: Array<Map<Resource, Going[]>> = [];
    const follows = ({ from, column }: Edge): boolean => {
      if (from.stage === 'leaving' && from.resource.plan.columns[column]!.nullable) addTo(cuts, from, column);
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

/** How the database lets rows go, and the references that are taken away before. */
interface Leaving {
  readonly cuts: ReadonlyMap<Going, readonly number[]>;
  readonly groups: ReadonlyArray<readonly [Resource, Going[]]>;
}

/**
 * Goes from each row to those that point at it, depth first, those that are at the stage `from`, and gives each after all
 * that point at it. Chains may be as long as there are rows, so that it is no recursion.
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

/** Rows by their resource, in the order in which each comes first. */
export function byResource(goings: readonly Going[]): Map<Resource, Going[]> {
  const out = new Map<Resource, Going[]>();
  for (const going of goings) addTo(out, going.resource, going);
  return out;
}

/** As many as a statement takes at a time. */
export function* pagesOf<T>(all: readonly T[]): Iterable<readonly T[]> {
  for (let at = 0; at < all.length; at += PAGE_ROWS) yield all.slice(at, at + PAGE_ROWS);
}
