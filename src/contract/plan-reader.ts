import { type Expr, isAtHand, show } from '../expression/tree/expression.ts';
import type { Results } from '../expression/tree/results.ts';
import { statedResultsOf } from '../plan/bounds.ts';
import type { ColumnPlan, Plan, ResourcePlan } from '../plan/step.ts';
import { ownMember } from '../text/own-member.ts';
import type { Expression, Lines } from './types.ts';

/** A plan as the contract is made from it: its resources by name, and the lines of the document by what they state. */
export class PlanReader {
  readonly plan: Plan;
  private readonly resources: ReadonlyMap<string, ResourcePlan>;
  private readonly results: Results;
  /** The resources of which something holds whenever a transaction ends. */
  readonly invariants: readonly ResourcePlan[];

  constructor(plan: Plan) {
    this.plan = plan;
    this.resources = new Map(plan.resources.map((one) => [one.name, one]));
    this.results = statedResultsOf(plan.resources);
    this.invariants = plan.resources.filter(({ holds, overlaps }) => holds.length > 0 || overlaps.length > 0);
  }

  /** A resource that the plan names. */
  resource(name: string): ResourcePlan {
    const found = this.resources.get(name);
    if (!found) throw new Error(`The plan has no resource ${name}`);
    return found;
  }

  column(resource: string, field: string): ColumnPlan | null {
    return this.resource(resource).columns.find((one) => one.name === field) ?? null;
  }

  /** Whether a value may be absent: by its type, or since it may have no result, as beyond the bounds of numbers and times. */
  mayBeAbsent(value: Expr): boolean {
    return value.type.nullable || this.results.lacks(value);
  }

  /**
   * Whether a value may be absent where it is shown. A row that is shown in a form of its own is also absent where a
   * reference points at it and the caller may not see it.
   */
  mayBeMissing(value: Expr): boolean {
    const { type } = value;
    const hides = type.kind === 'row' && this.resource(type.resource).visible !== null;
    return this.mayBeAbsent(value) || (hides && !isAtHand(value));
  }

  /** The lines of the keys that the document states, each once, in order; lines of steps are taken as they are. */
  lines(...keys: ReadonlyArray<string | number | null>): Lines {
    const found = keys.map((key) => (typeof key === 'string' ? ownMember(this.plan.lines, key) : key));
    return [...new Set(found.filter((line) => typeof line === 'number'))].sort((a, b) => a - b);
  }
}

/** What a version calls the fields of rows; null where it doesn’t have one. */
export class FieldNames {
  private readonly names: Readonly<Record<string, string | null>>;

  constructor(names: Readonly<Record<string, string | null>>) {
    this.names = names;
  }

  of(resource: string, field: string): string | null {
    const name = ownMember(this.names, `${resource}.${field}`);
    return name === undefined ? field : name;
  }
}

export const expression = (tree: Expr): Expression => ({ text: show(tree), tree });

export const expressionOrNull = (tree: Expr | null): Expression | null => tree && expression(tree);

/** Lines of several facts together, each once, in order. */
export const mergeLines = (...lists: readonly Lines[]): Lines => [...new Set(lists.flat())].sort((a, b) => a - b);
