import type { SchemeContract, VersionContract } from '../contract/contract.ts';
import type { EndpointContract, ParameterContract } from '../contract/endpoint.ts';
import type { Json } from '../export/json.ts';
import { showForm } from '../http/form.ts';
import { showParts, WHOLE_FORM } from '../http/multipart.ts';
import { credentialField } from '../plan/callers.ts';
import { FORM_TYPE, MULTIPART_TYPE } from '../plan/media-types.ts';
import type { Incoming } from '../runtime/http/message.ts';

/** A request before it is sent. */
export interface Draft {
  /** The values of parameters, by place and name: `path id`. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly body: Json | undefined;
  /** Null for a request without credentials. */
  readonly credentials: string | null;
  /** Further headers, which are not parameters. */
  readonly headers: ReadonlyMap<string, string>;
  /** The bytes that are sent instead of the JSON body. */
  readonly bytes?: Buffer;
  /** The query string that is sent instead of the parameters; it may be malformed. */
  readonly query?: string;
  /** The value of Content-Length, if it differs from the length of the body. */
  readonly length?: number;
}

/** A client address for documentation (RFC 5737). */
const CLIENT = '192.0.2.1';

/** The request with another value of a parameter; null omits the parameter. */
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

/** Converts a draft to the form of a received request. */
export function incomingOf(
  { method, path, parameters: stated, answers, body }: EndpointContract,
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
  const [mediaType = version.mediaType] = body?.mediaTypes ?? [];
  const sent = draft.bytes ?? (draft.body === undefined ? null : bodyBytes(draft.body, mediaType));
  const rawHeaders = ['Host', host];
  if (!draft.headers.has('Accept')) rawHeaders.push('Accept', `${version.mediaType}, */*;q=0.1`);
  if (draft.credentials !== null && scheme) rawHeaders.push(...credentialField(scheme, draft.credentials));
  const provesOrigin = answers.some(({ because }) => because.name === 'origin not accepted');
  if (provesOrigin && !draft.headers.has('Origin')) rawHeaders.push('Sec-Fetch-Site', 'same-origin');
  for (const [name, value] of of('header')) rawHeaders.push(name, value);
  if (sent && !draft.headers.has('Content-Type'))
    rawHeaders.push('Content-Type', OWN_TYPES.get(mediaType) ?? version.mediaType);
  if (sent || draft.length !== undefined) rawHeaders.push('Content-Length', String(draft.length ?? sent?.length));
  for (const [name, value] of draft.headers) rawHeaders.push(name, value);
  return {
    method,
    path: target,
    query: draft.query ?? (query.length ? query.join('&') : null),
    rawHeaders,
    address: CLIENT,
    // Timeouts use the clock of the machine; everything else uses the clock of the store.
    arrived: Date.now(),
    now,
    body: (most) => (sent && sent.length > most ? 'too large' : (sent ?? Buffer.alloc(0))),
  };
}

/** `Content-Type` of bodies that are no JSON. */
const OWN_TYPES: ReadonlyMap<string, string> = new Map([
  [FORM_TYPE, FORM_TYPE],
  [MULTIPART_TYPE, WHOLE_FORM],
]);

function bodyBytes(body: Json, mediaType: string): Buffer {
  if (typeof body !== 'object' || body === null || !OWN_TYPES.has(mediaType)) return Buffer.from(JSON.stringify(body));
  return mediaType === FORM_TYPE ? Buffer.from(showForm(body)) : showParts(body, textOf);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
