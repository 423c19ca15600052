import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, before, mock, test } from 'node:test';
import { PostgresServer } from '../../test/postgres.ts';
import { IN_WHOLE } from '../../test/share.ts';
import { documentText } from '../../test/subject.ts';
import { OperatorRows } from '../runtime/operator-rows.ts';
import { Shown, until } from './harness.test.ts';
import type { Filter, IdentitiesAnswer, Problem, RowShown, RowsAnswer, RowsOfIdentities } from './protocol.ts';

// Lists of more rows than one statement looks at, of a resource with a full-text search, on both stores.

const ARTICLES = documentText('docs/documents/articles.md');
const ROWS = 2500;

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

/** Serves articles, a third of which have no body. */
async function served(store: string | null): Promise<Shown> {
  const page = await Shown.open(ARTICLES, store === null ? {} : { store });
  const add = async (i: number): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${page.running.port}/articles`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        title: `Article ${(i * 7919) % ROWS}`,
        topic: i % 2 === 0 ? 'news' : 'opinion',
        ...(i % 3 === 0 ? {} : { body: `Text ${i % 10} ${i % 100 === 1 ? 'Rare Word' : ''}` }),
      }),
    });
    assert.equal(answer.status, 201);
    await answer.arrayBuffer();
  };
  for (let i = 0; i < ROWS; i += 50) await Promise.all(Array.from({ length: 50 }, (_, n) => add(i + n)));
  return page;
}

const filterOf = (...filters: Filter[]): string => `filter=${encodeURIComponent(JSON.stringify(filters))}`;

for (const kind of ['SQLite', 'PostgreSQL'])
  test(
    `a search has every row once, in the order of the list: ${kind}`,
    kind === 'SQLite' ? {} : IN_WHOLE,
    async () => {
      const page = await served(kind === 'SQLite' ? null : await server.database());
      try {
        const ids = ({ rows }: RowsAnswer): string[] => rows.map(({ id }) => id);
        const list = (query: string): Promise<RowsAnswer> => page.get<RowsAnswer>(`/rows/Article?${query}`);
        for (const sort of ['body', '-body', '-title']) {
          const all: string[] = [];
          for (let offset = 0; offset < ROWS; offset += 200) {
            const found = await list(`search=aRticle&sort=${sort}&limit=200&offset=${offset}`);
            assert.equal(found.total, ROWS);
            all.push(...ids(found));
          }
          assert.equal(new Set(all).size, ROWS);
          const { ids: whole, total } = await page.get<IdentitiesAnswer>(`/identities/Article?sort=${sort}`);
          assert.equal(total, ROWS);
          assert.deepEqual(all, whole, sort);
          // One statement orders the first rows of all.
          for (const offset of [0, 700])
            assert.deepEqual(ids(await list(`sort=${sort}&offset=${offset}`)), whole.slice(offset, offset + 100));
          assert.deepEqual(ids(await list(`sort=${sort}&offset=2000`)), whole.slice(2000, 2100));
        }
        const total = async (query: string): Promise<number> => (await list(query)).total;
        assert.equal(await total('search=rare%20word'), 17);
        assert.equal(await total('search=2017'), 2, 'a number, and a part of a title');
        assert.equal(await total(filterOf({ field: 'body', is: 'absent', value: null })), 834);
        assert.equal(await total(`search=rare&${filterOf({ field: 'topic', is: 'equal', value: 'opinion' })}`), 17);
        assert.equal(await total(`search=rare&${filterOf({ field: 'topic', is: 'equal', value: 'news' })}`), 0);
        const [one = ''] = ids(await list('search=rare'));
        assert.equal(await total(filterOf({ field: 'id', is: 'equal', value: one })), 1);
        await saved(page);
      } finally {
        await page.stop();
      }
    },
  );

/** Reads a file of rows as the page does, while a row is removed. */
async function saved(page: Shown): Promise<void> {
  const { ids } = await page.get<IdentitiesAnswer>('/identities/Article?search=rare&sort=-number');
  assert.equal(ids.length, 17);
  const [first = '', second = ''] = ids;
  assert.equal((await page.post(`/rows/Article/${first}/remove`, {})).http, 200);
  const { rows } = await page.post<RowsOfIdentities>('/identities/Article', { ids });
  assert.deepEqual(
    rows.map(({ id }: RowShown) => id),
    ids.slice(1),
  );
  assert.equal(rows[0]?.id, second);
  for (const wrong of [{ ids: 'x' }, {}, { ids: Array.from({ length: 201 }, () => second) }])
    assert.equal((await page.post<Problem>('/identities/Article', wrong)).kind, 'wrong use');
  assert.deepEqual(
    (await page.post<RowsOfIdentities>('/identities/Article', { ids: ['x', "'", '\ud800', 'a\0'] })).rows,
    [],
  );
}

test('a list that nobody waits for is read no further', async () => {
  const page = await Shown.open(ARTICLES);
  const signals: AbortSignal[] = [];
  const spied = mock.method(OperatorRows.prototype, 'page', async (...args: Parameters<OperatorRows['page']>) => {
    const [, , signal] = args;
    signals.push(signal!);
    await new Promise((resolve) => signal!.addEventListener('abort', resolve, { once: true }));
    signal!.throwIfAborted();
  });
  try {
    const asked = [0, 1, 2].map(() => {
      const path = '/console/api/rows/Article?search=x';
      const request = httpRequest({ host: '127.0.0.1', port: page.port, path, headers: { cookie: page.cookie } });
      request.on('error', () => {});
      request.end();
      return request;
    });
    await until(async () => signals.length === 2, 'two lists are read at once');
    asked[0]!.destroy();
    await until(async () => signals.length === 3, 'the third one has its turn');
    for (const request of asked) request.destroy();
    await until(async () => signals.every(({ aborted }) => aborted), 'all have ended');
  } finally {
    spied.mock.restore();
    assert.equal((await page.get<RowsAnswer>('/rows/Article')).total, 0);
    await page.stop();
  }
});
