import type { EndpointContract } from '../../contract/endpoint.ts';
import { isSuccess } from '../../plan/status.ts';
import { headerOf, type Request } from '../target/exchange.ts';
import { bases } from './bases.ts';
import { bodyMutations } from './body-mutations.ts';
import { type Base, type Candidate, kindOf, type Situation } from './candidate.ts';
import { bytesOf, type ContentObject, type Draft, objectIn, requestOf, withHeader } from './draft.ts';
import type { Known } from './known.ts';
import { withOtherKey } from './renewed.ts';

/** The number of earlier requests that are repeated unchanged: of accepted ones, and of refused ones. */
const REPLAYS = 3;
/** The number of changes of one body member that are tried with a used key. */
const OF_MEMBER = 2;

type Used = Known['keys'][number] & { readonly request: Request };

/**
 * Repeats earlier requests with their idempotency keys, after their rows may have changed: unchanged, by other callers,
 * with the key in another spelling, in another version, and with one change of the body; and a valid request with the
 * key of a refused request.
 */
export function* replays(situation: Situation, right: Draft | null): Generator<Candidate> {
  const { endpoint, random } = situation;
  if (!endpoint.idempotency) return;
  const { header } = endpoint.idempotency;
  const all = usedAt(situation);
  const [taken, refused] = [
    all.filter(({ status }) => isSuccess(status)),
    all.filter(({ status }) => !isSuccess(status)),
  ];
  yield* translated(situation);
  const some = [taken, refused].map((ones) => [...ones.slice(-1), ...random.some(ones.slice(0, -1), REPLAYS - 1)]);
  for (const used of some.flat()) yield* again(situation, used, header);
  for (const used of taken.slice(-1)) {
    yield* written(situation, used, header);
    yield* altered(situation, used);
  }
  for (const used of refused.filter(({ isKept }) => isKept).slice(-1)) yield* altered(situation, used);
  for (const used of refused.filter(({ isKept }) => !isKept).slice(-REPLAYS)) {
    if (!right) break;
    const what = `which left it free with ${used.status}, in a right request`;
    yield candidate(situation, used, what, requestOf(withHeader(right, header, used.key)));
  }
}

const usedAt = ({ known, endpoint }: Situation): readonly Used[] =>
  known.keys.filter((one): one is Used => one.endpoint === endpoint.name && one.request !== undefined);

function candidate({ endpoint, version }: Situation, { key }: Used, what: string, request: Request): Candidate {
  const whole = `the request of the key “${key}”, ${what}`;
  return { endpoint: endpoint.name, version: version.name, request, what: whole, kind: kindOf(whole), valid: true };
}

/** As it was, with another key, and without credentials. */
function* again(situation: Situation, used: Used, header: string): Generator<Candidate> {
  const { request, key, status } = used;
  yield candidate(situation, used, `sent again${cameTo(used)}`, request);
  if (!isSuccess(status)) return;
  yield candidate(
    situation,
    used,
    'sent again with another key',
    withOtherKey(request, header, () => otherKey(key)),
  );
  const schemes = new Set(situation.contract.schemes.map((one) => one.header.toLowerCase()));
  const bare = request.headers.filter(([name]) => !schemes.has(name.toLowerCase()));
  if (bare.length < request.headers.length)
    yield candidate(situation, used, 'sent again without credentials', { ...request, headers: bare });
}

const cameTo = ({ status }: Used): string => (isSuccess(status) ? '' : `, which was answered ${status}`);

