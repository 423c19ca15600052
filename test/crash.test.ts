import './whole-alone.ts';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ANSWER_BODY } from '../src/store/sql/answers.ts';
import { PATIENT, until, Workspace } from './harness.ts';
import { Ledger, type Select } from './ledger.ts';
import { SKELETONS, unpacker } from './packed.ts';
import { Receiver } from './receiver.ts';
import { IN_WHOLE, times } from './share.ts';

const KILLS = times(3, 12);
const CLIENTS = 16;

const space = new Workspace(PATIENT);
const receiver = new Receiver();
const stored: Select = (sql, ...values) => space.select(sql, ...values);
let key: string;
/** Over all tests, since each goes on with what the ones before have left. */
let known: Ledger;

before(async () => {
  key = await space.key(await space.customer());
  known = new Ledger(key);
  await receiver.up();
  await space.receiver(receiver.url);
});
after(async () => {
  await receiver[Symbol.asyncDispose]();
  await space[Symbol.asyncDispose]();
});

test('SIGTERM under load ends in good order: what was acknowledged is there', async (t) => {
  const service = await space.serve();
  let refused = 0;
  const clients = Promise.all(
    Array.from({ length: CLIENTS }, () =>
      known.live(service).catch((error: Error) => {
        // Whoever still asks is told so: 503 unavailable.
        assert.match(error.message, /^503 .*"unavailable"/);
        refused++;
      }),
    ),
  );
  const before = known.opened.size;
  await Promise.race([until(() => known.opened.size >= before + 50, 'some load'), clients]);
  assert.equal(await service.stop(), 0);
  await clients;
  known.mustBeKept(stored);
  const cut = [...known.unanswered].filter(
    (idempotency) => space.select('SELECT 1 FROM ninefold_answer WHERE key = ?', idempotency).length,
  );
  assert.deepEqual(cut, [], 'every request that took effect was answered');
  t.diagnostic(
    `${known.opened.size - before} orders acknowledged, all there; ${refused} of ${CLIENTS} clients were told 503, the others cut off between requests`,
  );
});

test(`kill -9, ${KILLS} times under load, loses nothing that was acknowledged`, IN_WHOLE, async (t) => {
  for (let kill = 0; kill < KILLS; kill++) {
    const service = await space.serve();
    const before = known.opened.size;
    const clients = Promise.all(Array.from({ length: CLIENTS }, () => known.live(service)));
    // At another moment each time: after the first, the second … of some tens of orders.
    const enough = until(() => known.opened.size >= before + 5 + kill * 3, 'some load');
    // A client that meets what it shouldn't ends the test.
    await Promise.race([enough, clients]);
    await service.kill();
    await clients;
    known.mustBeKept(stored);
  }
  const service = await space.serve();
  const unpacked = unpacker(space.select(SKELETONS));
  const kept = new Map(
    space
      .select<{ key: string; body: string }>(`SELECT key, ${ANSWER_BODY} AS body FROM ninefold_answer a`)
      .map((row) => [row.key, JSON.parse(unpacked(row.body)) as { id: string; sku: string }]),
  );
  const whole = [...known.unanswered].filter((idempotency) => kept.has(idempotency));
  for (const idempotency of [...[...known.opened.keys()].slice(-20), ...whole]) {
    const { id, sku } = kept.get(idempotency)!;
    const again = await service.open(key, { sku, quantity: 1 }, idempotency);
    assert.deepEqual([again.status, (again.body as { id: string }).id], [201, id], 'a repeat replays the answer');
  }
  t.diagnostic(
    `${KILLS} kills; ${known.opened.size} orders acknowledged, none lost; ${known.unanswered.size} requests unanswered, of which ${whole.length} had taken effect whole`,
  );
});
