import { type Dataset, draftBody, skuOf } from '../load/requests.ts';

/** A request of the check. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  /** Who asks: nobody where it is null. */
  readonly key: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One step of the check: a request, which may need what an earlier step was answered. */
export interface Step {
  readonly title: string;
  /** Bodies of earlier answers, by the titles of their steps. */
  request(bodies: ReadonlyMap<string, string>): Sent;
}

/** Everything that the benched endpoints may be asked, and how each server has to answer it alike. */
export function scriptOf(data: Dataset): Step[] {
  return [...reading(data), ...listing(data), ...creating(data), ...refusing(data), ...placing(data), ...asking(data)];
}

const step = (title: string, sent: Sent): Step => ({ title, request: () => sent });

const CREATED = 'creates an order';
const LARGE = 'creates an order too large to be placed without a note';
const FIRST_PAGE = 'lists ten';

/** The first customer’s first draft: of each customer’s orders the first is placed and has a note, the second neither. */
const draftOf = (orders: Dataset['orders']): string => orders.filter(({ customer }) => customer === 0)[1]!.id;

function reading({ customers, orders, reader }: Dataset): Step[] {
  const key = customers[0]!.key;
  const own = orders[0]!.id;
  const draft = draftOf(orders);
  const read = (title: string, id: string, by: string | null): Step =>
    step(title, { method: 'GET', path: `/orders/${id}`, key: by });
  return [
    read('reads an order that was placed, with a note', own, key),
    read('reads a draft without a note', draft, key),
    read('reads an order in capitals', own.toUpperCase(), key),
    read('reads an order with a key that only reads', own, reader),
    read('reads the order of another', orders[1]!.id, key),
    read('reads what is not there', '0195c2a0-0000-7000-8000-00000000ffff', key),
    read('reads what is no identity', 'first', key),
    read('reads without a key', own, null),
    read('reads with a key that nobody has', own, `${key.slice(0, -6)}AAAAAA`),
    read('reads with a key of no form', own, 'sesame'),
    step('reads with another scheme', {
      method: 'GET',
      path: `/orders/${own}`,
      key: null,
      headers: { Authorization: 'Basic YTpi' },
    }),
    step('reads with a parameter', { method: 'GET', path: `/orders/${own}?full=yes`, key }),
  ];
}

function listing({ customers }: Dataset): Step[] {
  const { key } = customers[0]!;
  const list = (title: string, query: string): Step => step(title, { method: 'GET', path: `/orders${query}`, key });
  const next = (bodies: ReadonlyMap<string, string>): string =>
    (JSON.parse(bodies.get(FIRST_PAGE)!) as { next: string }).next;
  return [
    list(FIRST_PAGE, '?limit=10'),
    list('lists twenty', '?limit=20'),
    list('lists as many as stand by themselves', ''),
    list('lists one', '?limit=1'),
    list('lists drafts', '?limit=3&status=draft'),
    list('lists placed orders', '?status=placed'),
    list('lists one product', `?sku=${skuOf(0)}`),
    list('lists one product in one state', `?sku=${skuOf(0)}&status=draft`),
    {
      title: 'lists the next page',
      request: (bodies) => ({ method: 'GET', path: `/orders?limit=10&cursor=${next(bodies)}`, key }),
    },
    {
      title: 'lists with a cursor of other filters',
      request: (bodies) => ({ method: 'GET', path: `/orders?status=draft&cursor=${next(bodies)}`, key }),
    },
    {
      title: 'lists with a cursor of another',
      request: (bodies) => ({ method: 'GET', path: `/orders?cursor=${next(bodies)}`, key: customers[1]!.key }),
    },
    list('lists none', '?limit=0'),
    list('lists more than there may be', '?limit=101'),
    list('lists no number', '?limit=many'),
    list('lists with a cursor that is none', '?cursor=there'),
    list('lists by a parameter that there is not', '?colour=red'),
    list('lists by faulty parameters', '?colour=red&sku=abc&status=lost'),
    list('lists by a parameter given twice', '?status=draft&status=placed'),
  ];
}

/** A request to create, under an idempotency key. */
function create(key: string, idempotencyKey: string | null, body: string, type = 'application/json'): Sent {
  const headers: Record<string, string> = { 'Content-Type': type };
  if (idempotencyKey !== null) headers['Idempotency-Key'] = idempotencyKey;
  return { method: 'POST', path: '/orders', key, headers, body };
}

