// The words of older versions are the same on PostgreSQL: filters by them are computed there.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { readCases } from './cases.ts';
import { Conversation } from './conversation.ts';
import { PostgresServer } from './postgres.ts';
import { planOf } from './subject.ts';

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

for (const one of readCases('src/compiler/versioning/cases/words.md'))
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
