import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import pg from 'pg';
import { databaseFile } from '../src/cli/stores.ts';
import { edited, type Service, Workspace } from '../test/harness.ts';
import { PostgresServer } from '../test/postgres.ts';
import { documentText } from '../test/subject.ts';

// What a search for words costs: the time of queries whose words few and many rows have, the size of the words and of
// their index, the time of the migration that adds them to stored rows, and creations with and without them. It judges
// nothing.

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '200000' },
    store: { type: 'string', default: 'sqlite' },
    seconds: { type: 'string', default: '5' },
  },
});
const ROWS = Number(options.rows);
const SECONDS = Number(options.seconds);
if (!(ROWS > 0) || !(SECONDS > 0) || !['sqlite', 'postgres'].includes(options.store)) {
  console.error('Usage: node bench/search.ts [--rows 200000] [--store sqlite|postgres] [--seconds 5]');
  process.exit(2);
}

const QUICK = ['Page size    | 2 by default', 'Page size    | 20 by default'] as const;
const SEARCHED = edited(documentText('docs/documents/articles.md'), QUICK, [
  '### `GET /articles/mentions`',
  `### \`GET /articles/latest\`

| Parameter | In    | Type   | Allowed values      | Presence |
| --------- | ----- | ------ | ------------------- | -------- |
| q         | query | string | 1 to 100 characters | always   |

1. List \`found\`: Article, matching every word of \`query.q\`, whole words, without words no rows, latest \`number\` first, in pages.
2. Answer 200 with \`found\`.

### \`GET /articles/mentions\``,
]);
const PLAIN = edited(
  documentText('docs/documents/articles.md'),
  QUICK,
  ['- Search: title weight 4, body weight 1; in no language; accents ignored\n', ''],
  [', matching every word of `query.q`, the last as a prefix, without words all rows, best match first, then', ','],
  [', matching any word of `query.words`, whole words, without words no rows', ' where `title == query.words`'],
  ['| q         | query | string        | at most 100 characters     | optional |                        |\n', ''],
);

/** The number of different words, and of words in a title and in a body. */
const WORDS = 20_000;
const IN_TITLE = 6;
const IN_BODY = 60;

