// The words of older versions: those of the cases on PostgreSQL too, where filters by them are computed; and those of
// callers who stay with their version while the document splits a state and renames a value.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { readCases } from './cases.ts';
import { Conversation } from './conversation.ts';
import { BEFORE, NEXT } from './desk.ts';
import { Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { planOf, withChange } from './subject.ts';

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

for (const one of ['words', 'words-later'].flatMap((name) => readCases(`src/compiler/versioning/cases/${name}.md`)))
  for (const { kind, text, info } of one.blocks)
    if (kind === 'exchange')
      test(one.name, async () => {
        const plan = planOf(one.document);
        await using conversation = await Conversation.start(
          plan,
          await PostgresStore.open(await server.database(), plan),
        );
        assert.equal(await conversation.hold(text, info.split(' ').filter(Boolean)), text);
      });

/** The next document, in which the usual priority has another name, too. */
const RENAMED = [
  ['one of low, normal, high, urgent', 'one of low, medium, high, urgent'],
  ['request, else `"normal"`', 'request, else `"medium"`'],
  [
    'Ticket.priority `urgent` is `high`, sent',
    'Ticket.priority `medium` is `normal`; Ticket.priority `urgent` is `high`, sent',
  ],
].reduce((text, [from = '', to = '']) => withChange(text, from, to), NEXT);

const SPLIT = [
  'Ticket.status:open=`assignee == null ? "new" : "assigned"`',
  'Ticket.status:waiting=on_hold',
  'Ticket.priority:normal=medium',
].flatMap((option) => ['--replace', option]);

for (const store of ['SQLite', 'PostgreSQL'])
  test(`callers of a version notice nothing of a migration that splits a state, on ${store}`, async () => {
    await using space = new Workspace(BEFORE, 'desk.md');
    if (store === 'PostgreSQL') space.place = ['--store', await server.database()];
    assert.equal((await space.cli('rows', 'add', 'Agent', 'name=ada')).code, 0);
    const key = /nf_[\w-]+/.exec((await space.cli('keys', 'issue', 'Agent', 'ada')).out)?.[0] ?? '';
    const headers = { 'desk-version': 'v2' };
    const again = { key, body: { title: 'a', priority: 'normal' }, headers: { ...headers, 'idempotency-key': 'k' } };
    const before = await space.serveHere({ declared: true });
    const first = await before.request('POST', '/tickets', again);
    await before.request('POST', '/tickets', { key, body: { title: 'b', assignee: 'bo' }, headers });
    await before.request('POST', '/tickets', { key, body: { title: 'c' }, headers });
    await before.request('POST', '/tickets/3/hold', { key, headers });
    const paths = ['/tickets', '/tickets?status=open', '/tickets?not=open', '/tickets?priority=normal'];
    const seen = (service: typeof before) =>
      Promise.all(paths.map(async (path) => (await service.request('GET', path, { key, headers })).text));
    const shown = await seen(before);
    await before.stop();
    space.write(RENAMED);
    const migrated = await space.cli('migrate', ...SPLIT);
    assert.equal(migrated.code, 0, migrated.err);
    assert.match(migrated.out, /Ticket\.status: open becomes assigned in 1 row, new in 1 row\./);
    const after = await space.serveHere({ declared: true });
    assert.deepEqual(await seen(after), shown);
    // A request that is sent again under its key is that of before, whatever its value is called now.
    const replayed = await after.request('POST', '/tickets', again);
    assert.deepEqual([replayed.status, replayed.text], [201, first.text]);
    const current = (await after.request('GET', '/tickets', { key })).text;
    assert.match(current, /"new".*"assigned".*"on_hold"/);
    await after.stop();
  });
