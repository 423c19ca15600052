import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { descriptions } from '../src/export/served/descriptions.ts';
import { Service } from '../src/runtime/service.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import type { Store } from '../src/store/store.ts';
import { PostgresServer } from './postgres.ts';
import { documentText, planOf, withChange } from './subject.ts';

const NOTES = documentText('docs/documents/notes.md');
const ID = '| id      | string    | uuid   | any                 | on create `uuid()` |          | identity |';
const CODE = '| code | string | | 1 to 1 characters | on create `random("01", 1)` | | yes, else code_taken |';
/** Notes with one of two codes: a third note cannot have another one. */
const CODED = [
  [ID, `${ID}\n${CODE}`],
  ['- Shown: id, text, created', '- Shown: id, text, created, code'],
  ['| note_not_found | 404 ', '| code_taken | 409 | a rule says so | Try again |\n| note_not_found | 404 '],
].reduce((text, [from = '', to = '']) => withChange(text, from, to), NOTES);

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

type Post = (text: string) => Promise<{ status: number; body: Readonly<Record<string, string>> }>;

async function serving(
  document: string,
  open: (plan: ReturnType<typeof planOf>) => Promise<Store>,
  work: (post: Post) => Promise<void>,
) {
  const plan = planOf(document);
  const place = { host: '127.0.0.1', port: 0, admin: null, url: 'http://notes.example' };
  const service = new Service({ ...place, secrets: () => '', describe: descriptions(), log: () => {} });
  await service.start(plan, await open(plan));
  try {
    await work(async (text) => {
      const answer = await fetch(`http://127.0.0.1:${service.port}/notes`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ text }),
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, string> };
    });
  } finally {
    await service.stop();
  }
}

const STORES: ReadonlyArray<readonly [string, (plan: ReturnType<typeof planOf>) => Promise<Store>]> = [
  ['SQLite', async (plan) => new SqliteStore(':memory:', plan)],
  ['PostgreSQL', async (plan) => PostgresStore.open(await server.database(), plan)],
];

for (const [name, open] of STORES)
  test(`a code that another row has is refused with the code of the rule, also at once: ${name}`, () =>
    serving(CODED, open, async (post) => {
      const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => post(`${i}`)));
      const made = answers.filter(({ status }) => status === 201);
      assert.deepEqual(made.map(({ body }) => body.code).sort(), ['0', '1']);
      for (const { status, body } of answers)
        if (status !== 201) assert.deepEqual([status, body.code], [409, 'code_taken']);
    }));

test('an identity that another row has is refused as a conflict, and the other row stays', () => {
  const drawn = withChange(
    NOTES,
    ID,
    '| id | string | | 64 to 64 characters | on create `random("01", 64)` | | identity |',
  );
  // Each byte is the same, so that each text is, too.
  const machine = { now: () => Date.now(), random: (count: number) => Buffer.alloc(count, 3) };
  return serving(
    drawn,
    async (plan) => new SqliteStore(':memory:', plan, 'successor', machine),
    async (post) => {
      const first = await post('first');
      assert.deepEqual([first.status, first.body.id], [201, '1'.repeat(64)]);
      const second = await post('second');
      assert.deepEqual([second.status, second.body.code], [409, 'conflict']);
    },
  );
});
