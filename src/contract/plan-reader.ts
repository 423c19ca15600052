import { type Expr, isAtHand, show } from '../expression/tree/expression.ts';
import type { Results } from '../expression/tree/results.ts';
import { statedResultsOf } from '../plan/bounds.ts';
import { lineOf, type StatementId } from '../plan/lines.ts';
import type { ColumnPlan, Plan, ResourcePlan, VersionPlan } from '../plan/step.ts';
import { type FieldWords, wordsIn } from '../plan/words.ts';
import { ownMember } from '../text/own-members.ts';
import type { Expression, Lines } from './types.ts';

/** Gives access to a plan: resources by name, and lines of the document by the fact that they state. */
export class PlanReader {
  readonly plan: Plan;
  private readonly resources: ReadonlyMap<string, ResourcePlan>;
  private readonly results: Results;
  /** Resources with invariants that are checked when a transaction ends. */
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

  /**
   * Whether a value may be absent: because its type is nullable, or because the expression may have no result (a number
   * or time out of range).
   */
  mayBeAbsent(value: Expr): boolean {
    return value.type.nullable || this.results.lacks(value);
  }

  /** Whether a value may be absent in an answer. A referenced row is also absent if the caller may not see it. */
  mayBeMissing(value: Expr): boolean {
    const { type } = value;
    const hides = type.kind === 'row' && this.resource(type.resource).visible !== null;
    return this.mayBeAbsent(value) || (hides && !isAtHand(value));
  }

  /** The lines of statements, sorted, without duplicates. A number is a line itself. */
  lines(...ids: ReadonlyArray<StatementId | number | null>): Lines {
    const found = ids.map((id) => (typeof id === 'object' && id !== null ? lineOf(this.plan.lines, id) : id));
    return [...new Set(found.filter((line) => typeof line === 'number'))].sort((a, b) => a - b);
  }
}

/** The names of fields in a version, null for a field that the version lacks, and its words for their values. */
export class FieldNames {
  private readonly names: Readonly<Record<string, string | null>>;
  private readonly ofValues: Pick<VersionPlan, 'words'> | null;

  constructor(names: Readonly<Record<string, string | null>>, ofValues: Pick<VersionPlan, 'words'> | null = null) {
    this.names = names;
    this.ofValues = ofValues;
  }

  /** The words for the values of a field, as `Order.priority`; null where they are the values themselves. */
  words(field: string | null | undefined): FieldWords | null {
    return field ? wordsIn(this.ofValues, field) : null;
  }

  of(resource: string, field: string): string | null {
    const name = ownMember(this.names, `${resource}.${field}`);
    return name === undefined ? field : name;
  }
}

/** The names of the current version. */
export const CURRENT_NAMES = new FieldNames({});

export const expression = (tree: Expr): Expression => ({ text: show(tree), tree });

export const expressionOrNull = (tree: Expr | null): Expression | null => tree && expression(tree);

/** Merges lines, sorted and without duplicates. */
export const mergeLines = (...lists: readonly Lines[]): Lines => [...new Set(lists.flat())].sort((a, b) => a - b);
