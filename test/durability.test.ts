import './whole-alone.ts';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { PATIENT, type Service, Workspace } from './harness.ts';
import { STRACE, skip } from './strace.ts';

// Asking for `PRAGMA synchronous` proves nothing: here the syncs that the process makes are counted from outside.

const SEQUENTIAL = 60;
const WAVES = 10;
const AT_ONCE = 64;

const WHICH = ['-y', '-s', '24', '-e', 'trace=fsync,fdatasync,read,write,writev'];

const space = new Workspace(PATIENT);
const file = join(space.dir, 'trace');
let service: Service;
let key: string;

before(async () => {
  if (skip) return;
  key = await space.key(await space.customer());
  service = await space.serve({ prefix: [...STRACE, '-o', file, ...WHICH] });
});
after(() => space[Symbol.asyncDispose]());

type Seen = 'asked' | 'synced' | 'answered';

/** What a line of the trace tells: a write that came in, a sync of the log that ended well, or a success going out. */
function seen(line: string): Seen | null {
  // A call that another thread's line breaks in two is over at “resumed”, which doesn't repeat the file.
  if (/(?: read\(|<\.\.\. read resumed>).*"(POST|PATCH|DELETE) /.test(line)) return 'asked';
  if (
    / f(data)?sync\(\d+<.*ninefold\.sqlite-wal>\) += 0/.test(line) ||
    /<\.\.\. f(data)?sync resumed>\) += 0/.test(line)
  )
    return 'synced';
  return / writev?\(.*"HTTP\/1\.1 20\d /.test(line) ? 'answered' : null;
}

/** Runs some requests, and gives what the trace tells of them. */
async function traced(work: () => Promise<void>): Promise<Seen[]> {
  const lines = () => readFileSync(file, 'utf8').split('\n');
  const from = lines().length - 1;
  await work();
  // The trace of the last answer is written once its call is over, so a request that writes nothing is sent after it.
  await service.request('GET', '/summary', { key });
  return lines()
    .slice(from)
    .flatMap((line) => seen(line) ?? []);
}

const count = (all: readonly Seen[], which: Seen): number => all.filter((one) => one === which).length;
const sku = (letters: string, n: number): string => `${letters}-${String(n).padStart(4, '0')}`;

test('every write is synced to the disk before its answer leaves', { skip }, async (t) => {
  let writes = 0;
  const all = await traced(async () => {
    for (let n = 0; n < SEQUENTIAL; n++) {
      const id = await service.opened(key, sku('SEQ', n));
      const headers = { 'if-match': '*', 'content-type': 'application/merge-patch+json' };
      const steps = [
        await service.request('PATCH', `/orders/${id}`, { key, headers, body: { quantity: 2 } }),
        await service.request('POST', `/orders/${id}/cancel`, { key }),
        await service.request('DELETE', `/orders/${id}`, { key }),
      ];
      assert.deepEqual(
        steps.map(({ status }) => status),
        [200, 200, 204],
      );
      writes += 4;
    }
  });
  assert.equal(count(all, 'asked'), writes);
  let synced = 0;
  let waiting = false;
  for (const one of all) {
    if (one === 'asked') [waiting, synced] = [true, 0];
    else if (one === 'synced') synced++;
    else if (waiting) {
      assert.ok(synced > 0, 'an answer left before anything was synced');
      waiting = false;
    }
  }
  t.diagnostic(`${writes} writes one after another: ${count(all, 'synced')} syncs, each before its answer`);
});

test('writes that come together share syncs', { skip }, async (t) => {
  const writes = WAVES * AT_ONCE;
  const all = await traced(async () => {
    for (let wave = 0; wave < WAVES; wave++)
      await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => service.opened(key, sku('CON', wave * AT_ONCE + n))));
  });
  const syncs = count(all, 'synced');
  assert.ok(syncs > 0 && syncs < writes, `${syncs} syncs for ${writes} writes`);
  // The answer to what was sent before these may be told late.
  const own = all.slice(all.indexOf('asked'));
  assert.ok(own.indexOf('synced') < own.indexOf('answered'), 'nothing is answered before the first sync');
  t.diagnostic(
    `${writes} writes, ${AT_ONCE} at a time: ${syncs} syncs, ${(writes / syncs).toFixed(1)} writes to a sync`,
  );
});

test('reads sync nothing', { skip }, async () => {
  const all = await traced(async () => {
    for (let n = 0; n < 50; n++) await service.request('GET', '/orders', { key });
  });
  assert.equal(count(all, 'synced'), 0);
});
