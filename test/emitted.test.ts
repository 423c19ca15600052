import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { readCases } from './cases.ts';
import { Conversation } from './conversation.ts';
import { PostgresServer } from './postgres.ts';
import { documentText, planOf, withChange } from './subject.ts';

// Events that steps emit, on PostgreSQL: the case of SQLite says the same. And several at a time, in their order.

const ALARMS = documentText('docs/documents/alarms.md');

let server: PostgresServer | null = null;
after(() => server?.[Symbol.asyncDispose]());

const database = async (): Promise<string> => {
  server ??= await PostgresServer.shared();
  return server.database();
};

test('receivers and readers get the same on PostgreSQL', async () => {
  const [one] = readCases('src/compiler/events/cases/emitted.md');
  const plan = planOf(ALARMS);
  const exchange = one!.blocks.find(({ kind }) => kind === 'exchange')!.text;
  await using conversation = await Conversation.start(plan, await PostgresStore.open(await database(), plan));
  assert.equal(await conversation.hold(exchange, []), exchange);
});

for (const kind of ['SQLite', 'PostgreSQL'] as const)
  test(`forty events of one loop come in their order, and a refusal after a step takes its event back, on ${kind}`, async () => {
    const text = withChange(
      ALARMS,
      '2. Answer 204.\n\n### `POST /sensors/{id}/mute`',
      '2. Require `Sensor.filter(s, s.state == "muted").size() == 0`, else is_muted.\n3. Answer 204.\n\n### `POST /sensors/{id}/mute`',
    );
    const plan = planOf(text);
    const store = kind === 'SQLite' ? undefined : await PostgresStore.open(await database(), plan);
    await using conversation = await Conversation.start(plan, store);
    const names = Array.from({ length: 40 }, (_, i) => `s${String(i).padStart(2, '0')}`);
    const sensors = names
      .map((name) => `> POST /sensors\n> {"name": "${name}", "kind": "heat", "most": 30}\n`)
      .join('');
    const told = await conversation.hold(
      `! receive alarm.raised\n! add Keeper number=1 site=1\n! key Keeper 1 alarms\n! follow /alarms\n${sensors}> POST /drills\n! received 40\n! heard 40\n> POST /sensors/{1}/mute\n> POST /drills\n! events\n`,
      [],
    );
    const raised = [...told.matchAll(/^< alarm\.raised \{.*"sensor":"(\w+)"/gm)].map(([, name]) => name);
    assert.deepEqual(raised, [...names, ...names]);
    assert.match(told, /> POST \/drills\n< 409\n/);
    assert.equal(told.slice(told.indexOf('! events')).match(/^< alarm\.raised$/gm)?.length, 40);
  });