const otherKey = (key: string): string => key.replace(/"?$/, (end) => `-2${end}`);

/** The request with its key in another spelling. */
function* written(situation: Situation, used: Used, header: string): Generator<Candidate> {
  const { key, request } = used;
  const quoted = key.startsWith('"') ? key.slice(1, -1) : `"${key}"`;
  yield candidate(
    situation,
    used,
    'sent again with its key in or without quotes',
    withOtherKey(request, header, () => quoted),
  );
  if (key.toUpperCase() !== key)
    yield candidate(
      situation,
      used,
      'sent again with its key in large letters',
      withOtherKey(request, header, () => key.toUpperCase()),
    );
}

/** A request to another version, translated to this version with its key; where there was none, one is sent first. */
function* translated(situation: Situation): Generator<Candidate> {
  const known = translation(situation);
  if (known) return yield known;
  const first = sayable(situation);
  if (!first) return;
  yield first;
  const then = translation(situation);
  if (then) yield then;
}

/**
 * The newest request that was accepted in another version, translated to this version; null if this version lacks a
 * name for one of its members.
 */
function translation(situation: Situation): Candidate | null {
  const { contract, version, endpoint } = situation;
  const by = contract.versioning?.by;
  if (by?.kind !== 'header' || version.name === null) return null;
  for (const used of usedAt(situation).toReversed()) {
    const { request, status } = used;
    const name = headerOf(request.headers, by.header) ?? contract.versions[0]?.name ?? null;
    const other =
      name === version.name || !isSuccess(status) ? null : contract.versions.find((one) => one.name === name);
    const old = other?.endpoints.find((one) => one.name === endpoint.name);
    const said = objectIn(request);
    const body = old && said && renamed(said, old, endpoint);
    if (!old || (!body && request.body)) continue;
    const headers = request.headers.filter(([one]) => one.toLowerCase() !== by.header.toLowerCase());
    return candidate(situation, used, `sent again in version ${version.name}`, {
      ...request,
      headers: [...headers, [by.header, version.name] as const],
      body: bytesOf({ headers, body: body ?? undefined }),
    });
  }
  return null;
}

/** A request in the current version that this one can say as well. */
function sayable(situation: Situation): Candidate | null {
  const version = situation.contract.versions[0] ?? situation.version;
  const endpoint = version.endpoints.find(({ name }) => name === situation.endpoint.name);
  if (!endpoint || version === situation.version) return null;
  for (const { draft, what } of bases({ ...situation, version, endpoint }, 'none')) {
    const request = requestOf(draft);
    const body = objectIn(request);
    if (body && !renamed(body, endpoint, situation.endpoint)) return null;
    const whole = `${what}, with what version ${situation.version.name} can say`;
    return { endpoint: endpoint.name, version: version.name, request, what: whole, kind: kindOf(whole), valid: true };
  }
  return null;
}

/** The members of a body by the names that another version has for their fields; null where it lacks one of these. */
function renamed(body: ContentObject, old: EndpointContract, now: EndpointContract): ContentObject | null {
  const fields = new Map(old.body?.type.members.map(({ name, field }) => [name, field]));
  const members = Object.entries(body).map(([name, value]) => {
    const field = fields.get(name);
    const same = now.body?.type.members.find((one) => one.field !== null && one.field === field);
    return same && ([same.name, value] as const);
  });
  const found = members.filter((one) => one !== undefined);
  return found.length < members.length ? null : Object.fromEntries(found);
}

/** The request with one member changed, which makes it another request. */
function* altered(situation: Situation, used: Used): Generator<Candidate> {
  const body = objectIn(used.request);
  if (!body) return;
  const draft: Draft = {
    method: used.request.method,
    path: situation.endpoint.path,
    place: new Map(),
    query: [],
    target: used.request.target,
    headers: used.request.headers,
    body,
  };
  const base: Base = { draft, caller: null, rows: new Map(), what: '', feature: '', make: () => draft };
  const counts = new Map<string, number>();
  for (const { aspect, what, valid, change } of bodyMutations(situation, base)) {
    const count = counts.get(aspect) ?? 0;
    if (!valid || count >= OF_MEMBER) continue;
    counts.set(aspect, count + 1);
    yield candidate(situation, used, `sent again${cameTo(used)}, but ${what}`, requestOf(change(draft)));
  }
}
