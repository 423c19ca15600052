import type { Parameter } from '../../expression/sql/sql.ts';
import type { Row } from '../../expression/values/value.ts';
import { columnName, quoted, type StoredColumn } from '../tables.ts';
import type { ResultShape } from './columns.ts';
import type { ArgumentKind, StoreDialect } from './dialect.ts';

/** A statement in a database’s SQL. */
export interface CompiledStatement {
  readonly sql: string;
  /** The expressions whose values are the first arguments. */
  readonly parameters: readonly Parameter[];
  /** Which arguments are UUIDs, parameters first. Text that is no UUID equals nothing. */
  readonly uuids: readonly boolean[];
  /** The kind of each column of the result; null where no column needs decoding. */
  readonly columns: readonly ResultShape[] | null;
  /** Converts results of a statement that reads only some columns to whole rows; null where results are whole rows. */
  readonly widen: ((values: Row) => Row) | null;
  /** The table that the statement writes. */
  readonly writes: string | null;
  /** The tables that the statement reads, if results for its one argument are worth a memo. */
  readonly reads: readonly string[] | null;
  /** Whether the statement returns the key of the inserted row. */
  readonly givesKey: boolean;
}

/** The properties of a statement besides its text and its arguments. */
type Traits = Partial<Pick<CompiledStatement, 'columns' | 'widen' | 'writes' | 'reads' | 'givesKey'>>;

/** The arguments that follow a statement’s parameters. All expressions must be written before the first argument. */
export class Arguments {
  private readonly kinds: ArgumentKind[] = [];
  private readonly dialect: StoreDialect;
  private readonly parameters: readonly Parameter[];

  constructor(dialect: StoreDialect, parameters: readonly Parameter[] = []) {
    this.dialect = dialect;
    this.parameters = parameters;
  }

  next(kind: ArgumentKind): string {
    this.kinds.push(kind);
    return this.dialect.argument(this.parameters.length + this.kinds.length, kind);
  }

  /** A comparison `column = ?` for each column, joined by `AND`. */
  equal(columns: readonly StoredColumn[], prefix = ''): string {
    return columns.map(({ name, kind }) => `${prefix}${quoted(columnName(name))} = ${this.next(kind)}`).join(' AND ');
  }

  written(sql: string, traits: Traits = {}): CompiledStatement {
    const { parameters } = this;
    const uuids = [...parameters.map(({ uuid }) => uuid), ...this.kinds.map((kind) => kind === 'uuid')];
    return {
      columns: null,
      widen: null,
      writes: null,
      reads: null,
      givesKey: false,
      ...traits,
      sql,
      parameters,
      uuids,
    };
  }
}
