import type { Contract, VersionContract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import { isScalar, jsonTypeOf } from '../../contract/kinds.ts';
import type { ContractType, MemberContract } from '../../contract/types.ts';
import { writingOf } from './client.ts';
import { call, literal } from './layout.ts';
import { comparesTags, ifChangedName, sharedOf } from './methods.ts';
import type { Schemes } from './schemes.ts';
import { argumentsOf, stated } from './signatures.ts';
import { type Group, isStream, type Method, treeOf } from './tree.ts';
import { access, key, quote, WIDTH } from './words.ts';

/** A request that a method of a client can send. */
export interface SentRequest {
  /** The path with its parameters filled in, and the query. */
  readonly path: string;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly body: SentBody | null;
  /** The name of the scheme whose credentials the request carries; null without any. */
  readonly scheme: string | null;
  readonly baseUrl: string;
}

export type SentBody =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'form'; readonly fields: ReadonlyArray<readonly [name: string, value: string]> }
  /** Bytes are in no program: it names a file. */
  | ({ readonly kind: 'bytes' } & SentFile)
  | { readonly kind: 'parts'; readonly parts: readonly SentPart[] };

interface SentFile {
  readonly type: string;
  readonly fileName: string;
}

type SentPart = { readonly name: string } & ({ readonly text: string } | { readonly file: SentFile });

/**
 * Returns the statements that send a request with the client of a version: its method has the name and the arguments
 * of the client. A comment names each part of the request that the client does not send. Null where the endpoint has
 * another path.
 */
export function callOf(
  contract: Contract,
  version: VersionContract,
  endpoint: EndpointContract,
  request: SentRequest,
): string | null {
  const w = writingOf(contract, version);
  const method = methodOf(treeOf(contract, version), endpoint);
  const [path = '', query = ''] = request.path.split('?', 2);
  const inPath = pathValues(endpoint, path);
  if (!method || !inPath) return null;
  const shared = sharedOf(w, method);
  const notes: string[] = [];
  const files: string[] = [];
  const own = optionsOf(request, endpoint, notes);
  const etag = comparesTags(endpoint) ? headerOf(request, 'If-None-Match') : undefined;
  const values = new Map<string, string | null>();
  for (const one of shared.path) values.set(one.name, pathArgument(endpoint, inPath));
  if (shared.body) values.set(shared.body.name, bodyArgument(endpoint, request.body, notes, files));
  else if (request.body) notes.push('The method takes no body.');
  if (shared.query) values.set(shared.query.name, queryArgument(endpoint, new URLSearchParams(query), notes));
  else if (query !== '') notes.push(`The method takes no query: ${query}`);
  values.set(shared.options.name, own.length > 0 ? literal(own, WIDTH - 4) : null);
  const args = argumentsOf(shared).map(({ name }) => values.get(name) ?? null);
  if (etag !== undefined) args.splice(-1, 0, quote(etag));
  while (args.at(-1) === null) args.pop();
  const name = etag === undefined ? method.name : ifChangedName(method);
  const chain = [...method.chain.slice(0, -1), name].reduce(access, 'client');
  const given = args.map((one) => one ?? 'undefined');
  const sent = isStream(endpoint)
    ? [...call(`for await (const event of ${chain}`, given, ') console.log(event);', 0)]
    : call(`const result = await ${chain}`, given, ';', 0);
  return [...notes.map(commented), ...clientLines(contract, w.schemes, request), ...files, ...sent].join('\n');
}

/** A comment in one line. */
const commented = (text: string): string => `// ${text.replace(/\s+/g, ' ')}`;

/** The statement that creates the client. */
function clientLines({ schemes }: Contract, names: Schemes, request: SentRequest): string[] {
  const scheme = schemes.find((one) => one.name === request.scheme);
  const option = scheme && names.optionOf(scheme.name);
  const credential = option === undefined ? [] : [`${option}: ${scheme?.basic ? 'credentials' : 'key'}`];
  return call(
    'const client = createClient',
    [literal([`baseUrl: ${quote(request.baseUrl)}`, ...credential], WIDTH)],
    ';',
    0,
  );
}

