import type { Parameter } from '../../expression/sql/sql.ts';
import type { Row } from '../../expression/values/value.ts';
import { columnName, quoted, type StoredColumn } from '../tables.ts';
import type { ResultShape } from './columns.ts';
import type { ArgumentKind, StoreDialect } from './dialect.ts';

/** A statement as a database takes it. */
export interface CompiledStatement {
  readonly sql: string;
  /** The expressions whose values it takes first. */
  readonly parameters: readonly Parameter[];
  /** Which arguments, the parameters' first, are UUIDs: text that is none matches nothing. */
  readonly uuids: readonly boolean[];
  /** The kind of each column of the result; null where all are plain. */
  readonly columns: readonly ResultShape[] | null;
  /** Makes whole rows of what comes back, of a statement that reads some columns alone; null where they are whole. */
  readonly widen: ((values: Row) => Row) | null;
  /** The table that it writes. */
  readonly writes: string | null;
  /** The tables that it reads, of a statement whose answers to its one argument are worth remembering. */
  readonly reads: readonly string[] | null;
  /** True where it gives the key of the row that it has inserted. */
  readonly givesKey: boolean;
}

/** The properties of a statement besides its text and its arguments. */
type Traits = Partial<Pick<CompiledStatement, 'columns' | 'widen' | 'writes' | 'reads' | 'givesKey'>>;

/** The arguments of a statement after its parameters. All of its expressions are written before the first argument. */
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

  /** `column = ?` of each, with `AND` between them. */
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
