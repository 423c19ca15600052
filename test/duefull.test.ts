import './whole-alone.ts';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { Engine } from '../src/runtime/engine/engine.ts';
import { Operator } from '../src/runtime/operator.ts';
import { Service } from '../src/runtime/service.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import { type Store, StoreError } from '../src/store/store.ts';
import { readCases } from './cases.ts';
import { edited, until } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { IN_WHOLE } from './share.ts';

const JOBS = readCases('src/compiler/states/cases/timed.md')[0]!.document;
/** The same jobs, of which each leaves a note behind with an identity at random. */
const NOTED = edited(
  JOBS,
  ['| 0 to 2 | request; steps |', '| 0 to 2 | request |'],
  [
    '## States and transitions',
    '### Note\n\n| Field | Type | Format | Given by | Unique |\n| --- | --- | --- | --- | --- |\n| id | string | uuid | on create `uuid()` | identity |\n| job | Job | | steps | |\n\n- Visible: everyone\n- Shown: id\n- Keeps: job\n\n## States and transitions',
  ],
  [
    '#### After hold\n\n1. Change `moved` with tries `moved.tries + 1`.',
    '#### After hold\n\n1. Create `note`: Note with job `moved`.',
  ],
);

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

type Open = (document: string) => Promise<Store>;
const STORES: Readonly<Record<string, Open>> = {
  SQLite: async (document) => new SqliteStore(':memory:', compile('case.md', document).plan!),
  PostgreSQL: async (document) => PostgresStore.open(await server.database(), compile('case.md', document).plan!),
};

interface Served {
  readonly service: Service;
  readonly store: Store;
  readonly url: string;
  readonly due: number;
  /** How the two were answered. */
  readonly entered: readonly number[];
}

/**
 * Serves a document, with two jobs that will fall due: what has an instant that has passed never does, so that a machine
 * that takes too long to enter them is given longer.
 */
async function served(document: string, open: Open, log: Log, ahead = 2000): Promise<Served> {
  const store = await open(document);
  const service = new Service({ host: '127.0.0.1', port: 0, admin: null, url: null, log });
  await service.start(compile('case.md', document).plan!, store);
  const url = `http://127.0.0.1:${service.port}/jobs`;
  const due = Date.now() + ahead;
  const entered: number[] = [];
  for (const [id, tries] of [
    [1, 2],
    [2, 1],
  ])
    entered.push(await post(url, { id, tries, due: new Date(due).toISOString() }));
  if (Date.now() < due - ahead / 2) return { service, store, url, due, entered };
  await service.stop();
  return served(document, open, log, 2 * ahead);
}

type Log = (level: string, event: string, fields?: object) => void;

/** Has two jobs fall due on a store that takes nothing any more, and hands over what is there. */
async function whenFull(
  document: string,
  open: Open,
  kind: 'full' | 'failed',
  look: (url: string, hold: { release(): void; store: Store }) => Promise<void>,
): Promise<string[]> {
  const logged: string[] = [];
  const { service, store, url, due, entered } = await served(document, open, (_level, event, fields = {}) => {
    logged.push(`${event} ${JSON.stringify(fields)}`);
  });
  try {
    assert.deepEqual(entered, [201, 201]);
    const write = store.write.bind(store);
    store.write = async () => {
      throw new StoreError(kind, 'No room is left');
    };
    await until(() => Date.now() > due + 100, 'what is due');
    await look(url, {
      store,
      release: () => {
        store.write = write;
      },
    });
  } finally {
    await service.stop();
  }
  return logged;
}

async function post(url: string, body: object): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status;
}

const answered = async (url: string): Promise<[number, string]> => {
  const answer = await fetch(url);
  return [answer.status, await answer.text()];
};

/** A move that is refused is given up, and what follows another is seen. */
const MOVED = '{"jobs":[{"id":1,"tries":2,"status":"open"},{"id":2,"tries":2,"status":"lapsed"}]}';

for (const [name, open] of Object.entries(STORES)) {
  const secondly = name === 'SQLite' ? {} : IN_WHOLE;
  for (const kind of ['full', 'failed'] as const)
    test(
      `${name}: a read shows as moved what is due and can’t be stored (${kind}), and it is stored so later`,
      secondly,
      async () => {
        await whenFull(JOBS, open, kind, async (url, { store, release }) => {
          const all = await Promise.all(Array.from({ length: 20 }, () => answered(url)));
          for (const one of all) assert.deepEqual(one, [200, MOVED]);
          const engine = await Engine.start(compile('case.md', JOBS).plan!, store);
          const rows = await new Operator(engine).list('Job');
          assert.deepEqual(
            rows.map(({ status }) => status),
            ['open', 'lapsed'],
          );
          const refused = await post(url, { id: 3, tries: 0, due: new Date(Date.now() + 60_000).toISOString() });
          assert.equal(refused, kind === 'full' ? 507 : 500, 'nothing is stored before what is due');
          release();
          await until(async () => (await answered(url))[0] === 200, 'an answer');
          assert.deepEqual(await answered(url), [200, MOVED]);
        });
      },
    );

  test(`${name}: a read says why it can’t show what would be another row once it is stored`, async () => {
    const logged = await whenFull(NOTED, open, 'full', async (url, { release }) => {
      const [status, text] = await answered(url);
      assert.deepEqual([status, JSON.parse(text).code], [503, 'unavailable']);
      release();
      await until(async () => (await answered(url))[0] === 200, 'an answer');
    });
    assert.ok(
      logged.some((line) => /request\.failed.*Job hold gives values at random/.test(line)),
      logged.join('\n'),
    );
  });
}
