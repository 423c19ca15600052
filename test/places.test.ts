import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { LIBRARY } from '../src/expression/library/index.ts';
import type { Plan } from '../src/plan/step.ts';
import { Engine } from '../src/runtime/engine/engine.ts';
import { Operator } from '../src/runtime/operator.ts';
import { Handler } from '../src/runtime/request/handle.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import { call, type Store, StoreError } from '../src/store/store.ts';
import { until } from './harness.ts';
import { unpacker } from './packed.ts';
import type { Asked, Created, Place } from './places/document.ts';
import { HAPPENING } from './places/happening.ts';
import { HOLDING, STREAMED } from './places/holding.ts';
import { PROBES, ROWS } from './places/probes.ts';
import { RULING } from './places/ruling.ts';
import { SELECTING } from './places/selecting.ts';
import { computes, expressionsOfPlans, STANDS } from './places/stands.ts';
import { STEPS } from './places/steps.ts';
import { PostgresServer } from './postgres.ts';
import { IN_WHOLE, share, WHOLE } from './share.ts';

/** What was found, function by function: `UPDATE=1` writes it anew. */
const TABLE = join(import.meta.dirname, 'places', 'places.md');

/** Every place in which every function is tried. */
const PLACES: readonly Place[] = [...SELECTING, ...STEPS, ...HAPPENING, ...RULING, ...HOLDING, STREAMED];

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

const STORES: ReadonlyArray<readonly [name: string, open: (plan: Plan) => Promise<Store>]> = [
  ['SQLite', async (plan) => new SqliteStore(':memory:', plan)],
  ['PostgreSQL', async (plan) => PostgresStore.open(await server.database(), plan)],
];

/** Where the document of a place would be: its handler stands beside it. */
const DOCUMENT = join(import.meta.dirname, 'places', 'places.md');

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly headers: readonly string[];
}

/** What each function did, by place and then by function: empty where all was as it has to be. */
const found = new Map<string, Map<string, string[]>>();

type Request = Pick<Asked, 'method' | 'path' | 'body' | 'headers' | 'at'>;

/** Requests of one service, one after the other. */
class Client {
  readonly failures: unknown[] = [];
  private readonly handler: Handler;

  constructor(engine: Engine) {
    this.handler = new Handler(engine, {
      failed: (_endpoint, error) => this.failures.push(error),
      recorded: () => engine.streams?.wake(),
    });
  }

  /** Reads a stream from now on; gives what it has sent, as it sends it. */
  async read(path: string): Promise<string[]> {
    const { answer } = await this.handle({ method: 'GET', path });
    assert.ok(answer.stream, String(answer.body));
    const sent: string[] = [];
    const write = async (text: string): Promise<boolean> => {
      for (const [, data] of text.matchAll(/^data: (.*)$/gm)) sent.push(data!);
      return true;
    };
    void answer.stream.run({ write, gone: new Promise(() => {}) });
    return sent;
  }

  async ask(request: Request): Promise<Answered> {
    const { answer } = await this.handle(request);
    return { status: answer.status, text: String(answer.body ?? ''), headers: answer.headers.map(String) };
  }

  private handle(request: Request): ReturnType<Handler['handle']> {
    const { body, headers = [], at = Date.now() } = request;
    const [path = '', query = null] = request.path.split('?');
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
    const sent = body === undefined ? [] : ['Content-Type', 'application/json', 'Content-Length', String(bytes.length)];
    return this.handler.handle({
      method: request.method,
      path,
      query,
      rawHeaders: ['Host', 'localhost', ...headers, ...sent],
      address: '127.0.0.1',
      arrived: Date.now(),
      now: at,
      body: () => bytes,
    });
  }

