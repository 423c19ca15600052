import type { EndpointContract, ParameterContract } from '../contract/endpoint.ts';
import { numberedUuid } from '../contract/samples/forms.ts';
import type { ContractType } from '../contract/types.ts';
import type { Json } from '../export/json.ts';
import type { Condition } from '../plan/conditions.ts';
import { type Draft, parameterKey, withHeader, withParameter } from './request.ts';

/** A number that no row has. */
const NO_ROW = 999_999_999;

/** A request that differs in one thing from one that is answered. */
interface InvalidDraft {
  readonly draft: Draft;
  /** The condition that it is to raise; null where that depends on the document. */
  readonly aim: Condition | null;
  /** Sent twice at once, and then with another body: with one idempotency key. */
  readonly oneKey?: true;
}

interface Known {
  readonly endpoint: EndpointContract;
  readonly retired: readonly string[];
  /** Credentials of other callers. */
  readonly others: readonly string[];
  /** Credentials of the caller that reach nothing. */
  readonly narrow: string | null;
}

/** Requests that differ from one that is answered, each in one thing that the document may refuse. */
export function* spoilt(good: Draft, known: Known): Generator<InvalidDraft> {
  const { endpoint } = known;
  yield* aboutCallers(good, known);
  yield* aboutForm(good, endpoint);
  for (const one of endpoint.parameters) yield* aboutParameter(good, one, known);
  yield { draft: withParameter(good, 'query no-such-parameter', '1'), aim: 'unknown parameter' };
  if (!endpoint.body) yield { draft: { ...good, body: { unexpected: true } }, aim: 'body not expected' };
  else for (const draft of aboutBody(good, endpoint.body.type.members)) yield { draft, aim: null };
  yield* aboutRepeating(good, known);
}

function* aboutCallers(good: Draft, { narrow }: Known): Generator<InvalidDraft> {
  yield { draft: withHeader(good, 'Origin', 'https://elsewhere.example'), aim: 'origin not accepted' };
  if (good.credentials === null) return;
  yield { draft: { ...good, credentials: null }, aim: 'credentials missing' };
  yield { draft: { ...good, credentials: 'not-a-credential' }, aim: 'credentials not accepted' };
  if (narrow !== null) yield { draft: { ...good, credentials: narrow }, aim: 'scope missing' };
}

function* aboutForm(good: Draft, { body, limits }: EndpointContract): Generator<InvalidDraft> {
  yield { draft: withHeader(good, 'Accept', 'image/png'), aim: 'not acceptable' };
  const most = limits.requestSize?.bytes;
  // Nobody has to hold what is refused by its length.
  const tooLong = { ...good, length: (most ?? 0) + 1 };
  if (most !== undefined) yield { draft: tooLong, aim: 'request too large' };
  yield { draft: { ...good, query: '%' }, aim: 'malformed request' };
  if (!body) return;
  if (body.bytes) {
    yield { draft: withHeader(good, 'Content-Type', 'application/x-other'), aim: 'unsupported media type' };
    yield { draft: withHeader(good, 'Content-Encoding', 'gzip'), aim: 'unsupported encoding' };
    const { bytes: _, ...empty } = good;
    yield { draft: empty, aim: 'length missing' };
    return;
  }
  yield { draft: { ...good, bytes: Buffer.from('{"unfinished": %') }, aim: 'malformed request' };
  yield { draft: withHeader(good, 'Content-Type', 'text/plain'), aim: 'unsupported media type' };
  yield { draft: withHeader(good, 'Content-Encoding', 'gzip'), aim: 'unsupported encoding' };
  yield { draft: { ...good, body: undefined }, aim: 'length missing' };
}

function* aboutParameter(good: Draft, one: ParameterContract, { retired }: Known): Generator<InvalidDraft> {
  const key = parameterKey(one);
  const sent = (value: string | null, aim: Condition | null): InvalidDraft => ({
    draft: withParameter(good, key, value),
    aim,
  });
  switch (one.role) {
    case 'version':
      yield sent('no-such-version', 'version unknown');
      for (const name of retired) yield sent(name, 'version retired');
      yield sent(null, 'version missing');
      return;
    case 'precondition':
      yield sent(null, 'precondition missing');
      yield sent('"another"', 'precondition failed');
      return;
    case 'idempotency key':
      yield sent(null, 'idempotency key missing');
      yield sent('"', 'idempotency key malformed');
      return;
    case 'page size':
    case 'page place':
      for (const value of ['0', '1000000', 'nowhere']) yield sent(value, 'page refused');
      return;
    case 'range':
      yield sent('bytes=99999999999999-', 'range not satisfiable');
      return;
    case 'last event':
    case 'stated':
      if (one.in !== 'path' && one.required) yield sent(null, null);
      yield sent(String(noSuch(one.type)), null);
      yield sent('none of these', null);
  }
}

/** Again, and now it has been done; and by others. */
function* aboutRepeating(good: Draft, { endpoint, others }: Known): Generator<InvalidDraft> {
  if (endpoint.idempotency) yield { draft: good, aim: 'idempotency key reused', oneKey: true };
  yield { draft: good, aim: null };
  for (const credentials of others) yield { draft: { ...good, credentials }, aim: null };
}

/** A value that is allowed and that nothing has. */
function noSuch(type: ContractType): Json {
  if (type.kind === 'integer') return Math.min(type.max ?? NO_ROW, NO_ROW);
  if (type.kind === 'text' && type.format === 'uuid') return numberedUuid(0xffff_ffff);
  if (type.kind === 'text' && type.oneOf) return type.oneOf.at(-1) ?? '';
  return type.kind === 'text' ? 'nothing'.slice(0, type.max ?? undefined).padEnd(type.min ?? 0, 'x') : 'nothing';
}

function* aboutBody(
  good: Draft,
  members: readonly { readonly name: string; readonly type: ContractType }[],
): Generator<Draft> {
  const { body } = good;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return;
  const all = body as Readonly<Record<string, Json>>;
  for (const { name, type } of members) {
    const { [name]: value, ...rest } = all;
    if (value === undefined) continue;
    yield { ...good, body: rest };
    yield { ...good, body: { ...all, [name]: null } };
    yield { ...good, body: { ...all, [name]: noSuch(type) } };
    yield { ...good, body: { ...all, [name]: { unexpected: true } } };
    if (type.kind === 'integer') yield { ...good, body: { ...all, [name]: type.max ?? NO_ROW } };
    if (type.kind === 'integer') yield { ...good, body: { ...all, [name]: type.min ?? 0 } };
  }
  yield { ...good, body: { ...all, unexpected: true } };
}
