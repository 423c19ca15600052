import './whole-alone.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { EXIT_UNSYNCED } from '../src/store/sqlite/errors.ts';
import { PATIENT, type Service, until, Workspace } from './harness.ts';
import { storedOrders } from './ledger.ts';
import { IN_WHOLE, share, times } from './share.ts';
import { STRACE, skip } from './strace.ts';

// What the disk does to syncs is done by the system itself, from outside: the service runs as it always does.

/** How long a sync takes on the slow disk, in milliseconds. */
const DELAY = 1000;
const WRITES = times(2, 6);

const spaces: Workspace[] = [];
after(async () => {
  for (const space of spaces) await space[Symbol.asyncDispose]();
});

/**
 * A service whose syncs the system delays or fails: those that it makes itself, and not SQLite's. Of the database alone,
 * other calls are told too.
 */
async function served(inject: string, database: readonly string[] | null = null): Promise<Served> {
  const space = new Workspace(PATIENT);
  spaces.push(space);
  const key = await space.key(await space.customer());
  const path = database === null ? [] : ['-P', join(space.data, 'ninefold.sqlite')];
  const calls = ['fdatasync', ...(database ?? [])].join();
  const trace = join(space.dir, 'trace');
  const prefix = [...STRACE, '-ttt', '-T', '-o', trace, ...path, '-e', `trace=${calls}`, '-e', `inject=${inject}`];
  const service = await space.serve({ prefix });
  return { space, key, service, told: reader(trace) };
}

interface Served {
  readonly space: Workspace;
  readonly service: Service;
  readonly key: string;
  /** What the service has asked of the system, as strace tells it. */
  readonly told: () => string;
}

/** Reads a file that grows, though not each time that it is asked. */
function reader(file: string): () => string {
  let text = '';
  let at = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - at < 50) return text;
    text = readFileSync(file, 'utf8');
    at = performance.now();
    return text;
  };
}

const sku = (letters: string, n: number): string => `${letters}-${String(n).padStart(4, '0')}`;

async function listed(service: Service, key: string): Promise<string[]> {
  const { status, body } = await service.request('GET', '/orders', { key });
  assert.equal(status, 200);
  return (body as { items: { id: string }[] }).items.map(({ id }) => id);
}