  /** Creates the rows of a place; what went otherwise than it has to. */
  async create({ path, only, again }: Created, at: number): Promise<string[]> {
    const rows = [
      ...ROWS.map((row) => ({ row, fine: only === null || only.includes(row.id as number) })),
      ...(again ? ROWS : []).map((row) => ({
        row: { ...row, id: ROWS.length + (row.id as number) },
        fine: again?.includes(row.id as number) ?? false,
      })),
    ];
    const wrong: string[] = [];
    for (const { row, fine } of rows) {
      const { status, text } = await this.ask({ method: 'POST', path, body: row, at });
      if (status !== (fine ? 201 : 409)) wrong.push(`POST ${path} of row ${row.id}: ${status} ${text}`);
    }
    return wrong;
  }
}

/** Whether an answer is as it has to be. */
function isRight(answer: Answered, { status, gives, header }: Asked): boolean {
  const [name = '', value] = header ?? [];
  const at = answer.headers.indexOf(name);
  return (
    answer.status === status &&
    (gives === null || answer.text === gives) &&
    (header === undefined || (at >= 0 && answer.headers[at + 1] === value))
  );
}

/** What waits to be sent to receivers of webhooks. */
async function messages(store: Store): Promise<Array<{ type: string; data: string }>> {
  const due = store.prepare({ kind: 'system', name: 'due deliveries' });
  const rows = await store.read(() => call(due, [Number.MAX_SAFE_INTEGER, '[]', 1000]));
  const skeletons = await store.read(() => call(store.prepare({ kind: 'system', name: 'list skeletons' }), []));
  const unpacked = unpacker(skeletons.map(([id, text]) => ({ id: Number(id), text: String(text) })));
  return rows.map(([, , type, , data]) => ({ type: String(type), data: unpacked(String(data)) }));
}

/** Told of functions whether they did what they have to. */
type Note = (functions: readonly string[], right: boolean) => void;

function planned({ name, document }: Place): Plan {
  const { plan, findings } = compile(DOCUMENT, document);
  assert.ok(plan, `${name}: ${findings.map((one) => `${one.message} (${one.span?.from})`).join('\n')}`);
  return plan;
}

/** A request with the key of its caller. */
async function withKey(engine: Engine, asked: Asked): Promise<Asked> {
  if (!asked.as) return asked;
  const [resource, id, header] = asked.as;
  const { key } = await new Operator(engine).issueKey(resource, id, null);
  return { ...asked, headers: [header, key] };
}

/** What went otherwise than it has to in a place, on a store that is new. */
async function tried(place: Place, plan: Plan, kept: Store, note: Note): Promise<string[]> {
  const engine = await Engine.start(plan, kept, 'https://api.example.com');
  const client = new Client(engine);
  const wrong: string[] = [];
  const ofEvents = plan.resources.flatMap(({ events }) => events.map(({ name }) => name));
  if (plan.webhook && !plan.webhook.receivers)
    await new Operator(engine).receivers.add('https://hooks.example.com/', ofEvents, null, false);
  for (const one of place.before ?? []) assert.equal((await client.ask(one)).status, one.status);
  for (const one of place.created) wrong.push(...(await client.create(one, place.at ?? Date.now())));
  const stream = place.streamed ? await client.read(place.streamed.path) : [];
  for (const one of place.asked) {
    const answer = await client.ask(await withKey(engine, one));
    const why = one.status === 500 ? String(client.failures.pop()) : null;
    const right = isRight(answer, one) && (why === null || / has no result: /.test(why));
    note(one.functions, right);
    if (right) continue;
    const what = `${one.method} ${one.path} (${one.functions.slice(0, 3)})`;
    wrong.push(`${what}: ${answer.status} ${one.header ? answer.headers : ''} ${answer.text.slice(0, 300)}`);
  }
  const told = place.sent ? await messages(kept) : [];
  for (const { functions, type, data } of place.sent ?? []) {
    const heard = told.filter((one) => one.type === type).map((one) => one.data);
    const right = JSON.stringify(heard) === JSON.stringify(data);
    note(functions, right);
    if (!right) wrong.push(`${type}: ${heard}`);
  }
  if (place.streamed) {
    const { first } = place.streamed;
    await until(() => stream.length >= place.asked.length / 2, 'what the stream sends');
    const right = JSON.stringify(stream.slice(0, first.length)) === JSON.stringify(first);
    note(Object.keys(PROBES), right);
    if (!right) wrong.push(`the stream: ${stream}`);
    engine.streams?.close();
  }
  await engine.handlers.close();
  return [...wrong, ...client.failures.map(String)];
}

