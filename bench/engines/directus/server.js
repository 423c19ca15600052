import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ADMIN, DATABASE } from './names.ts';

/** Runs one of Directus's commands, which `load` imports from the packages of its version. */
async function command(name, port, load) {
  const { values } = parseArgs({ options: { data: { type: 'string' } } });
  Object.assign(process.env, {
    DB_CLIENT: 'sqlite3',
    DB_FILENAME: join(values.data, DATABASE),
    SECRET: 'not-a-secret-but-as-long-as-one-has-to-be',
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: 'not-a-secret',
    ADMIN_TOKEN: ADMIN,
    LOG_LEVEL: 'warn',
    // A processor that is busy all the time is what is measured, and no reason to refuse requests.
    PRESSURE_LIMITER_ENABLED: 'false',
    // Nobody outside is told that the bench runs.
    TELEMETRY: 'false',
    TELEMETRY_URL: 'http://127.0.0.1:1/',
    // Receivers of a trial are on this machine, which it refuses unless told otherwise.
    IMPORT_IP_DENY_LIST: '192.0.2.1',
  });
  process.argv.splice(2, process.argv.length, name);
  await load();
}

/** Makes the tables and the administrator in an empty folder. */
export const bootstrap = (load) => command('bootstrap', 1, load);

/** Starts Directus on a free port, and says where it listens once it answers: its own words for that are in its log. */
export async function start(load) {
  const port = await new Promise((found) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
  });
  await command('start', port, load);
  const address = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${address}/server/ping`).catch(() => null))?.ok) await sleep(50);
  console.log(`Orders at ${address}`);
}
