import type { Resource } from '../../src/compiler/statements/resources.ts';
import { order, Ref, type Val } from './value.ts';

/** A stored row. */
export interface Row {
  readonly key: number;
  readonly values: Map<string, Val>;
  /** Counts from 1, and goes up with every change and move. */
  revision: number;
  /** When each transition of the row was last made. */
  readonly moved: Map<string, number>;
  /** When each timed transition of the row falls due, by the transition; negative once that instant has come. */
  readonly due: Map<string, number>;
}

/** All rows, in plain lists. A transaction works on a copy, which takes the place of what it was made from. */
export class Rows {
  readonly tables: Map<string, Row[]>;
  /** The last number of each sequence. */
  readonly numbers: Map<string, number>;
  /** What this transaction has removed: a step or the caller may still stand for it. */
  private readonly gone = new Map<number, Row>();
  private readonly resources: ReadonlyMap<string, Resource>;
  private nextKey: number;

  constructor(
    resources: readonly Resource[],
    tables = new Map<string, Row[]>(),
    numbers = new Map<string, number>(),
    nextKey = 1,
  ) {
    this.resources = new Map(resources.map((one) => [one.name.text, one]));
    this.tables = tables;
    this.numbers = numbers;
    this.nextKey = nextKey;
    for (const name of this.resources.keys()) if (!tables.has(name)) tables.set(name, []);
  }

  copy(): Rows {
    const copied = (row: Row): Row => ({
      ...row,
      values: new Map(row.values),
      moved: new Map(row.moved),
      due: new Map(row.due),
    });
    const tables = new Map([...this.tables].map(([name, rows]) => [name, rows.map(copied)]));
    return new Rows([...this.resources.values()], tables, new Map(this.numbers), this.nextKey);
  }

  /** A new row, which stands among the others from now on. */
  add(resource: string, values: Map<string, Val>): Ref {
    const key = this.nextKey++;
    this.tables.get(resource)!.push({ key, values, revision: 1, moved: new Map(), due: new Map() });
    return new Ref(resource, key);
  }

  /** What the next row will be mentioned by. */
  next(resource: string): Ref {
    return new Ref(resource, this.nextKey);
  }

  has(ref: Ref): boolean {
    return this.tables.get(ref.resource)!.some((row) => row.key === ref.key);
  }

  get(ref: Ref): Row {
    const found = this.tables.get(ref.resource)!.find((row) => row.key === ref.key) ?? this.gone.get(ref.key);
    if (!found) throw new Error(`There is no such row of ${ref.resource}`);
    return found;
  }

  remove(ref: Ref): void {
    const rows = this.tables.get(ref.resource)!;
    this.gone.set(ref.key, this.get(ref));
    rows.splice(
      rows.findIndex((row) => row.key === ref.key),
      1,
    );
  }

  /** The rows of a resource in the order of their identities. */
  all(resource: string): Ref[] {
    return this.tables
      .get(resource)!
      .map((row) => new Ref(resource, row.key))
      .sort((a, b) => this.orderOf(a, b));
  }

  orderOf(a: Ref, b: Ref): number {
    return order(this.identity(a), this.identity(b));
  }

  /** The value that tells a row from the others of its resource; a list of them where it is several references. */
  identity(ref: Ref): Val {
    const names = identityNames(this.resources.get(ref.resource)!);
    const { values } = this.get(ref);
    const parts = names.map((name) => values.get(name) ?? null);
    const plain = parts.map((part) => (part instanceof Ref ? this.identity(part) : part));
    return plain.length === 1 ? plain[0]! : plain;
  }

  byIdentity(resource: string, identity: Val): Ref | null {
    return this.all(resource).find((ref) => this.identity(ref) === identity) ?? null;
  }
}

/** The name of the field that is the identity of a resource. */
export function identityName(resource: Resource): string {
  return identityNames(resource)[0]!;
}

/** The fields that tell rows apart: the identity, or those of a unique rule that serves as it. */
export function identityNames(resource: Resource): string[] {
  const field = resource.fields.find((one) => one.unique?.value.kind === 'identity');
  if (field) return [field.name.text];
  return resource.uniques.find((rule) => rule.condition === null)!.fields.map((one) => one.text);
}
