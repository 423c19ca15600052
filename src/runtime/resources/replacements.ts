import type { Row, Value } from '../../expression/values/value.ts';
import type { ResourcePlan } from '../../plan/step.ts';
import type { Argument, Statement, Store } from '../../store/store.ts';
import { holdsWords, storedColumns } from '../../store/tables.ts';
import { getOrMake } from '../../text/lists.ts';

/** An UPDATE statement for some columns of a row. */
interface Replacement {
  readonly statement: Statement;
  /** The columns, in the table's order. */
  readonly columns: readonly number[];
}

/**
 * The most statements. Bodies that may leave out fields set different columns each time: beyond this number, all
 * columns are set.
 */
const MOST = 32;

/**
 * The UPDATE statements of a resource, by the columns that they set: other columns, and their indexes, are not written.
 */
export class Replacements {
  private readonly resource: string;
  private readonly store: Store;
  private readonly names: readonly string[];
  private readonly identity: number;
  /** The columns with the words of fields, which a row has where one of these fields is written. */
  private readonly words: readonly number[];
  /** All columns, with the words and without them. */
  private readonly wholeWithWords: Replacement;
  private readonly whole: Replacement;
  /** Statements by the indexes of their columns. */
  private readonly some = new Map<string, Replacement>();

  constructor(plan: ResourcePlan, store: Store, identity: number) {
    this.resource = plan.name;
    this.store = store;
    this.names = storedColumns(plan).map(({ name }) => name);
    this.identity = identity;
    this.words = this.names.flatMap((name, column) => (holdsWords(name) ? [column] : []));
    const all = [...this.names.keys()];
    this.whole = this.of(all.filter((column) => !this.words.includes(column)));
    this.wholeWithWords = this.words.length > 0 ? this.of(all) : this.whole;
  }

  /** Returns the statement that writes columns of a row (all where `columns` is null), and its arguments. */
  write(row: Row, columns: readonly number[] | null): [Statement, Argument[]] {
    const { statement, columns: set } = columns === null ? this.whole : this.find(columns);
    const args = set.map((column) => row[column] as Value);
    args.push(row[this.identity] as Value);
    return [statement, args];
  }

  /** Returns the statement that writes the columns of many rows, and its argument. */
  writeMany(rows: readonly Row[], columns: readonly number[]): [Statement, Argument[]] {
    const set = this.distinct(columns);
    const key = `many ${set.join()}`;
    const make = (): Replacement => ({ columns: set, statement: this.prepared('update many', set) });
    return [
      getOrMake(this.some, key, make).statement,
      [rows.map((row) => [this.identity, ...set].map((column) => row[column] ?? null) as Value)],
    ];
  }

  private find(columns: readonly number[]): Replacement {
    const key = columns.join();
    const known = this.some.get(key);
    if (known) return known;
    if (this.some.size >= MOST)
      return this.words.some((column) => columns.includes(column)) ? this.wholeWithWords : this.whole;
    const made = this.of(this.distinct(columns));
    this.some.set(key, made);
    return made;
  }

  private of(columns: Iterable<number>): Replacement {
    const set = [...columns].filter((column) => column !== this.identity);
    return { statement: this.prepared('update', set), columns: set };
  }

  /** The columns in the table's order, each once, without the identity. */
  private distinct(columns: readonly number[]): readonly number[] {
    return [...new Set(columns)].filter((column) => column !== this.identity).sort((a, b) => a - b);
  }

  private prepared(kind: 'update' | 'update many', columns: readonly number[]): Statement {
    return this.store.prepare({ kind, resource: this.resource, columns: columns.map((column) => this.names[column]!) });
  }
}
