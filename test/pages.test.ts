import './whole-alone.ts';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { edited, PATIENT, type Service, Workspace } from './harness.ts';
import { IN_WHOLE } from './share.ts';

interface Page {
  readonly items: ReadonlyArray<{ readonly id: string; readonly created: string; readonly status: string }>;
  readonly next?: string;
}

const space = new Workspace(PATIENT);
let service: Service;
let key: string;
let other: string;

before(async () => {
  key = await space.key(await space.customer());
  other = await space.key(await space.customer());
  service = await space.serve();
});
after(() => space[Symbol.asyncDispose]());

const sku = (n: number): string => `PAG-${String(n).padStart(4, '0')}`;
const list = (query: string, by = key, headers: Record<string, string> = {}) =>
  service.request('GET', `/orders?${query}`, { key: by, headers });
const page = async (query: string): Promise<Page> => (await list(query)).body as Page;
const from = (cursor: string): string => `cursor=${encodeURIComponent(cursor)}`;

/** Walks every page; `meanwhile` runs between them. */
async function walk(query: string, meanwhile: () => Promise<unknown>): Promise<Page['items'][number][]> {
  const items: Page['items'][number][] = [];
  for (let next: string | undefined = '', first = true; first || next; first = false) {
    const one: Page = await page(next ? `${query}&${from(next)}` : query);
    items.push(...one.items);
    next = one.next;
    await meanwhile();
  }
  return items;
}

test('walking every page under inserts repeats nothing and leaves nothing out', async (t) => {
  let made = 0;
  const insert = (count: number) => Promise.all(Array.from({ length: count }, () => service.opened(key, sku(made++))));
  const there = new Set((await Promise.all(Array.from({ length: 6 }, () => insert(50)))).flat());
  const walked = await walk('limit=7', () => insert(3));
  assert.equal(new Set(walked.map(({ id }) => id)).size, walked.length, 'nothing is repeated');
  const seen = new Set(walked.map(({ id }) => id));
  assert.deepEqual(
    [...there].filter((id) => !seen.has(id)),
    [],
    'nothing is left out',
  );
  const sorted = walked.toSorted((a, b) =>
    a.created === b.created ? (a.id < b.id ? 1 : -1) : a.created < b.created ? 1 : -1,
  );
  const times = walked.map(({ created }) => created);
  assert.deepEqual(
    times,
    sorted.map(({ created }) => created),
    'latest created first',
  );
  const ties = times.length - new Set(times).size;
  assert.ok(ties > 0, 'some were created in the same millisecond');
  t.diagnostic(
    `${there.size} orders walked in pages of 7 while ${made - there.size} more came; ${ties} ties of created`,
  );
});

test('the filters keep to the pages', async () => {
  const ids = (await page('limit=100')).items.slice(0, 40).map(({ id }) => id);
  await Promise.all(ids.map((id) => service.request('POST', `/orders/${id}/place`, { key })));
  const placed = await walk('status=placed&limit=9', async () => {});
  assert.deepEqual(placed.map(({ id }) => id).sort(), ids.toSorted());
  assert.ok(placed.every(({ status }) => status === 'placed'));
  assert.equal((await page(`sku=${sku(0)}`)).items.length, 1);
  assert.deepEqual(await page('sku=NIL-0000'), { items: [] });
});

test('pages have their bounds, and what is beyond is refused', async () => {
  assert.equal((await page('')).items.length, 20);
  assert.equal((await page('limit=100')).items.length, 100);
  for (const wrong of [
    'limit=101',
    'limit=0',
    'limit=-1',
    'limit=1.5',
    'limit=',
    'limit=1e1',
    'limit=%20',
    'limit=2&limit=2',
  ]) {
    const answer = await list(wrong);
    assert.deepEqual([wrong, answer.status, (answer.body as { code: string }).code], [wrong, 400, 'page_refused']);
  }
});

