import { join } from 'node:path';
import { type Dialect, ORDERS } from './load/requests.ts';
import { BEFORE, NINEFOLD, PEERS } from './paths.ts';

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
  /** The arguments that Node runs it with. */
  arguments(data: string, document: string): string[];
}

const peer = (name: string, title: string, file: string, more: readonly string[] = []): Server => ({
  name,
  title,
  rows: 'orders',
  alike: true,
  dialect: ORDERS,
  arguments: (data) => [join(PEERS, file), '--data', data, ...more],
});

const ninefold = (name: string, title: string, directory: string, alike: boolean): Server => ({
  name,
  title,
  rows: 'ninefold',
  alike,
  dialect: ORDERS,
  arguments: (data, document) => [
    join(directory, 'bin', 'ninefold.js'),
    'serve',
    document,
    '--port',
    '0',
    '--data',
    data,
  ],
});

/** Ninefold as it was at the commit that `--before` names: its answers may differ in what has been changed since. */
export const EARLIER = ninefold('before', 'Ninefold before', BEFORE, false);

/** Every server, in the order in which they are listed. */
export const SERVERS: readonly Server[] = [
  ninefold('ninefold', 'Ninefold', NINEFOLD, true),
  peer('fastify', 'Fastify', 'fastify.js'),
  peer('fastify-grouped', 'Fastify, commits grouped', 'fastify.js', ['--grouped']),
  peer('http', 'node:http', 'http.js'),
  peer('express', 'Express', 'express.js'),
  peer('nest', 'NestJS', 'nest.js'),
  peer('hono', 'Hono', 'hono.js'),
  {
    ...peer('floor', 'fixed answer (floor)', 'floor.js'),
    rows: null,
    alike: false,
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

/** The servers of a run without options: what the marks are about. */
export const MAIN = ['ninefold', 'fastify', 'fastify-grouped', 'floor'];

export const serverOf = (name: string): Server | undefined => [...SERVERS, EARLIER].find((one) => one.name === name);
