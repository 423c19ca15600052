import type { Contract, Stated } from './contract.ts';
import { type Draft, nameIn, Raw, validDraft, write } from './draft.ts';
import { type Bench, type Effect, expected, type FaultMade, isEarly, type Mutation } from './mutation.ts';
import { HARMLESS, MUTATIONS } from './mutations.ts';
import { codeOf } from './oracle.ts';
import { Random } from './random.ts';
import { describe, type Sent } from './sent.ts';
import type { Reply } from './wire.ts';
import { type Client, type Customer, makeOrder, type Order, Wrong } from './world.ts';

/** One case of a run: an endpoint, and what is done to a valid request to it. */
export interface Case {
  readonly endpoint: Stated;
  /** Every way of making it wrong that is to be used; empty for a request that stays valid. */
  readonly mutations: readonly Mutation[];
  readonly harmless: readonly Mutation[];
  /** Sent twice: the second answer has to be the first one. */
  readonly twice: boolean;
}

/** An order that doesn’t exist yet, to choose mutations by. */
const NO_CUSTOMER: Customer = { id: '', keys: [{ scopes: ['', '', ''], key: '' }] };
const PLANNED: Order = { id: 'ORDER', owner: NO_CUSTOMER, sku: '', quantity: 0, note: null, status: '', etag: '""' };

/** A draft that nothing has been done to, to ask where mutations apply. */
function skeleton(endpoint: Stated): Draft {
  const order = endpoint.path.includes('{id}') ? PLANNED : null;
  return validDraft(new Random(0), endpoint, { caller: NO_CUSTOMER, order, sku: 'ABC-1234', key: 'k' });
}

const fits = (one: Mutation, others: readonly Mutation[]): boolean =>
  others.every((other) => !one.slots.some((slot) => other.slots.includes(slot)));

const effectName = (effect: Effect | null): string => JSON.stringify(effect);

/**
 * All cases of a run: each mutation at each endpoint that it applies to, each harmless change, each pair of effects that
 * can come together at an endpoint, and `more` of several at once.
 */
export function casesOf(contract: Contract, seed: number, more: number): Case[] {
  const random = new Random(seed);
  const one = (
    endpoint: Stated,
    mutations: readonly Mutation[],
    harmless: readonly Mutation[] = [],
    twice = false,
  ): Case => ({
    endpoint,
    mutations,
    harmless,
    twice,
  });
  const cases: Case[] = [];
  for (const endpoint of contract.endpoints) {
    const draft = skeleton(endpoint);
    const wrong = MUTATIONS.filter((mutation) => mutation.at(draft, contract));
    const mild = HARMLESS.filter((mutation) => mutation.at(draft, contract));
    for (const mutation of wrong) cases.push(one(endpoint, [mutation]));
    for (const mutation of mild) cases.push(one(endpoint, [], [mutation]));
    const effects = [...Map.groupBy(wrong, (mutation) => effectName(mutation.effect)).values()];
    for (const [i, first] of effects.entries())
      for (const second of effects.slice(i + 1)) {
        const pair = pairOf(random, first, second);
        if (pair) cases.push(one(endpoint, pair, some(random, mild, pair, random.int(0, 1))));
      }
    if (endpoint.effective.settings.idempotency!.value !== 'none') {
      const stated = [null, ...wrong.filter((mutation) => mutation.effect && 'code' in mutation.effect)];
      for (let i = 0; i < 60; i++) {
        const mutation = random.pick(stated);
        cases.push(one(endpoint, mutation ? [mutation] : [], [], true));
      }
    }
  }
  for (let i = 0; i < more; i++) {
    const endpoint = random.pick(contract.endpoints);
    const draft = skeleton(endpoint);
    const at = (mutation: Mutation): boolean => mutation.at(draft, contract) && !mutation.slots.includes('broken');
    const wrong = some(random, MUTATIONS.filter(at), [], random.int(0, 4));
    cases.push(one(endpoint, wrong, some(random, HARMLESS.filter(at), wrong, random.int(0, 3))));
  }
  return cases;
}

