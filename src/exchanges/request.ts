import type { SchemeContract, VersionContract } from '../contract/contract.ts';
import type { EndpointContract, ParameterContract } from '../contract/endpoint.ts';
import type { Json } from '../export/json.ts';
import type { Incoming } from '../runtime/http/message.ts';

/** A request before it is sent. */
export interface Draft {
  /** What parameters are sent as, by their place and name: `path id`. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly body: Json | undefined;
  /** Null where it says nothing of who makes it. */
  readonly credentials: string | null;
  /** Headers that no parameter is. */
  readonly headers: ReadonlyMap<string, string>;
  /** The bytes in the body’s place, where they are no JSON of it. */
  readonly bytes?: Buffer;
  /** The query in the place of its parameters, which may be no query. */
  readonly query?: string;
  /** How long it says that its body is, where that is not so long. */
  readonly length?: number;
}

/** Of addresses for documentation (RFC 5737). */
const CLIENT = '192.0.2.1';

/** A request with some of its parameters another way; null leaves one out. */
export function withParameter(draft: Draft, key: string, value: string | null): Draft {
  const parameters = new Map(draft.parameters);
  if (value === null) parameters.delete(key);
  else parameters.set(key, value);
  return { ...draft, parameters };
}

export function withHeader(draft: Draft, name: string, value: string): Draft {
  return { ...draft, headers: new Map([...draft.headers, [name, value]]) };
}

export const parameterKey = (one: ParameterContract): string => `${one.in} ${one.name}`;

/** A request as it would come from the wire. */
export function incomingOf(
  { method, path, parameters: stated }: EndpointContract,
  draft: Draft,
  {
    host,
    scheme,
    version,
    now,
  }: { host: string; scheme: SchemeContract | null; version: VersionContract; now: number },
): Incoming {
  const of = (place: ParameterContract['in']): Array<[string, string]> =>
    [...draft.parameters].flatMap(([key, value]) => {
      const at = key.indexOf(' ');
      return key.slice(0, at) === place ? [[key.slice(at + 1), value]] : [];
    });
  const values = new Map(of('path'));
  const target = path.replace(/\{([^}]*)\}/g, (_, name: string) => encodeURIComponent(values.get(name) ?? ''));
  const lists = new Set(
    stated.filter((one) => one.type.kind === 'list' || one.type.kind === 'set').map((one) => one.name),
  );
  const coded = (name: string, value: string): string =>
    lists.has(name) ? value.split(',').map(encodeURIComponent).join(',') : encodeURIComponent(value);
  const query = of('query').map(([name, value]) => `${encodeURIComponent(name)}=${coded(name, value)}`);
  const sent = draft.bytes ?? (draft.body === undefined ? null : Buffer.from(JSON.stringify(draft.body)));
  const rawHeaders = ['Host', host];
  if (!draft.headers.has('Accept')) rawHeaders.push('Accept', `${version.mediaType}, */*;q=0.1`);
  if (draft.credentials !== null && scheme)
    rawHeaders.push(scheme.header, scheme.word === null ? draft.credentials : `${scheme.word} ${draft.credentials}`);
  for (const [name, value] of of('header')) rawHeaders.push(name, value);
  if (sent && !draft.headers.has('Content-Type')) rawHeaders.push('Content-Type', version.mediaType);
  if (sent || draft.length !== undefined) rawHeaders.push('Content-Length', String(draft.length ?? sent?.length));
  for (const [name, value] of draft.headers) rawHeaders.push(name, value);
  return {
    method,
    path: target,
    query: draft.query ?? (query.length ? query.join('&') : null),
    rawHeaders,
    address: CLIENT,
    // Time-outs go by the clock of the machine, and the rest by that of the store.
    arrived: Date.now(),
    now,
    body: (most) => (sent && sent.length > most ? 'too large' : (sent ?? Buffer.alloc(0))),
  };
}