/** A generator of numbers that a seed fixes (mulberry32). */
function numbers(seed: number): () => number {
  let at = seed;
  return () => {
    at = (at + 0x6d2b79f5) | 0;
    let t = Math.imul(at ^ (at >>> 15), 1 | at);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = numbers(1);
const letters = 'bcdfghklmnprstvz';
const vowels = 'aeiouéü';
const word = (n: number): string => {
  let out = '';
  for (let rest = n + 100; rest > 0; rest = Math.floor(rest / (letters.length * vowels.length)))
    out += letters[rest % letters.length]! + vowels[Math.floor(rest / letters.length) % vowels.length]!;
  return out;
};
/** The words, of which the word with the number n is about n times as rare as the first (Zipf). */
const ranked = (): string => word(Math.min(WORDS - 1, Math.floor(WORDS ** random()) - 1));
const text = (count: number): string => Array.from({ length: count }, ranked).join(' ');

interface Article {
  readonly id: string;
  readonly number: number;
  readonly title: string;
  readonly body: string;
}

const article = (i: number): Article => ({
  id: `${(i + 1).toString(16).padStart(8, '0')}-0000-4000-8000-${Math.floor(random() * 2 ** 48)
    .toString(16)
    .padStart(12, '0')}`,
  number: i + 1,
  title: text(IN_TITLE),
  body: text(IN_BODY),
});

/** How many rows are written by one statement. */
const AT_ONCE = 2000;

async function fillSqlite(data: string): Promise<void> {
  const db = new Database(databaseFile(data));
  db.pragma('synchronous = OFF');
  const insert = db.prepare(
    `INSERT INTO article (id, number, title, body, topic, hidden, created, ninefold_revision)
     VALUES (unhex(replace(?, '-', '')), ?, ?, ?, 'news', 0, 1764000000000, 1)`,
  );
  const some = db.transaction((from: number) => {
    for (let i = from; i < Math.min(ROWS, from + AT_ONCE); i++) {
      const { id, number, title, body } = article(i);
      insert.run(id, number, title, body);
    }
  });
  for (let from = 0; from < ROWS; from += AT_ONCE) some(from);
  db.prepare("INSERT OR REPLACE INTO ninefold_sequence VALUES ('Article.number', '', ?)").run(ROWS);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

async function fillPostgres(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  for (let from = 0; from < ROWS; from += AT_ONCE) {
    const rows = Array.from({ length: Math.min(AT_ONCE, ROWS - from) }, (_, i) => article(from + i));
    await client.query(
      `INSERT INTO article (id, number, title, body, topic, hidden, created, ninefold_revision)
       SELECT a.id, a.number, a.title, a.body, 'news', false, 1764000000000, 1
       FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[]) AS a(id, number, title, body)`,
      [
        rows.map(({ id }) => id),
        rows.map((one) => one.number),
        rows.map(({ title }) => title),
        rows.map(({ body }) => body),
      ],
    );
  }
  await client.query("INSERT INTO ninefold_sequence VALUES ('Article.number', '', $1)", [ROWS]);
  await client.query('ANALYZE article');
  await client.end();
}

const MIB = 2 ** 20;

/** The bytes of the table with its indexes, in MiB. */
async function sizeOf(space: Workspace, url: string | null): Promise<number> {
  if (url === null) {
    const db = new Database(databaseFile(space.data));
    db.pragma('wal_checkpoint(TRUNCATE)');
    const pages = (name: string): number => db.pragma(name, { simple: true }) as number;
    const used = (pages('page_count') - pages('freelist_count')) * pages('page_size');
    db.close();
    return Math.min(used, statSync(join(space.data, 'ninefold.sqlite')).size) / MIB;
  }
  const client = new pg.Client(url);
  await client.connect();
  await client.query('VACUUM FULL article');
  const { rows } = await client.query("SELECT pg_total_relation_size('article') AS bytes");
  await client.end();
  return Number(rows[0].bytes) / MIB;
}

const at = (sorted: readonly number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1);

/** The clock ticks of Linux in a second, in which it counts processor time. */
const TICKS = 100;

/** The processor time of the service and of the processes of the database, in milliseconds. */
function processorTime(service: Service): number {
  const own = service.child.pid ?? 0;
  const database = server?.pid;
  let ticks = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      const isDatabase = database !== undefined && [name, fields[1]].includes(String(database));
      if (Number(name) === own || isDatabase) ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // The process has ended meanwhile.
    }
  }
  return (ticks * 1000) / TICKS;
}

/** Sends a kind of query, one after the other. */
async function measure(service: Service, name: string, path: (i: number) => string): Promise<void> {
  const busy = processorTime(service);
  const took: number[] = [];
  let items = 0;
  const until = performance.now() + SECONDS * 1000;
  for (let i = 0; performance.now() < until || i < 3; i++) {
    const begun = performance.now();
    const { status, body } = await service.request('GET', path(i));
    took.push(performance.now() - begun);
    if (status !== 200) throw new Error(`${path(i)}: ${status}`);
    items += (body as { items: unknown[] }).items.length;
  }
  const sorted = took.toSorted((a, b) => a - b);
  const many = (items / took.length).toFixed(1);
  const processor = ((processorTime(service) - busy) / took.length).toFixed(1);
  console.log(
    `${name}: p50 ${at(sorted, 0.5)} ms, p99 ${at(sorted, 0.99)} ms, processor time ${processor} ms of ${took.length} requests; ${many} rows a page`,
  );
}

/** Sends small requests, one after the other, while a search is under way. */
async function beside(service: Service, path: string): Promise<void> {
  let isOver = false;
  const search = service.request('GET', path).finally(() => {
    isOver = true;
  });
  const took: number[] = [];
  while (!isOver) {
    const begun = performance.now();
    await service.request('GET', '/articles?limit=1');
    took.push(performance.now() - begun);
  }
  await search;
  const sorted = took.toSorted((a, b) => a - b);
  console.log(
    `a small list beside a search for a common word: p50 ${at(sorted, 0.5)} ms, p99 ${at(sorted, 0.99)} ms of ${took.length} requests`,
  );
}

/** Creates articles by several requests at once. */
async function create(service: Service, name: string): Promise<void> {
  const until = performance.now() + SECONDS * 1000;
  let count = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < until) {
      const { status } = await service.request('POST', '/articles', {
        body: { title: text(IN_TITLE), body: text(IN_BODY), topic: 'news' },
      });
      if (status !== 201) throw new Error(`POST /articles: ${status}`);
      count++;
    }
  };
  const begun = performance.now();
  const busy = processorTime(service);
  await Promise.all(Array.from({ length: 16 }, one));
  const seconds = (performance.now() - begun) / 1000;
  const processor = ((processorTime(service) - busy) / count).toFixed(2);
  console.log(
    `${name}: ${Math.round(count / seconds)} creations a second over 16 connections, processor time ${processor} ms each`,
  );
}

const server = options.store === 'postgres' ? await PostgresServer.start() : null;
const url = server ? await server.database() : null;
await using space = new Workspace(PLAIN);
if (url) space.place = ['--store', url];
await (await space.serve()).stop();
await (url ? fillPostgres(url) : fillSqlite(space.data));
console.log(`${options.store}, ${ROWS.toLocaleString('en')} rows`);
const before = await sizeOf(space, url);
let service = await space.serve();
await create(service, 'without a search');
await service.stop();
space.write(SEARCHED);
const begun = performance.now();
const migrated = await space.cli('migrate');
if (migrated.code !== 0) throw new Error(migrated.err + migrated.out);
console.log(`the migration that adds the search: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
service = await space.serve();
console.log(
  `rows ${before.toFixed(0)} MiB without the search, and with it ${(await sizeOf(space, url)).toFixed(0)} MiB`,
);
await create(service, 'with the search');
const of = (...words: readonly string[]): string => `q=${encodeURIComponent(words.join(' '))}&limit=20`;
await measure(service, 'a rare word, best match first', (i) => `/articles?${of(word(WORDS - 1 - (i % 2000)))}`);
await measure(
  service,
  'two words, best match first',
  (i) => `/articles?${of(word(100 + (i % 100)), word(300 + (i % 97)))}`,
);
await measure(service, 'a rare word, latest first', (i) => `/articles/latest?${of(word(WORDS - 1 - (i % 2000)))}`);
await measure(service, 'a common word, latest first', (i) => `/articles/latest?${of(word(i % 5))}`);
await measure(service, 'a common word, best match first', (i) => `/articles?${of(word(i % 5))}`);
await measure(service, 'no query', () => '/articles?limit=20');
await beside(service, `/articles?${of(word(0))}`);
await service.stop();
await server?.[Symbol.asyncDispose]();
