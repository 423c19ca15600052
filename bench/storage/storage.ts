import { isDatabase } from '../servers.ts';

/** Rows of a table of the peers; `into` names the table, and the columns where they are not all. */
export interface TableRows {
  readonly into: string;
  readonly rows: ReadonlyArray<readonly unknown[]>;
}

/** Where the servers store their rows: in directories, or in databases of one PostgreSQL server. */
export interface Storage {
  /** Makes the place of rows that nobody has touched, empty or like another; gives what a server is started with. */
  create(rows: string, like?: string): Promise<string>;
  /** Fills the place of the peers. */
  fill(tables: readonly TableRows[]): Promise<void>;
  /** Ends the making of rows: every server begins with no counts of the rates, and nothing left to tidy up. */
  settle(): Promise<void>;
  /** Copies rows for a server that may change them; gives what the server is started with. */
  copy(rows: string, name: string): Promise<string>;
  /** How far what was written is durable; null where that can't be known here. */
  readonly durable: Durable | null;
  /** The process whose children work for the servers; null where the servers do all work themselves. */
  readonly databasePid: number | null;
}

/** A number that grows as what was written becomes durable, and what it counts. */
export interface Durable {
  readonly unit: string;
  read(): Promise<number>;
}

/** The option by which the operator says where Ninefold's rows are. */
export const placeOf = (place: string): { readonly data: string; readonly store?: string } =>
  isDatabase(place) ? { data: '', store: place } : { data: place };
