import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import Database from 'better-sqlite3';
import { storedWords } from '../src/expression/tree/words.ts';
import { edited, type Served, Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { fc } from './seeded.ts';
import { IN_WHOLE, times } from './share.ts';
import { documentText } from './subject.ts';

const ARTICLES = documentText('docs/documents/articles.md');
const ROUNDS = times(12, 200);

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

/** A workspace with rows on PostgreSQL. */
async function onPostgres(document: string): Promise<Workspace> {
  const space = new Workspace(document);
  space.place = ['--store', await server.database()];
  return space;
}

/** Runs a test on both stores; `options` are those of the test on PostgreSQL. */
function onBoth(name: string, document: string, run: (space: Workspace) => Promise<void>, options = {}): void {
  test(`${name}: SQLite`, async () => {
    await using space = new Workspace(document);
    await run(space);
    mustBeWhole(space);
  });
  test(`${name}: PostgreSQL`, options, async () => {
    await using space = await onPostgres(document);
    await run(space);
  });
}

/** Throws unless the full-text index of SQLite has exactly the words of the rows. */
function mustBeWhole(space: Workspace): void {
  const db = new Database(join(space.data, 'ninefold.sqlite'));
  try {
    const index = '"ninefold_search_article.words"';
    db.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1)`);
  } finally {
    db.close();
  }
}

interface Article {
  readonly id: string;
  readonly number: number;
  readonly title: string;
  readonly body?: string;
}

async function done(answer: Promise<{ status: number; text: string; body: unknown }>, status: number) {
  const came = await answer;
  assert.equal(came.status, status, came.text);
  return came.body as Record<string, unknown>;
}

const post = async (service: Served, title: string, body?: string, topic = 'news'): Promise<Article> =>
  (await done(
    service.request('POST', '/articles', { body: { title, ...(body !== undefined && { body }), topic } }),
    201,
  )) as unknown as Article;

/** The numbers of the articles on all pages of a search. */
async function found(service: Served, q: string | null, more = '', limit = 50): Promise<number[]> {
  const out: number[] = [];
  const query = `limit=${limit}${q === null ? '' : `&q=${encodeURIComponent(q)}`}${more}`;
  for (let cursor = ''; ; ) {
    const page = await done(service.request('GET', `/articles?${query}${cursor}`), 200);
    out.push(...(page.items as Article[]).map(({ number }) => number));
    if (typeof page.next !== 'string') return out;
    cursor = `&cursor=${encodeURIComponent(page.next)}`;
  }
}

const mentions = async (service: Served, words: string): Promise<number[]> => {
  const { articles } = await done(service.request('GET', `/articles/mentions?words=${encodeURIComponent(words)}`), 200);
  return (articles as Article[]).map(({ number }) => number);
};

/** Pieces of texts, each with its words as the reference says they are: written by hand, and not computed. */
const PIECES: ReadonlyArray<readonly [text: string, ...words: string[]]> = [
  ['paris', 'paris'],
  ['PARIS', 'paris'],
  ['Pâris', 'paris'],
  ['pariserin', 'pariserin'],
  ['par', 'par'],
  ['Été', 'ete'],
  ['e\u0301te\u0301', 'ete'],
  ['ETE', 'ete'],
  ["don't", 'don', 't'],
  ['t', 't'],
  ['東京', '東', '京'],
  ['京', '京'],
  ['タワー', 'タ', 'ワ', 'ー'],
  ['Straße', 'straße'],
  ['STRASSE', 'strasse'],
  ['ὈΔΥΣΣΕΎΣ', 'οδυσσευσ'],
  ['ὀδυσσεύς', 'οδυσσευσ'],
  ['Йод', 'иод'],
  ['иод', 'иод'],
  ['שלום', 'שלום'],
  ['हिन्दी', 'हिन्दी'],
  ['3.5', '3', '5'],
  ['35', '35'],
  ['NEAR', 'near'],
  ['AND', 'and'],
  ['😀'],
  ['*'],
  ['C++', 'c'],
];
const SEPARATORS = [
  ' ',
  ', ',
  '-',
  '\n',
  '"',
  '*',
  '\u00a0',
  '😀',
  '(',
  ')',
  ':',
  '^',
  "'",
  '\\',
  '|',
  '&',
  '!',
  '_',
  '\u200f',
];

const text = fc
  .array(fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom(...SEPARATORS)), { minLength: 1, maxLength: 7 })
  .map((parts) => ({
    text: parts.map(([[piece], separator]) => piece + separator).join(''),
    words: parts.flatMap(([[, ...words]]) => words),
  }));
type Words = { readonly text: string; readonly words: readonly string[] };

/** The numbers that a search has to find, best match first, then latest number first. */
function expected(rows: ReadonlyMap<number, readonly [title: Words, body: Words | null]>, query: readonly string[]) {
  const last = query.at(-1) ?? '';
  const whole = [...new Set(query.slice(0, -1))];
  const countIn = (words: readonly string[]): number =>
    words.reduce((sum, word) => sum + (whole.includes(word) ? 1 : 0) + (word.startsWith(last) ? 1 : 0), 0);
  return [...rows]
    .filter(([, [title, body]]) => {
      const words = [...title.words, ...(body?.words ?? [])];
      return whole.every((one) => words.includes(one)) && words.some((word) => word.startsWith(last));
    })
    .map(([number, [title, body]]) => ({ number, points: 4 * countIn(title.words) + countIn(body?.words ?? []) }))
    .sort((a, b) => b.points - a.points || b.number - a.number)
    .map(({ number }) => number);
}

test('random texts, changes and queries: both stores find what the reference says, in its order', async () => {
  await using one = new Workspace(ARTICLES);
  await using other = await onPostgres(ARTICLES);
  const services = [await one.serveHere({ declared: true }), await other.serveHere({ declared: true })] as const;
  const rows = new Map<number, readonly [Words, Words | null]>();
  const ids = new Map<number, readonly string[]>();
  const cut = (given: Words): string => given.text.trim() || 'x';
  for (const [title, body, query, change] of fc.sample(fc.tuple(text, fc.option(text), text, fc.nat({ max: 9 })), {
    numRuns: ROUNDS,
  })) {
    const said = title.text.trim() === '' ? { text: 'x', words: ['x'] } : title;
    const made = await Promise.all(services.map((service) => post(service, cut(said), body?.text)));
    const number = made[0]!.number;
    assert.equal(made[1]!.number, number);
    ids.set(
      number,
      made.map(({ id }) => id),
    );
    rows.set(number, [said, body]);
    const [some] = [...rows.keys()].slice(change);
    if (some !== undefined && change < 3) {
      for (const [i, service] of services.entries())
        await done(service.request('PATCH', `/articles/${ids.get(some)![i]}`, { body: { title: cut(said) } }), 200);
      rows.set(some, [said, null]);
    } else if (some !== undefined && change < 5) {
      const [method, rest, status] = change === 3 ? ['DELETE', '', 204] : ['POST', '/retraction', 204];
      for (const [i, service] of services.entries())
        await done(service.request(String(method), `/articles/${ids.get(some)![i]}${rest}`), Number(status));
      rows.delete(some);
    }
    const limit = 1 + change;
    const wanted = query.words.length === 0 ? null : expected(rows, query.words);
    for (const service of services) {
      const all = await found(service, query.text.slice(0, 100), '', limit);
      assert.deepEqual(all, wanted ?? all, JSON.stringify(query));
      if (wanted === null) assert.equal(all.length, rows.size);
      const mentioned = [...rows]
        .filter(([, [a, b]]) => [...a.words, ...(b?.words ?? [])].some((word) => query.words.includes(word)))
        .map(([each]) => each)
        .sort((a, b) => b - a);
      if (mentioned.length <= 100)
        assert.deepEqual(await mentions(service, query.text), mentioned, JSON.stringify(query));
    }
  }
  mustBeWhole(one);
});

onBoth('a hostile query is text, and finds no more than its words', ARTICLES, async (space) => {
  const service = await space.serveHere({ declared: true });
  await post(service, 'Paris', 'title: rome');
  await post(service, 'Rome AND Paris');
  for (const [query, numbers] of [
    ['title:paris', [1]],
    ['"rome" OR paris', []],
    ['NOT paris', []],
    ['par*', [2, 1]],
    ['"', [2, 1]],
    ["' OR 1=1 --", []],
    ['paris & rome', [2, 1]],
    ['paris:*', [2, 1]],
    ['{title body} : paris', []],
    ['^paris', [2, 1]],
    ['NEAR(paris rome, 5)', []],
    ['\\paris', [2, 1]],
    ['\u202eparis', [2, 1]],
    ['pa\u00adris', []],
    ['a '.repeat(50).trim(), []],
    ['a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9', []],
    ['x'.repeat(100), []],
  ] as const) {
    assert.deepEqual(
      (await found(service, query)).sort((a, b) => b - a),
      numbers,
      query,
    );
  }
  for (const query of ['q=%00', 'q=%ED%A0%80', 'q=%FF', `q=${'x'.repeat(101)}`]) {
    const { status } = await service.request('GET', `/articles?${query}`);
    assert.ok(status === 422 || status === 400, `${query}: ${status}`);
  }
  const words = Array.from({ length: 100 }, (_, i) => String.fromCharCode(0x4e00 + i)).join('');
  assert.deepEqual(await mentions(service, `${words}${words}`), []);
});

onBoth('a cursor is of one query', ARTICLES, async (space) => {
  const service = await space.serveHere({ declared: true });
  for (const title of ['paris', 'paris paris', 'rome', 'paris rome']) await post(service, title);
  const { next } = await done(service.request('GET', '/articles?limit=1&q=paris'), 200);
  for (const query of ['', '&q=rome', '&q=Paris'])
    await done(service.request('GET', `/articles?limit=1&cursor=${next}${query}`), 400);
  await done(service.request('GET', `/articles?limit=1&cursor=${next}&q=paris`), 200);
});

const BY_IDENTITY = edited(
  ARTICLES,
  [
    '- Pages: by cursor, parameters `limit` and `cursor`; payload items `page.items`, next `page.next`',
    '- Pages: by identity, parameters `limit` and `after`; payload items `page.items`, next `page.next`',
  ],
  ['Article, as the parameters', 'Article where `title != "none"`, as the parameters'],
);

onBoth('pages by identity go on after any row', BY_IDENTITY, async (space) => {
  const service = await space.serveHere({ declared: true });
  const all: Article[] = [];
  for (const title of ['paris', 'paris paris', 'rome', 'paris rome']) all.push(await post(service, title));
  const page = async (after: number, query = ''): Promise<number[]> => {
    const answer = service.request('GET', `/articles?limit=9&after=${all[after - 1]!.id}${query}`);
    return ((await done(answer, 200)).items as Article[]).map(({ number }) => number);
  };
  assert.deepEqual(await page(4), [3, 2, 1]);
  assert.deepEqual(await page(2, '&q=paris'), [4, 1]);
  // A row that has no points comes after those that the query finds.
  assert.deepEqual(await page(3, '&q=paris'), []);
  assert.deepEqual(await page(4, '&q=rome'), [3]);
});

onBoth('words beyond 100 characters are cut, and rows of many words found', ARTICLES, async (space) => {
  const service = await space.serveHere();
  const long = 'ä'.repeat(150);
  await post(service, long, Array.from({ length: 3000 }, (_, i) => `w${i}`).join(' '));
  await post(service, '日'.repeat(200), '𐐀'.repeat(9000));
  assert.deepEqual(await found(service, long.slice(0, 100)), [1]);
  assert.deepEqual(await mentions(service, long.slice(0, 120)), [1]);
  assert.deepEqual(await mentions(service, `${'a'.repeat(99)}b`), []);
  assert.deepEqual(await found(service, 'w2999'), [1]);
  assert.deepEqual(await found(service, '日'), [2]);
});

const BY_OFFSET = edited(ARTICLES, [
  '- Pages: by cursor, parameters `limit` and `cursor`; payload items `page.items`, next `page.next`',
  '- Pages: by offset, parameters `limit` and `offset`; payload items `page.items`, next `page.next`',
]);

const MARKS = ['a', 'b', 'c', 'd', 'e', 'f'];
/** Articles with further fields, each of which a merge patch may leave out. */
const MANY = edited(
  ARTICLES,
  [
    '| topic   | string    |',
    `${MARKS.map((name) => `| ${name} | integer | | 0 to 99 | request | optional | |\n`).join('')}| topic   | string    |`,
  ],
  [
    '- Request: Article with title, body\n',
    `- Request: Article with title, body, ${MARKS.join(', ')}, each optional\n`,
  ],
  [
    '- Shown: id, number, title, body, topic, created',
    `- Shown: id, number, title, body, topic, created, ${MARKS.join(', ')}`,
  ],
  ['- Request: Article with title, body, topic\n', `- Request: Article with title, body, topic, ${MARKS.join(', ')}\n`],
);

onBoth('changes of ever other fields keep the words of those that they leave out', MANY, async (space) => {
  const service = await space.serveHere({ declared: true });
  const { id } = await post(service, 'Title', 'zero');
  let word = 'zero';
  for (let i = 0; i < 64; i++) {
    const marks = MARKS.flatMap((name, bit) => ((i >> bit) & 1 ? [[name, i]] : []));
    const isText = i % 5 === 4;
    if (isText) word = `word${i}`;
    const body = { ...Object.fromEntries(marks), ...(isText && { body: word }) };
    await done(service.request('PATCH', `/articles/${id}`, { body }), 200);
    assert.deepEqual(await found(service, `title ${word}`), [1], String(i));
  }
  assert.deepEqual(await found(service, 'zero'), []);
});

onBoth(
  'whole lists, and pages by number, have the best match first',
  edited(
    ARTICLES,
    ['whole words, without words no rows, latest', 'whole words, without words no rows, best match first, then latest'],
    [
      '- Pages: by cursor, parameters `limit` and `cursor`; payload items `page.items`, next `page.next`',
      '- Pages: by number, parameters `limit` and `page`; payload items `page.items`, next `page.next`',
    ],
  ),
  async (space) => {
    const service = await space.serveHere();
    await post(service, 'bees', 'bees');
    await post(service, 'wasps', 'bees');
    await post(service, 'bees', 'bees and bees');
    await post(service, 'wasps');
    assert.deepEqual(await mentions(service, 'bees'), [3, 1, 2]);
    assert.deepEqual(await mentions(service, 'wasps bees'), [3, 2, 1, 4]);
    const pages = await Promise.all(
      [1, 2].map((page) => done(service.request('GET', `/articles?limit=2&page=${page}&q=bees`), 200)),
    );
    const numbers = pages.map(({ items }) => (items as Article[]).map(({ number }) => number));
    assert.deepEqual(numbers, [[3, 1], [2]]);
  },
);

/** The document without its search, and with another one. */
const PLAIN = edited(
  ARTICLES,
  ['- Search: title weight 4, body weight 1; in no language; accents ignored\n', ''],
  [
    ', matching every word of `query.q`, the last as a prefix, without words all rows, best match first, then latest',
    ', latest',
  ],
  [', matching any word of `query.words`, whole words, without words no rows', ' where `title == query.words`'],
  ['| q         | query | string        | at most 100 characters     | optional |                        |\n', ''],
);
const DISTINCT = edited(ARTICLES, ['accents ignored', 'accents distinct']);
const TITLES = edited(ARTICLES, ['title weight 4, body weight 1', 'title']);
const ENGLISH = edited(ARTICLES, ['in no language', 'in English']);
const FRENCH = edited(ARTICLES, ['in no language', 'in French']);
const RENAMED = ARTICLES.replace(/\bbody\b(?= {4}\|| weight|,|\n)/g, 'text');

onBoth(
  'a search is added to rows, changed, renamed and removed',
  PLAIN,
  async (space) => {
    let service = await space.serveHere();
    await post(service, 'Été', 'à Paris');
    await post(service, 'Ete');
    await service.stop();
    const next = async (document: string, ...args: string[]): Promise<void> => {
      space.write(document);
      const ran = await space.cliHere('migrate', ...args);
      assert.equal(ran.code, 0, ran.err + ran.out);
      service = await space.serveHere({ declared: true });
    };
    await next(ARTICLES);
    assert.deepEqual(await found(service, 'ete'), [2, 1]);
    assert.deepEqual(await found(service, 'paris'), [1]);
    await service.stop();
    await next(DISTINCT);
    assert.deepEqual(await found(service, 'ete'), [2]);
    assert.deepEqual(await found(service, 'été'), [1]);
    await service.stop();
    await next(TITLES);
    assert.deepEqual(await found(service, 'paris'), []);
    assert.deepEqual(await found(service, 'ete'), [2, 1]);
    await post(service, 'Paris', 'été');
    await service.stop();
    await next(ARTICLES);
    assert.deepEqual(await found(service, 'paris'), [3, 1]);
    assert.deepEqual(await found(service, 'ete'), [2, 1, 3]);
    await service.stop();
    await next(ENGLISH);
    await post(service, 'Nations', 'nationally');
    assert.deepEqual(await found(service, 'paris'), [3, 1]);
    assert.deepEqual(await mentions(service, 'nation'), [4]);
    assert.deepEqual(await mentions(service, 'etes'), [3, 2, 1]);
    await service.stop();
    await next(FRENCH);
    assert.deepEqual(await mentions(service, 'etes'), [3, 2, 1]);
    assert.deepEqual(await mentions(service, 'nation'), [4]);
    assert.deepEqual(await mentions(service, 'national'), []);
    await service.stop();
    await next(RENAMED, '--rename', 'Article.body=Article.text');
    assert.deepEqual(await found(service, 'paris'), [3, 1]);
    await service.stop();
    await next(PLAIN, '--rename', 'Article.text=Article.body');
    await post(service, 'Later');
    await service.stop();
    await next(ARTICLES);
    assert.deepEqual(await found(service, 'later'), [5]);
    await service.stop();
  },
  IN_WHOLE,
);

/** Words with their stems in English, written by hand. */
const STEMS: ReadonlyArray<readonly [word: string, stem: string]> = [
  ['adopted', 'adopt'],
  ['adoption', 'adopt'],
  ['Adopt', 'adopt'],
  ['adopts', 'adopt'],
  ['run', 'run'],
  ['running', 'run'],
  ['RUNS', 'run'],
  ['runner', 'runner'],
  ['ponies', 'poni'],
  ['pony', 'poni'],
  ['été', 'ete'],
  ['ete', 'ete'],
  ['2', '2'],
  ['東', '東'],
];
/** Beginnings of these words that have such a stem themselves. */
const STEMS_OF_CUTS = new Map([
  ['adopte', 'adopt'],
  ['ponie', 'poni'],
]);

test('random words and queries in English: both stores find what the reference says', IN_WHOLE, async () => {
  await using one = new Workspace(ENGLISH);
  await using other = await onPostgres(ENGLISH);
  const services = [await one.serve({ declared: true }), await other.serve({ declared: true })] as const;
  const words = fc.array(fc.constantFrom(...STEMS), { minLength: 1, maxLength: 4 });
  const plain = (word: string): string => word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const rows: Array<ReadonlyArray<readonly [string, string]>> = [];
  for (const [title, query, cut] of fc.sample(fc.tuple(words, words, fc.nat({ max: 3 })), { numRuns: ROUNDS })) {
    rows.push(title);
    for (const service of services) await post(service, title.map(([word]) => word).join(' '));
    const [last = '', lastStem = ''] = query.at(-1)!;
    const prefix = last.slice(0, Math.max(1, last.length - cut));
    const whole = new Set(query.slice(0, -1).map(([, stem]) => stem));
    const stem =
      cut === 0
        ? lastStem
        : (STEMS_OF_CUTS.get(prefix) ?? STEMS.find(([word]) => plain(word) === plain(prefix))?.[1] ?? plain(prefix));
    const isLast = ([word, own]: readonly [string, string]): boolean =>
      plain(word).startsWith(plain(prefix)) || own === stem;
    const countIn = (all: ReadonlyArray<readonly [string, string]>): number =>
      all.reduce(
        (sum, [word, own]) =>
          sum + Number(whole.has(own)) + Number(own === stem) + Number(plain(word).startsWith(plain(prefix))),
        0,
      );
    const wanted = rows
      .map((each, i) => ({ each, number: i + 1, points: countIn(each) }))
      .filter(({ each }) => [...whole].every((of) => each.some(([, own]) => own === of)) && each.some(isLast))
      .sort((a, b) => b.points - a.points || b.number - a.number)
      .map(({ number }) => number);
    const text = [...query.slice(0, -1).map(([word]) => word), prefix].join(' ');
    for (const service of services) assert.deepEqual(await found(service, text), wanted, text);
    if (rows.length > 90) continue;
    const stems = new Set(query.map(([, own]) => own));
    const mentioned = rows.flatMap((each, i) => (each.some(([, own]) => stems.has(own)) ? [i + 1] : [])).reverse();
    for (const service of services)
      assert.deepEqual(await mentions(service, query.map(([word]) => word).join(' ')), mentioned);
  }
  mustBeWhole(one);
});

test('a backup of either store is restored into the other, and its words are found there', async () => {
  await using space = new Workspace(ARTICLES);
  const url = await server.database();
  let service = await space.serveHere();
  await post(service, 'Été', 'à Paris');
  await post(service, 'Rome');
  await service.stop();
  const [first, second] = [join(space.dir, 'first'), join(space.dir, 'second')];
  const ran = async (command: string, ...args: string[]): Promise<void> => {
    const { code, err } = await space.cliHere(command, ...args);
    assert.equal(code, 0, err);
  };
  await ran('backup', '--to', first);
  const place = space.place;
  space.place = ['--store', url];
  await ran('restore', '--from', first);
  service = await space.serveHere();
  assert.deepEqual(await found(service, 'par'), [1]);
  await post(service, 'Paris');
  await service.stop();
  await ran('backup', '--to', second);
  space.place = place;
  await ran('restore', '--from', second, '--replace');
  service = await space.serveHere({ declared: true });
  assert.deepEqual(await found(service, 'par'), [3, 1]);
  await service.stop();
  mustBeWhole(space);
});

/** Adds articles to the stored rows of SQLite, with the words of their texts. */
function stored(space: Workspace, all: ReadonlyArray<readonly [title: string, body: string]>): void {
  const db = new Database(join(space.data, 'ninefold.sqlite'));
  const insert = db.prepare(
    `INSERT INTO article (id, number, title, body, topic, hidden, created, ninefold_revision, ninefold_plain_title, ninefold_plain_body)
     VALUES (randomblob(16), ?, ?, ?, 'news', 0, 1764000000000, 1, ?, ?)`,
  );
  const words = (text: string): string => storedWords(text, { accents: 'ignored' });
  db.transaction(() => {
    for (const [i, [title, body]] of all.entries()) insert.run(i + 1, title, body, words(title), words(body));
  })();
  db.prepare("INSERT OR REPLACE INTO ninefold_sequence VALUES ('Article.number', '', ?)").run(all.length);
  db.close();
}

test(
  'thousands of rows are in the order of their points, on every page, also in an order that pages skip',
  IN_WHOLE,
  async () => {
    for (const document of [ARTICLES, BY_OFFSET, BY_IDENTITY]) {
      await using space = new Workspace(document);
      await (await space.serve()).stop();
      const random = fc.sample(fc.tuple(fc.nat({ max: 4 }), fc.nat({ max: 9 })), { numRuns: 3500 });
      const times = (word: string, count: number): string => Array.from({ length: count }, () => word).join(' ');
      const all = random.map(([a, b]) => [times('paris ', a) || 'rome', times('paris rome ', b)] as const);
      stored(space, all);
      const wanted = random
        .map(([a, b], i) => ({ number: i + 1, points: 4 * a + b }))
        .filter(({ points }) => points > 0)
        .sort((a, b) => b.points - a.points || b.number - a.number)
        .map(({ number }) => number);
      const service = await space.serve();
      const page = async (query: string): Promise<{ items: Article[]; next?: unknown }> =>
        (await done(service.request('GET', `/articles?q=par&limit=50&${query}`), 200)) as never;
      const numbers = (items: readonly Article[]): number[] => items.map(({ number }) => number);
      const first = await page('');
      assert.deepEqual(numbers(first.items), wanted.slice(0, 50));
      if (document === BY_OFFSET) {
        for (const skipped of [40, 1200, wanted.length - 3])
          assert.deepEqual(numbers((await page(`offset=${skipped}`)).items), wanted.slice(skipped, skipped + 50));
        continue;
      }
      let at = first;
      for (let i = 1; i < 4; i++) {
        const after = document === ARTICLES ? `cursor=${at.next}` : `after=${at.items.at(-1)!.id}`;
        // A row that is added meanwhile, at the beginning of the order, moves no page.
        await post(service, times('paris ', 30).slice(0, 190));
        at = await page(after);
        assert.deepEqual(numbers(at.items), wanted.slice(50 * i, 50 * (i + 1)));
      }
      mustBeWhole(space);
    }
  },
);

test('VACUUM by hand leaves the full-text index right', async () => {
  await using space = new Workspace(ARTICLES);
  let service = await space.serveHere();
  for (const title of ['One', 'Two', 'Three', 'Four']) await post(service, title);
  const [{ id = '' } = {}] = (await done(service.request('GET', '/articles?q=one'), 200)).items as Article[];
  await done(service.request('DELETE', `/articles/${id}`), 204);
  await service.stop();
  const db = new Database(join(space.data, 'ninefold.sqlite'));
  db.exec('VACUUM');
  db.close();
  mustBeWhole(space);
  service = await space.serveHere();
  assert.deepEqual(await found(service, 'three'), [3]);
});
