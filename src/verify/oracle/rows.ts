import { compareText, sameValue, type Value } from '../../expression/values/value.ts';
import { named } from '../../plan/named.ts';
import type { ResourcePlan } from '../../plan/step.ts';

/** A stored row. A reference is the identity of the row that it points at. */
export class OracleRow {
  readonly resource: string;
  readonly values: Map<string, Value>;
  /** Counts from 1, and goes up with every change and move. */
  revision = 1;
  /** When each timed transition and event of the row falls due, by its name; negative once that instant has come. */
  readonly due: Map<string, number>;

  constructor(resource: string, values: Map<string, Value>, due = new Map<string, number>()) {
    this.resource = resource;
    this.values = values;
    this.due = due;
  }

  get(field: string): Value {
    return this.values.get(field) ?? null;
  }

  copy(): OracleRow {
    const made = new OracleRow(this.resource, new Map(this.values), new Map(this.due));
    made.revision = this.revision;
    return made;
  }
}

/** All rows, in lists. A transaction works on a copy, which takes the place of what it was made from. */
export class Rows {
  private readonly resources: readonly ResourcePlan[];
  private readonly tables: Map<string, OracleRow[]>;
  /** The last number of each sequence. */
  readonly numbers: Map<string, number>;

  constructor(
    resources: readonly ResourcePlan[],
    tables: Map<string, OracleRow[]> = new Map(),
    numbers: Map<string, number> = new Map(),
  ) {
    this.resources = resources;
    this.tables = tables;
    this.numbers = numbers;
  }

  copy(): Rows {
    const tables = new Map([...this.tables].map(([name, rows]) => [name, rows.map((row) => row.copy())]));
    return new Rows(this.resources, tables, new Map(this.numbers));
  }

  plan(resource: string): ResourcePlan {
    return named(this.resources, resource);
  }

  /** The rows of a resource in the order of their identities. */
  all(resource: string): OracleRow[] {
    return [...(this.tables.get(resource) ?? [])].sort((a, b) => this.inOrder(a, b));
  }

  /** What orders rows of one resource where nothing else does. */
  inOrder(a: OracleRow, b: OracleRow): number {
    for (const field of this.plan(a.resource).order) {
      const found = compareKeys(a.get(field), b.get(field));
      if (found !== 0) return found;
    }
    return compareKeys(this.identity(a), this.identity(b));
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
    return number;
  }
}

/** Orders two values of one type: text by code point, false before true, what has no result before everything else. */
export function compareKeys(a: Value, b: Value): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'object' || typeof b === 'object') return compareText(JSON.stringify(a), JSON.stringify(b));
  return Number(a) - Number(b);
}