test('a cursor that is not the service’s own for this request is refused', async (t) => {
  const next = (await page('limit=5')).next!;
  const filtered = (await page('limit=5&status=draft')).next!;
  const theirs = async () => {
    for (let n = 0; n < 3; n++) await service.opened(other, sku(n));
    return ((await list('limit=1', other)).body as Page).next!;
  };
  const refused: Array<[string, string, Record<string, string>?]> = [
    ['another filter', `status=draft&${from(next)}`],
    ['another filter’s value', `status=placed&${from(filtered)}`],
    ['no filter', from(filtered)],
    ['another caller’s', from(await theirs())],
    ['another version', from(next), { 'orders-version': '2025-06-01' }],
    ['twice', `${from(next)}&${from(next)}`],
    ['empty', 'cursor='],
    ['cut short', from(next.slice(0, -1))],
    ['longer', from(`${next}A`)],
    ['padded', from(`${next}=`)],
    ['in clear, as they were once', from(Buffer.from(`${'x'.repeat(16)}[1763890000000,"0199"]`).toString('base64url'))],
    ['nothing of ours', from(Buffer.from('[1,"x"]').toString('base64url').padEnd(40, 'A'))],
  ];
  for (let at = 0; at < next.length; at++)
    refused.push([`another at ${at}`, from(next.slice(0, at) + (next[at] === 'A' ? 'B' : 'A') + next.slice(at + 1))]);
  for (const [what, query, headers] of refused) {
    const answer = await list(query, key, headers);
    assert.deepEqual([what, answer.status, (answer.body as { code: string }).code], [what, 400, 'page_refused']);
  }
  assert.equal((await list(`${from(next)}&limit=7`)).status, 200, 'another size of page is no other list');
  t.diagnostic(`${refused.length} cursors refused`);
});

test('a cursor lasts over a restart', IN_WHOLE, async () => {
  const { next } = await page('limit=5');
  const before = await page(`limit=5&${from(next!)}`);
  assert.equal(await service.stop(), 0);
  service = await space.serve();
  assert.deepEqual(await page(`limit=5&${from(next!)}`), before);
});

test('a cursor tells nothing of what rows are in order by, and its length neither', async (t) => {
  const hidden = edited(
    PATIENT,
    ['`/^[A-Z]{3}-[0-9]{4}$/`', '1 to 200 characters'],
    ['latest `created` first', 'earliest `sku + string(quantity)` first'],
  );
  await using other = new Workspace(hidden);
  const by = await other.key(await other.customer());
  const asking = await other.serve();
  const skus = ['a', 'b'.repeat(200), 'c\u0001\u0002\u0003', 'd"', 'é😀'.repeat(100), 'f', 'SECRETIVE'.repeat(22)];
  for (const [i, one] of skus.toSorted().entries()) await asking.opened(by, one, { quantity: i % 2 ? 1 : 999 });
  const ask = async (query: string) =>
    (await asking.request('GET', `/orders?limit=1${query}`, { key: by })).body as Page;
  const cursors: string[] = [];
  for (let next: string | undefined = ''; next !== undefined; { next } = await ask(next && `&${from(next)}`))
    if (next) cursors.push(next);
  assert.equal(cursors.length, skus.length - 1);
  assert.equal(new Set(cursors.map((one) => one.length)).size, 1, 'one length');
  for (const one of cursors) {
    const bytes = Buffer.from(one, 'base64url');
    for (const encoding of ['latin1', 'utf8', 'utf16le'] as const)
      assert.doesNotMatch(bytes.toString(encoding), /bbb|SECRET|é😀/);
  }
  // In no byte are two of them alike more often than chance has it, though most of what they hold is.
  const [a, b] = cursors.map((one) => Buffer.from(one, 'base64url'));
  const alike = a!.filter((byte, i) => byte === b![i]).length;
  assert.ok(alike < a!.length / 16, `${alike} of ${a!.length} bytes are alike`);
  assert.deepEqual(await ask(''), await ask(''), 'the same page has the same cursor');
  t.diagnostic(`${cursors.length} cursors of ${cursors[0]!.length} characters`);
});
