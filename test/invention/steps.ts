import { type Draft, nameIn, spoken } from './draft.ts';
import { type Bench, causes, type FaultMade, type Mutation } from './mutation.ts';
import { fullKey, makeOrder, plain } from './world.ts';

const isList = (draft: Draft): boolean => draft.endpoint.effective.steps.some((step) => step.verb === 'List');

/** A value that a filter doesn’t allow. */
const filter = (field: string, value: string, fault: string): Mutation =>
  causes(
    'invalid request',
    [`filter ${field}`],
    `${field}=${value}`.slice(0, 40),
    (draft, { contract }): FaultMade[] => {
      const name = nameIn(contract, draft, field)!;
      draft.query.push(...value.split('&').map((one) => `${name}=${one}`));
      return [{ place: 'parameter', name, code: fault }];
    },
    isList,
  );

const FILTERS: readonly Mutation[] = [
  ...['', 'Draft', 'draft,placed', 'none', 'null', '%22draft%22', "'", '__proto__', 'x'.repeat(1000)].map((value) =>
    filter('status', value, 'not_one_of'),
  ),
  filter('status', 'a%00b', 'not_text'),
  filter('status', 'draft&draft', 'repeated'),
  ...['', 'abc-1234', 'ABC-1234x', '*', '%25', "ABC-1234'%20OR%201=1"].map((value) =>
    filter('sku', value, 'not_matching'),
  ),
  filter('sku', 'ABC-1234&ABC-1234', 'repeated'),
];

const page = (name: string, ...pieces: string[]): Mutation =>
  causes('page refused', ['page'], name, (draft) => {
    draft.query.push(...pieces);
  });

const LIMITS = [
  '0',
  '101',
  '-1',
  '1.0',
  '1e1',
  '',
  'abc',
  '01',
  '%201',
  '1+',
  '0x10',
  '999999999999999999999',
  '+1',
  'null',
  '１',
];

const PAGES: readonly Mutation[] = [
  ...LIMITS.map((limit) => page(`limit=${limit}`, `limit=${encodeURI(limit)}`)),
  page('limit twice', 'limit=1', 'limit=1'),
  page('cursor twice', 'cursor=a', 'cursor=a'),
  ...[
    '',
    'a',
    '0',
    'A'.repeat(24),
    'A'.repeat(1999),
    'e30',
    '%00',
    'eyJpZCI6MX0',
    '../../etc/passwd',
    'A'.repeat(2500),
  ].map((cursor) => page(`cursor=${cursor}`.slice(0, 40), `cursor=${cursor}`)),
  causes(
    'page refused',
    ['page', 'filter status', 'caller', 'scope'],
    'a cursor of other filters',
    async (draft, bench) => {
      draft.query.push(`cursor=${await cursorOf(draft, bench, '?limit=1')}`, 'status=draft');
    },
  ),
  causes('page refused', ['page', 'caller', 'scope'], 'a cursor of another caller', async (draft, bench) => {
    const cursor = await cursorOf(draft, bench, '?limit=1');
    const other = bench.world.customers.find((one) => one !== draft.caller)!;
    draft.authorization = [`Bearer ${fullKey(other)}`];
    draft.query.push(`cursor=${cursor}`);
  }),
  causes(
    'page refused',
    ['page', 'caller', 'scope', 'version'],
    'a cursor of another version',
    async (draft, bench) => {
      const old = spoken(bench.contract, draft) !== null;
      const cursor = await cursorOf(draft, bench, '?limit=1', old ? '2026-11-01' : '2025-06-01');
      draft.query.push(`cursor=${cursor}`);
    },
  ),
  causes('page refused', ['page'], 'a cursor with one bit other', async (draft, bench) => {
    const cursor = await cursorOf(draft, bench, '?limit=1');
    const at = bench.random.int(0, cursor.length - 2);
    draft.query.push(`cursor=${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`);
  }),
];

/** The cursor of a page that has a next one; orders are made until it has. */
export async function cursorOf(draft: Draft, bench: Bench, query: string, version?: string): Promise<string> {
  const key = fullKey(draft.caller);
  const speaks = version ?? spoken(bench.contract, draft);
  const headers: Array<[string, string]> = speaks ? [['Orders-Version', speaks]] : [];
  for (let tries = 0; tries < 4; tries++) {
    const reply = await bench.send(plain('GET', `/orders${query}`, key, undefined, ...headers));
    const { next } = JSON.parse(reply.body) as { next?: string };
    if (next) return next;
    const { sku, key: idempotency } = bench.fresh();
    await makeOrder(bench.send, draft.caller, 'draft', { sku, quantity: 1, note: null, key: idempotency });
  }
  throw new Error('There is no second page');
}

const idempotent = (draft: Draft): boolean => draft.key.length > 0;
const key = (condition: 'idempotency key missing' | 'idempotency key malformed', ...sent: string[]): Mutation =>
  causes(condition, ['key'], sent.join(' + ').slice(0, 30) || 'none', (draft) => {
    draft.key = sent;
  });

const KEYS: readonly Mutation[] = [
  key('idempotency key missing'),
  ...['', '""', '"a', 'a b', 'a,b', 'a;b=1', '"a";b', 'k\xe9', '"\\a"', 'x'.repeat(256), '"a", "b"'].map((one) =>
    key('idempotency key malformed', one),
  ),
  key('idempotency key malformed', 'a', 'a'),
  causes(
    'idempotency key reused',
    ['key'],
    'for another body',
    async (draft, bench) => {
      const { sku } = bench.fresh();
      const before = plain('POST', '/orders', fullKey(draft.caller), { sku, quantity: 7 }, [
        'Idempotency-Key',
        draft.key[0]!,
      ]);
      await bench.send(before);
    },
    idempotent,
  ),
];

