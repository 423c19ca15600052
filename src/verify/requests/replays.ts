import type { EndpointContract } from '../../contract/endpoint.ts';
import { headerOf, type Request } from '../target/exchange.ts';
import { bodyMutations } from './body-mutations.ts';
import { type Base, type Candidate, kindOf, type Situation } from './candidate.ts';
import { type ContentObject, type Draft, isObject, requestOf, withHeader } from './draft.ts';
import type { Known } from './known.ts';

/** How many requests of before are sent again as they were: of those that were taken, and of those that were refused. */
const REPLAYS = 3;
/** How many changes of one member of a body are tried with a key that was used. */
const OF_MEMBER = 2;

type Used = Known['keys'][number] & { readonly request: Request };

/**
 * Requests of before with their keys, now that their rows may have changed: as they were, by others, with the key
 * written in another way, with another version, and with one thing of the body changed; and a `right` request with a key that a refusal left free.
 */
export function* replays(situation: Situation, right: Draft | null): Generator<Candidate> {
  const { endpoint, known, random } = situation;
  if (!endpoint.idempotency) return;
  const { header } = endpoint.idempotency;
  const all = known.keys.filter((one): one is Used => one.endpoint === endpoint.name && one.request !== undefined);
  const [taken, refused] = [all.filter(({ status }) => status < 300), all.filter(({ status }) => status >= 300)];
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
  yield* translated(situation, taken);
}

function candidate({ endpoint, version }: Situation, { key }: Used, what: string, request: Request): Candidate {
  const whole = `the request of the key “${key}”, ${what}`;
  return { endpoint: endpoint.name, version: version.name, request, what: whole, kind: kindOf(whole), valid: true };
}

const withOther = (request: Request, name: string, value: string): Request => ({
  ...request,
  headers: request.headers.map(
    ([one, held]) => [one, one.toLowerCase() === name.toLowerCase() ? value : held] as const,
  ),
});

/** As it was, with another key, and without credentials. */
function* again(situation: Situation, used: Used, header: string): Generator<Candidate> {
  const { request, key, status } = used;
  yield candidate(situation, used, `sent again${cameTo(used)}`, request);
  if (status >= 300) return;
  yield candidate(situation, used, 'sent again with another key', withOther(request, header, otherKey(key)));
  const schemes = new Set(situation.contract.schemes.map((one) => one.header.toLowerCase()));
  const bare = request.headers.filter(([name]) => !schemes.has(name.toLowerCase()));
  if (bare.length < request.headers.length)
    yield candidate(situation, used, 'sent again without credentials', { ...request, headers: bare });
}

const cameTo = ({ status }: Used): string => (status < 300 ? '' : `, which was answered ${status}`);

const otherKey = (key: string): string => key.replace(/"?$/, (end) => `-2${end}`);

/** With its key written in another way. */
function* written(situation: Situation, used: Used, header: string): Generator<Candidate> {
  const { key, request } = used;
  const quoted = key.startsWith('"') ? key.slice(1, -1) : `"${key}"`;
  yield candidate(situation, used, 'sent again with its key in or without quotes', withOther(request, header, quoted));
  if (key.toUpperCase() !== key)
    yield candidate(
      situation,
      used,
      'sent again with its key in large letters',
      withOther(request, header, key.toUpperCase()),
    );
}

/** What the newest of some requests said that named another version, said in this one. */
function* translated(situation: Situation, all: readonly Used[]): Generator<Candidate> {
  const { contract, version, endpoint } = situation;
  const by = contract.versioning?.by;
  if (by?.kind !== 'header' || version.name === null) return;
  const nameOf = ({ request }: Used): string | null =>
    headerOf(request.headers, by.header) ?? contract.versions[0]?.name ?? null;
  const used = all.findLast((one) => nameOf(one) !== version.name);
  const other = used && contract.versions.find(({ name }) => name === nameOf(used));
  const old = other?.endpoints.find(({ name }) => name === endpoint.name);
  const body = used && bodyOf(used.request);
  if (!used || !old || (!body && used.request.body)) return;
  const headers = used.request.headers.filter(([name]) => name.toLowerCase() !== by.header.toLowerCase());
  const request = {
    ...used.request,
    headers: [...headers, [by.header, version.name] as const],
    body: body ? Buffer.from(JSON.stringify(renamed(body, old, endpoint))) : null,
  };
  yield candidate(situation, used, `sent again in version ${version.name}`, request);
}

/** The members of a body by the names that another version has for their fields; what that has not is left out. */
function renamed(body: ContentObject, old: EndpointContract, now: EndpointContract): ContentObject {
  const fields = new Map(old.body?.type.members.map(({ name, field }) => [name, field]));
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => {
      const field = fields.get(name);
      const same = now.body?.type.members.find((one) => one.field !== null && one.field === field);
      return same ? [[same.name, value] as const] : [];
    }),
  );
}

/** With one member changed: whatever of a body counts tells that it is another request. */
function* altered(situation: Situation, used: Used): Generator<Candidate> {
  const body = bodyOf(used.request);
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

/** The body of a request, where it is an object in JSON. */
function bodyOf({ body }: Request): ContentObject | null {
  try {
    const read: unknown = JSON.parse(body?.toString() ?? '');
    return isObject(read as ContentObject) ? (read as ContentObject) : null;
  } catch {
    return null;
  }
}
