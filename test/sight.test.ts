import './whole-alone.ts';
import assert from 'node:assert/strict';
import { after, mock, type TestContext, test } from 'node:test';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { Random } from '../src/verify/requests/random.ts';
import { converse } from './differential/conversation.ts';
import { makeDocument } from './differential/document/make.ts';
import { inMemory, type OpenStore } from './differential/engine.ts';
import { example } from './fixtures.ts';
import { PostgresServer } from './postgres.ts';
import { settable } from './settable.ts';
import { IN_WHOLE, SEED, times } from './share.ts';
import { type Heard, withStream } from './sight/heard.ts';
import { hiddenFromReceivers } from './sight/receiving.ts';
import { heardBy } from './sight/twins.ts';
import { SightWitness } from './sight/witness.ts';
import { APIARY, PAYMENTS } from './sight/worlds.ts';

/** The seed of a run and the number of its document make both the document and the requests. */

const CASE = process.env.NINEFOLD_CASE;
const many = (usual: number): number => Number(process.env.NINEFOLD_DOCUMENTS ?? usual);
const REQUESTS = 40;

const counted = (ways: ReadonlyMap<string, number>): string =>
  [...ways]
    .sort()
    .map(([way, count]) => `${way} × ${count}`)
    .join(', ');

const server = await PostgresServer.shared();
after(() => server[Symbol.asyncDispose]());
const onPostgres: OpenStore = async (plan) => settable(await PostgresStore.open(await server.database(), plan));

test('what callers are sent holds nothing of rows that they may not see, in random documents', (t) =>
  random(t, many(times(2, 25)), inMemory));
// Those of the first documents tell of few rows.
test('so it is in PostgreSQL', IN_WHOLE, (t) => random(t, many(times(1, 6)), onPostgres, 20));
test('nor does what callers of the examples are sent', (t) => examples(t));

/** What comes of several conversations. */
class Tally {
  readonly ways = new Map<string, number>();
  readonly wrong: string[] = [];
  looked = 0;

  async add(heard: Heard, made: Random, replay: string, open = inMemory): Promise<void> {
    const witness = new SightWitness(heard);
    const { difference } = await converse(heard.document, made, REQUESTS, open, witness);
    if (difference)
      this.wrong.push(
        `${replay}\nThe interpreter says:\n${difference.interpreter}\nThe engine says:\n${difference.engine}`,
      );
    if (witness.leaks.length) this.wrong.push(`${replay}\n${witness.leaks.slice(0, 3).join('\n')}`);
    for (const [way, count] of witness.ways) this.ways.set(way, (this.ways.get(way) ?? 0) + count);
    this.looked += witness.looked;
  }

  report(t: TestContext, what: string): void {
    t.diagnostic(`${what}; ${this.looked} times a value of a hidden row was looked for`);
    t.diagnostic(counted(this.ways));
    assert.equal(this.wrong.length, 0, `${this.wrong.length} conversations:\n\n${this.wrong.slice(0, 5).join('\n\n')}`);
  }
}

test('a stranger cannot tell a world with hidden rows from one without them', async (t) => {
  mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 20, 12) });
  t.after(() => mock.timers.reset());
  for (const twins of [APIARY, PAYMENTS]) {
    const heard = await heardBy(twins, true);
    assert.deepEqual(heard, await heardBy(twins, false));
    t.diagnostic(`${heard.length} answers and messages to a stranger: ${twins.askings.length} requests`);
  }
});

/** How many documents whose payloads are asked about there have to be at least. */
const ASKED_ABOUT = 6;

test('receivers are told of hidden rows only where the document says so', (t) => {
  const counts = new Map<string, number>();
  const add = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
  const asked = (): number => counts.get('documents whose payloads are asked about') ?? 0;
  // Which of the first documents have such payloads depends on what documents may state: a run goes on until there are some.
  for (let i = 0; i < times(14, 120) || asked() < ASKED_ABOUT; i++) {
    assert.ok(i < 10 * ASKED_ABOUT + times(14, 120), `${asked()} of ${i} documents are asked about`);
    const heard = withStream(makeDocument(Random.of(SEED, i)));
    const hidden = heard && hiddenFromReceivers(heard);
    if (!hidden) {
      add('documents without receivers');
      continue;
    }
    assert.deepEqual(hidden.checked, hidden.planned, `NINEFOLD_SEED=${SEED}, document ${i}\n${heard!.text}`);
    add(hidden.checked.length ? 'documents whose payloads are asked about' : 'documents whose payloads hide nothing');
  }
  t.diagnostic(`seed ${SEED}: ${counted(counts)}`);
});

async function random(t: TestContext, documents: number, open: OpenStore, from = 0): Promise<void> {
  mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 20, 12) });
  t.after(() => mock.timers.reset());
  const tally = new Tally();
  let [compared, without] = [0, 0];
  for (let i = CASE === undefined ? from : Number(CASE); compared < documents; i++) {
    const made = Random.of(SEED, i);
    const heard = withStream(makeDocument(made));
    if (!heard) {
      without++;
      assert.ok(without < 10 + compared / 2, `${without} documents have no stream, beside ${compared}`);
      continue;
    }
    compared++;
    await tally.add(heard, made, `NINEFOLD_SEED=${SEED} NINEFOLD_CASE=${i} NINEFOLD_DOCUMENTS=1`, open);
  }
  tally.report(t, `seed ${SEED}: ${compared} documents`);
}

/** The examples that hold nothing which the interpreter doesn’t know. */
const EXAMPLES = ['orders', 'todos', 'bookings', 'issues'];

async function examples(t: TestContext): Promise<void> {
  mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 20, 12) });
  t.after(() => mock.timers.reset());
  for (const name of EXAMPLES) {
    const heard = withStream(example(name));
    assert.ok(heard, `${name} has a stream`);
    const tally = new Tally();
    for (let i = 0; i < times(1, 4); i++)
      await tally.add(heard, Random.of(SEED, i), `NINEFOLD_SEED=${SEED}, ${name}, conversation ${i}`);
    tally.report(t, name);
  }
}