const ETAGS = ['"x"', '', '""', 'W/"x"', 'x', '"a", "b"', '"unclosed', 'null'];

const raises = (code: string, name: string, rest: Pick<Mutation, 'slots' | 'apply'> & Partial<Mutation>): Mutation => ({
  name: `${code}: ${name}`,
  effect: { code },
  at: (draft) => draft.endpoint.codes.includes(code),
  ...rest,
});

const id = (name: string, change: (id: string, bench: Bench) => string): Mutation =>
  raises('order_not_found', name, {
    slots: ['row'],
    apply: (draft, bench) => {
      draft.path = draft.path.replace(draft.order!.id, () => change(draft.order!.id, bench));
    },
  });

const ROWS: readonly Mutation[] = [
  id('nobody’s', (_, { random }) => random.uuid()),
  id('nil', () => '00000000-0000-0000-0000-000000000000'),
  id('no UUID', () => 'abc'),
  id('a number', () => '1'),
  id('dots', () => '..'),
  id('with a slash', (text) => `${text}%2F`),
  id('with a null', (text) => `${text}%00`),
  id('with a space', (text) => `%20${text}`),
  id('in braces', (text) => `%7B${text}%7D`),
  id('without dashes', (text) => text.replaceAll('-', '')),
  id('an SQL pattern', () => '%25'),
  id('SQL', () => "'%20OR%20'1'='1"),
  id('long', () => 'a'.repeat(3000)),
  id('twice encoded', (text) => text.replace('-', '%252d')),
  id('__proto__', () => '__proto__'),
  raises('order_not_found', 'somebody else’s', {
    slots: ['row', 'caller', 'scope'],
    at: (draft) =>
      draft.order !== null && draft.endpoint.effective.settings.access!.value.name.text !== 'orders:fulfil',
    apply: (draft, { world }) => {
      const needed = draft.endpoint.effective.settings.access!.value.name.text;
      const other = world.customers.slice(0, 2).find((one) => one !== draft.caller)!;
      const narrow = other.keys.find((one) => one.scopes.includes(needed) && !one.scopes.includes('orders:fulfil'))!;
      draft.authorization = [`Bearer ${narrow.key}`];
    },
  }),
];

const nothing = (): void => {};
const state = (code: string, path: string, ...states: string[]): Mutation[] =>
  states.map((one) =>
    raises(code, `${path} from ${one}`, {
      slots: ['state'],
      state: one,
      at: (draft) => draft.endpoint.name === path,
      apply: nothing,
    }),
  );

const STATES: readonly Mutation[] = [
  ...state(
    'order_not_placeable',
    'POST /orders/{id}/place',
    'placed',
    'shipped',
    'delivered',
    'cancelled',
    'draft, too many',
  ),
  ...state('order_not_shippable', 'POST /orders/{id}/ship', 'draft', 'shipped', 'delivered', 'cancelled'),
  ...state('order_not_shipped', 'POST /orders/{id}/deliver', 'draft', 'placed', 'delivered', 'cancelled'),
  ...state('order_not_open', 'POST /orders/{id}/cancel', 'shipped', 'delivered', 'cancelled'),
  ...state('order_not_open', 'PATCH /orders/{id}', 'placed', 'shipped', 'delivered', 'cancelled'),
  ...state('order_still_open', 'DELETE /orders/{id}', 'draft', 'placed', 'shipped', 'delivered'),
  raises('order_already_open', 'a second draft', {
    slots: ['state', 'member sku'],
    at: (draft) => draft.endpoint.effective.steps.some((step) => step.verb === 'Create'),
    apply: async (draft, bench) => {
      const sku = String(draft.fields!.get('sku'));
      await makeOrder(bench.send, draft.caller, 'draft', { sku, quantity: 1, note: null, key: bench.fresh().key });
    },
  }),
];

const MATCHES: readonly Mutation[] = [
  causes('precondition missing', ['match'], 'no If-Match', (draft) => {
    draft.match = [];
  }),
  ...ETAGS.map((tag) =>
    causes('precondition failed', ['match'], tag || 'empty', (draft) => {
      draft.match = [tag];
    }),
  ),
  causes('precondition failed', ['match'], 'weak', (draft) => {
    draft.match = [`W/${draft.match[0]}`];
  }),
  {
    touches: true,
    ...causes('precondition failed', ['match', 'state', 'version'], 'changed meanwhile', async (draft, { send }) => {
      const { id: row, owner, etag } = draft.order!;
      const speaks: Array<[string, string]> = draft.version.map((version) => ['Orders-Version', version]);
      const changed = await send(
        plain('PATCH', `/orders/${row}`, fullKey(owner), { quantity: 3 }, ['If-Match', etag], ...speaks),
      );
      if (changed.status !== 200) throw new Error(`The change before got ${changed.status}`);
    }),
  },
];

/** Everything that can go wrong once the form of a request is right. */
export const STEPS: readonly Mutation[] = [...FILTERS, ...PAGES, ...KEYS, ...ROWS, ...STATES, ...MATCHES];
