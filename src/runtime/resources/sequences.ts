import type { Row, Value } from '../../expression/values/value.ts';
import type { ResourcePlan } from '../../plan/step.ts';
import { call, type Program, type Statement, type Store, StoreError } from '../../store/store.ts';

/** A numbered column, and the column of the row within which it counts; null where it counts all rows. */
interface Sequence {
  readonly name: string;
  readonly column: number;
  readonly per: number | null;
  readonly start: Statement;
}

/**
 * Numbers rows from 1. The counter changes in the transaction that uses the number, so that no two rows ever get the
 * same number, even after one is removed.
 */
export class Sequences {
  private readonly sequences: readonly Sequence[];
  private readonly next: Statement | null;
  private readonly forgetting: Statement | null;
  /** The sequences that count within rows of this resource. */
  private readonly counting: readonly string[];

  constructor(plan: ResourcePlan, store: Store, column: (name: string) => number) {
    const statement = (name: 'next in sequence' | 'forget sequence') => store.prepare({ kind: 'system', name });
    this.sequences = plan.columns.flatMap(({ name, sequence }) => {
      if (!sequence) return [];
      const start = store.prepare({ kind: 'start sequence', resource: plan.name, field: name, per: sequence.per });
      const per = sequence.per === null ? null : column(sequence.per);
      return [{ name: `${plan.name}.${name}`, column: column(name), per, start }];
    });
    this.counting = plan.counted;
    this.next = this.sequences.length ? statement('next in sequence') : null;
    this.forgetting = this.counting.length ? statement('forget sequence') : null;
  }

  /** The numbered columns. */
  get columns(): readonly number[] {
    return this.sequences.map(({ column }) => column);
  }

  /** Numbers a new row. */
  *number(row: Row): Program<void> {
    for (const one of this.sequences) row[one.column] = yield* this.take(one, row);
  }

  /** Returns the rows within which a row's numbers count, to be compared after a change. */
  counts(row: Row): readonly Value[] {
    return this.sequences.map(({ per }) => (per === null ? null : row[per]!));
  }

  /** Numbers a row anew where it now counts within another row. */
  *renumber(row: Row, before: readonly Value[]): Program<void> {
    for (const [i, one] of this.sequences.entries())
      if (one.per !== null && row[one.per] !== before[i]) row[one.column] = yield* this.take(one, row);
  }

  /** Deletes the counters within a removed row: a new row with the same identity begins at 1. */
  *forget(identity: Value): Program<void> {
    for (const name of this.counting) yield* call(this.forgetting!, [name, identity]);
  }

  private *take({ name, per, start }: Sequence, row: Row): Program<number> {
    const of = per === null ? '' : row[per]!;
    let [taken] = yield* call(this.next!, [name, of]);
    // The first number: rows that exist from before the field was a sequence keep their values.
    if (!taken) [taken] = yield* call(start, per === null ? [name, of] : [name, of, of]);
    const number = taken![0] as number;
    if (!Number.isSafeInteger(number)) throw new StoreError('failed', `The sequence ${name} has come to its end`);
    return number;
  }
}
