import { join } from 'node:path';
import { earlierDocument } from './document.ts';
import { type Dialect, ORDERS } from './load/requests.ts';
import { BEFORE, NINEFOLD, PEERS } from './paths.ts';

/** The stores that the servers are measured on. */
export const STORES = ['sqlite', 'postgres'] as const;
export type StoreName = (typeof STORES)[number];

/** A server that is measured. */
export interface Server {
  readonly name: string;
  /** How it is called in tables. */
  readonly title: string;
  /** Which rows it is started with: Ninefold's, those that the peers share, or an engine's own; null where it has none. */
  readonly rows: string | null;
  /** Whether every answer has to be the same as Ninefold's; the others do other work, and are reported as doing so. */
  readonly alike: boolean;
  readonly dialect: Dialect;
  /** The stores that it can be measured on. */
  readonly stores: readonly StoreName[];
  /** The arguments that Node runs it with; `data` is a directory, or the address of a database. */
  arguments(data: string, document: string): string[];
}

const peer = (name: string, title: string, file: string, more: readonly string[] = []): Server => ({
  name,
  title,
  rows: 'orders',
  alike: true,
  dialect: ORDERS,
  stores: ['sqlite'],
  arguments: (data) => [join(PEERS, file), '--data', data, ...more],
});

/** A peer on PostgreSQL. */
const onPostgres = (one: Server): Server => ({ ...one, stores: ['postgres'] });

/** Whether rows are in a database at an address, and not in a directory. */
export const isDatabase = (data: string): boolean => data.startsWith('postgres://');

const ninefold = (name: string, title: string, directory: string, alike: boolean): Server => ({
  name,
  title,
  rows: 'ninefold',
  alike,
  dialect: ORDERS,
  stores: STORES,
  arguments: (data, document) => {
    const common = [join(directory, 'bin', 'ninefold.js'), 'serve', document, '--port', '0'];
    if (!isDatabase(data)) return [...common, '--data', data];
    return [...common, '--store', data, '--admin', '127.0.0.1:0', '--console', 'off'];
  },
});

/** Ninefold as it was at the commit that `--before` names: its answers may differ in what has been changed since. */
const earlier = ninefold('before', 'Ninefold before', BEFORE, false);
export const EARLIER: Server = {
  ...earlier,
  rows: 'before',
  arguments: (data, document) => earlier.arguments(data, earlierDocument(document)),
};

/** Every server, in the order in which they are listed. */
export const SERVERS: readonly Server[] = [
  ninefold('ninefold', 'Ninefold', NINEFOLD, true),
  peer('fastify', 'Fastify', 'fastify.js'),
  peer('fastify-grouped', 'Fastify, commits grouped', 'fastify.js', ['--grouped']),
  onPostgres(peer('fastify-pg', 'Fastify, pg, row locks', 'fastify.js')),
  onPostgres(peer('fastify-pg-serializable', 'Fastify, pg, serializable', 'fastify.js', ['--serializable'])),
  peer('http', 'node:http', 'http.js'),
  peer('express', 'Express', 'express.js'),
  peer('nest', 'NestJS', 'nest.js'),
  peer('hono', 'Hono', 'hono.js'),
  {
    ...peer('floor', 'fixed answer (floor)', 'floor.js'),
    rows: null,
    alike: false,
    stores: STORES,
    dialect: { ...ORDERS, placesAgain: true },
  },
  {
    ...peer('engine', 'Remult (other work)', 'engine.js'),
    alike: false,
    dialect: {
      list: '/orders?_limit=20&_sort=created,id&_order=desc,desc',
      place: { method: 'PUT', suffix: '', body: '{"status":"placed"}' },
      refusedStatus: 400,
      placesAgain: false,
    },
  },
];

/** The servers of a run without options, on each store: what the marks are about. */
export const MAIN: Readonly<Record<StoreName, readonly string[]>> = {
  sqlite: ['ninefold', 'fastify', 'fastify-grouped', 'floor'],
  postgres: ['ninefold', 'fastify-pg', 'fastify-pg-serializable', 'floor'],
};

/** What the others are compared with, on each store. */
export const BASES: Readonly<Record<StoreName, string>> = { sqlite: 'fastify', postgres: 'fastify-pg' };

/** The names of the servers that can be measured on a store. */
export const namesOn = (store: StoreName): string[] =>
  SERVERS.filter(({ stores }) => stores.includes(store)).map(({ name }) => name);

export const serverOf = (name: string): Server | undefined => [...SERVERS, EARLIER].find((one) => one.name === name);