function pairOf(random: Random, first: readonly Mutation[], second: readonly Mutation[]): Mutation[] | null {
  const a = random.pick(first);
  const fitting = second.filter((b) => fits(b, [a]));
  if (fitting.length) return [a, random.pick(fitting)];
  const pairs = first.flatMap((x) => second.filter((y) => fits(y, [x])).map((y) => [x, y]));
  return pairs.length ? random.pick(pairs) : null;
}

function some(random: Random, from: readonly Mutation[], beside: readonly Mutation[], count: number): Mutation[] {
  const chosen: Mutation[] = [];
  for (const one of random.some(from, count * 3))
    if (chosen.length < count && fits(one, [...beside, ...chosen])) chosen.push(one);
  return chosen;
}

/** The state that an endpoint wants its order to be in. */
const WANTED: Readonly<Record<string, readonly string[]>> = {
  'GET /orders/{id}': ['draft', 'placed', 'shipped', 'delivered', 'cancelled'],
  'PATCH /orders/{id}': ['draft'],
  'POST /orders/{id}/place': ['draft'],
  'POST /orders/{id}/cancel': ['draft', 'placed'],
  'POST /orders/{id}/ship': ['placed'],
  'POST /orders/{id}/deliver': ['shipped'],
  'DELETE /orders/{id}': ['cancelled'],
};

/** Runs one case: makes what it needs, sends it, and compares the answer with the one that is expected. */
export async function runCase(client: Client, one: Case, seed: number, index: number): Promise<void> {
  const random = Random.of(seed, index);
  const { world } = client;
  const { contract } = world;
  let used = 0;
  const fresh = (): { sku: string; key: string } => {
    const n = index * 20 + used++;
    const letters = [n / 6_760_000, n / 260_000, n / 10_000].map((x) => String.fromCharCode(65 + (Math.floor(x) % 26)));
    return { sku: `${letters.join('')}-${String(n % 10_000).padStart(4, '0')}`, key: `case-${index}-${used}` };
  };
  const send = (sent: Sent): Promise<Reply> => client.send(sent, codeOf);
  const bench: Bench = { world, contract, random, send, fresh };
  const { draft, faults } = await prepare(one, bench, client.untouched);
  const sent = write(contract, draft);
  const effects = [...one.mutations, ...one.harmless].flatMap((mutation) => mutation.effect ?? []);
  // Several mutations together may come to more than the request may weigh.
  if (sent.framing !== 'none' && (sent.body?.length ?? 0) > contract.model.limits.requestSize!.value)
    effects.push({ condition: 'request too large' });
  const reply = await send(sent);
  const complaint = compare(contract, draft, reply, expected(effects, one.endpoint, contract), faults);
  if (complaint) throw new Wrong(`${complaint}\n${describe(sent)}\n→ ${JSON.stringify(reply)}`);
  if (!one.twice) return;
  const again = await send(sent);
  const same = (r: Reply): string =>
    JSON.stringify([r.status, r.body, r.headers.filter(([name]) => name === 'Location')]);
  if (same(again) !== same(reply))
    throw new Wrong(`The same key got ${same(reply)}, then ${same(again)}\n${describe(sent)}`);
}

async function prepare(
  one: Case,
  bench: Bench,
  untouched: Map<string, Order>,
): Promise<{ draft: Draft; faults: FaultMade[] }> {
  const { world, random, fresh, contract } = bench;
  const { endpoint } = one;
  const caller = random.pick(world.customers.slice(0, 2));
  const all = [...one.harmless, ...one.mutations];
  const version = versionFor(all, endpoint, bench);
  const state = one.mutations.find((mutation) => mutation.state)?.state ?? random.pick(WANTED[endpoint.name] ?? ['']);
  const { sku, key } = fresh();
  let order: Order | null = null;
  if (endpoint.path.includes('{id}')) {
    const place = `${caller.id} ${state}`;
    const effects = all.flatMap((mutation) => mutation.effect ?? []);
    const early = isEarly(effects, endpoint, contract) && !all.some((mutation) => mutation.touches);
    order = (early && untouched.get(place)) || (await orderIn(state, caller, version[0], bench));
    if (early) untouched.set(place, order);
  }
  const draft = validDraft(random, endpoint, { caller, order, sku, key });
  draft.version = version;
  const faults: FaultMade[] = [];
  for (const mutation of all) faults.push(...((await mutation.apply(draft, bench)) ?? []));
  return { draft, faults };
}

