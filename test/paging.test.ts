import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edited, ORDERS, PATIENT, type Service, Workspace } from './harness.ts';
import { IN_WHOLE } from './share.ts';

const CURSOR = '- Pages: by cursor, parameters `limit` and `cursor`; payload items `page.items`, next `page.next`';
const NUMBERED =
  '- Pages: by number, parameters `size` and `page`; header Link (RFC 8288) with first, prev, next, last; payload the items alone';
const AFTER = '- Pages: by identity, parameters `limit` and `after`; payload items `page.items`, more `page.more`';

const sku = (n: number): string => `PAG-${String(n).padStart(4, '0')}`;
const idsOf = (rows: unknown): string[] => (rows as Array<{ id: string }>).map(({ id }) => id);

/** The targets of a Link header by their relations, resolved against the address that was asked (RFC 8288). */
function links(value: string | null, asked: string): Record<string, string> {
  const found = [...(value ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)];
  return Object.fromEntries(found.map(([, target, relation]) => [relation!, new URL(target!, asked).href]));
}

async function open(service: Service, key: string, from: number, to: number): Promise<string[]> {
  const numbers = Array.from({ length: to - from }, (_, i) => from + i);
  return Promise.all(numbers.map((n) => service.opened(key, sku(n))));
}

test('links lead over every page there and back, whatever else is asked, and to the first and the last', async () => {
  await using space = new Workspace(edited(PATIENT, [CURSOR, NUMBERED]));
  const key = await space.key(await space.customer());
  const service = await space.serve();
  const there = await open(service, key, 0, 33);
  const first = `${service.url}/orders?size=5&status=draft`;
  const walk = async (from: string, relation: string): Promise<string[][]> => {
    const pages: string[][] = [];
    for (let at: string | undefined = from; at; ) {
      const response: Response = await fetch(at, { headers: { authorization: `Bearer ${key}` } });
      assert.equal(response.status, 200);
      pages.push(idsOf(await response.json()));
      at = links(response.headers.get('link'), at)[relation];
    }
    return pages;
  };
  const forward = await walk(first, 'next');
  assert.deepEqual(
    forward.map((page) => page.length),
    [5, 5, 5, 5, 5, 5, 3],
  );
  assert.deepEqual(forward.flat().toSorted(), there.toSorted());
  const [, last] = await walk(first, 'last');
  assert.deepEqual(last, forward.at(-1));
  assert.deepEqual(await walk(`${first}&page=7`, 'prev'), forward.toReversed());
  assert.deepEqual((await walk(`${first}&page=4`, 'first')).at(-1), forward[0]);
});

test(
  'walking by the identity of the last row under inserts repeats nothing and leaves nothing out',
  IN_WHOLE,
  async () => {
    await using space = new Workspace(edited(PATIENT, [CURSOR, AFTER]));
    const key = await space.key(await space.customer());
    const service = await space.serve();
    const there = await open(service, key, 0, 60);
    const seen: string[] = [];
    for (let more = true, at = '', made = 60; more; made += 2) {
      const { body } = await service.request('GET', `/orders?limit=7${at}`, { key });
      const page = body as { items: Array<{ id: string }>; more: boolean };
      seen.push(...idsOf(page.items));
      more = page.more;
      at = `&after=${seen.at(-1)}`;
      await open(service, key, made, made + 2);
    }
    assert.equal(new Set(seen).size, seen.length);
    assert.deepEqual(seen.toSorted(), there.toSorted());
  },
);

test('a row that another caller may not see is no place to begin', async () => {
  await using space = new Workspace(edited(PATIENT, [CURSOR, AFTER]));
  const [key, other] = [await space.key(await space.customer()), await space.customer()];
  const service = await space.serve();
  const id = await service.opened(key, sku(1));
  const asked = await service.request('GET', `/orders?after=${id}`, {
    key: await space.key(other, 'orders:read'),
  });
  assert.deepEqual([asked.status, (asked.body as { code: string }).code], [400, 'page_refused']);
});

test('counts of requests without a caller, and of one endpoint, outlive a restart', IN_WHOLE, async () => {
  await using space = new Workspace(
    edited(
      ORDERS,
      ['| each address, before authentication |', '| each caller, at `GET /summary` |'],
      ['6000 requests per minute ', '3 requests per hour '],
      ['| Request size |', '| Rate | 2 requests per hour | each address without a caller |\n| Request size |'],
    ),
  );
  const key = await space.key(await space.customer());
  const ask = async (service: Service, by?: string): Promise<number> =>
    (await service.request('GET', '/summary', by === undefined ? {} : { key: by })).status;
  const before = await space.serve();
  assert.deepEqual([await ask(before), await ask(before, key), await ask(before, key)], [401, 200, 200]);
  await before.stop();
  const after = await space.serve();
  const statuses = [await ask(after), await ask(after), await ask(after, key), await ask(after, key)];
  assert.deepEqual(statuses, [401, 429, 200, 429]);
  assert.equal((await after.request('GET', '/orders', { key })).status, 200);
});

test(
  'a cursor holds all of the longest text that rows may be in order by, whatever it takes to write it',
  IN_WHOLE,
  async () => {
    const long = edited(
      PATIENT,
      ['`/^[A-Z]{3}-[0-9]{4}$/`', '1 to 964 characters'],
      ['latest `created` first', 'earliest `sku` first'],
    );
    await using space = new Workspace(long);
    const key = await space.key(await space.customer());
    const service = await space.serve();
    const made: string[] = [];
    for (const character of ['\u0001', 'a', 'é', '😀']) made.push(await service.opened(key, character.repeat(964)));
    const seen: string[] = [];
    for (let next: string | undefined = ''; next !== undefined; ) {
      const { status, body } = await service.request('GET', `/orders?limit=1${next && `&cursor=${next}`}`, { key });
      assert.equal(status, 200);
      seen.push(...idsOf((body as { items: unknown }).items));
      ({ next } = body as { next?: string });
    }
    assert.deepEqual(seen, made);
  },
);