test('there is a probe for each meaning of each function', () => {
  const ids = [...LIBRARY.values()].flat().map(({ id }) => id);
  assert.deepEqual(
    ids.filter((id) => !Object.hasOwn(PROBES, id)),
    [],
  );
});

test('there is a place for every expression that a plan holds, and what can hold no function says why', () => {
  assert.deepEqual(expressionsOfPlans().sort(), Object.keys(STANDS).sort());
  const tried = Object.values(STANDS).flatMap((places) => (typeof places === 'string' ? [] : places));
  assert.deepEqual([...new Set(tried)].sort(), PLACES.map(({ name }) => name).sort());
});

/** Where a usual run tries every function: a new database in PostgreSQL costs more than one in SQLite. */
const TRIED: Readonly<Record<string, readonly Place[]>> = {
  SQLite: share(PLACES, 6).cases,
  PostgreSQL: WHOLE ? PLACES : [],
};

for (const [store, open] of STORES)
  for (const place of TRIED[store] ?? [])
    test(`every function in ${place.name}, on a new database in ${store}, beside rows at the ends of what is allowed`, async () => {
      const table = found.get(place.name) ?? new Map<string, string[]>();
      found.set(place.name, table);
      const plan = planned(place);
      for (const [member, places] of Object.entries(STANDS))
        if (places.includes(place.name)) assert.ok(computes(plan, member.split('.').at(-1)!), `it has no ${member}`);
      const kept = await open(plan);
      // A store that stays open keeps the process, and the run, from ending.
      const wrong = await tried(place, plan, kept, (functions, right) => {
        for (const id of functions) table.set(id, [...(table.get(id) ?? []), ...(right ? [] : [store])]);
      }).finally(() => kept.close());
      assert.deepEqual(wrong, []);
    });

/** A pattern that PostgreSQL would read otherwise, in the place of one that it reads alike: the same texts match. */
const flaggedIn = (document: string): string => document.replaceAll('\\\\pL+-[A-Z]', '\\\\pL+-(?i)[a-z]');

for (const [store, open] of STORES)
  for (const place of share(PLACES, 2, 6).cases)
    test(`a pattern with a flag in ${place.name}, in ${store}, is refused at the start or computed, and fails no request`, async () => {
      const flagged = { ...place, document: flaggedIn(place.document) };
      if (flagged.document === place.document) return;
      const plan = planned(flagged);
      const kept = await open(plan);
      try {
        assert.deepEqual(await tried(flagged, plan, kept, () => {}), []);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        assert.equal(store, 'PostgreSQL');
        assert.match(
          error.message,
          /^matches\(".*"\) cannot be computed by PostgreSQL: a flag has another meaning there\./,
        );
      } finally {
        await kept.close();
      }
    });

test('every function works in every place, on both stores: a table', IN_WHOLE, () => {
  const names = [...found.keys()];
  const rows = Object.keys(PROBES).map((id) => {
    const cells = names.map((name) => {
      const stores = found.get(name)!.get(id);
      if (PLACES.find((place) => place.name === name)?.refused?.includes(id)) return 'refused';
      return stores === undefined ? '–' : stores.length === 0 ? 'both' : `not in ${[...new Set(stores)].join(', ')}`;
    });
    return `| ${id} | ${cells.join(' | ')} |`;
  });
  const head = `| Function | ${names.join(' | ')} |\n| --- | ${names.map(() => '---').join(' | ')} |`;
  const text = `# Every function in every place\n\nThe first requests of new databases, in SQLite and in PostgreSQL, with rows at the ends of what is allowed beside.\n\n${head}\n${rows.join('\n')}\n`;
  if (process.env.UPDATE === '1') writeFileSync(TABLE, text);
  assert.equal(text, readFileSync(TABLE, 'utf8'));
});