/** The method of an endpoint. */
function methodOf({ methods, groups }: Group, endpoint: EndpointContract): Method | null {
  const own = methods.find((one) => one.endpoint.name === endpoint.name);
  if (own) return own;
  for (const [, group] of groups) {
    const found = methodOf(group, endpoint);
    if (found) return found;
  }
  return null;
}

/** The values of the parameters of a path; null where the path is another one. */
function pathValues({ path }: EndpointContract, sent: string): ReadonlyMap<string, string> | null {
  const names: string[] = [];
  const pattern = path.replace(/\{([^}]*)\}|[\\^$.*+?()[\]|]/g, (text, name?: string) => {
    if (name === undefined) return `\\${text}`;
    names.push(name);
    return '([^/]*)';
  });
  const found = new RegExp(`^${pattern}$`).exec(sent);
  if (!found) return null;
  try {
    return new Map(names.map((name, i) => [name, decodeURIComponent(found[i + 1] ?? '')]));
  } catch {
    return null;
  }
}

function pathArgument({ parameters }: EndpointContract, values: ReadonlyMap<string, string>): string | null {
  const all = [...values].map(([name, value]): [string, string] => {
    const type = parameters.find((one) => one.in === 'path' && one.name === name)?.type;
    return [name, type ? inAddress(type, value) : quote(value)];
  });
  const [only] = all;
  if (all.length === 1 && only) return only[1];
  const members = all.map(([name, value]) => `${key(name)}: ${value}`);
  return members.length > 0 ? literal(members, WIDTH - 4) : null;
}

function queryArgument(endpoint: EndpointContract, sent: URLSearchParams, notes: string[]): string | null {
  const known = stated(endpoint, 'query');
  const members = known.flatMap(({ name, type }) => {
    const values = sent.getAll(name);
    return values.length === 0 ? [] : [`${key(name)}: ${inAddress(type, values.join(','))}`];
  });
  for (const name of new Set(sent.keys()))
    if (!known.some((one) => one.name === name)) notes.push(`The method takes no query parameter ${name}.`);
  return members.length > 0 ? literal(members, WIDTH - 4) : null;
}

/** A value in a path, a query or a header: text unless the client takes a number, a boolean or a list. */
function inAddress(type: ContractType, text: string): string {
  if (type.kind === 'list' || type.kind === 'set') {
    const items = text === '' ? [] : text.split(',');
    return `[${items.map((item) => inAddress(type.of, item)).join(', ')}]`;
  }
  if (type.kind === 'decimal' || !isScalar(type)) return quote(text);
  const json = jsonTypeOf(type);
  const isLiteral = json === 'number' ? /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/ : json === 'boolean' ? /^(?:true|false)$/ : null;
  return isLiteral?.test(text) ? text : quote(text);
}

/** Headers that the client writes itself. */
const BY_CLIENT: ReadonlySet<string> = new Set(['accept', 'content-length', 'content-type', 'host', 'origin']);

const headerOf = ({ headers }: SentRequest, name: string): string | undefined =>
  headers.find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1];

/** The members of the options: headers that the document states, the idempotency key, and what must match. */
function optionsOf(request: SentRequest, endpoint: EndpointContract, notes: string[]): string[] {
  const known = stated(endpoint, 'header');
  const members: string[] = [];
  const headers = known.flatMap(({ name, type }) => {
    const value = headerOf(request, name);
    return value === undefined ? [] : [`${key(name)}: ${inAddress(type, value)}`];
  });
  if (headers.length > 0) members.push(`headers: ${literal(headers, WIDTH - 16)}`);
  const others = optionHeaders(endpoint);
  const given = new Set<string>();
  for (const [name, value] of request.headers) {
    const lower = name.toLowerCase();
    const option = others.get(lower);
    if (option === NO_OPTION) continue;
    if (option !== undefined && !given.has(option)) {
      given.add(option);
      members.push(`${option}: ${quote(value)}`);
    } else if (option !== undefined) notes.push(`The client sends the header ${name} once.`);
    else if (!BY_CLIENT.has(lower) && !known.some((one) => one.name.toLowerCase() === lower))
      notes.push(`The client does not send the header ${name}.`);
  }
  return members;
}

