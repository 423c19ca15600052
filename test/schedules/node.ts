import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { MovedStore } from '../../src/cli/testing/moved-store.ts';
import { compile } from '../../src/compiler/compile.ts';
import { Service } from '../../src/runtime/service.ts';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';

/**
 * A process that serves a document by a clock that runs fast and that the test sets: the file has an instant, the time of
 * this machine at which the clock showed it, and how many times as fast it runs. Prints its port once it serves.
 */
const [document = '', place = '', clock = ''] = process.argv.slice(2);

const now = (): number => {
  const [shown = 0, at = 0, speed = 1] = readFileSync(clock, 'utf8').split(' ').map(Number);
  return Math.floor(shown + (Date.now() - at) * speed);
};
const machine = { now, random: (count: number): Buffer => randomBytes(count) };

const { plan } = compile('ticks.md', readFileSync(document, 'utf8'));
const inner = place.startsWith('postgres:')
  ? await PostgresStore.open(place, plan!)
  : new SqliteStore(place, plan!, 'service', machine);
const log = (level: string, event: string, said?: unknown): void => {
  if (level === 'error') process.stderr.write(`${event} ${JSON.stringify(said)}\n`);
};
const service = new Service({ host: '127.0.0.1', port: 0, admin: null, url: 'https://ticks.example', log });
await service.start(plan!, new MovedStore(inner, machine));
process.stdout.write(`${service.port}\n`);
process.once('SIGTERM', () => void service.stop().then(() => process.exit(0)));
