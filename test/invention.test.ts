import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { compile } from '../src/compile.ts';
import { RAISED, Workspace } from './harness.ts';
import { type Case, casesOf, runCase } from './invention/cases.ts';
import { Contract } from './invention/contract.ts';
import { codeOf } from './invention/oracle.ts';
import { Client, fullKey, plain, populate, World } from './invention/world.ts';

/** The seed of the run, and the one case to run again where a run has failed. */
const SEED = Number(process.env.NINEFOLD_SEED ?? Math.floor(Math.random() * 0x7fffffff));
const CASE = process.env.NINEFOLD_CASE;
const WORKERS = 32;
const MORE = 1500;

const contract = new Contract(compile('orders.md', RAISED).model);
let workspace: Workspace;
let world: World;

before(async () => {
  workspace = new Workspace(RAISED);
  const people = await populate(workspace, 3);
  const service = await workspace.serve();
  world = new World(contract, service.url, people);
});

after(() => workspace[Symbol.asyncDispose]());

test('every answer is one that the document states, and the one that it states first', async () => {
  const cases = casesOf(contract, SEED, MORE);
  const chosen = CASE === undefined ? cases.keys() : [Number(CASE)];
  const wrong: string[] = [];
  const queue = [...chosen];
  const work = async (): Promise<void> => {
    const client = new Client(world);
    for (let index = queue.shift(); index !== undefined; index = queue.shift()) {
      try {
        await runCase(client, cases[index]!, SEED, index);
      } catch (error) {
        wrong.push(`${nameOf(cases[index]!)}\n${(error as Error).message}\nNINEFOLD_SEED=${SEED} NINEFOLD_CASE=${index}`);
      }
    }
    client.close();
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  report(cases.length);
  if (CASE === undefined) assert.ok(world.requests >= 5000);
  assert.equal(wrong.length, 0, `${wrong.length} wrong:\n\n${wrong.slice(0, Number(process.env.NINEFOLD_SHOW ?? 8)).join('\n\n')}`);
});

const nameOf = ({ endpoint, mutations, harmless, twice }: Case): string =>
  `${endpoint.name}: ${[...mutations, ...harmless].map((one) => one.name).join(' + ') || 'as it is'}${twice ? ', twice' : ''}`;

function report(cases: number): void {
  const list = (counts: ReadonlyMap<string | number, number>): string =>
    [...counts].sort(([a], [b]) => String(a).localeCompare(String(b))).map(([key, count]) => `${key} ${count}`).join(', ');
  console.log(`seed ${SEED}; ${cases} cases, ${world.requests} requests`);
  console.log(`statuses: ${list(world.statuses)}`);
  console.log(`codes: ${list(world.codes)}`);
  console.log(`never seen here: ${contract.codes().filter((code) => !world.codes.has(code)).join(', ')}`);
}

test('after all that, the sums are right', async () => {
  for (const customer of world.customers) {
    const client = new Client(world);
    const tally = { open: 0, units: 0 };
    let cursor = '';
    for (;;) {
      const path = `/orders?limit=100${cursor}`;
      const { body } = await client.send(plain('GET', path, fullKey(customer)), codeOf);
      const page = JSON.parse(body) as { items: Array<{ status: string; quantity: number }>; next?: string };
      for (const { status, quantity } of page.items) {
        tally.units += quantity;
        if (status === 'placed') tally.open++;
      }
      if (!page.next) break;
      cursor = `&cursor=${page.next}`;
    }
    const { body } = await client.send(plain('GET', '/summary', fullKey(customer)), codeOf);
    assert.deepEqual(JSON.parse(body), tally);
    client.close();
  }
});