test('reads go on while a slow disk syncs, and show nothing that it has not synced', {
  skip,
  ...IN_WHOLE,
}, async (t) => {
  const { service, key } = await served(`fdatasync:delay_enter=${DELAY * 1000}`);
  await service.opened(key, sku('OLD', 0));
  await service.opened(key, sku('OLD', 1));
  let meanwhile = 0;
  for (let n = 0; n < WRITES; n++) {
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
  assert.ok(meanwhile > 0, `${meanwhile} reads were answered while a write was synced`);
  t.diagnostic(`${meanwhile} reads answered while ${WRITES} writes were synced for ${DELAY} ms each`);
});

test('writes that gather while a slow disk syncs are all there after a kill', { skip, ...IN_WHOLE }, async (t) => {
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
  await until(() => known.length > times(40, 400), 'enough orders');
  await service.kill();
  await Promise.all(clients);
  const again = await space.serve();
  for (const id of known) assert.equal((await again.request('GET', `/orders/${id}`, { key })).status, 200);
  t.diagnostic(`${known.length} orders acknowledged, all there`);
});

test('an operator’s command beside a slow disk takes nothing away from the service', {
  skip,
  ...IN_WHOLE,
}, async () => {
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

/** Opens orders of products that begin with two letters until something has been seen, each with the key that it is sent with again; gives their identities. */
async function openUntil(
  { service, key }: Served,
  letters: string,
  seen: () => boolean,
  taken: (sent: number, answered: number) => void = () => {},
): Promise<string[]> {
  const opened: string[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (!seen()) {
      const idempotency = randomUUID();
      const letter = String.fromCharCode('A'.charCodeAt(0) + Math.floor(next / 10_000));
      const body = { sku: sku(letters + letter, next++ % 10_000), quantity: 1, note: 'x'.repeat(500) };
      const sent = Date.now();
      const answer = await until(async () => {
        const one = await service.open(key, body, idempotency).catch(() => null);
        if (one === null) return 'gone';
        // Told of each call, the service is slow enough for requests to be out of time.
        return one.status >= 500 ? null : one;
      }, 'an order taken');
      taken(sent, Date.now());
      if (answer === 'gone') return;
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      opened.push((answer.body as { id: string }).id);
    }
  };
  await Promise.all(Array.from({ length: 32 }, client));
  return opened;
}

/** Holds a service to what it has acknowledged, after a kill. */
async function allThere({ space, service }: Served, opened: readonly string[]): Promise<void> {
  await service.kill();
  assert.deepEqual(space.select('PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
  const stored = new Set(storedOrders((sql) => space.select(sql)).map(({ id }) => id));
  for (const id of opened) assert.ok(stored.has(id));
}

/** A service has ended since a sync was refused, has said so, and starts again once the disk is sound. */
async function mustHaveEnded({ space, service, key }: Served, opened: readonly string[]): Promise<void> {
  assert.equal(await service.ended, EXIT_UNSYNCED);
  assert.match(service.err, /^error: The disk refused to sync a write \(/m);
  assert.ok(statSync(join(space.data, 'ninefold.sqlite-wal')).size > 0, 'the log is still there');
  const again = await space.serve();
  for (const id of opened) assert.equal((await again.request('GET', `/orders/${id}`, { key })).status, 200);
  await again.kill();
  assert.deepEqual(space.select('PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
}

for (const [disk, inject] of [
  ['fast', 'fdatasync:error=EIO:when=20'],
  ['slow', 'fdatasync:delay_enter=15000:error=EIO:when=20'],
] as const)
  test(`a sync of the log that a ${disk} disk refuses ends the service before anybody is answered`, {
    skip,
    ...(disk === 'fast' ? {} : IN_WHOLE),
  }, async (t) => {
    const one = await served(inject);
    const { service, key, space } = one;
    const opened: string[] = [];
    const refused = await until(async () => {
      const product = sku('EIO', opened.length);
      const answer = await service.open(key, { sku: product, quantity: 1 }).catch(() => null);
      if (answer === null) return product;
      assert.equal(answer.status, 201);
      opened.push((answer.body as { id: string }).id);
      return null;
    }, 'the disk to refuse');
    assert.ok(opened.length >= 5, `${opened.length} orders before that`);
    await mustHaveEnded(one, opened);
    t.diagnostic(
      `${opened.length} orders acknowledged; ${refused} was not, and ${space.select('SELECT 1 FROM "order"').length} are there`,
    );
  });

const DATABASE: ReadonlyArray<readonly [whose: string, inject: string, calls: readonly string[]]> = [
  ['of another thread', 'fdatasync:error=EIO:when=1', ['fsync']],
  ['of SQLite', 'fsync:error=EIO:when=1', ['fsync']],
];

for (const [whose, inject, calls] of DATABASE)
  test(`a sync of the database ${whose} that the disk refuses ends the service`, { skip, ...IN_WHOLE }, async (t) => {
    const one = await served(inject, calls);
    let gone = false;
    void one.service.ended.then(() => {
      gone = true;
    });
    const opened = await openUntil(one, 'DB', () => gone);
    await mustHaveEnded(one, opened);
    t.diagnostic(`${opened.length} orders`);
  });

test('a start that can’t sync the log it finds ends, and the next one has it all', { skip, ...IN_WHOLE }, async () => {
  const space = new Workspace(PATIENT);
  spaces.push(space);
  const key = await space.key(await space.customer());
  const service = await space.serve();
  const opened = await Promise.all(Array.from({ length: 5 }, (_, n) => service.opened(key, sku('STA', n))));
  await service.kill();
  const log = join(space.data, 'ninefold.sqlite-wal');
  const { size } = statSync(log);
  const syncs = [
    ['fdatasync', log],
    ['fsync', log],
    ['fsync', join(space.data, 'ninefold.sqlite')],
  ] as const;
  for (const [call, file] of share(syncs, 1).cases) {
    const inject = ['-P', file, '-e', `trace=${call}`, '-e', `inject=${call}:error=EIO:when=1`];
    const refused = await space.serve({ prefix: [...STRACE, '-o', join(space.dir, 'trace'), ...inject] }).then(
      () => assert.fail('it serves'),
      (error: Error) => error.message,
    );
    assert.match(
      refused,
      new RegExp(`^serve ended with ${EXIT_UNSYNCED}\\n\\n[\\s\\S]*error: The disk refused to sync`),
    );
    assert.equal(statSync(log).size, size, 'the log is as it was');
  }
  const again = await space.serve();
  for (const id of opened) assert.equal((await again.request('GET', `/orders/${id}`, { key })).status, 200);
});

test('a command whose sync is refused says so, has changed nothing, and leaves the service’s log alone', {
  skip,
  ...IN_WHOLE,
}, async () => {
  const space = new Workspace(PATIENT);
  spaces.push(space);
  const key = await space.key(await space.customer());
  const service = await space.serve();
  const opened = [await service.opened(key, sku('CMD', 0))];
  const log = join(space.data, 'ninefold.sqlite-wal');
  const { size } = statSync(log);
  for (const call of share(['fsync', 'fdatasync'], 1).cases) {
    const inject = ['-P', log, '-e', `trace=${call}`, '-e', `inject=${call}:error=EIO:when=1`];
    const prefix = [...STRACE, '-o', join(space.dir, 'trace'), ...inject];
    const bob = [`id=${randomUUID()}`, 'name=Bob', `email=${call}@example.com`];
    const ran = await space.cliUnder(prefix, 'rows', 'add', 'Customer', ...bob);
    assert.equal(ran.code, EXIT_UNSYNCED, ran.err);
    assert.match(ran.err, /^error: The disk refused to sync/m);
    assert.equal(ran.out, '');
    assert.ok(statSync(log).size >= size, 'the log is there');
    assert.deepEqual(space.select("SELECT 1 FROM customer WHERE name = 'Bob'"), []);
  }
  opened.push(await service.opened(key, sku('CMD', 1)));
  await allThere({ space, service, key, told: () => '' }, opened);
});

/** How long a sync of the database takes that nobody is to wait for, in milliseconds. */
const LONG = 4000;

test('nobody waits while a long log is copied and the database is synced', { skip, ...IN_WHOLE }, async (t) => {
  const one = await served(`fdatasync:delay_enter=${LONG * 1000}`, ['fsync']);
  const ours = (): number => one.told().match(/fdatasync/g)?.length ?? 0;
  const theirs = (): number => one.told().match(/fsync/g)?.length ?? 0;
  const before = theirs();
  const orders: Array<{ readonly sent: number; readonly answered: number }> = [];
  const note = (sent: number, answered: number): void => void orders.push({ sent, answered });
  const first = await openUntil(one, 'ON', () => ours() > 0, note);
  assert.equal(theirs(), before, 'SQLite has left the sync to another thread');
  const then = await openUntil(one, 'TW', () => theirs() > before, note);
  await allThere(one, [...first, ...then]);
  // The call is told of in one line; or in two, where another begins before it is over.
  const [, began, took, next] =
    /(\d+\.\d+) fdatasync\((?:.* <(\d+\.\d+)>$|.*\n\S+ +(\d+\.\d+) )/m.exec(one.told()) ?? [];
  const [from, to] = [Number(began) * 1000, Number(next ?? Number(began) + Number(took)) * 1000];
  const meanwhile = orders.filter(({ sent, answered }) => sent > from && answered < to).length;
  assert.ok(meanwhile > 0, `${orders.length} orders, none of them sent and answered while the database was synced`);
  t.diagnostic(`${first.length + then.length} orders; ${meanwhile} sent and answered while the database was synced`);
});