/**
 * A version that a case speaks, or none. Its mutations were chosen for the current one: where one of them doesn’t apply
 * in an older version (a field that it doesn’t have), the case speaks the current one.
 */
function versionFor(all: readonly Mutation[], endpoint: Stated, { contract, random }: Bench): string[] {
  const { versions, current } = contract.model.versioning;
  const older = versions.filter((each) => each.state === 'deprecated').map((each) => [each.name]);
  const draft = skeleton(endpoint);
  const fitting = older.filter((version) => all.every((mutation) => mutation.at({ ...draft, version }, contract)));
  return random.pick([[], [current!.value], ...fitting]);
}

async function orderIn(state: string, owner: Customer, version: string | undefined, bench: Bench): Promise<Order> {
  const { send, random, fresh } = bench;
  const many = state === 'draft, too many';
  const quantity = many ? random.int(101, 1000) : random.int(1, 100);
  const note = many ? null : random.pick([null, 'n', '']);
  const given = { ...fresh(), quantity, note, ...(version === undefined ? {} : { version }) };
  return await makeOrder(send, owner, many ? 'draft' : state, given);
}

/** What is wrong with an answer, beside what the oracle sees; null where it is the one expected. */
function compare(
  contract: Contract,
  draft: Draft,
  reply: Reply,
  wanted: { status: number; code: string },
  faults: readonly FaultMade[],
): string | null {
  if (draft.method === 'HEAD' && reply.status === wanted.status) return null;
  if (reply.status !== wanted.status || codeOf(reply) !== wanted.code)
    return `Expected ${wanted.status} ${wanted.code}, got ${reply.status} ${codeOf(reply)}`;
  if (reply.status < 300) return compareRow(contract, draft, reply);
  const { errors } = reply.body ? (JSON.parse(reply.body) as { errors?: Array<Record<string, string>> }) : {};
  if (!errors) return null;
  const text = (list: string[]): string => list.sort().join(' ');
  const said = text(errors.map((e) => `${e.pointer ?? `?${e.parameter}`}=${e.code}`));
  const made = text(faults.map((f) => `${f.place === 'pointer' ? f.name : `?${f.name}`}=${f.code}`));
  return said === made ? null : `Expected the faults ${made.slice(0, 500)}, got ${said.slice(0, 500)}`;
}

const AFTER: Readonly<Record<string, string>> = {
  place: 'placed',
  cancel: 'cancelled',
  ship: 'shipped',
  deliver: 'delivered',
};

/** The row in an answer is the one that the request made it. */
function compareRow(contract: Contract, draft: Draft, reply: Reply): string | null {
  const { order, endpoint } = draft;
  if (endpoint.method === 'DELETE' || (!order && endpoint.method === 'GET')) return null;
  const row = JSON.parse(reply.body) as Record<string, unknown>;
  const before: Array<[string, unknown]> = order
    ? [
        ['id', order.id],
        ['customer', order.owner.id],
        ['sku', order.sku],
        ['quantity', order.quantity],
        ['note', order.note],
      ]
    : [['customer', draft.caller.id]];
  const wanted = new Map(before);
  wanted.set('status', AFTER[endpoint.path.at(-1)!] ?? order?.status ?? 'draft');
  for (const [field, value] of draft.fields ?? [])
    if (nameIn(contract, draft, field) !== null && !(value instanceof Raw))
      wanted.set(field, typeof value === 'string' ? value.trim() : value);
  for (const [field, value] of wanted) {
    const name = nameIn(contract, draft, field);
    if (name !== null && (row[name] ?? null) !== value)
      return `Expected ${name} ${JSON.stringify(value)}, got ${JSON.stringify(row[name])}`;
  }
  return null;
}
