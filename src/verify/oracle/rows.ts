import { compareText, sameValue, type Value } from '../../expression/values/value.ts';
import { named } from '../../plan/named.ts';
import type { ResourcePlan } from '../../plan/step.ts';
import { hasMark } from './marks.ts';
import { Unknown } from './refusal.ts';

/** A stored row. A reference is the identity of its target. Copies share values until one of them is changed. */
export class OracleRow {
  readonly resource: string;
  private fields: Map<string, Value>;
  private times: Map<string, number>;
  private shared = false;
  /** Counts from 1, and increases with every change and move. */
  revision = 1;
  /** The parts of its change that an entry of an audit tells of; empty for any other row. */
  tells: readonly string[] = [];

  constructor(resource: string, values: Map<string, Value>, due = new Map<string, number>()) {
    this.resource = resource;
    this.fields = values;
    this.times = due;
  }

  get values(): ReadonlyMap<string, Value> {
    return this.fields;
  }

  /** When each timed transition and event of the row falls due, by its name; negative once that instant has come. */
  get due(): ReadonlyMap<string, number> {
    return this.times;
  }

  get(field: string): Value {
    return this.fields.get(field) ?? null;
  }

  set(field: string, value: Value): void {
    this.own();
    this.fields.set(field, value);
  }

  setDue(name: string, at: number | null): void {
    this.own();
    if (at === null) this.times.delete(name);
    else this.times.set(name, at);
  }

  private own(): void {
    if (!this.shared) return;
    this.fields = new Map(this.fields);
    this.times = new Map(this.times);
    this.shared = false;
  }

  copy(): OracleRow {
    const made = new OracleRow(this.resource, this.fields, this.times);
    made.revision = this.revision;
    made.tells = this.tells;
    made.shared = true;
    this.shared = true;
    return made;
  }
}

/**
 * All rows, in one list for each resource. A transaction works on a copy, which replaces the original at the commit.
 */
export class Rows {
  private readonly resources: readonly ResourcePlan[];
  private readonly tables: Map<string, OracleRow[]>;
  /** The last number of each sequence. */
  readonly numbers: Map<string, number>;
  /**
   * By sequence, how many numbers refused requests have used since its last number. A service may skip these numbers.
   */
  readonly spent: Map<string, number>;
  /** Instants of rows that simultaneous requests have created: their order is unknown. */
  readonly raced: Set<number>;

  constructor(
    resources: readonly ResourcePlan[],
    tables: Map<string, OracleRow[]> = new Map(),
    numbers: Map<string, number> = new Map(),
    spent: Map<string, number> = new Map(),
    raced: Set<number> = new Set(),
  ) {
    this.resources = resources;
    this.tables = tables;
    this.numbers = numbers;
    this.spent = spent;
    this.raced = raced;
  }

  /** Copies the rows. `resources`: the plans of the resources in the copy, which an altered document may change. */
  copy(resources = this.resources): Rows {
    const tables = new Map([...this.tables].map(([name, rows]) => [name, rows.map((row) => row.copy())]));
    return new Rows(resources, tables, new Map(this.numbers), new Map(this.spent), new Set(this.raced));
  }

  plan(resource: string): ResourcePlan {
    return named(this.resources, resource);
  }

  /** The rows of a resource in the order of their identities. */
  all(resource: string): OracleRow[] {
    return [...(this.tables.get(resource) ?? [])].sort((a, b) => this.inOrder(a, b, compareValues));
  }

  /** The order of the rows of one resource where no other order applies. */
  inOrder(a: OracleRow, b: OracleRow, compare: (a: Value, b: Value) => number = compareKeys): number {
    for (const field of this.plan(a.resource).order) {
      const found = compare(a.get(field), b.get(field));
      if (found !== 0) return found;
    }
    return compare(this.identity(a), this.identity(b));
  }

  /** Compares keys of an order; throws Unknown for instants whose order nobody knows. */
  compareOrder(a: Value, b: Value): number {
    if (a !== b && this.raced.has(Number(a)) && this.raced.has(Number(b)))
      throw new Unknown('Rows are in order by instants that requests at the same time have made.');
    return compareKeys(a, b);
  }

  identity(row: OracleRow): Value {
    return row.get(this.plan(row.resource).identity);
  }

  byIdentity(resource: string, identity: Value): OracleRow | null {
    const { identity: field } = this.plan(resource);
    return (this.tables.get(resource) ?? []).find((row) => sameValue(row.get(field), identity)) ?? null;
  }

  has(row: OracleRow): boolean {
    return (this.tables.get(row.resource) ?? []).includes(row);
  }

  add(row: OracleRow): void {
    const table = this.tables.get(row.resource);
    if (table) table.push(row);
    else this.tables.set(row.resource, [row]);
  }

  remove(row: OracleRow): void {
    const table = this.tables.get(row.resource) ?? [];
    const at = table.indexOf(row);
    if (at >= 0) table.splice(at, 1);
  }

  /** The next number of a sequence, from 1. */
  next(sequence: string): number {
    const number = (this.numbers.get(sequence) ?? 0) + 1;
    this.numbers.set(sequence, number);
    this.spent.delete(sequence);
    return number;
  }

  /** Records the numbers that a refused request has used: a service may skip them or use them again. */
  spend(refused: Rows): void {
    for (const [sequence, number] of refused.numbers) {
      const taken = number - (this.numbers.get(sequence) ?? 0);
      if (taken > 0) this.spent.set(sequence, (this.spent.get(sequence) ?? 0) + taken);
    }
  }

  /** Skips numbers that refused requests have used. */
  leaveOut(sequence: string, count: number): void {
    this.numbers.set(sequence, (this.numbers.get(sequence) ?? 0) + count);
    this.spent.set(sequence, (this.spent.get(sequence) ?? 0) - count);
  }
}

/**
 * Orders two values of one type: text by code point, false before true, null before everything else. Throws Unknown for
 * a drawn value that no answer has shown yet.
 */
export function compareKeys(a: Value, b: Value): number {
  if (a !== b && (isUntold(a) || isUntold(b))) throw new Unknown('No answer has told what rows are in order by.');
  return compareValues(a, b);
}

function compareValues(a: Value, b: Value): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'object' || typeof b === 'object') return compareText(JSON.stringify(a), JSON.stringify(b));
  return Number(a) - Number(b);
}

const isUntold = (value: Value): boolean => typeof value === 'string' && hasMark(value);
