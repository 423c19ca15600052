import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { RAISED, type Service, until, Workspace } from './harness.ts';
import { STRACE, skip } from './strace.ts';

// What the disk does to syncs is done by the system itself, from outside: the service runs as it always does.

/** How long a sync takes on the slow disk, in milliseconds. */
const DELAY = 250;

const spaces: Workspace[] = [];
after(async () => {
  for (const space of spaces) await space[Symbol.asyncDispose]();
});

/** A service whose syncs the system delays or fails. */
async function served(inject: string): Promise<{ space: Workspace; service: Service; key: string }> {
  const space = new Workspace(RAISED);
  spaces.push(space);
  const key = await space.key(await space.customer());
  const prefix = [...STRACE, '-o', join(space.dir, 'trace'), '-e', 'trace=fdatasync', '-e', `inject=${inject}`];
  return { space, key, service: await space.serve({ prefix }) };
}

const sku = (letters: string, n: number): string => `${letters}-${String(n).padStart(4, '0')}`;

async function listed(service: Service, key: string): Promise<string[]> {
  const { status, body } = await service.request('GET', '/orders', { key });
  assert.equal(status, 200);
  return (body as { items: { id: string }[] }).items.map(({ id }) => id);
}

test('reads go on while a slow disk syncs, and show nothing that it has not synced', { skip }, async (t) => {
  const { service, key } = await served(`fdatasync:delay_enter=${DELAY * 1000}`);
  await service.opened(key, sku('OLD', 0));
  await service.opened(key, sku('OLD', 1));
  let meanwhile = 0;
  for (let n = 0; n < 6; n++) {
    let answered: string | null = null;
    const opening = service.opened(key, sku('NEW', n)).then((id) => {
      answered = id;
    });
    const sent = performance.now();
    const before = (await listed(service, key)).length;
    while (answered === null) {
      const ids = await listed(service, key);
      // Later than that its answer may have left, and not have been read yet.
      if (performance.now() - sent > DELAY * 0.8) continue;
      assert.equal(ids.length, before, 'what is not synced yet is not shown');
      meanwhile++;
    }
    await opening;
    assert.ok((await listed(service, key)).includes(answered), 'what was answered is there');
  }
  assert.ok(meanwhile > 50, `${meanwhile} reads were answered while a write was synced`);
  t.diagnostic(`${meanwhile} reads answered while 6 writes were synced for ${DELAY} ms each`);
});

test('writes that gather while a slow disk syncs are all there after a kill', { skip }, async (t) => {
  const { space, service, key } = await served('fdatasync:delay_enter=15000');
  const known: string[] = [];
  let next = 0;
  const load = async (): Promise<void> => {
    for (;;)
      try {
        known.push(await service.opened(key, sku('GAT', next++)));
      } catch {
        return;
      }
  };
  const clients = Array.from({ length: 16 }, load);
  await until(() => known.length > 400, 'enough orders');
  await service.kill();
  await Promise.all(clients);
  const again = await space.serve();
  for (const id of known) assert.equal((await again.request('GET', `/orders/${id}`, { key })).status, 200);
  t.diagnostic(`${known.length} orders acknowledged, all there`);
});

test('an operator’s command beside a slow disk takes nothing away from the service', { skip }, async () => {
  const { space, service, key } = await served('fdatasync:delay_enter=20000');
  // Enough for the disk to be known as slow, so that a second connection is open.
  for (let n = 0; n < 8; n++) await service.opened(key, sku('CON', n));
  const held = new RegExp(`:${statSync(join(space.data, 'ninefold.sqlite')).ino} `);
  assert.match(
    readFileSync('/proc/locks', 'utf8'),
    held,
    'the database is still locked against whoever closes it last',
  );
  await space.customer('Bob');
  const after = await service.opened(key, sku('CON', 8));
  await service.kill();
  const again = await space.serve();
  assert.equal((await again.request('GET', `/orders/${after}`, { key })).status, 200);
});

for (const [disk, inject] of [
  ['fast', 'fdatasync:error=EIO:when=20+30'],
  ['slow', 'fdatasync:delay_enter=15000:error=EIO:when=20+30'],
] as const)
  test(`nobody is told of what a ${disk} disk refuses to sync, and the service recovers`, { skip }, async (t) => {
    const { space, service, key } = await served(inject);
    const told = new Map<string, number>();
    const opened: string[] = [];
    for (let n = 0; n < 100; n++) {
      const idempotency = randomUUID();
      const body = { sku: sku('EIO', n), quantity: 1 };
      let answer = await service.open(key, body, idempotency);
      told.set(String(answer.status), (told.get(String(answer.status)) ?? 0) + 1);
      if (answer.status === 500) {
        answer = await until(async () => {
          const later = await service.open(key, body, idempotency);
          return later.status === 500 ? null : later;
        }, 'the service to recover');
      }
      assert.equal(answer.status, 201);
      opened.push((answer.body as { id: string }).id);
    }
    assert.ok((told.get('500') ?? 0) >= 2, 'the disk has refused some');
    await service.kill();
    const again = await space.serve();
    for (const id of opened) assert.equal((await again.request('GET', `/orders/${id}`, { key })).status, 200);
    assert.equal(space.select('SELECT id FROM "order"').length, opened.length, 'no order twice');
    t.diagnostic(`${JSON.stringify(Object.fromEntries(told))}; ${opened.length} orders, each once`);
  });
