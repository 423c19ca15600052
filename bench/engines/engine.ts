import { join } from 'node:path';
import type { Dataset, Dialect } from '../load/requests.ts';
import type { Where } from '../process.ts';
import type { Server } from '../servers.ts';

/** What an engine's data is made from. */
export interface Given {
  /** The SQLite file with the peers' rows. */
  readonly orders: string;
  readonly dataset: Dataset;
  readonly where: Where;
}

/** A server that runs on its data. */
export interface Standing {
  readonly port: number;
  readonly data: string;
  readonly where: Where;
}

/** How something is asked and answers. */
export interface Spoken {
  readonly dialect: Dialect;
  /** The method by which fields of an order are changed. */
  readonly change: 'PATCH' | 'PUT';
  /** The body of a request with some fields of an order. */
  body(fields: Readonly<Record<string, unknown>>, customer: string): unknown;
  /** What of an answer is the order, or the orders of a list. */
  held(answer: unknown): unknown;
  /** Has it tell a receiver at an address of each new order; null where it has nothing for that. */
  readonly addReceiver: ((standing: Standing, url: string) => Promise<void>) | null;
}

/** An engine that npm has, which makes an interface for orders from what it is configured with. */
export interface Engine extends Spoken {
  /** The name of its folder, in which its packages and `start.js` are. */
  readonly name: string;
  readonly title: string;
  /** What it keeps orders in. */
  readonly store: string;
  /** What of the guard, the rules and the form of requests is configured, and what is code. */
  readonly made: string;
  /** Makes its data in an empty folder: its configuration, and the orders. */
  make(given: Given, directory: string): Promise<void>;
}

/** Where an engine's packages and programs are. */
export const folderOf = ({ name }: Engine): string => join(import.meta.dirname, name);

/** The server that the bench measures. */
export const serverOfEngine = (engine: Engine): Server => ({
  name: engine.name,
  title: engine.title,
  rows: engine.name,
  stores: ['sqlite'],
  alike: false,
  dialect: engine.dialect,
  arguments: (data) => [join(folderOf(engine), 'start.js'), '--data', data],
});

/** What engines have in common that take the same body and answer with the order alone. */
export const PLAIN = {
  change: 'PATCH',
  body: (fields: Readonly<Record<string, unknown>>): unknown => fields,
  held: (answer: unknown): unknown => answer,
  addReceiver: null,
} as const;

/** What engines do when an order is placed: they know fields, and no transitions. */
export const PLACED = { method: 'PATCH', suffix: '', body: '{"status":"placed"}' } as const;