function creating({ customers, orders, reader }: Dataset): Step[] {
  const { key } = customers[0]!;
  const free = skuOf(orders.length + 1_000_000);
  const noted = JSON.stringify({ sku: ` ${free} `, quantity: 7, note: '  two boxes, “café”  ' });
  const large = draftBody(skuOf(orders.length + 1_000_001), 500);
  return [
    step(CREATED, create(key, 'check-1', noted)),
    step('creates it again', create(key, 'check-1', noted)),
    step('creates it again under a quoted key', create(key, '"check-1"', noted)),
    step('creates another under the same key', create(key, 'check-1', draftBody(free, 8))),
    step('creates what is open already', create(key, 'check-2', draftBody(free, 8))),
    step('creates what is open already again', create(key, 'check-2', draftBody(free, 8))),
    step('creates for another', create(customers[1]!.key, 'check-1', draftBody(free, 8))),
    step(LARGE, create(key, 'check-3', large)),
    step(
      'creates with null for a note',
      create(customers[2]!.key, 'check-4', `{"sku":"${free}","quantity":1,"note":null}`),
    ),
    step('creates without an idempotency key', create(key, null, draftBody(free, 8))),
    step('creates with an idempotency key that is none', create(key, 'a,b', draftBody(free, 8))),
    step('creates with a key that only reads', create(reader, 'check-5', draftBody(free, 8))),
  ];
}

/** Bodies that are refused, each for its reason. */
const REFUSED: Readonly<Record<string, string>> = {
  'a quantity that is too small': draftBody('ABC-1234', 0),
  'several faults': '{"sku":"abc","quantity":1001,"colour":"red","size":1}',
  'nothing in it': '{}',
  nulls: '{"sku":null,"quantity":null,"note":null}',
  'values of other types': '{"sku":5,"quantity":"3","note":[1]}',
  'half an article': '{"sku":"ABC-1234","quantity":1.5}',
  'a long note': `{"sku":"ABC-1234","quantity":1,"note":"${'n'.repeat(501)}"}`,
  'an unknown field alone': '{"sku":"ABC-1234","quantity":1,"colour":"red"}',
  'a list': '[]',
  'a text': '"order"',
  'no JSON': '{"sku":',
  'nothing at all': '',
  'too much': `{"note":"${'n'.repeat(70_000)}"}`,
};

function refusing({ customers }: Dataset): Step[] {
  const { key } = customers[0]!;
  return [
    ...Object.entries(REFUSED).map(([what, body], i) =>
      step(`creates from ${what}`, create(key, `refused-${i}`, body)),
    ),
    step('creates from plain text', create(key, 'refused-text', draftBody('ABC-1234', 1), 'text/plain')),
  ];
}

function placing({ customers, orders, reader }: Dataset): Step[] {
  const { key } = customers[0]!;
  const place = (
    title: string,
    id: (bodies: ReadonlyMap<string, string>) => string,
    by = key,
    body?: string,
  ): Step => ({
    title,
    request: (bodies) => {
      const sent = { method: 'POST', path: `/orders/${id(bodies)}/place`, key: by };
      return body === undefined ? sent : { ...sent, body, headers: { 'Content-Type': 'application/json' } };
    },
  });
  const made = (title: string) => (bodies: ReadonlyMap<string, string>) =>
    (JSON.parse(bodies.get(title)!) as { id: string }).id;
  return [
    place('places with a body', made(CREATED), key, '{}'),
    place('places with a key that only reads', made(CREATED), reader),
    place('places the order of another', made(CREATED), customers[1]!.key),
    place('places an order', made(CREATED)),
    place('places it again', made(CREATED)),
    place('places what may not be placed', made(LARGE)),
    place('places what is not there', () => '0195c2a0-0000-7000-8000-00000000ffff'),
    place('places what is no identity', () => 'first'),
    {
      title: 'reads what was placed',
      request: (bodies) => ({ method: 'GET', path: `/orders/${made(CREATED)(bodies)}`, key }),
    },
    step('reads an order that nobody moved', { method: 'GET', path: `/orders/${draftOf(orders)}`, key }),
  ];
}

/** What may be said beside the request. */
function asking({ customers, orders }: Dataset): Step[] {
  const read = (title: string, headers: Readonly<Record<string, string>>): Step =>
    step(title, { method: 'GET', path: `/orders/${orders[0]!.id}`, key: customers[0]!.key, headers });
  return [
    read('reads in the current version', { 'Orders-Version': '2026-11-01' }),
    read('reads in a version that there is not', { 'Orders-Version': '2020-01-01' }),
    read('reads in a retired version', { 'Orders-Version': '2024-12-01' }),
    read('reads for a browser', { Accept: 'text/html' }),
    read('reads for whoever takes anything', { Accept: 'text/html, */*;q=0.8' }),
  ];
}
