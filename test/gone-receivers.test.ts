import './whole-alone.ts';
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { edited, PATIENT, until, Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { Receiver } from './receiver.ts';
import { IN_WHOLE } from './share.ts';

// A receiver answers 410, where the document says that this removes it.

const LAST = '- Kept: 30 days after delivery';
const DOCUMENT = edited(PATIENT, [LAST, `${LAST}\n- Gone: 410 removes the receiver`]);

let server: PostgresServer | null = null;
after(() => server?.[Symbol.asyncDispose]());

test('a receiver that the operator has moved meanwhile stays, and hears at its new address', async () => {
  await using space = new Workspace(DOCUMENT);
  const key = await space.key(await space.customer());
  await using gone = await new Receiver().up();
  await using other = await new Receiver().up();
  const { promise: moved, resolve: move } = Promise.withResolvers<number>();
  gone.answer = () => moved;
  await space.receiver(gone.url);
  const service = await space.serve();
  await service.opened(key, 'GON-0001');
  await until(() => gone.got.length > 0, 'the attempt');
  const list = async (): Promise<ReadonlyArray<{ id: string; url: string }>> =>
    JSON.parse((await space.cli('receivers', 'list', '--json')).out);
  const [{ id = '' } = {}] = await list();
  const changed = await space.cli('receivers', 'change', id, '--address', `${other.url}/moved`, '--allow-private');
  assert.equal(changed.code, 0, changed.err);
  move(410);
  await until(() => other.accepted.length === 1, 'the delivery at the new address');
  assert.deepEqual(await list().then((all) => all.map(({ url }) => url)), [`${other.url}/moved`]);
  assert.equal(gone.got.length, 1);
});

for (const store of ['SQLite', 'PostgreSQL'] as const)
  test(
    `a receiver that answers 410 is removed with its deliveries, and others are not, in ${store}`,
    store === 'SQLite' ? {} : IN_WHOLE,
    async () => {
      await using space = new Workspace(DOCUMENT);
      if (store === 'PostgreSQL') {
        server ??= await PostgresServer.shared();
        space.place = ['--store', await server.database()];
      }
      const key = await space.key(await space.customer());
      await using gone = await new Receiver().up();
      await using other = await new Receiver().up();
      // The first attempt fails otherwise, so that events of its row wait behind it.
      gone.answer = () => (gone.got.length === 1 ? 500 : 410);
      await space.receiver(gone.url);
      await space.receiver(`${other.url}/other`);
      const service = await space.serveHere();
      const order = await service.opened(key, 'GON-0001');
      await until(() => gone.got.length > 0, 'the attempt that fails');
      assert.equal((await service.request('POST', `/orders/${order}/place`, { key })).status, 200);
      const urls = async (): Promise<string[]> => {
        const { out } = await space.cli('receivers', 'list', '--json');
        return (JSON.parse(out) as ReadonlyArray<{ url: string }>).map(({ url }) => url);
      };
      await until(async () => (await urls()).length === 1, 'the receiver is removed');
      assert.deepEqual(await urls(), [`${other.url}/other`]);
      await service.opened(key, 'GON-0002');
      await until(() => other.accepted.length === 3, 'the other receiver is told all');
      assert.equal(gone.got.length, 2);
      // The receiver has answered before the outcome is stored.
      const states = async (): Promise<string[]> => {
        const { out } = await space.cli('events', 'list', '--json');
        return (JSON.parse(out) as ReadonlyArray<{ state: string }>).map(({ state }) => state);
      };
      await until(async () => (await states()).every((one) => one === 'delivered'), 'the outcomes are stored');
      assert.equal((await states()).length, 3);
    },
  );
