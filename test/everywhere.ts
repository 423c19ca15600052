import { PostgresServer, SHARED_EMPTY, SHARED_PORT, SHARED_PROGRAMS } from './postgres.ts';
import { SEED } from './share.ts';

/**
 * What a run of the tests has once, for all of its processes (`node --test-global-setup`): a PostgreSQL server, and the
 * seed from which its random cases grow, another one each time in a whole run.
 */
let server: PostgresServer | null = null;

export async function globalSetup(): Promise<void> {
  const drawn = process.env.NINEFOLD_WHOLE && process.env.NINEFOLD_SEED === undefined;
  process.env.NINEFOLD_SEED = String(drawn ? Math.floor(Math.random() * 0x7fffffff) : SEED);
  console.log(`The seed of this run: NINEFOLD_SEED=${process.env.NINEFOLD_SEED}`);
  // A run makes hundreds of small databases: going round them to tidy up takes longer than they are there.
  server = await PostgresServer.start({ max_connections: '400', autovacuum: 'off' }, true);
  process.env[SHARED_PORT] = String(server.port);
  process.env[SHARED_PROGRAMS] = server.dir;
  process.env[SHARED_EMPTY] = server.empty;
}

export async function globalTeardown(): Promise<void> {
  await server?.[Symbol.asyncDispose]();
}