/** In place of an option: a header that an argument or the client itself has. */
const NO_OPTION = '';

/** The options for headers of an endpoint. */
function optionHeaders(endpoint: EndpointContract): ReadonlyMap<string, string> {
  const { method, parameters, idempotency, preconditions } = endpoint;
  const others = new Map<string, string>();
  if (idempotency) others.set(idempotency.header.toLowerCase(), 'idempotencyKey');
  const { ifMatch } = preconditions ?? {};
  if (method !== 'GET' && (ifMatch === 'required' || ifMatch === 'judged')) others.set('if-match', 'ifMatch');
  if (comparesTags(endpoint)) others.set('if-none-match', NO_OPTION);
  for (const { name, role } of parameters) {
    if (role === 'last event') others.set(name.toLowerCase(), 'lastEventId');
    if (role === 'version') others.set(name.toLowerCase(), NO_OPTION);
  }
  return others;
}

/** The argument for a body; null where it is left out. */
function bodyArgument(
  endpoint: EndpointContract,
  body: SentBody | null,
  notes: string[],
  files: string[],
): string | null {
  if (!body) return null;
  const { members } = endpoint.body?.type ?? { members: [] };
  const file = ({ type, fileName }: SentFile): string => {
    const name = files.length === 0 ? 'file' : `file${files.length + 1}`;
    files.push(`const ${name} = new Blob([]); // the bytes of ${commented(fileName).slice(3)}`);
    return `{ type: ${quote(type)}, content: ${name} }`;
  };
  switch (body.kind) {
    case 'bytes':
      return file(body);
    case 'form':
      return membersText(
        members,
        body.fields.map(([name, text]) => ({ name, text })),
        file,
      );
    case 'parts':
      return membersText(members, body.parts, file);
    case 'text':
      return jsonArgument(body.text, notes);
  }
}

/** The members of a form. Parts of one name are the items of a list. */
function membersText(
  members: readonly MemberContract[],
  parts: readonly SentPart[],
  fileText: (file: SentFile) => string,
): string {
  const named = Map.groupBy(parts, ({ name }) => name);
  const all = [...named].map(([name, own]) => {
    const type = members.find((one) => one.name === name)?.type;
    const isList = type?.kind === 'list' || type?.kind === 'set';
    const texts = own.map((part) => ('file' in part ? fileText(part.file) : part.text));
    if (own.some((part) => 'file' in part)) return `${key(name)}: ${isList ? `[${texts.join(', ')}]` : texts.at(-1)}`;
    return `${key(name)}: ${type ? inAddress(type, texts.join(',')) : quote(texts.join(','))}`;
  });
  return literal(all, WIDTH - 4);
}

function jsonArgument(text: string, notes: string[]): string {
  try {
    return valueText(JSON.parse(text), WIDTH - 4);
  } catch {
    notes.push('The body is not JSON: the client sends none of this kind.');
    return quote(text);
  }
}

/** A value of JSON as an expression. */
function valueText(value: unknown, room: number): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (!Array.isArray(value))
    return literal(
      Object.entries(value).map(([name, one]) => `${key(name)}: ${valueText(one, room - 4)}`),
      room,
    );
  const items = value.map((item) => valueText(item, room - 2));
  const line = `[${items.join(', ')}]`;
  if (line.length <= room && !line.includes('\n')) return line;
  return call('', items, '', room).join('\n').replace(/^\(/, '[').replace(/\)$/, ']');
}
